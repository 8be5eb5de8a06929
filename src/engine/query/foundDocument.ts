import type { SegmentScores } from './collect.ts';
import type { Evidence } from './evidence.ts';
import type { Contribution } from './features.ts';
import type { FileForm } from './fileForms.ts';
import type { PlaceCandidate } from './placeFeatures.ts';

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
  readonly form?: FileForm | undefined;
  readonly rules?: readonly Contribution[];
  /** Number of translations, versions and copies of it that rank behind. */
  readonly alike?: number;
}

/** Features of the places in a document: see `placeRows`. */
export interface PlaceRows {
  readonly path: string;
  readonly score: number;
  readonly places: readonly PlaceCandidate[];
}

/** Features of a candidate: see `candidateRows`. */
export interface CandidateRow {
  readonly path: string;
  readonly row: Float64Array;
  /** Contribution to the score of rules that are not fitted. */
  readonly ruled: number;
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

export function evidenceOf(
  found: readonly FoundDocument[],
  all: readonly SegmentScores[],
): ReadonlyMap<FoundDocument, Evidence> {
  const evidence = new Map<FoundDocument, Evidence>();
  for (const scores of all) {
    const here = found.filter((one) => one.scores === scores).sort((a, b) => a.document - b.document);
    const own = scores.evidence(here.map(({ document }) => document));
    for (const [i, one] of here.entries()) evidence.set(one, own[i]!);
  }
  return evidence;
}
