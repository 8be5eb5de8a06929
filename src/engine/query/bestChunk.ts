import { MAX_TF, MAX_TOKENS } from '../index/format.ts';
import { gallop } from '../index/gallop.ts';
import type { PostingList, Postings } from '../index/postings.ts';
import type { SegmentReader } from '../index/segmentReader.ts';

/** Saturation and length normalization of BM25 (Robertson and Zaragoza 2009), for documents and chunks alike. */
export const K1 = 1.2;
export const B = 0.5;
/** Addend of BM25 to the frequency for a text of no length. */
export const SHORTEST = K1 * (1 - B);
/**
 * Advantage of a chunk that defines a word of the query over one that only uses it, as a share of the word's weight.
 */
export const DEFINING = 0.5;
/** Mean lengths in a corpus. */
export interface Averages {
  readonly documentTokens: number;
  readonly chunkTokens: number;
}

/** The postings of a word in one segment. */
export interface WordLists {
  readonly body: PostingList | undefined;
  readonly definition: PostingList | undefined;
  readonly fileName: PostingList | undefined;
  readonly folder: PostingList | undefined;
}

/** A word of the query in one segment. */
export interface Word {
  readonly weight: number;
  readonly lists: WordLists;
}

/** Computes the scores of the best chunks of documents. Its memory is used again. */
export class BestChunks {
  /** By chunk of the documents, one document after the other. */
  #sums = new Float64Array(1024);
  #best = new Float64Array(256);

  /** The score of the best chunk of each of `documents`, which ascend; valid until the next call. */
  of(
    documents: readonly number[],
    words: readonly Word[],
    postings: Postings,
    reader: SegmentReader,
    averages: Averages,
  ): Float64Array {
    const { firstChunk } = reader;
    let length = 0;
    for (let i = 0; i < documents.length; i++) length += firstChunk[documents[i]! + 1]! - firstChunk[documents[i]!]!;
    if (length > this.#sums.length) this.#sums = new Float64Array(2 * length);
    if (documents.length > this.#best.length) this.#best = new Float64Array(2 * documents.length);
    this.#sums.fill(0, 0, length);
    const perToken = (K1 * B) / averages.chunkTokens;
    for (const { weight, lists } of words) {
      if (lists.body) this.#add(documents, weight, lists.body, postings, reader, perToken);
      if (lists.definition) this.#add(documents, DEFINING * weight, lists.definition, postings, reader);
    }
    for (let i = 0, at = 0; i < documents.length; i++) {
      const end = at + firstChunk[documents[i]! + 1]! - firstChunk[documents[i]!]!;
      let best = 0;
      for (; at < end; at++) if (this.#sums[at]! > best) best = this.#sums[at]!;
      this.#best[i] = best;
    }
    return this.#best;
  }

  /** Adds a word's weight to the chunks of its list: by BM25 with `perToken`, in full without it. */
  #add(
    documents: readonly number[],
    weight: number,
    { from, to }: PostingList,
    { chunks, frequencies }: Postings,
    { firstChunk, chunkTokens }: SegmentReader,
    perToken?: number,
  ): void {
    const sums = this.#sums;
    for (let i = 0, at = from, begin = 0; i < documents.length && at < to; i++) {
      const first = firstChunk[documents[i]!]!;
      const end = firstChunk[documents[i]! + 1]!;
      for (at = gallop(chunks, at, to, first); at < to && chunks[at]! < end; at++) {
        const chunk = chunks[at]!;
        let added = weight;
        if (perToken !== undefined) {
          const frequency = frequencies[at]! & MAX_TF;
          const length = SHORTEST + perToken * (chunkTokens[chunk]! & MAX_TOKENS);
          added = (weight * frequency) / (frequency + length);
        }
        sums[begin + chunk - first]! += added;
      }
      begin += end - first;
    }
  }
}
