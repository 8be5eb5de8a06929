import type { Contribution } from './features.ts';
import type { BestPlaces } from './placeRanker.ts';
import type { SourceRange } from './sourceRange.ts';

/** Largest difference between the scores of places that counts: prose, for example, is like no definition. */
const MOST_BELOW = 4;
/** Number of documents whose order depends on their places. */
const PLACED = 10;
/** Worth of the score of a document's best place beside the document's own; see docs/ranking.md. */
export const PLACE_SHARE = 0.2;

/** A found document; with a line that the query names or quotes, that is its place. */
export interface Placeable {
  readonly score: number;
  readonly line?: number;
  readonly rules?: readonly Contribution[];
}

/** A document with its places, unless they are still to be found. */
export type Placed<T extends Placeable> = T & { readonly ranges?: readonly SourceRange[] };

/**
 * The documents in order, with `undefined` for pauses. The first ones are ordered by their scores and their best places
 * together, however many are wanted.
 */
export function* orderByPlaces<T extends Placeable>(
  ranked: Iterable<T | undefined>,
  placesOf: (one: T) => BestPlaces,
): Generator<Placed<T> | undefined, void, void> {
  const first: Placed<T>[] = [];
  const best: (number | undefined)[] = [];
  let lowest: number | undefined;
  const finish = (): Placed<T>[] => {
    const highest = Math.max(...best.map((score = -Infinity) => score));
    const ordered = first.map((one, i): Placed<T> => {
      const value = Math.max(-MOST_BELOW, (best[i] ?? highest) - highest);
      if (value === 0) return one;
      const share = PLACE_SHARE * value;
      return { ...one, score: one.score + share, rules: [...(one.rules ?? []), { feature: 'place', value, share }] };
    });
    ordered.sort((a, b) => b.score - a.score);
    lowest = ordered.at(-1)?.score;
    return ordered;
  };
  for (const one of ranked) {
    if (!one) yield undefined;
    else if (first.length < PLACED) {
      const places = one.line === undefined ? placesOf(one) : undefined;
      first.push(places ? { ...one, ranges: places.ranges } : one);
      best.push(places?.worth);
      yield undefined;
      if (first.length === PLACED) yield* finish();
    } else yield { ...one, score: Math.min(one.score, lowest ?? one.score) };
  }
  if (first.length < PLACED) yield* finish();
}
