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

/** Computes the score of a document's best chunk. Documents must be requested in ascending order. */
export class BestChunk {
  readonly #lists: { readonly weight: number; readonly isBody: boolean; readonly to: number; at: number }[] = [];
  readonly #postings: Postings;
  readonly #reader: SegmentReader;
  readonly #perToken: number;
  #sums = new Float64Array(64);

  constructor(words: readonly Word[], postings: Postings, reader: SegmentReader, { chunkTokens }: Averages) {
    for (const { weight, lists } of words) {
      const { body, definition } = lists;
      if (body) this.#lists.push({ weight, isBody: true, to: body.to, at: body.from });
      if (definition)
        this.#lists.push({ weight: DEFINING * weight, isBody: false, to: definition.to, at: definition.from });
    }
    this.#postings = postings;
    this.#reader = reader;
    this.#perToken = (K1 * B) / chunkTokens;
  }

  of(document: number): number {
    const { firstChunk, chunkTokens } = this.#reader;
    const { chunks, frequencies } = this.#postings;
    const first = firstChunk[document]!;
    const end = firstChunk[document + 1]!;
    if (end - first > this.#sums.length) this.#sums = new Float64Array(2 * (end - first));
    const sums = this.#sums;
    sums.fill(0, 0, end - first);
    let best = 0;
    for (const list of this.#lists) {
      const { weight, isBody, to } = list;
      let at = gallop(chunks, list.at, to, first);
      for (; at < to && chunks[at]! < end; at++) {
        const chunk = chunks[at]!;
        const frequency = frequencies[at]! & MAX_TF;
        const length = K1 * (1 - B) + this.#perToken * (chunkTokens[chunk]! & MAX_TOKENS);
        const sum = (sums[chunk - first]! += isBody ? (weight * frequency) / (frequency + length) : weight);
        if (sum > best) best = sum;
      }
      list.at = at;
    }
    return best;
  }
}
