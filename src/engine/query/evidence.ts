import type { SegmentReader } from '../index/segmentReader.ts';

/**
 * Evidence of the postings about one document. Sums are over the query's words, each by its weight; masks have a bit
 * for each word, or each name, that occurs.
 */
export interface Evidence {
  readonly document: number;
  body: number;
  comment: number;
  density: number;
  spread: number;
  definitions: number;
  definitionCount: number;
  bodyMask: number;
  /** Words in the comments of the first chunk. */
  headMask: number;
  definitionMask: number;
  nameMask: number;
  folderMask: number;
  identifierMask: number;
  /** {@link CHUNK_SUMS} of each chunk, in their order. */
  readonly chunks: Float64Array;
}

/**
 * Sums for each chunk: the words of its text, of its comments, of its definitions; and a bit for each word of its text.
 * One array, as most documents have few chunks.
 */
export const CHUNK_SUMS = 4;
export const CHUNK_TEXT = 0;
export const CHUNK_COMMENT = 1;
export const CHUNK_DEFINITION = 2;
export const CHUNK_MASK = 3;

/** Evidence about documents before any posting is read. */
export function noEvidence(documents: readonly number[], { firstChunk }: SegmentReader): Evidence[] {
  const lengths = documents.map((document) => (firstChunk[document + 1]! - firstChunk[document]!) * CHUNK_SUMS);
  const chunks = float64Rows(lengths);
  return documents.map((document, i) => ({
    document,
    body: 0,
    comment: 0,
    density: 0,
    spread: 0,
    definitions: 0,
    definitionCount: 0,
    bodyMask: 0,
    headMask: 0,
    definitionMask: 0,
    nameMask: 0,
    folderMask: 0,
    identifierMask: 0,
    chunks: chunks[i]!,
  }));
}

/** Arrays of zeros in one piece of memory, since each piece takes longer than its use. */
export function float64Rows(lengths: readonly number[]): Float64Array[] {
  const { buffer } = new Float64Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  return lengths.map((length) => {
    const row = new Float64Array(buffer, at, length);
    at += row.byteLength;
    return row;
  });
}

/** The sum of the weights of the words in a mask. */
export function masked(mask: number, weights: readonly number[]): number {
  let total = 0;
  for (let rest = mask; rest !== 0;) {
    const bit = 31 - Math.clz32(rest);
    total += weights[bit] ?? 0;
    rest &= ~(1 << bit);
  }
  return total;
}
