import { groupBy } from '../../../src/base/collections.ts';
import { P } from '../../../src/engine/query/placeFeatures.ts';
import { PLACE_SHARE } from '../../../src/engine/query/placeOrder.ts';
import { chooseBest, scoreOf, type PlaceWeights } from '../../../src/engine/query/placeRanker.ts';
import { FILES_PER_PLACE } from '../../../src/wire/formatRetrieval.ts';
import { fitSoftmax, type Choice } from '../softmax.ts';
import { HELD_OUT } from '../ask/questions.ts';
import { EXAMPLE_COLUMNS, UNWEIGHED, type PlaceExample, type PlaceSet } from './examples.ts';

export interface PlaceFit {
  readonly l2: number;
  readonly rounds: number;
  /** What all questions of each set count together. */
  readonly sets: Readonly<Record<PlaceSet, number>>;
  /** Columns to leave out. */
  readonly without?: ReadonlySet<number>;
}

/** For the places of a file. With more weight of bench:ask, its places gain and those of free questions lose: see docs/ranking.md. */
export const PLACE_FIT: PlaceFit = { l2: 0.001, rounds: 100, sets: { free: 1, ask: 0.15 } };
/** For the order of files, where the benchmark's files lose with those of bench:ask. */
export const FILE_ORDER_FIT: PlaceFit = { ...PLACE_FIT, sets: { free: 1, ask: 0 } };
/** Repositories that no weight is fitted to: those held out from the passages of bench:ask, and those that bench:places measures. */
const MEASURED: ReadonlySet<string> = new Set([...HELD_OUT, 'undici', 'msal-browser']);
/** Kinds of which only every fourth question is fitted to: comments on them are many, and people ask for what is done. */
const RARELY_ASKED: ReadonlySet<string> = new Set(['constant', 'macro', 'variable']);
/** Number of wrong places of a free question that are fitted to: those with most of the words. */
const WRONG = 30;
/** Number of parts of the repositories: each is measured with weights that are fitted to the others. */
const PARTS = 5;

const COLUMNS = EXAMPLE_COLUMNS.length;

/** Examples prepared for any number of fits. Weights are those of columns that are not standardized. */
export class PlaceFitData {
  readonly #examples: readonly PlaceExample[];
  readonly #choices: readonly (Choice | undefined)[];
  readonly #scale = new Float64Array(COLUMNS);
  readonly #mean = new Float64Array(COLUMNS);

