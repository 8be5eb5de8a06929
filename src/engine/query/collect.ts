import { Field, IN_COMMENT, MAX_TF } from '../index/format.ts';
import { Postings, type PostingList, type SegmentReader } from '../index/segmentReader.ts';
import type { Segment } from '../index/snapshot.ts';
import { TopK } from './topK.ts';

/** BM25's saturation and length normalization (Robertson and Zaragoza 2009), of documents and of chunks alike. */
const K1 = 1.2;
const B = 0.5;
/** What a chunk that defines a word of the query has over one that only uses it, as a share of the word's weight. */
export const DEFINING = 0.5;

export interface Averages {
  readonly documentTokens: number;
  readonly chunkTokens: number;
}

export type FieldLists = ReadonlyMap<Field, PostingList>;

/** A defined name that was asked for, and a chunk that defines it. */
export interface SymbolHit {
  readonly term: number;
  readonly chunk: number;
}

/** Sums of one segment, by document and by chunk. Kept with the segment between searches, zero where nothing was found. */
interface Sums {
  readonly body: Float32Array;
  readonly comment: Float32Array;
  readonly density: Float32Array;
  readonly spread: Float32Array;
  readonly definitions: Float32Array;
  readonly definitionCount: Float32Array;
  readonly bestChunk: Float32Array;
  readonly bodyMask: Uint32Array;
  readonly headMask: Uint32Array;
  readonly definitionMask: Uint32Array;
  readonly nameMask: Uint32Array;
  readonly folderMask: Uint32Array;
  readonly identifierMask: Uint32Array;
  /** 0 not met, {@link WANTED}, or {@link UNWANTED}. */
  readonly state: Uint8Array;
  readonly chunkScore: Float32Array;
  readonly chunkComment: Float32Array;
  readonly chunkDefinition: Float32Array;
}

const WANTED = 1;
const UNWANTED = 2;

const kept = new WeakMap<SegmentReader, Sums>();
const postings = new Postings();

/** Gathers from postings what ranking needs of the documents and chunks of one segment. */
export class SegmentScores {
  readonly segment: Segment;
  readonly reader: SegmentReader;
  readonly sums: Sums;
  readonly symbols = new Map<number, SymbolHit[]>();
  readonly #isWanted: (document: number) => boolean;
  readonly #averages: Averages;
  readonly #documents: number[] = [];
  readonly #unwanted: number[] = [];
  readonly #chunks: number[] = [];

  constructor(segment: Segment, averages: Averages, isWanted: (document: number) => boolean) {
    this.segment = segment;
    this.reader = segment.reader;
    this.#averages = averages;
    this.#isWanted = isWanted;
    this.sums = kept.get(segment.reader) ?? newSums(segment.reader);
    kept.set(segment.reader, this.sums);
  }

  /** Adds what the `number`th word of the query has in this segment. */
  addWord(number: number, weight: number, lists: FieldLists): void {
    const bit = 1 << number;
    const body = lists.get(Field.body);
    if (body) this.#addBody(body, bit, weight);
    const definitions = lists.get(Field.definition);
    if (definitions) this.#addDefinitions(definitions, bit, weight);
    this.#mark(lists.get(Field.fileName), this.sums.nameMask, bit);
    this.#mark(lists.get(Field.folder), this.sums.folderMask, bit);
  }

  /** Marks the documents in which the `number`th name stands. */
  addName(number: number, list: PostingList): void {
    this.#mark(list, this.sums.identifierMask, 1 << number);
  }

