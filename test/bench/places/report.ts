import { table } from '../../../scripts/lib/table.mjs';
import { groupBy } from '../../../src/base/collections.ts';
import { mean, ndcg } from '../metric.ts';
import type { PlaceQuestion } from './questions.ts';

/** The rank of the answer to a question, from 1, by the name of the list that it is looked for in. */
export interface RankedQuestion {
  readonly repository: string;
  readonly question: PlaceQuestion;
  readonly ranks: Readonly<Record<string, number | undefined>>;
}

export interface PlaceFigures {
  readonly first: number;
  readonly hit5: number;
  readonly mrr: number;
  readonly ndcg: number;
}

const HIT = 5;
const DEPTH = 10;

/** Means over all questions. A rank beyond ten counts as none. */
export function figuresOf(ranks: readonly (number | undefined)[]): PlaceFigures {
  const near = ranks.map((rank = Infinity) => (rank <= DEPTH ? rank : Infinity));
  return {
    first: mean(near.map((rank) => Number(rank === 1))),
    hit5: mean(near.map((rank) => Number(rank <= HIT))),
    mrr: mean(near.map((rank) => 1 / rank)),
    ndcg: mean(near.map((rank) => ndcg([rank], 1, DEPTH))),
  };
}

/** A table with a row for each group of questions, and the four figures for each list. */
export function placeTable(ranked: readonly RankedQuestion[], lists: readonly string[], title: string): string {
  const head = lists.flatMap((list) => [`${list}: first`, 'Hit@5', 'MRR', 'NDCG@10']);
  const row = (name: string, group: readonly RankedQuestion[]): string[] => [
    name,
    String(group.length),
    ...lists.flatMap((list) => {
      const { first, hit5, mrr, ndcg } = figuresOf(group.map(({ ranks }) => ranks[list]));
      return [first, hit5, mrr, ndcg].map((figure) => figure.toFixed(3));
    }),
  ];
  const groups = (keyOf: (one: RankedQuestion) => string): string[][] =>
    [...groupBy(ranked, keyOf)].sort(([, a], [, b]) => b.length - a.length).map(([name, group]) => row(name, group));
  return table([
    [title, 'questions', ...head],
    row('all', ranked),
    row(
      'no word of the name',
      ranked.filter(({ question }) => question.isHard),
    ),
    ...groups(({ question }) => question.language),
    ...groups(({ question }) => question.kind),
  ]);
}
