// npm run train:ranker -- DATA [--ablate] [--only files|places|passages]
// Fits the weights of ranking: of files to the benchmark's questions, which it writes to src/engine/query/weights.json; of places
// to free questions and those of bench:ask, to placeWeights.json beside it; and of passages in answers to the questions of
// bench:ask, of the benchmark, and free ones, to src/ask/passageWeights.json. The same data gives the same bytes. DATA (or
// BENCH_DIR) is the output of the benchmark's prepare.mjs; packages with free questions are brought as by bench:places. Prints
// the scores on repositories that are not in the fit; --ablate also fits without each group of features or with other sets.
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bringAsked } from './lib/askRepositories.mjs';
import { ensureDependencies, root } from './lib/dependencies.mjs';
import { bringPlaces } from './lib/places.mjs';
import { fail, say } from './lib/say.mjs';
import { table } from './lib/table.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { ablate: { type: 'boolean' }, only: { type: 'string' } },
});
const named = positionals[0] ?? process.env.BENCH_DIR;

/** Largest number of questions of a package, in each of both ways to hide the sentence. */
const QUESTIONS = 40;

/** Largest number of questions of a package about its files, and of those that they are chosen from. */
const QUESTIONS_OF_FILES = 20;
const QUESTIONS_READ = 400;
/** Largest number of questions of a package about its passages. */
const QUESTIONS_OF_PASSAGES = 12;
/** Of this number of packages, one asks for files and passages: more of them change weights little. */
const EVERY = 3;

await ensureDependencies();
const { missingRepositories, repositories } = await import('../test/bench/questions.ts');
const fits = { files: fitFiles, places: fitPlaces, passages: fitPassages };
for (const [name, fit] of Object.entries(fits)) if ((values.only ?? name) === name) await fit();

/** Packages of the lockfile are for measuring. */
async function fittedPackages() {
  const { placePackages } = await import('../test/bench/places/packages.ts');
  return placePackages().filter(({ registry }) => registry !== 'lockfile');
}

function benchmarkData() {
  if (named === undefined) fail('Usage: npm run train:ranker -- DATA [--ablate] [--only files|places|passages]');
  const data = resolve(process.env.INIT_CWD ?? '.', named);
  if (!existsSync(join(data, 'data/manifest.json'))) fail(`There is no data/manifest.json in ${data}.`);
  const missing = missingRepositories(data, ['root', 'repo']);
  if (missing.length > 0) fail(`Repositories are missing: ${missing.join(', ')}.`);
  return data;
}

async function fitFiles() {
  const data = benchmarkData();
  const { FEATURE_COLUMNS } = await import('../src/engine/query/features.ts');
  const { FIT, FitData, crossValidate, meanGain } = await import('../test/bench/fit.ts');
  const { TRAINING_SCOPES, examplesOf, freeExamplesOf } = await import('../test/bench/training.ts');

  const examples = [];
  for (const scope of TRAINING_SCOPES) {
    for (const repository of repositories(data)) examples.push(...(await examplesOf(data, repository, scope)));
    say(`Indexed all repositories and ran all questions in ${scope} scope.`);
  }
  const { questionedRepository } = await import('../test/bench/places/questions.ts');
  const packages = bringPlaces(await fittedPackages()).filter((_, i) => i % EVERY === 0);
  for (const [i, { name, root }] of packages.entries()) {
    const repository = questionedRepository(name, root, QUESTIONS_READ, i % 2 === 0 ? 'all' : 'half');
    examples.push(...(await freeExamplesOf(repository, QUESTIONS_OF_FILES)));
  }
  const prepared = new FitData(examples);

  /** @param {import('../test/bench/fit.ts').FitOptions} [options] */
  function evaluate(options) {
    const graded = crossValidate(prepared, options);
    /** @param {string} scope @param {string} [category] */
    const gain = (scope, category) =>
      meanGain(graded, (one) => one.scope === scope && (category === undefined || one.category === category));
    return TRAINING_SCOPES.flatMap((scope) => [
      gain(scope),
      ...['architecture', 'semantic', 'symbol'].map((category) => gain(scope, category)),
    ]);
  }

  const HEAD = ['', 'root', 'arch', 'sem', 'symbol', 'repo', 'arch', 'sem', 'symbol', 'all', 'arch', 'sem', 'symbol'];
  /** @param {string} label @param {readonly number[]} gains */
  const line = (label, gains) => [label, ...gains.map((gain) => gain.toFixed(4))];
  const rows = [line('all features', evaluate())];
  if (values.ablate) {
    const { featureGroup } = await import('../src/workspace/featureGroups.ts');
    for (const group of new Set(FEATURE_COLUMNS.map(featureGroup))) {
      const without = new Set(FEATURE_COLUMNS.flatMap((column, i) => (featureGroup(column) === group ? [i] : [])));
      rows.push(line(`without ${group}`, evaluate({ ...FIT, without })));
    }
  }
  console.log('NDCG@10, cross-validated, leaving repositories out:');
  console.log(table([HEAD, ...rows]));

  const fitted = prepared.fit(() => true);
  /** @param {Float64Array} weights */
  const namedWeights = (weights) =>
    Object.fromEntries(
      [...prepared.unscaled(weights)].map((weight, i) => [FEATURE_COLUMNS[i], Number(weight.toPrecision(6))]),
    );
  const file = join(root, 'src/engine/query/weights.json');
  const json = { question: namedWeights(fitted.question), symbol: namedWeights(fitted.symbol) };
  writeFileSync(file, `${JSON.stringify(json, null, 2)}\n`);
  say('Wrote src/engine/query/weights.json.');
}

