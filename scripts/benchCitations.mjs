// npm run bench:citations -- DATA [--scope root|repo] [--files code|all]
// Compares, for answers without a model, the share of first citations that match the benchmark's question with the share of
// first results that do, and checks that each cited span is in its file. DATA (or BENCH_DIR) as for bench:quality.
// Fails if a span is missing. An answer puts first what answers, by the questions of bench:ask; this set names files.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './lib/dependencies.mjs';
import { fail, say, sinceStart } from './lib/say.mjs';
import { report } from './lib/report.mjs';
import { table } from './lib/table.mjs';

const USAGE =
  'Usage: npm run bench:citations -- DATA [--scope root|repo] [--files code|all]; DATA or BENCH_DIR names the data.';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scope: { type: 'string', default: 'root' }, files: { type: 'string', default: 'code' } },
});
const named = positionals[0] ?? process.env.BENCH_DIR;
if (named === undefined || !['root', 'repo'].includes(values.scope)) fail(USAGE);
const data = resolve(process.env.INIT_CWD ?? '.', named);
if (!existsSync(join(data, 'data/manifest.json'))) fail(`There is no data/manifest.json in ${data}. ${USAGE}`);

await ensureDependencies();
const { missingRepositories, repositories } = await import('../test/bench/questions.ts');
const { askRepository } = await import('../test/bench/citations.ts');
const { mean, percentile } = await import('../test/bench/metric.ts');

const scope = values.scope === 'repo' ? 'repo' : 'root';
const missing = missingRepositories(data, [scope]);
if (missing.length > 0) fail(`Repositories are missing: ${missing.join(', ')}.`);

/** @type {import('../test/bench/citations.ts').AskedQuestion[][]} */
const measured = [];
for (const repository of repositories(data)) measured.push(await askRepository(data, repository, scope, values.files));

/** @typedef {import('../test/bench/citations.ts').AskedQuestion} AskedQuestion */
const share = (/** @type {readonly AskedQuestion[]} */ rows, /** @type {(row: AskedQuestion) => boolean} */ is) =>
  mean(rows.map((row) => (is(row) ? 1 : 0)));
const total = (/** @type {readonly AskedQuestion[]} */ rows, /** @type {(row: AskedQuestion) => number} */ of) =>
  rows.reduce((sum, row) => sum + of(row), 0);
const all = measured.flat();
const search = mean(measured.map((rows) => share(rows, ({ searchIsRight }) => searchIsRight)));
const citation = mean(measured.map((rows) => share(rows, ({ citationIsRight }) => citationIsRight)));
const broken = total(all, (row) => row.broken);
const heads = [`${scope} scope`, 'questions', 'search first', 'citation first', 'cited', 'not there'];
console.log(
  table([
    heads,
    ...measured.map((rows) => [
      rows[0]?.repository ?? '',
      String(rows.length),
      share(rows, ({ searchIsRight }) => searchIsRight).toFixed(3),
      share(rows, ({ citationIsRight }) => citationIsRight).toFixed(3),
      String(total(rows, (row) => row.cited)),
      String(total(rows, (row) => row.broken)),
    ]),
  ]),
);
// The page has no names of the benchmark's repositories.
report('citations', [
  heads,
  [
    'mean of repositories, sums',
    String(all.length),
    search.toFixed(3),
    citation.toFixed(3),
    String(total(all, (row) => row.cited)),
    String(broken),
  ],
]);
const times = all.map(({ ms }) => ms);
console.log(
  `An answer took ${percentile(times, 50).toFixed(1)} ms (p50), ${percentile(times, 95).toFixed(1)} ms (p95).`,
);
say(`${measured.length} repositories took ${sinceStart()}.`);
if (broken > 0) fail(`${broken} cited spans are not in their files.`);
