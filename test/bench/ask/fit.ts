import { groupBy } from '../../../src/base/collections.ts';
import type { PassageFeatures } from '../../../src/ask/passageRanker.ts';
import { mean } from '../metric.ts';
import { fitSoftmax, type Choice } from '../softmax.ts';
import type { PassageExample, PassageSet } from './examples.ts';
import { HELD_OUT } from './questions.ts';

type Feature = keyof PassageFeatures;

/**
 * What all questions of a set count together. The benchmark's and free ones say nothing on which lines of a file answer, or what
 * people ask for.
 */
export const SETS: Readonly<Record<PassageSet, number>> = { ask: 2, files: 1, free: 0.1 };

/** Properties by what they come from. */
export const PASSAGE_GROUPS: Readonly<Record<string, readonly Feature[]>> = {
  'scores of the file': ['below', 'relatedBelow'],
  'scores and rank of the file': ['below', 'relatedBelow', 'file'],
  'places of the search': ['place', 'unfound'],
  'words of the text': ['text', 'near', 'inCode', 'signature'],
  'related words': ['related', 'relatedName', 'relatedBelow'],
  'the name': ['name', 'relatedName', 'type'],
  'what is around it': ['context', 'path', 'bestInFile'],
  'size of the file': ['fileSize'],
  'form of the text': ['code', 'long', 'words', 'comments', 'prose', 'unwantedTest'],
};

/** Weights that are rules of the product: too few questions are about documentation and tests to fit them. */
const RULES: Partial<FittedWeights> = { heading: 2.5, test: 3 };
const FIT = { l2: 0.02, rounds: 100 };
/** Number of parts of the repositories: each is measured with weights that are fitted to the others. */
const PARTS = 5;
/** Passages that a person sees. */
const SHOWN = 6;

/** Weights of properties that are not standardized. */
export type FittedWeights = Readonly<Record<Feature, number>>;

export interface PassageFit {
  readonly sets?: Readonly<Record<PassageSet, number>>;
  /** Properties to leave out. */
  readonly without?: readonly Feature[];
}

/** Examples prepared for any number of fits. */
export class PassageFitData {
  readonly #features: readonly Feature[];
  readonly #examples: readonly PassageExample[];
  readonly #choices: readonly Choice[];
  readonly #scale: readonly number[];

  constructor(examples: readonly PassageExample[]) {
    this.#examples = examples;
    const rows = examples.flatMap((example) => example.rows);
    this.#features = Object.keys(rows[0]!) as Feature[];
    this.#scale = this.#features.map((feature) => {
      const values = rows.map((row) => row[feature]);
      const middle = mean(values);
      return Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) || 1;
    });
    this.#choices = examples.map((example) => ({
      count: example.rows.length,
      rows: Float32Array.from(
        example.rows.flatMap((row) => this.#features.map((feature, i) => row[feature] / this.#scale[i]!)),
      ),
      goal: Float32Array.from(example.right, Number),
      isAny: true,
    }));
  }

  fit(use: (example: PassageExample) => boolean, { sets = SETS, without = [] }: PassageFit = {}): FittedWeights {
    const chosen = this.#examples.flatMap((example, i) =>
      use(example) && example.right.includes(true) ? [{ set: example.set, choice: this.#choices[i]! }] : [],
    );
    const counts = groupBy(chosen, ({ set }) => set);
    const weighted = chosen.map(({ set, choice }) => ({ ...choice, weight: sets[set] / counts.get(set)!.length }));
    const left = new Set<string | undefined>([...without, ...Object.keys(RULES)]);
    const used = [...this.#features.keys()].filter((i) => !left.has(this.#features[i]));
    const weights = fitSoftmax(weighted, this.#features.length, used, FIT);
    const fitted = this.#features.map((feature, i) => [feature, weights[i]! / this.#scale[i]!] as const);
    const rounded = Object.fromEntries(fitted.map(([feature, weight]) => [feature, Number(weight.toPrecision(4))]));
    return { ...(rounded as FittedWeights), ...RULES };
  }

  /** The weights of all repositories but those held out. */
  fitAll(options?: PassageFit): FittedWeights {
    return this.fit(({ repository }) => !HELD_OUT.has(repository), options);
  }

  /**
   * For each set, and for what is held out, the shares of questions with a right passage first, and among those shown, by weights
   * that are fitted to other repositories.
   */
  crossValidate(options?: PassageFit): { readonly set: string; readonly first: number; readonly shown: number }[] {
    const names = [...new Set(this.#examples.map(({ repository }) => repository))].sort();
    const partOf = new Map(names.map((name, i) => [name, HELD_OUT.has(name) ? PARTS : i % PARTS]));
    const graded: { readonly set: string; readonly rank: number }[] = [];
    for (let part = 0; part <= PARTS; part++) {
      const isMeasured = ({ repository }: PassageExample): boolean => partOf.get(repository) === part;
      const weights = this.fit((one) => !HELD_OUT.has(one.repository) && !isMeasured(one), options);
      for (const example of this.#examples.filter(isMeasured))
        graded.push({ set: part === PARTS ? 'held out' : example.set, rank: rankOf(example, weights) });
    }
    return [...groupBy(graded, ({ set }) => set)].map(([set, rows]) => ({
      set,
      first: mean(rows.map(({ rank }) => Number(rank === 0))),
      shown: mean(rows.map(({ rank }) => Number(rank < SHOWN))),
    }));
  }
}

/** The rank of the first right passage, from 0; Infinity without one. */
function rankOf({ rows, right }: PassageExample, weights: FittedWeights): number {
  const scores = rows.map((row) =>
    Object.entries(weights).reduce((sum, [one, weight]) => sum + weight * row[one as Feature], 0),
  );
  const best = Math.max(...scores.filter((_, i) => right[i]));
  return best === -Infinity ? Infinity : scores.filter((score) => score > best).length;
}
