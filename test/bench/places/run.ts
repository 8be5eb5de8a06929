// The part of `npm run bench:places` in its own process: see scripts/benchPlaces.mjs.
import { writeFileSync } from 'node:fs';
import { table } from '../../../scripts/lib/table.mjs';
import { PLACE_FEATURES } from '../../../src/engine/query/placeFeatures.ts';
import { PLACE_WEIGHTS, type PlaceWeights } from '../../../src/engine/query/placeRanker.ts';
import { EXAMPLE_COLUMNS, placeExamples, type PlaceExample } from './examples.ts';
import { PLACE_FIT, PLACE_LISTS, PlaceFitData, rankPlaces } from './fit.ts';
import { PLACE_GROUPS } from './groups.ts';
import { miniSearchRanks } from './miniSearch.ts';
import { questionedRepository, type PlaceQuestion } from './questions.ts';
import { figuresOf, placeTable, type RankedQuestion } from './report.ts';

/** Options that scripts/benchPlaces.mjs passes, as JSON. */
export interface PlaceRunOptions {
  readonly repositories: readonly { readonly name: string; readonly root: string; readonly isFitted: boolean }[];
  /** Largest number of questions of a repository. */
  readonly most: number;
  readonly ablate: boolean;
  readonly json?: string;
}

const { repositories, most, ablate, json } = JSON.parse(process.argv[2] ?? '') as PlaceRunOptions;
const examples: PlaceExample[] = [];
const questions: PlaceQuestion[] = [];
const peer: (number | undefined)[] = [];
for (const { name, root } of repositories) {
  const repository = questionedRepository(name, root, most);
  if (repository.questions.length === 0) continue;
  examples.push(...(await placeExamples(repository)));
  questions.push(...repository.questions);
  peer.push(...miniSearchRanks(repository));
}
// Committed weights are no evidence for what they are fitted to.
const fitted = repositories.some(({ isFitted }) => isFitted) ? new PlaceFitData(examples) : undefined;
const weights = fitted?.crossValidate() ?? examples.map(() => PLACE_WEIGHTS);
const ranked = examples.map((example, i): RankedQuestion => {
  const { file, single, interleaved } = rankPlaces(example, weights[i]!);
  const ranks = { file, 'one a file': single, interleaved, MiniSearch: peer[i] };
  return { repository: example.repository, question: questions[i]!, ranks };
});
const kind = fitted ? 'weights fitted to other repositories' : 'the committed weights';
const count = new Set(examples.map(({ repository }) => repository)).size;
console.log(`${examples.length} questions on ${count} repositories, ${kind}\n`);
console.log(`${placeTable(ranked, ['file', 'one a file', 'interleaved', 'MiniSearch'], 'group')}\n`);

const HEAD = ['', 'first', 'one a file: Hit@5', 'NDCG@10', 'interleaved: Hit@5', 'NDCG@10'];
const line = (name: string, used: readonly PlaceWeights[], lists = PLACE_LISTS): string[] => {
  const both = examples.map((example, i) => rankPlaces(example, used[i]!, lists));
  const single = figuresOf(both.map((one) => one.single));
  const interleaved = figuresOf(both.map((one) => one.interleaved));
  const figures = [single.first, single.hit5, single.ndcg, interleaved.hit5, interleaved.ndcg];
  return [name, ...figures.map((figure) => figure.toFixed(4))];
};
const lists = [
  line('as it is', weights),
  ...[0, 0.1, 0.2, 0.5].map((share) => line(`share of places ${share}`, weights, { ...PLACE_LISTS, share })),
  ...[1, 2, 3, 4].map((step) => line(`interleaved by rank + ${step}·i`, weights, { ...PLACE_LISTS, step })),
];
console.log(table([HEAD, ...lists]));
if (ablate) {
  const data = fitted ?? new PlaceFitData(examples);
  const rows = Object.entries(PLACE_GROUPS).map(([group, features]) => {
    const isOut = (column: string): boolean => features.some((one) => one === column.replace('/max', ''));
    const without = new Set(EXAMPLE_COLUMNS.flatMap((column, i) => (isOut(column) ? [i] : [])));
    return line(`without ${group}`, data.crossValidate({ ...PLACE_FIT, without }));
  });
  console.log(`\n${table([HEAD, line(`all ${PLACE_FEATURES.length} features`, data.crossValidate()), ...rows])}`);
}
if (json !== undefined) writeFileSync(json, `${JSON.stringify(ranked, null, 1)}\n`);
