// npm run train:ranker -- DATA [--ablate]
// Fits the weights of ranking to the benchmark's questions and writes src/engine/query/weights.json: the same data gives the
// same bytes. DATA (or BENCH_DIR) is the output of the benchmark's prepare.mjs. Prints the scores of the weights on repositories
// that are not in the fit; --ablate also fits without each group of features.
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies, root } from './lib/dependencies.mjs';
import { fail, say } from './lib/say.mjs';
import { table } from './lib/table.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { ablate: { type: 'boolean' } } });
const named = positionals[0] ?? process.env.BENCH_DIR;
if (named === undefined) fail('Usage: npm run train:ranker -- DATA [--ablate]');
const data = resolve(process.env.INIT_CWD ?? '.', named);
if (!existsSync(join(data, 'data/manifest.json'))) fail(`There is no data/manifest.json in ${data}.`);

await ensureDependencies();
const { FEATURE_COLUMNS } = await import('../src/engine/query/features.ts');
const { FIT, FitData, crossValidate, meanGain } = await import('../test/bench/fit.ts');
const { missingRepositories, repositories } = await import('../test/bench/questions.ts');
const { examplesOf } = await import('../test/bench/training.ts');

const missing = missingRepositories(data, ['root', 'repo']);
if (missing.length > 0) fail(`Repositories are missing: ${missing.join(', ')}.`);
const examples = [];
for (const scope of /** @type {const} */ (['root', 'repo'])) {
  for (const repository of repositories(data)) examples.push(...(await examplesOf(data, repository, scope)));
  say(`Indexed all repositories and ran all questions in ${scope} scope.`);
}
const prepared = new FitData(examples);

/** @param {import('../test/bench/fit.ts').FitOptions} [options] */
function evaluate(options) {
  const graded = crossValidate(prepared, options);
  /** @param {string} scope @param {string} [category] */
  const gain = (scope, category) =>
    meanGain(graded, (one) => one.scope === scope && (category === undefined || one.category === category));
  return ['root', 'repo'].flatMap((scope) => [
    gain(scope),
    ...['architecture', 'semantic', 'symbol'].map((category) => gain(scope, category)),
  ]);
}

const HEAD = ['', 'root', 'arch', 'sem', 'symbol', 'repo', 'arch', 'sem', 'symbol'];
/** @param {string} label @param {readonly number[]} gains */
const line = (label, gains) => [label, ...gains.map((gain) => gain.toFixed(4))];
const rows = [line('all features', evaluate())];
if (values.ablate) {
  const { FEATURE_GROUPS } = await import('../src/workspace/featureGroups.ts');
  for (const [group, features] of Object.entries(FEATURE_GROUPS)) {
    const without = new Set(
      FEATURE_COLUMNS.flatMap((column, i) => (features.includes(column.replace('/max', '')) ? [i] : [])),
    );
    rows.push(line(`without ${group}`, evaluate({ ...FIT, without })));
  }
}
console.log('NDCG@10, cross-validated, leaving repositories out:');
console.log(table([HEAD, ...rows]));

const fitted = prepared.fit(() => true);
/** @param {Float64Array} weights */
const named6 = (weights) =>
  Object.fromEntries(
    [...prepared.unscaled(weights)].map((weight, i) => [FEATURE_COLUMNS[i], Number(weight.toPrecision(6))]),
  );
const file = join(root, 'src/engine/query/weights.json');
const json = { question: named6(fitted.question), symbol: named6(fitted.symbol) };
writeFileSync(file, `${JSON.stringify(json, null, 2)}\n`);
say('Wrote src/engine/query/weights.json.');
