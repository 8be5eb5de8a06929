// The part of `npm run bench:typed` in its own process: see scripts/benchTyped.mjs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCorpus } from './corpus.ts';
import { measure, type Measured } from './measure.ts';
import { report } from '../../../scripts/lib/report.mjs';
import { failureList, fileAlone, summaryRows } from './report.ts';
import { makeQueries, RULES } from './rules.ts';
import { measureNames, type WholeNames } from './wholeNames.ts';

/** Of each class and repository, if its rule accepts as many. */
const QUERIES = 3;

/** Options that scripts/benchTyped.mjs passes, as JSON. */
export interface RunOptions {
  readonly folder: string;
  readonly repositories: readonly string[];
  /** All classes if there is none. */
  readonly classes: readonly string[];
  readonly list: boolean;
  readonly failures: boolean;
  readonly ripgrep?: string;
  readonly seed?: string;
  readonly json?: string;
}

const options = JSON.parse(process.argv[2] ?? '') as RunOptions;
const rules = RULES.filter(({ name }) => options.classes.length === 0 || options.classes.includes(name));
if (rules.length === 0) {
  console.error(`There is no such class. The classes are: ${RULES.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}
const made = options.repositories.map((name) => {
  const folder = join(options.folder, 'repositories', name);
  const corpus = readCorpus(name, folder);
  const version = readFileSync(join(folder, '.git/bench-version'), 'utf8');
  return {
    folder,
    texts: corpus.texts,
    title: `${name} ${version} (${corpus.texts.size} files)`,
    queries: makeQueries(corpus, QUERIES, rules, options.seed),
  };
});
if (options.list) {
  console.log(
    JSON.stringify(
      made.flatMap(({ queries }) => queries),
      null,
      1,
    ),
  );
} else {
  const measured: Measured[] = [];
  console.log(`${made.map(({ title }) => title).join(', ')}\n`);
  for (const { folder, queries } of made) measured.push(...(await measure(folder, queries, options.ripgrep)));
  const order = new Map(rules.map(({ name }, i) => [name, i]));
  measured.sort((a, b) => order.get(a.class)! - order.get(b.class)!);
  if (options.failures) console.log(`${failureList(measured)}\n`);
  report(
    'typed',
    summaryRows(measured, 'class', (one) => one.class),
  );
  report(
    'typed/repositories',
    summaryRows(measured, 'repository', ({ repository }) => repository),
  );
  console.log(fileAlone(measured));
  const counts: WholeNames[] = [];
  for (const { texts } of made) counts.push(await measureNames(texts));
  const total = (pick: (one: WholeNames) => number): number => counts.reduce((sum, one) => sum + pick(one), 0);
  const [names, whole] = [total((one) => one.names), total((one) => one.whole)];
  console.log(
    `Of ${names} names with one definition, ${whole} (${((100 * whole) / names).toFixed(1)} %) show it whole first.`,
  );
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(measured, null, 1)}\n`);
}