  addSymbol(term: number, list: PostingList): void {
    const { chunkDocument } = this.reader;
    const count = list.read(postings);
    for (let i = 0; i < count; i++) {
      const chunk = postings.chunks[i]!;
      const document = chunkDocument[chunk]!;
      if (!this.#meet(document)) continue;
      const hits = this.symbols.get(document);
      if (hits) hits.push({ term, chunk });
      else this.symbols.set(document, [{ term, chunk }]);
    }
  }

  /** Counts every document as found: for a query that only filters. */
  addAll(): void {
    for (let document = 0; document < this.reader.documents; document++) this.#meet(document);
  }

  /** The `count` documents with the highest `score`, in no order. */
  best(count: number, score: (document: number) => number): readonly number[] {
    const { chunkScore, chunkDefinition, bestChunk } = this.sums;
    const { chunkDocument } = this.reader;
    for (const chunk of this.#chunks) {
      const document = chunkDocument[chunk]!;
      const value = chunkScore[chunk]! + DEFINING * chunkDefinition[chunk]!;
      if (value > bestChunk[document]!) bestChunk[document] = value;
    }
    const top = new TopK(count);
    for (const document of this.#documents) top.add(document, score(document));
    return top.items();
  }

  /** Sets back what was summed. */
  reset(): void {
    const { chunkScore, chunkComment, chunkDefinition, ...perDocument } = this.sums;
    const arrays = Object.values(perDocument);
    for (const document of this.#documents) for (const array of arrays) array[document] = 0;
    for (const document of this.#unwanted) this.sums.state[document] = 0;
    for (const chunk of this.#chunks) {
      chunkScore[chunk] = 0;
      chunkComment[chunk] = 0;
      chunkDefinition[chunk] = 0;
    }
  }

  /** Whether the document may be a result. */
  #meet(document: number): boolean {
    const { state } = this.sums;
    if (state[document] === 0) {
      state[document] = !this.segment.isDeleted(document) && this.#isWanted(document) ? WANTED : UNWANTED;
      (state[document] === WANTED ? this.#documents : this.#unwanted).push(document);
    }
    return state[document] === WANTED;
  }

  #addBody(list: PostingList, bit: number, weight: number): void {
    const { body, comment, density, spread, bodyMask, headMask, chunkScore, chunkComment, chunkDefinition } = this.sums;
    const { chunkDocument, chunkTokens, firstChunk, documentTokens } = this.reader;
    const perChunkToken = B / this.#averages.chunkTokens;
    const perToken = B / this.#averages.documentTokens;
    const count = list.read(postings);
    const { chunks, frequencies } = postings;
    for (let i = 0; i < count;) {
      const document = chunkDocument[chunks[i]!]!;
      if (!this.#meet(document)) {
        const end = firstChunk[document + 1]!;
        while (i < count && chunks[i]! < end) i++;
        continue;
      }
      const end = firstChunk[document + 1]!;
      let frequency = 0;
      let comments = 0;
      for (; i < count && chunks[i]! < end; i++) {
        const chunk = chunks[i]!;
        const byte = frequencies[i]!;
        const inChunk = byte & MAX_TF;
        frequency += inChunk;
        if (chunkScore[chunk] === 0 && chunkDefinition[chunk] === 0) this.#chunks.push(chunk);
        chunkScore[chunk]! += (weight * inChunk) / (inChunk + K1 * (1 - B + perChunkToken * chunkTokens[chunk]!));
        if ((byte & IN_COMMENT) === 0) continue;
        comments += inChunk;
        chunkComment[chunk]! += weight;
        if (chunk === firstChunk[document]) headMask[document]! |= bit;
      }
      const tokens = documentTokens[document]!;
      bodyMask[document]! |= bit;
      body[document]! += (weight * frequency) / (frequency + K1 * (1 - B + perToken * tokens));
      comment[document]! += (weight * comments) / (comments + 2);
      density[document]! += weight * Math.sqrt(frequency / (tokens + 50));
      spread[document]! += weight * Math.log1p(frequency);
    }
  }

  #addDefinitions(list: PostingList, bit: number, weight: number): void {
    const { definitions, definitionCount, definitionMask, chunkScore, chunkDefinition } = this.sums;
    const { chunkDocument, firstChunk } = this.reader;
    const count = list.read(postings);
    const { chunks, frequencies } = postings;
    for (let i = 0; i < count;) {
      const document = chunkDocument[chunks[i]!]!;
      const isWanted = this.#meet(document);
      const end = firstChunk[document + 1]!;
      let names = 0;
      for (; i < count && chunks[i]! < end; i++) {
        if (!isWanted) continue;
        const chunk = chunks[i]!;
        names += frequencies[i]! & MAX_TF;
        if (chunkScore[chunk] === 0 && chunkDefinition[chunk] === 0) this.#chunks.push(chunk);
        chunkDefinition[chunk]! += weight;
      }
      if (!isWanted) continue;
      definitionMask[document]! |= bit;
      definitionCount[document]! += weight * names;
      definitions[document]! += (weight * names) / (names + 1.5);
    }
  }

  #mark(list: PostingList | undefined, mask: Uint32Array, bit: number): void {
    const count = list?.read(postings) ?? 0;
    const { chunkDocument } = this.reader;
    for (let i = 0; i < count; i++) {
      const document = chunkDocument[postings.chunks[i]!]!;
      if (this.#meet(document)) mask[document]! |= bit;
    }
  }
}

function newSums({ footer: { documents, chunks } }: SegmentReader): Sums {
  return {
    body: new Float32Array(documents),
    comment: new Float32Array(documents),
    density: new Float32Array(documents),
    spread: new Float32Array(documents),
    definitions: new Float32Array(documents),
    definitionCount: new Float32Array(documents),
    bestChunk: new Float32Array(documents),
    bodyMask: new Uint32Array(documents),
    headMask: new Uint32Array(documents),
    definitionMask: new Uint32Array(documents),
    nameMask: new Uint32Array(documents),
    folderMask: new Uint32Array(documents),
    identifierMask: new Uint32Array(documents),
    state: new Uint8Array(documents),
    chunkScore: new Float32Array(chunks),
    chunkComment: new Float32Array(chunks),
    chunkDefinition: new Float32Array(chunks),
  };
}
