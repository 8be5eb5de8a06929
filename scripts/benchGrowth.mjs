// npm run bench:growth -- FOLDER [--files 10000,30000,…] [--state DIR]
// How an index grows with its files: size, time, memory and queries, for samples of the folder's files and for copies in which names
// are renamed, up to a million. The copies are made in memory; the index of a million files of the kernel takes 5 GB of --state.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './lib/dependencies.mjs';
import { run } from './lib/engineJobs.mjs';
import { build } from './lib/package.mjs';
import { draw, report } from './lib/report.mjs';
import { fail, say, sinceStart } from './lib/say.mjs';

const SAMPLED = 100;
const SETS = /** @type {const} */ (['rare', 'common']);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '10000,30000,100000,300000,1000000' },
    state: { type: 'string', default: tmpdir() },
  },
});
const at = (/** @type {string} */ path) => resolve(process.env.INIT_CWD ?? '.', path);
const counts = values.files.split(',').map(Number);
const folder = at(positionals[0] ?? '.');
if (positionals.length !== 1 || !existsSync(folder) || !counts.every((count) => count > 0))
  fail('Usage: npm run bench:growth -- FOLDER [--files 10000,30000,…] [--state DIR]');

await ensureDependencies();
build();
const work = mkdtempSync(join(at(values.state), 'sextant-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
say('Looking for the commonest terms and for rare names …');
/** @type {{ common: string[], names: { name: string }[] }} */
const { common, names } = await run({ kind: 'corpus', folder, terms: SAMPLED, sampled: SAMPLED });
const sets = { rare: names.map(({ name }) => name), common };

/**
 * @typedef {{ files: number, megabytes: number, indexMs: number, indexCpuMs: number, diskMB: number, peakMB: number }} Index
 * @typedef {{ sets: Record<'rare' | 'common', { p50: number, p95: number }>, peakMB: number }} Queried
 * @type {(Index & { firstMs: number, queried: Queried })[]}
 */
const steps = [];
for (const files of counts) {
  say(`${files} files …`);
  const place = /** @type {const} */ ({ peer: 'sextant', folder, state: join(work, String(files)) });
  /** @type {Index} */
  const index = await run({ kind: 'index', files, ...place });
  /** @type {{ firstMs: number }} */
  const { firstMs } = await run({ kind: 'open', query: sets.rare[0] ?? '', ...place });
  /** @type {Queried} */
  const queried = await run({ kind: 'query', sets, ...place });
  rmSync(place.state, { recursive: true, force: true });
  steps.push({ ...index, firstMs, queried });
}
const fixed = (/** @type {number} */ value, digits = 0) => value.toFixed(digits);
const perMegabyte = (/** @type {Index} */ { diskMB, megabytes }) => diskMB / megabytes;
const cpuPerMegabyte = (/** @type {Index} */ { indexCpuMs, megabytes }) => indexCpuMs / megabytes;
report('growth', [
  ['files', 'MB of source', 'indexed, s', 'processor, s', 'ms per MB', 'on disk, MB', 'per MB', 'peak, MB', 'first query, ms', 'rare names: p50, p95', 'common terms: p50, p95', 'peak of queries, MB'], // oxfmt-ignore
  ...steps.map((one) => [
    one.files.toLocaleString('en-US'),
    ...[fixed(one.megabytes), fixed(one.indexMs / 1000), fixed(one.indexCpuMs / 1000), fixed(cpuPerMegabyte(one), 1)],
    ...[fixed(one.diskMB), fixed(perMegabyte(one), 3), fixed(one.peakMB), fixed(one.firstMs)],
    ...SETS.map((set) => `${fixed(one.queried.sets[set].p50, 1)}, ${fixed(one.queried.sets[set].p95, 1)}`),
    fixed(one.queried.peakMB),
  ]),
]);
const base = { x: 'files', at: steps.map(({ files }) => files) };
draw('growth-size', { title: 'Index per MB of source', ...base, y: 'MB', series: [{ name: 'on disk', y: steps.map(perMegabyte) }] }); // oxfmt-ignore
draw('growth-time', { title: 'Processor time to index a MB of source', ...base, y: 'ms', series: [{ name: 'index', y: steps.map(cpuPerMegabyte) }] }); // oxfmt-ignore
draw('growth-query', {
  title: 'Queries',
  ...base,
  y: 'ms',
  series: SETS.flatMap((set) =>
    /** @type {const} */ (['p50', 'p95']).map((figure) => ({
      name: `${set} terms, ${figure}`,
      y: steps.map(({ queried }) => queried.sets[set][figure]),
    })),
  ),
});
say(`It took ${sinceStart()}.`);
