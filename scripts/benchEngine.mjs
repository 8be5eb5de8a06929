// npm run bench:engine -- FOLDER [--peers fts5,fts5-lean,minisearch] [--complete N] [--changes N] [--state DIR] [--json FILE]
//   or -- --small
// The engine on a large folder, beside SQLite FTS5 and MiniSearch in the same run: time and memory to index, size on disk,
// opening, queries, changes, and whether every file is found by its rarest name. Each measurement has its own process.
// With BENCH_DIR (see bench:quality) the benchmark's questions are run as well, and its small repositories are measured:
// --small does nothing else, and needs no FOLDER. A figure depends on the machine and on
// what else it does: compare figures of one run only. Files come from the page cache where they fit in it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './lib/dependencies.mjs';
import { run, start } from './lib/engineJobs.mjs';
import { build } from './lib/package.mjs';
import { fail, say, sinceStart } from './lib/say.mjs';
import { report } from './lib/report.mjs';

/** @typedef {import('../test/bench/engineJob.ts').PeerName} PeerName */

const PEERS = ['fts5', 'fts5-lean', 'minisearch'];
const COMMON_TERMS = 200;
const RARE_NAMES = 200;
/** Of each kind, for ripgrep. */
const LITERALS = 7;
const OPENINGS = 5;
/** After this time no other opening starts: MiniSearch reads all of its index, a minute each. */
const OPENINGS_MS = 30_000;
/** During the queries: the interval between commits, and the time limit. */
const BATCH_BYTES = 16 << 20;
const BATCHES_MS = 30_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peers: { type: 'string', default: 'fts5,minisearch' },
    complete: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '5000' },
    state: { type: 'string', default: tmpdir() },
    small: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const at = (/** @type {string} */ path) => resolve(process.env.INIT_CWD ?? '.', path);
const [named] = positionals;
const peers = values.peers.split(',').filter((name) => name !== '');
const unknown = peers.filter((name) => !PEERS.includes(name));
const data = process.env.BENCH_DIR === undefined ? undefined : at(process.env.BENCH_DIR);
if ((values.small ? data : named) === undefined || unknown.length > 0)
  fail(
    `Usage: npm run bench:engine -- FOLDER [--peers ${PEERS.join(',')}] [--complete N] [--changes N] [--state DIR] ` +
      "[--json FILE]; FOLDER is, for example, the unpacked sources of Debian's linux-source-6.1. Or, where BENCH_DIR names " +
      'the folder that prepare.mjs of the benchmark filled: npm run bench:engine -- --small',
  );
const folder = at(named ?? '.');
if (!existsSync(folder)) fail(`There is no folder ${folder}.`);

