import { PLACE_COLUMNS, type PlaceCandidate } from './placeFeatures.ts';
import { overlap, type SourceRange } from './sourceRange.ts';
import weights from './placeWeights.json' with { type: 'json' };

/** Weights fitted by `npm run train:ranker`, one per feature. */
const FITTED: Readonly<Record<string, number>> = weights;
export const PLACE_WEIGHTS = PLACE_COLUMNS.map((column) => FITTED[column] ?? 0);
/** Largest number of places of a document, and how far their scores may be below the best. */
const MOST = 4;
const BELOW = 3;

/** A place with its score. */
export interface ScoredPlace {
  readonly range: SourceRange;
  readonly score: number;
}

/** The score of a row of features: higher is better, and comparable between the places of one query only. */
export function scorePlace(row: Float64Array): number {
  let score = 0;
  for (let i = 0; i < row.length; i++) score += row[i]! * PLACE_WEIGHTS[i]!;
  return score;
}

/** Lines with a score. */
interface ScoredLines {
  readonly startLine: number;
  readonly endLine: number;
  readonly score: number;
}

/** The best lines of a document and up to three more, none of which overlap, best first. */
export function chooseBest<T extends ScoredLines>(places: readonly T[]): T[] {
  const best: T[] = [];
  for (const place of places.toSorted((a, b) => b.score - a.score || a.startLine - b.startLine)) {
    if (best.length === MOST || (best[0] && place.score < best[0].score - BELOW)) break;
    if (!best.some((one) => overlap(one, place))) best.push(place);
  }
  return best;
}

/** The best place of a document and up to three more. */
export function bestPlaces(candidates: readonly PlaceCandidate[]): ScoredPlace[] {
  const scored = candidates.map(({ range, row }) => {
    const { startLine, endLine } = range;
    return { range, score: scorePlace(row), startLine, endLine };
  });
  return chooseBest(scored);
}
