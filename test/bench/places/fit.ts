import { P } from '../../../src/engine/query/placeFeatures.ts';
import { PLACE_SHARE } from '../../../src/engine/query/placeOrder.ts';
import { chooseBest } from '../../../src/engine/query/placeRanker.ts';
import { FILES_PER_PLACE } from '../../../src/wire/formatRetrieval.ts';
import { fitSoftmax, type Choice } from '../softmax.ts';
import { EXAMPLE_COLUMNS, UNWEIGHED, type PlaceExample } from './examples.ts';

export interface PlaceFit {
  readonly l2: number;
  readonly rounds: number;
  /** Columns to leave out. */
  readonly without?: ReadonlySet<number>;
}

export const PLACE_FIT: PlaceFit = { l2: 0.001, rounds: 100 };
/** Kinds of which only every fourth question is fitted to: comments on them are many, and people ask for what is done. */
const RARELY_ASKED: ReadonlySet<string> = new Set(['constant', 'macro', 'variable']);
/** Number of wrong places of a question that are fitted to: those with most of the words. */
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
    this.#choices = examples.map(({ count, rows, right, question }) => {
      if (right === undefined || (RARELY_ASKED.has(question.kind) && rare++ % 4 > 0)) return undefined;
      const choice = hardest(count, rows, right);
      for (let i = 0; i < choice.rows.length; i++)
        choice.rows[i] = (choice.rows[i]! - this.#mean[i % COLUMNS]!) / this.#scale[i % COLUMNS]!;
      return choice;
    });
  }

  fit(use: (example: PlaceExample) => boolean, options: PlaceFit = PLACE_FIT): Float64Array {
    const chosen = this.#choices.filter(
      (choice, i): choice is Choice => choice !== undefined && use(this.#examples[i]!),
    );
    const used = Array.from({ length: COLUMNS }, (_, i) => i).filter((column) => !options.without?.has(column));
    const weights = fitSoftmax(chosen, COLUMNS, used, options);
    for (const [i, name] of EXAMPLE_COLUMNS.entries()) if (UNWEIGHED.has(name)) weights[i] = 0;
    return weights.map((weight, i) => weight / this.#scale[i]!);
  }

  /** For each example, weights that are fitted to other repositories. */
  crossValidate(options: PlaceFit = PLACE_FIT): Float64Array[] {
    const repositories = [...new Set(this.#examples.map(({ repository }) => repository))].sort();
    const partOf = new Map(repositories.map((name, i) => [name, i % PARTS]));
    const weights = Array.from({ length: PARTS }, (_, part) =>
      this.fit(({ repository }) => partOf.get(repository) !== part, options),
    );
    return this.#examples.map(({ repository }) => weights[partOf.get(repository)!]!);
  }
}

/** The right place and the wrong ones that have most of the question's words in name and text. */
function hardest(count: number, rows: Float32Array, right: number): Choice {
  const valueOf = (i: number): number => rows[i * COLUMNS + P.together]! + rows[i * COLUMNS + P.nameBoth]!;
  const wrong = Array.from({ length: count }, (_, i) => i).filter((i) => i !== right);
  const chosen = [right, ...wrong.sort((a, b) => valueOf(b) - valueOf(a) || a - b).slice(0, WRONG)];
  const kept = new Float32Array(chosen.length * COLUMNS);
  for (const [i, one] of chosen.entries()) kept.set(rows.subarray(one * COLUMNS, (one + 1) * COLUMNS), i * COLUMNS);
  return { count: chosen.length, rows: kept, goal: Float32Array.from(chosen, (_, i) => Number(i === 0)) };
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
  weights: ArrayLike<number>,
  { share, step }: PlaceLists = PLACE_LISTS,
): Readonly<Record<'file' | 'single' | 'interleaved', number | undefined>> {
  const found = Array.from(scores, (score, document) => ({ document, score, places: [] as PlaceWithScore[] }));
  for (let place = 0; place < count; place++) {
    let score = 0;
    for (let j = 0; j < weights.length; j++) score += weights[j]! * rows[place * COLUMNS + j]!;
    const [startLine, endLine] = [lines[2 * place]!, lines[2 * place + 1]!];
    found[documents[place]!]!.places.push({ place, score, startLine, endLine });
  }
  const shown = found
    .map(({ document, score, places }) => ({ document, score, best: chooseBest(places) }))
    .sort((a, b) => b.score - a.score + share * (b.best[0]!.score - a.best[0]!.score));
  const places = shown.map(({ best }) => best.map(({ place }) => place));
  const file = shown.findIndex(({ document }) => document === rightDocument);
  const all = places.flatMap((ofFile, rank) => ofFile.map((place, i) => ({ place, order: rank + step * i })));
  const rankIn = (places: readonly number[]): number | undefined => {
    const at = right === undefined ? -1 : places.indexOf(right);
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
