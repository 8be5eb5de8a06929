import type { SegmentScores } from './collect.ts';
import type { Evidence } from './evidence.ts';
import type { Contribution } from './features.ts';

/** A found document and its score so far. */
export interface FoundDocument {
  readonly scores: SegmentScores;
  readonly document: number;
  readonly path: string;
  readonly score: number;
}

export interface Ranked extends FoundDocument {
  /** The line with the words of the query in their order. */
  readonly line?: number;
  readonly evidence?: Evidence;
  readonly row?: Float64Array;
  readonly rules?: readonly Contribution[];
}

/** The first 48 bits of a document's id. */
export function numberOf(id: Uint8Array): number {
  return id[0]! * 2 ** 40 + id[1]! * 2 ** 32 + id[2]! * 2 ** 24 + id[3]! * 2 ** 16 + id[4]! * 2 ** 8 + id[5]!;
}

export function byScore(a: FoundDocument, b: FoundDocument): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.scores.folder - b.scores.folder;
}
