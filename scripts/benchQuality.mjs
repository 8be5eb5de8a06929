// npm run bench:quality -- DATA [--scope root|repo|both] [--files code|all] [--runs N] [--json FILE]
// Measures how well the built library answers the benchmark's questions. DATA (or BENCH_DIR) is the output of the benchmark's
// prepare.mjs. Score: binary NDCG@10, the mean over repositories of the mean over their questions (see
// test/bench/metric.ts). Fails if a repository is missing, since a mean over a part cannot be compared.
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { build } from './lib/package.mjs';
import { fail, say, sinceStart } from './lib/say.mjs';
import { report } from './lib/report.mjs';
import { table } from './lib/table.mjs';

/** Size of the benchmark's public part. */
const REPOSITORIES = 30;
const USAGE =
  'Usage: npm run bench:quality -- DATA [--scope root|repo|both] [--files code|all] [--runs N] [--json FILE]; DATA is ' +
  'the folder that prepare.mjs of the benchmark filled, or BENCH_DIR names it.';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scope: { type: 'string', default: 'both' },
    files: { type: 'string', default: 'code' },
    runs: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
});
const at = (/** @type {string} */ path) => resolve(process.env.INIT_CWD ?? '.', path);
const named = positionals[0] ?? process.env.BENCH_DIR;
if (named === undefined || !['root', 'repo', 'both'].includes(values.scope)) fail(USAGE);
const data = at(named);
if (!existsSync(join(data, 'data/manifest.json'))) fail(`There is no data/manifest.json in ${data}. ${USAGE}`);

await ensureDependencies();
const { missingRepositories, repositories } = await import('../test/bench/questions.ts');
const { measureRepository, summarize } = await import('../test/bench/quality.ts');

/** @type {import('../test/bench/questions.ts').Scope[]} */
const scopes = values.scope === 'both' ? ['root', 'repo'] : [values.scope === 'root' ? 'root' : 'repo'];
const wanted = repositories(data);
const missing = missingRepositories(data, scopes);
if (missing.length > 0) fail(`${missing.length} of ${wanted.length} repositories are missing: ${missing.join(', ')}.`);
if (wanted.length < REPOSITORIES) fail(`The manifest names ${wanted.length} repositories, not ${REPOSITORIES}.`);

build();
/** @type {Record<string, unknown>} */
const kept = {};
for (const scope of scopes) {
  say(`Asking in ${scope} scope, ${values.files === 'code' ? 'code files' : 'all text files'} …`);
  /** @type {import('../test/bench/quality.ts').MeasuredRepository[]} */
  const measured = [];
  for (const repository of wanted) {
    const retriever = join(root, 'test/bench/retriever.mjs');
    const one = await measureRepository(
      data,
      repository,
      scope,
      [pinnedNode(), retriever, '--files', values.files],
      Number(values.runs),
    );
    if (one.files === 0) fail(`No file of ${one.name} was indexed: its folder is empty.`);
    measured.push(one);
  }
  const summary = summarize(measured);
  kept[scope] = { summary, repositories: measured };

  const categories = Object.keys(summary.byCategory);
  const row = (/** @type {string} */ name, /** @type {number} */ files, /** @type {typeof summary} */ figures) => [
    name,
    figures.ndcg.toFixed(3),
    ...categories.map((category) => figures.byCategory[category]?.toFixed(3) ?? '–'),
    figures.first.toFixed(2),
    String(files),
    figures.indexMs.toFixed(0),
    figures.p50.toFixed(2),
    figures.p95.toFixed(2),
  ];
  const total = measured.reduce((sum, { files }) => sum + files, 0);
  const heads = [`${scope} scope`, 'NDCG@10', ...categories, 'first', 'files', 'index ms', 'p50 ms', 'p95 ms'];
  const rows = measured.map((one) => row(one.name, one.files, summarize([one])));
  console.log(`\n${table([heads, ...rows])}\n`);
  // The page has no names of the benchmark's repositories.
  report(`quality/${scope}`, [heads, row('mean, all files, quantiles', total, summary)]);
  const { held, judged, unclear, declared } = summary.symbol;
  const share = ((100 * held) / Math.max(1, judged)).toFixed(1);
  console.log(`The first result holds the definition for ${held} of ${judged} symbol queries (${share} %),`);
  console.log(
    `not counting ${unclear} whose file shows no line that declares the name. In whichever file it is, the first`,
  );
  console.log(`result declares the name for ${declared} of ${judged + unclear}.\n`);
}
if (values.json !== undefined) writeFileSync(at(values.json), `${JSON.stringify(kept, null, 1)}\n`);
say(`${wanted.length} repositories took ${sinceStart()}.`);
