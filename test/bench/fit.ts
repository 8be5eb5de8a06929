import { FEATURE_COLUMNS } from '../../src/engine/query/features.ts';
import { meanOfMeans, ndcg } from './metric.ts';
import { fitSoftmax, type Choice } from './softmax.ts';
import type { Example } from './training.ts';

/** A weight per column for questions, and one for names by themselves. */
export interface Fitted {
  readonly question: Float64Array;
  readonly symbol: Float64Array;
}

export interface FitOptions {
  /** The penalty of large weights, and of differences between the two kinds of queries. */
  readonly l2: number;
  readonly l2Symbol: number;
  readonly rounds: number;
  /** Weight of all free questions together, beside 1 for those of the benchmark. */
  readonly free: number;
  /** Columns that rank names by themselves; there are few examples to learn from. */
  readonly symbolColumns: ReadonlySet<number>;
  /** Columns to leave out. */
  readonly without?: ReadonlySet<number>;
}

/** A query for a name looks for its definition; few examples teach little about the text around it. */
const SYMBOL_FEATURES: readonly string[] = [
  'body',
  'symbol',
  'symbolType',
  'symbolTop',
  'symbolFile',
  'symbolRare',
  'symbolUse',
  'comment',
  'neighbours',
  'test',
  'example',
  'vendor',
  'compat',
  'header',
  'references',
  'languageShare',
  'definitionShare',
  'depth',
  'length',
];

export const FIT: FitOptions = {
  l2: 0.08,
  l2Symbol: 0.05,
  rounds: 120,
  free: 0.03,
  symbolColumns: new Set(SYMBOL_FEATURES.map((name) => FEATURE_COLUMNS.indexOf(name))),
};

/** Rows are standardized. */
interface Prepared extends Choice {
  readonly example: Example;
}

/** Examples prepared for any number of fits. */
export class FitData {
  readonly columns: number;
  readonly prepared: readonly Prepared[];
  readonly #scale: Float64Array;

  constructor(examples: readonly Example[]) {
    const rows = examples.flatMap(({ candidates }) => candidates.map(({ row }) => row));
    this.columns = rows[0]!.length;
    const means = new Float64Array(this.columns);
    this.#scale = new Float64Array(this.columns);
    for (const row of rows) for (let i = 0; i < row.length; i++) means[i]! += row[i]! / rows.length;
    for (const row of rows) for (let i = 0; i < row.length; i++) this.#scale[i]! += (row[i]! - means[i]!) ** 2;
    for (let i = 0; i < this.columns; i++) this.#scale[i] = Math.sqrt(this.#scale[i]! / rows.length) || 1;
    this.prepared = examples.map((example) => {
      const count = example.candidates.length;
      const standardized = new Float64Array(count * this.columns);
      for (const [i, { row }] of example.candidates.entries()) {
        for (let j = 0; j < row.length; j++) {
          standardized[i * this.columns + j] = (row[j]! - means[j]!) / this.#scale[j]!;
        }
      }
      const right = example.candidates.filter(({ targets }) => targets.length > 0).length;
      const goal = Float64Array.from(example.candidates, ({ targets }) => (targets.length > 0 ? 1 / right : 0));
      return { example, count, rows: standardized, goal };
    });
  }

  /**
   * Weights of standardized columns that maximize the softmax share of each query's right candidates, with an
   * L2 penalty. Questions are fitted to all examples, names to those of names alone.
   */
  fit(use: (example: Example) => boolean, options: FitOptions = FIT): Fitted {
    const chosen = this.prepared.filter(({ example, goal }) => use(example) && goal.some((value) => value > 0));
    const symbols = chosen.filter(({ example }) => example.isSymbol && example.scope !== 'free');
    const questions = chosen.filter(({ example }) => !example.isSymbol);
    const frees = questions.filter(({ example }) => example.scope === 'free').length;
    const weightOfFree = (options.free * (questions.length - frees)) / Math.max(1, frees);
    const weighted = questions.map((one) => (one.example.scope === 'free' ? { ...one, weight: weightOfFree } : one));
    const { without = new Set(), symbolColumns } = options;
    const columns = Array.from({ length: this.columns }, (_, i) => i).filter((column) => !without.has(column));
    const ofSymbols = columns.filter((column) => symbolColumns.has(column));
    return {
      question: fitSoftmax(weighted, this.columns, columns, options),
      symbol: fitSoftmax(symbols, this.columns, ofSymbols, { ...options, l2: options.l2Symbol }),
    };
  }

  /** Weights for columns that are not standardized. */
  unscaled(weights: Float64Array): Float64Array {
    return weights.map((weight, i) => weight / this.#scale[i]!);
  }
}

/** NDCG@10 of an example when its candidates are ordered by weights. */
function gainOf({ example, count, rows }: Prepared, { question, symbol }: Fitted): number {
  const weights = example.isSymbol ? symbol : question;
  const columns = weights.length;
  const scores = Array.from({ length: count }, (_, i) => {
    let score = example.candidates[i]!.ruled;
    for (let j = 0; j < columns; j++) score += weights[j]! * rows[i * columns + j]!;
    return score;
  });
  const order = scores.map((_, i) => i).sort((a, b) => scores[b]! - scores[a]! || a - b);
  const ranks = new Map<number, number>();
  for (const [position, candidate] of order.entries()) {
    for (const target of example.candidates[candidate]!.targets) {
      if (!ranks.has(target)) ranks.set(target, position + 1);
    }
  }
  return ndcg([...ranks.values()], example.targets);
}

export interface Graded {
  readonly example: Example;
  readonly ndcg: number;
}

/** Number of parts of the repositories: each is measured with weights that are fitted to the others. */
const PARTS = 10;

/** The scores of weights on repositories of the benchmark that are not in their fit. */
export function crossValidate(data: FitData, options: FitOptions = FIT): Graded[] {
  const graded: Graded[] = [];
  const asked = data.prepared.filter(({ example }) => example.scope !== 'free');
  const partOf = new Map(
    [...new Set(asked.map(({ example }) => example.repository))].map((name, i) => [name, i % PARTS]),
  );
  for (let part = 0; part < PARTS; part++) {
    const fitted = data.fit(({ repository }) => partOf.get(repository) !== part, options);
    for (const one of asked) {
      if (partOf.get(one.example.repository) === part) graded.push({ example: one.example, ndcg: gainOf(one, fitted) });
    }
  }
  return graded;
}

/** The mean over repositories of the graded examples that `use` accepts. */
export function meanGain(graded: readonly Graded[], use: (example: Example) => boolean): number {
  const chosen = graded.filter(({ example }) => use(example));
  return meanOfMeans(
    chosen,
    ({ example }) => example.repository,
    (one) => one.ndcg,
  );
}