  constructor(examples: readonly PlaceExample[]) {
    this.#examples = examples;
    const count = examples.reduce((sum, one) => sum + one.count, 0);
    const each = (visit: (value: number, column: number) => void): void => {
      for (const { rows } of examples) for (let i = 0; i < rows.length; i++) visit(rows[i]!, i % COLUMNS);
    };
    each((value, column) => (this.#mean[column]! += value / count));
    each((value, column) => (this.#scale[column]! += (value - this.#mean[column]!) ** 2));
    for (let i = 0; i < COLUMNS; i++) this.#scale[i] = Math.sqrt(this.#scale[i]! / count) || 1;
    let rare = 0;
    this.#choices = examples.map(({ set, kind, count, rows, right }) => {
      const isRare = kind !== undefined && RARELY_ASKED.has(kind);
      if (right.length === 0 || (isRare && rare++ % 4 > 0)) return undefined;
      const choice = hardest(count, rows, right, set === 'free' ? WRONG : Infinity);
      for (let i = 0; i < choice.rows.length; i++)
        choice.rows[i] = (choice.rows[i]! - this.#mean[i % COLUMNS]!) / this.#scale[i % COLUMNS]!;
      return choice;
    });
  }

  /** Fits to the chosen examples, but to none that is only measured. */
  fit(use: (example: PlaceExample) => boolean, options: PlaceFit): Float64Array {
    const used = Array.from({ length: COLUMNS }, (_, i) => i).filter((column) => !options.without?.has(column));
    const fitted = this.#examples.flatMap((example, i) => {
      const isLeftOut = MEASURED.has(example.repository) || options.sets[example.set] === 0 || !use(example);
      const choice = isLeftOut ? undefined : this.#choices[i];
      return choice ? [{ set: example.set, choice }] : [];
    });
    const counts = groupBy(fitted, ({ set }) => set);
    const weighted = fitted.map(({ set, choice }) => ({
      ...choice,
      weight: options.sets[set] / counts.get(set)!.length,
    }));
    const weights = fitSoftmax(weighted, COLUMNS, used, options);
    for (const [i, name] of EXAMPLE_COLUMNS.entries()) if (UNWEIGHED.has(name)) weights[i] = 0;
    return weights.map((weight, i) => weight / this.#scale[i]!);
  }

  /** For each example, weights that are fitted to other repositories. */
  crossValidate(options: PlaceFit = PLACE_FIT): PlaceWeights[] {
    const repositories = [...new Set(this.#examples.map(({ repository }) => repository))].sort();
    const partOf = new Map(repositories.map((name, i) => [name, i % PARTS]));
    const weights = Array.from({ length: PARTS }, (_, part) => {
      const use = ({ repository }: PlaceExample): boolean => partOf.get(repository) !== part;
      const sets = FILE_ORDER_FIT.sets;
      return { places: this.fit(use, options), files: this.fit(use, { ...options, sets }) };
    });
    return this.#examples.map(({ repository }) => weights[partOf.get(repository)!]!);
  }

  /** The ranks of the answers with the weights of {@link crossValidate}. */
  ranks(options?: PlaceFit): ReturnType<typeof rankPlaces>[] {
    const weights = this.crossValidate(options);
    return this.#examples.map((example, i) => rankPlaces(example, weights[i]!));
  }
}

/** The right places, and the `most` wrong ones that have most of the question's words in name and text. */
function hardest(count: number, rows: Float32Array, right: readonly number[], most: number): Choice {
  const valueOf = (i: number): number => rows[i * COLUMNS + P.together]! + rows[i * COLUMNS + P.nameBoth]!;
  const wrong = Array.from({ length: count }, (_, i) => i).filter((i) => !right.includes(i));
  const chosen = [...right, ...wrong.sort((a, b) => valueOf(b) - valueOf(a) || a - b).slice(0, most)];
  const kept = new Float32Array(chosen.length * COLUMNS);
  for (const [i, one] of chosen.entries()) kept.set(rows.subarray(one * COLUMNS, (one + 1) * COLUMNS), i * COLUMNS);
  const goal = Float32Array.from(chosen, (_, i) => Number(i < right.length));
  return { count: chosen.length, rows: kept, goal, isAny: true };
}

/** How places are ordered: see `placeOrder.ts` and `formatRetrieval.ts`. */
export interface PlaceLists {
  /** Worth of the score of a document's best place beside the document's own. */
  readonly share: number;
  /** Number of documents further down whose best place counts as much as a document's next place. */
  readonly step: number;
}

export const PLACE_LISTS: PlaceLists = { share: PLACE_SHARE, step: FILES_PER_PLACE };

/** The rank, from 1, of the answer's document, of the answer among the best places of each, and among all places shown. */
export function rankPlaces(
  { count, rows, documents, scores, lines, right, rightDocument }: PlaceExample,
  weights: PlaceWeights,
  { share, step }: PlaceLists = PLACE_LISTS,
): Readonly<Record<'file' | 'single' | 'interleaved', number | undefined>> {
  const found = Array.from(scores, (score, document) => ({
    document,
    score,
    worth: -Infinity,
    places: [] as PlaceWithScore[],
  }));
  for (let place = 0; place < count; place++) {
    const row = rows.subarray(place * COLUMNS, (place + 1) * COLUMNS);
    const score = scoreOf(row, weights.places);
    const [startLine, endLine] = [lines[2 * place]!, lines[2 * place + 1]!];
    const file = found[documents[place]!]!;
    file.places.push({ place, score, startLine, endLine });
    file.worth = Math.max(file.worth, scoreOf(row, weights.files));
  }
  const shown = found
    .map(({ document, score, worth, places }) => ({ document, value: score + share * worth, best: chooseBest(places) }))
    .sort((a, b) => b.value - a.value);
  const places = shown.map(({ best }) => best.map(({ place }) => place));
  const file = shown.findIndex(({ document }) => document === rightDocument);
  const all = places.flatMap((ofFile, rank) => ofFile.map((place, i) => ({ place, order: rank + step * i })));
  const rankIn = (places: readonly number[]): number | undefined => {
    const at = places.findIndex((place) => right.includes(place));
    return at < 0 ? undefined : at + 1;
  };
  return {
    file: file < 0 ? undefined : file + 1,
    single: rankIn(places.map(([first]) => first!)),
    interleaved: rankIn(all.sort((a, b) => a.order - b.order).map(({ place }) => place)),
  };
}

interface PlaceWithScore {
  readonly place: number;
  readonly score: number;
  readonly startLine: number;
  readonly endLine: number;
}