/** Half of the free questions have half of the words in the comment, as questions of people have. */
async function fitPlaces() {
  const { askRepositories, HELD_OUT } = await import('../test/bench/ask/questions.ts');
  const { askedPlaceExamples, placeExamples } = await import('../test/bench/places/examples.ts');
  const { FILE_ORDER_FIT, PLACE_FIT, PlaceFitData } = await import('../test/bench/places/fit.ts');
  const { questionedRepository } = await import('../test/bench/places/questions.ts');
  const { figuresOf } = await import('../test/bench/places/report.ts');
  const { PLACE_COLUMNS } = await import('../src/engine/query/placeFeatures.ts');
  /** @type {import('../test/bench/places/examples.ts').PlaceExample[]} */
  const examples = [];
  for (const { name, root } of await bringAsked(askRepositories()))
    examples.push(...(await askedPlaceExamples(name, root)));
  for (const { name, root } of bringPlaces(await fittedPackages())) {
    for (const hiding of /** @type {const} */ (['all', 'half']))
      examples.push(...(await placeExamples(questionedRepository(name, root, QUESTIONS, hiding))));
  }
  const prepared = new PlaceFitData(examples);
  /** @param {typeof PLACE_FIT} fit */
  const fitted = (fit) => {
    const weights = prepared.fit(() => true, fit);
    return Object.fromEntries(PLACE_COLUMNS.map((column, i) => [column, Number(weights[i]?.toPrecision(6))]));
  };
  const [places, files] = [fitted(PLACE_FIT), fitted(FILE_ORDER_FIT)];
  // A rule: chunks of imports, which have no name, are as low as by free questions. In bench:ask they overlap lines that answer.
  const { imports = 0, unnamed = 0 } = files;
  const json = {
    places: { ...places, imports: Number((imports + unnamed - (places.unnamed ?? 0)).toPrecision(6)) },
    files,
  };
  writeFileSync(join(root, 'src/engine/query/placeWeights.json'), `${JSON.stringify(json, null, 2)}\n`);
  say(`Wrote src/engine/query/placeWeights.json, fitted to ${examples.length} questions.`);
  const groups = /** @type {const} */ (['ask', 'held out', 'free']);
  /** @param {string} label @param {typeof PLACE_FIT} [fit] */
  const line = (label, fit) => {
    const ranks = prepared.ranks(fit);
    const of = (/** @type {string} */ group) =>
      ranks.filter((_, i) => (HELD_OUT.has(examples[i]?.repository ?? '') ? 'held out' : examples[i]?.set) === group);
    return [
      label,
      ...groups.flatMap((group) => {
        const { first, ndcg } = figuresOf(of(group).map(({ single }) => single));
        return [first, ndcg, figuresOf(of(group).map(({ interleaved }) => interleaved)).ndcg].map((one) =>
          one.toFixed(3),
        );
      }),
    ];
  };
  const rows = [line('as it is')];
  if (values.ablate)
    for (const sets of [{ ask: 0 }, { ask: 0.05 }, { ask: 0.3 }, { ask: 1 }])
      rows.push(line(JSON.stringify(sets), { ...PLACE_FIT, sets: { ...PLACE_FIT.sets, ...sets } }));
  console.log(
    'A right place first, NDCG@10 of one place a file, and interleaved; cross-validated, leaving repositories out:',
  );
  console.log(table([['', ...groups.flatMap((group) => [group, 'NDCG', 'interleaved'])], ...rows]));
}

/** The repositories of bench:ask that are held out are measured, too. */
async function fitPassages() {
  const data = benchmarkData();
  const { askExamples, fileExamples, freeExamples } = await import('../test/bench/ask/examples.ts');
  const { PASSAGE_GROUPS, PassageFitData, SETS } = await import('../test/bench/ask/fit.ts');
  const { askRepositories } = await import('../test/bench/ask/questions.ts');
  const { questionedRepository } = await import('../test/bench/places/questions.ts');
  const examples = [];
  for (const { name, root } of await bringAsked(askRepositories())) examples.push(...(await askExamples(name, root)));
  for (const repository of repositories(data))
    for (const scope of /** @type {const} */ (['root', 'repo']))
      examples.push(...(await fileExamples(data, repository, scope)));
  const packages = bringPlaces(await fittedPackages()).filter((_, i) => i % EVERY === 0);
  for (const [i, { name, root }] of packages.entries()) {
    const repository = questionedRepository(name, root, QUESTIONS_OF_PASSAGES, i % 2 === 0 ? 'all' : 'half');
    examples.push(...(await freeExamples(repository)));
  }
  const prepared = new PassageFitData(examples);
  writeFileSync(join(root, 'src/ask/passageWeights.json'), `${JSON.stringify(prepared.fitAll(), null, 2)}\n`);
  say(`Wrote src/ask/passageWeights.json, fitted to ${examples.length} questions.`);
  /** @param {string} label @param {import('../test/bench/ask/fit.ts').PassageFit} [options] */
  const line = (label, options) => {
    const found = prepared.crossValidate(options);
    const of = (/** @type {string} */ set) => found.find((one) => one.set === set);
    return [
      label,
      ...['ask', 'held out', 'files', 'free'].flatMap((set) =>
        [of(set)?.first, of(set)?.shown].map((share) => share?.toFixed(3) ?? ''),
      ),
    ];
  };
  const rows = [line('all properties')];
  if (values.ablate) {
    for (const set of /** @type {const} */ (['ask', 'files', 'free']))
      rows.push(line(`without the set ${set}`, { sets: { ...SETS, [set]: 0 } }));
    for (const [group, without] of Object.entries(PASSAGE_GROUPS)) rows.push(line(`without ${group}`, { without }));
  }
  console.log('A right passage first, and among six; cross-validated, leaving repositories out:');
  console.log(table([['', 'ask', 'six', 'held out', 'six', 'files', 'six', 'free', 'six'], ...rows]));
}
