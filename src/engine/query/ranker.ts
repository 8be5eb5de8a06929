import { FEATURE_COLUMNS, type Contribution } from './features.ts';
import type { Query } from './query.ts';
import weights from './weights.json' with { type: 'json' };

/** Weights fitted by `npm run train:ranker`: one per feature, for questions and for a name by itself. */
const WEIGHTS: {
  readonly question: Readonly<Record<string, number>>;
  readonly symbol: Readonly<Record<string, number>>;
} = weights;
const QUESTION = FEATURE_COLUMNS.map((column) => WEIGHTS.question[column] ?? 0);
const SYMBOL = FEATURE_COLUMNS.map((column) => WEIGHTS.symbol[column] ?? 0);

const weightsFor = (query: Query): readonly number[] => (query.symbol === undefined ? QUESTION : SYMBOL);

/** The score of a row of features: higher is better, and comparable between documents for one query only. */
export function scoreRow(row: Float64Array, query: Query): number {
  const chosen = weightsFor(query);
  let score = 0;
  for (let i = 0; i < row.length; i++) score += row[i]! * chosen[i]!;
  return score;
}

/** Contribution of each feature that counts to {@link scoreRow}, the largest first. */
export function explainRow(row: Float64Array, query: Query): Contribution[] {
  const chosen = weightsFor(query);
  return FEATURE_COLUMNS.map((feature, i) => ({ feature, value: row[i]!, share: row[i]! * chosen[i]! }))
    .filter(({ share }) => share !== 0)
    .sort((a, b) => Math.abs(b.share) - Math.abs(a.share));
}

/** What features or rules add to a score. */
export function sumOfShares(shares: readonly Contribution[]): number {
  return shares.reduce((sum, { share }) => sum + share, 0);
}
