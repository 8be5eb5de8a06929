import { PLACE_COLUMNS, type PlaceCandidate } from './placeFeatures.ts';
import { overlap, type SourceRange } from './sourceRange.ts';
import weights from './placeWeights.json' with { type: 'json' };

/** Weights of the features: for the order of the places of a file, and for what its best place is worth in the order of files. */
export interface PlaceWeights {
  readonly places: ArrayLike<number>;
  readonly files: ArrayLike<number>;
}

/** Fitted by `npm run train:ranker`. */
export const PLACE_WEIGHTS: PlaceWeights = { places: weightsOf(weights.places), files: weightsOf(weights.files) };
/** Largest number of places of a document, and how far their scores may be below the best. */
const MOST = 4;
const BELOW = 3;

/** The places of a document, best first, and what the best of all is worth in the order of files. */
export interface BestPlaces {
  readonly ranges: SourceRange[];
  readonly worth: number;
}

/** The score of a row of features: higher is better, and comparable between the places of one query only. */
export function scoreOf(row: ArrayLike<number>, fitted: ArrayLike<number>): number {
  let score = 0;
  for (let i = 0; i < fitted.length; i++) score += row[i]! * fitted[i]!;
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
export function bestPlaces(candidates: readonly PlaceCandidate[]): BestPlaces {
  const scored = candidates.map(({ range, row }) => {
    const { startLine, endLine } = range;
    return { range, score: scoreOf(row, PLACE_WEIGHTS.places), startLine, endLine };
  });
  return {
    ranges: chooseBest(scored).map(({ range }) => range),
    worth: Math.max(...candidates.map(({ row }) => scoreOf(row, PLACE_WEIGHTS.files))),
  };
}

function weightsOf(fitted: Readonly<Record<string, number>>): readonly number[] {
  return PLACE_COLUMNS.map((column) => fitted[column] ?? 0);
}