await ensureDependencies();
build();
const names = /** @type {PeerName[]} */ (['sextant', ...peers]);
const work = mkdtempSync(join(at(values.state), 'sextant-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

const { median } = await import('../test/bench/metric.ts');
const rounded = (/** @type {number} */ value, digits = 0) => value.toFixed(digits);
/** @type {Record<string, any>} */
const small = {};
for (const peer of data === undefined ? [] : names) {
  say(`${peer}: small repositories …`);
  small[peer] = await run({ kind: 'small', peer, data: /** @type {string} */ (data), state: join(work, 'small') });
}
if (values.small) {
  printSmall();
  process.exit();
}

say('Reading and tokenising, nothing else …');
const raw = await run({ kind: 'raw', folder });
say(`Looking for the ${COMMON_TERMS} commonest terms and the rarest names …`);
/** @type {{ common: string[], names: import('../test/bench/engineJob.ts').RareName[] }} */
const corpus = await run({ kind: 'corpus', folder, terms: COMMON_TERMS, sampled: Number(values.complete) });
/** @type {Record<string, string[]>} */
const sets = { ...(data !== undefined && { questions: await questions(data) }) };
sets['common terms'] = corpus.common;
sets['phrases of common words'] = corpus.common.filter((text) => text.startsWith('"'));
sets['rare names'] = corpus.names.slice(0, RARE_NAMES).map(({ name }) => name);
const mixed = Object.values(sets).flat();

/** @type {Record<string, any>} */
const measured = {};
for (const peer of names) {
  const state = join(work, peer);
  const place = { peer, folder, state };
  say(`${peer}: indexing …`);
  const index = await run({ kind: 'index', ...place });
  say(`${peer}: opening and asking …`);
  const opened = [];
  const opening = performance.now();
  for (let i = 0; i < OPENINGS && (i === 0 || performance.now() - opening < OPENINGS_MS); i++) {
    const query = mixed[Math.floor((i * mixed.length) / OPENINGS)] ?? '';
    opened.push(await run({ kind: 'open', query, ...place }));
  }
  const asked = await run({ kind: 'query', sets, ...place });
  const complete = peer === 'sextant' && (await run({ kind: 'complete', names: corpus.names, ...place }));
  say(`${peer}: changing files …`);
  const changed = await run({ kind: 'change', changes: Number(values.changes), ...place });
  rmSync(state, { recursive: true, force: true });
  // MiniSearch lives in one process.
  const during = peer !== 'minisearch' && (await askWhileIndexing(place));
  measured[peer] = { index, opened, asked, changed, ...(complete && { complete }), ...(during && { during }) };
}

const size = `${raw.files} files, ${rounded(raw.megabytes)} MB`;
/** @type {[string, (of: any) => number | undefined, number][]} */
const measures = [
  ['index: all searchable, s', ({ index }) => index.indexMs / 1000, 1],
  ['index: processor time, s', ({ index }) => index.indexCpuMs / 1000, 1],
  ['of it, reading and tokenising alone, s', () => raw.cpuMs / 1000, 1],
  ['index: processor time of reading and tokenising, times', ({ index }) => index.indexCpuMs / raw.cpuMs, 2],
  ['index: merged or saved too, s', ({ index }) => index.settledMs / 1000, 1],
  ['index: peak memory, MB', ({ index }) => index.peakMB, 0],
  ['index: on disk, MB', ({ index }) => index.diskMB, 0],
  ['open to search, median, ms', ({ opened }) => median(pick(opened, 'openMs')), 1],
  ['first query after it, median, ms', ({ opened }) => median(pick(opened, 'firstMs')), 1],
  ['first query after it, max, ms', ({ opened }) => Math.max(...pick(opened, 'firstMs')), 1],
  ...Object.entries(sets).flatMap(([set, queries]) =>
    ['p50', 'p95', 'max'].map((figure) => {
      const title = `${queries.length} ${set}: ${figure}, ms`;
      return /** @type {[string, (of: any) => number, number]} */ ([title, ({ asked }) => asked.sets[set][figure], 2]);
    }),
  ),
  ['peak memory of asking, MB', ({ asked }) => asked.peakMB, 0],
  ['open to write, ms', ({ changed }) => changed.openMs, 1],
  ['one changed file, median, ms', ({ changed }) => changed.oneMs, 1],
  [`${measured.sextant?.changed.changed} changed files, ms`, ({ changed }) => changed.manyMs, 0],
  ['then merged or saved too, ms', ({ changed }) => changed.settleMs, 0],
  ['peak memory of changing, MB', ({ changed }) => changed.peakMB, 0],
  ['while indexing: p50, ms', ({ during }) => during?.p50, 2],
  ['while indexing: p95, ms', ({ during }) => during?.p95, 2],
  ['while indexing: max, ms', ({ during }) => during?.max, 2],
  ['while indexing: queries', ({ during }) => during?.queries, 0],
];
const rows = measures.map(([named, of, digits]) => {
  const [, title = named, unit = ''] = /^(.*), (ms|s|MB|times)$/.exec(named) ?? [];
  const figures = names.map((peer) => of(measured[peer]));
  const [own] = figures;
  const ratios = figures.slice(1).map((figure) => (figure === undefined || !own ? '–' : rounded(figure / own, 2)));
  return [
    title,
    ...figures.map((figure) => (figure === undefined ? '–' : `${rounded(figure, digits)} ${unit}`.trim())),
    ...ratios,
  ];
});
report('engine', [[size, ...names, ...peers.map((peer) => `${peer} : sextant`)], ...rows]);

await compareWithRipgrep();
printSmall();

const { asked, missed, low } = measured.sextant.complete;
console.log(`\nComplete: ${asked - missed.length} of ${asked} sampled files are found by their rarest name;`);
console.log(`${low} of them below files that do not have the name.`);
for (const { path, name, documents } of missed)
  console.log(`  missed ${path} by ${name}, which ${documents} files have`);
if (values.json !== undefined) writeFileSync(at(values.json), `${JSON.stringify({ raw, measured, small }, null, 1)}\n`);
say(`All of it took ${sinceStart()}.`);
if (missed.length > 0) fail(`${missed.length} files are not found by their rarest name.`);

function printSmall() {
  if (data === undefined) return;
  /** @type {[string, string, number][]} */
  const measures = [
    ['index, mean', 'indexMs', 0],
    ['question, p50', 'p50', 2],
    ['question, p95', 'p95', 2],
  ];
  const rows = ['process just begun', 'later'].flatMap((when, round) =>
    measures.map(([title, key, digits]) => [
      `${title}, ${when}`,
      ...names.map((peer) => `${rounded(small[peer].rounds[round][key], digits)} ms`),
    ]),
  );
  report('small', [['small repositories', ...names], ...rows]);
}

/** Ripgrep needs no index, and reads all files for each query. */
async function compareWithRipgrep() {
  const program = 'rg';
  if (spawnSync(program, ['--version']).status !== 0) {
    say('There is no rg here; install ripgrep to compare.');
    return;
  }
  const { sample } = await import('../test/bench/corpus.ts');
  const rows = ['rare names', 'phrases of common words'].map((set) => {
    const times = sample(sets[set] ?? [], LITERALS).map((query) => {
      const began = performance.now();
      spawnSync(program, ['--fixed-strings', '--files-with-matches', '--', query.replaceAll('"', ''), folder]);
      return performance.now() - began;
    });
    const { p50, p95 } = measured.sextant.asked.sets[set];
    return [set, `${rounded(p50, 1)}, ${rounded(p95, 1)} ms`, `${rounded(median(times))} ms`];
  });
  report('engine/literals', [['literals', 'sextant: p50, p95', 'ripgrep: median'], ...rows]);
}

/**
 * @param {any[]} rows
 * @param {string} key
 * @returns {number[]}
 */
function pick(rows, key) {
  return rows.map((row) => row[key]);
}

/** Indexes in many commits, while another process searches. @param {{ peer: PeerName, folder: string, state: string }} place */
async function askWhileIndexing(place) {
  say(`${place.peer}: asking while it indexes …`);
  const writer = start({ kind: 'index', batchBytes: BATCH_BYTES, limitMs: BATCHES_MS, ...place });
  await writer.committed;
  const reader = start({ kind: 'queryUntilTold', queries: mixed, ...place });
  await writer.result;
  reader.tell();
  const result = await reader.result;
  rmSync(place.state, { recursive: true, force: true });
  return result;
}

/** @param {string} data */
async function questions(data) {
  const { questionsOf, repositories } = await import('../test/bench/questions.ts');
  return repositories(data).flatMap(({ name }) => questionsOf(data, name).map(({ query }) => query));
}
