import { Field, IN_COMMENT, MAX_TF, MAX_TOKENS, termHash } from '../index/format.ts';
import { gallop } from '../index/gallop.ts';
import type { PostingList, Postings } from '../index/postings.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { hasBit, type Segment } from '../index/snapshot.ts';
import { liveDocumentsIn } from './collection.ts';
import { B, DEFINING, K1, SHORTEST, type Averages, type Word, type WordLists } from './bestChunk.ts';
import {
  CHUNK_COMMENT,
  CHUNK_DEFINITION,
  CHUNK_MASK,
  CHUNK_SUMS,
  CHUNK_TEXT,
  noEvidence,
  type Evidence,
} from './evidence.ts';
import type { SearchArrays, Sums } from './searchMemory.ts';
import type { TopK } from './topK.ts';
import type { Wanted } from './wanted.ts';

/**
 * Further factors in the choice of candidates: the best chunk, and a word in a name, as a share of the word's weight.
 */
const BEST_CHUNK = 0.6;
const IN_FILE_NAME = 0.8;
const IN_DEFINITION = 0.3;
const IN_FOLDER = 0.2;

/** A defined name that the query asks for, and a chunk that defines it. */
export interface SymbolHit {
  readonly term: number;
  readonly chunk: number;
}

/** States of {@link Sums}. */
const UNMET = 0;
const WANTED = 1;
const UNWANTED = 2;
/** Wanted, and its score has its best chunk. */
const FINISHED = 3;
/** Number of documents that are visited before other work may run. */
const DOCUMENTS_PER_STEP = 1_000;
/** Number of chunks of a word that are looked at at once for the other words: a millisecond. */
const MAX_LISTED = 4_000;
/** Margin for the inexact 32-bit sums. */
const ROUNDING = 1.001;

/**
 * Gathers from the postings of one segment the input of ranking, in two stages. The first yields one sum per document,
 * by which candidates are chosen; the second all the {@link Evidence} for those few.
 */
export class SegmentScores {
  readonly segment: Segment;
  readonly reader: SegmentReader;
  /** Number of the segment's folder. */
  readonly folder: number;
  /** Hits by document. */
  readonly symbols = new Map<number, SymbolHit[]>();
  readonly #sums: Sums;
  readonly #wanted: Wanted;
  readonly #accepts: Wanted['accepts'];
  /** Whether every document may be a result. */
  readonly #isOpen: boolean;
  /** State of the documents that may be results: `FINISHED` once best chunks are added. */
  #accepted = WANTED;
  /** The documents that {@link finishAbove} finished, in ascending order. */
  #best: readonly number[] = [];
  readonly #averages: Averages;
  readonly #arrays: SearchArrays;
  readonly #postings: Postings;
  readonly #words: Word[] = [];
  readonly #names: (PostingList | undefined)[] = [];

  /** The postings of `arrays` hold the lists of this search. */
  constructor(segment: Segment, folder: number, averages: Averages, wanted: Wanted, arrays: SearchArrays) {
    this.segment = segment;
    this.reader = segment.reader;
    this.folder = folder;
    this.#averages = averages;
    this.#wanted = wanted;
    this.#accepts = wanted.accepts;
    this.#isOpen = wanted.accepts === undefined && segment.deletedCount === 0;
    this.#arrays = arrays;
    this.#postings = arrays.postings;
    this.#sums = arrays.sumsOf(segment.reader);
  }

  listsOf(word: string): WordLists {
    return {
      body: this.listOf(Field.body, word),
      definition: this.listOf(Field.definition, word),
      fileName: this.listOf(Field.fileName, word),
      folder: this.listOf(Field.folder, word),
    };
  }

  listOf(field: Field, text: string): PostingList | undefined {
    return this.reader.read(termHash(field, text), this.#postings);
  }

  /** Number of documents in a list, without the deleted ones. */
  documentsIn(list: PostingList | undefined): number {
    return list ? liveDocumentsIn(this.segment, list, this.#postings) : 0;
  }

  /** Whether the documents of a list take long to test: call {@link meetAll} before such a list is added. */
  get isSlow(): boolean {
    return this.#wanted.isSlow;
  }

  /** Adds the occurrences of the query's next word in this segment. */
  addWord(weight: number, lists: WordLists): void {
    this.#words.push({ weight, lists });
    if (lists.body) this.#addBody(lists.body, weight);
    if (lists.definition) this.#addToDocuments(lists.definition, IN_DEFINITION * weight, DEFINING * weight);
    if (lists.fileName) this.#addToDocuments(lists.fileName, IN_FILE_NAME * weight);
    if (lists.folder) this.#addToDocuments(lists.folder, IN_FOLDER * weight);
  }

  /** Number of words that were added. */
  get words(): number {
    return this.#words.length;
  }

  /** Adds the list of the query's next name, and marks the documents in which it occurs. */
  addName(list: PostingList | undefined): void {
    this.#names.push(list);
    if (list) this.#addToDocuments(list, 0);
  }

  addSymbol(term: number, list: PostingList): void {
    const { from, to } = list;
    const { chunks } = this.#postings;
    for (let i = from, document = 0; i < to; i++) {
      const chunk = chunks[i]!;
      document = this.reader.documentOf(chunk, document);
      if (!this.mayBeResult(document)) continue;
      const hits = this.symbols.get(document);
      if (hits) hits.push({ term, chunk });
      else this.symbols.set(document, [{ term, chunk }]);
    }
  }

  /** Adds to each document the value of its best symbol. */
  addSymbolValues(valueOf: (term: number) => number): void {
    for (const [document, hits] of this.symbols) {
      this.#sums.score[document]! += hits.reduce((most, { term }) => Math.max(most, valueOf(term)), 0);
    }
  }

  /** Whether a document of the segment that is not deleted has the first name, or the `word`th word in its text. */
  hasName(word: number): boolean {
    return this.documentsIn(this.#names[0]) + this.documentsIn(this.#words[word]?.lists.body) > 0;
  }

  /**
   * Adds `value` to the documents that have the first name, or the `word`th word in their text, or define a symbol that
   * `isName` accepts.
   */
  addNameValue(value: number, word: number, isName: (term: number) => boolean): void {
    const { chunks } = this.#postings;
    const has = new Uint8Array(this.reader.documents);
    for (const list of [this.#names[0], this.#words[word]?.lists.body]) {
      for (let i = list?.from ?? 0, document = 0; i < (list?.to ?? 0); i++) {
        document = this.reader.documentOf(chunks[i]!, document);
        has[document] = 1;
      }
    }
    for (const [document, hits] of this.symbols) if (hits.some(({ term }) => isName(term))) has[document] = 1;
    for (let document = 0; document < has.length; document++) {
      if (has[document] === 1 && this.mayBeResult(document)) this.#sums.score[document]! += value;
    }
  }

  /** Counts every document as found: for a query that only filters. Those that define a nearer match of `sym:` precede. */
  *addAll(): Generator<void, void, void> {
    const { score } = this.#sums;
    for (let document = 0; document < this.reader.documents; document++) {
      if (document % DOCUMENTS_PER_STEP === 0) yield;
      this.mayBeResult(document);
      for (const documents of this.#wanted.near) if (hasBit(documents, document)) score[document]!++;
    }
  }

  /** Adds the scores of documents so far; each is identified by its number plus `offset`. */
  addScores(top: TopK, offset: number): void {
    const { score, state } = this.#sums;
    top.addAll(score, state, this.#accepted, offset);
  }

  /** The documents that may be results and are not yet removed. */
  found(): number[] {
    const documents: number[] = [];
    for (const [document, state] of this.#sums.state.entries()) if (state === this.#accepted) documents.push(document);
    return documents;
  }

  /**
   * The documents that may be results with a chunk that has, in a field, all words that any document has; but for the words
   * `omitted`. Of documents `among`, in order, all are looked at; else, if each of these words is in many chunks, the best.
   */
  documentsWithAll(
    field: 'body' | 'definition' = 'body',
    omitted: ReadonlySet<number> = new Set(),
    among?: readonly number[],
  ): number[] {
    const lists: PostingList[] = [];
    for (const [i, { weight, lists: one }] of this.#words.entries()) {
      if (weight === 0 || omitted.has(i)) continue;
      const list = one[field];
      if (!list) return [];
      lists.push(list);
    }
    const [shortest, ...others] = lists.sort((a, b) => a.to - a.from - (b.to - b.from));
    const documents: number[] = [];
    if (!shortest) return documents;
    const { chunks } = this.#postings;
    const { firstChunk } = this.reader;
    const at = others.map(({ from }) => from);
    const hasAll = (chunk: number): boolean =>
      others.every(({ to }, word) => {
        at[word] = gallop(chunks, at[word]!, to, chunk);
        return at[word] < to && chunks[at[word]] === chunk;
      });
    const listed = among ?? (shortest.to - shortest.from <= MAX_LISTED ? this.#documentsIn(shortest) : this.#best);
    let i = shortest.from;
    for (const document of listed) {
      i = gallop(chunks, i, shortest.to, firstChunk[document]!);
      const end = firstChunk[document + 1]!;
      let isFound = false;
      for (; !isFound && i < shortest.to && chunks[i]! < end; i++) isFound = hasAll(chunks[i]!);
      if (isFound && this.mayBeResult(document)) documents.push(document);
    }
    return documents;
  }

  *#documentsIn({ from, to }: PostingList): Generator<number, void, void> {
    const { chunks } = this.#postings;
    const { firstChunk } = this.reader;
    for (let i = from, document = 0; i < to; i = gallop(chunks, i, to, firstChunk[document + 1]!)) {
      document = this.reader.documentOf(chunks[i]!, document);
      yield document;
    }
  }

  /** The documents that may be results and have a compound name, folded, or define one. */
  documentsWithName(folded: string, field: Field = Field.identifier): number[] {
    const list = this.listOf(field, folded);
    const documents: number[] = [];
    const { chunks } = this.#postings;
    for (let i = list?.from ?? 0, document = 0; i < (list?.to ?? 0); i++) {
      document = this.reader.documentOf(chunks[i]!, document);
      if (documents.at(-1) !== document && this.mayBeResult(document)) documents.push(document);
    }
    return documents;
  }

  /** The chunks of a document that have the first name. */
  chunksWithName(document: number): Uint32Array {
    const { chunks } = this.#postings;
    const { firstChunk } = this.reader;
    const { from = 0, to = 0 } = this.#names[0] ?? {};
    const begin = gallop(chunks, from, to, firstChunk[document]!);
    return chunks.subarray(begin, gallop(chunks, begin, to, firstChunk[document + 1]!));
  }

  /** The lowest score of `documents` together with their best chunks. */
  lowestOf(documents: readonly number[]): number {
    const best = this.#bestChunks(documents);
    return Math.min(...documents.map((one, i) => this.#sums.score[one]! + BEST_CHUNK * best[i]!));
  }

  /** Adds each document's best chunk. Most documents stay below `least` even so; they are left for {@link finish}. */
  finishAbove(least: number): void {
    const { score, reach, state } = this.#sums;
    const documents: number[] = [];
    for (let document = 0; document < state.length; document++) {
      // The state is unpredictable for the processor, so it comes last.
      const most = (score[document]! + BEST_CHUNK * reach[document]!) * ROUNDING;
      if (most >= least && state[document] === WANTED) documents.push(document);
    }
    this.#finish(documents);
    this.#best = documents;
    this.#accepted = FINISHED;
  }

  /** Adds the best chunk of the documents that {@link finishAbove} left. */
  *finish(): Generator<void, void, void> {
    const { state } = this.#sums;
    for (let from = 0; from < state.length; from += DOCUMENTS_PER_STEP) {
      yield;
      const documents: number[] = [];
      for (let document = from; document < Math.min(from + DOCUMENTS_PER_STEP, state.length); document++) {
        if (state[document] === WANTED) documents.push(document);
      }
      this.#finish(documents);
    }
  }

  #finish(documents: readonly number[]): void {
    const { score, state } = this.#sums;
    const best = this.#bestChunks(documents);
    for (let i = 0; i < documents.length; i++) {
      score[documents[i]!]! += BEST_CHUNK * best[i]!;
      state[documents[i]!] = FINISHED;
    }
  }

  /** Leaves a document out of {@link addScores} from now on. */
  remove(document: number): void {
    this.#sums.state[document] = UNWANTED;
  }

  scoreOf(document: number): number {
    return this.#sums.score[document]!;
  }

  /** Evidence of `documents`, in ascending order: each list is read once for all of them. */
  evidence(documents: readonly number[]): Evidence[] {
    const all = noEvidence(documents, this.reader);
    for (let word = 0; word < this.#words.length; word++) {
      const { weight, lists } = this.#words[word]!;
      const bit = 1 << word;
      this.#each(lists.body, all, (one, at, to) => this.#gatherBody(one, at, to, weight, bit));
      this.#each(lists.definition, all, (one, at, to) => this.#gatherDefinitions(one, at, to, weight, bit));
      this.#each(lists.fileName, all, (one) => (one.nameMask |= bit));
      this.#each(lists.folder, all, (one) => (one.folderMask |= bit));
    }
    for (let name = 0; name < this.#names.length; name++)
      this.#each(this.#names[name], all, (one) => (one.identifierMask |= 1 << name));
    return all;
  }

  /** Resets the sums to zero. */
  reset(): void {
    const { score, reach, state } = this.#sums;
    for (const array of [score, reach, state]) array.fill(0);
  }

  #bestChunks(documents: readonly number[]): Float64Array {
    return this.#arrays.bestChunks.of(documents, this.#words, this.#postings, this.reader, this.#averages);
  }

  /** Tests the documents of lists: other work may run meanwhile. */
  *meetAll(lists: readonly (PostingList | undefined)[]): Generator<void, void, void> {
    const { chunks } = this.#postings;
    const { firstChunk } = this.reader;
    for (const list of lists) {
      const to = list?.to ?? 0;
      for (let i = list?.from ?? 0, document = 0, met = 1; i < to; met++) {
        document = this.reader.documentOf(chunks[i]!, document);
        i = gallop(chunks, i, to, firstChunk[document + 1]!);
        this.mayBeResult(document);
        if (met % DOCUMENTS_PER_STEP === 0) yield;
      }
    }
  }

  /** Whether the document may be a result. */
  mayBeResult(document: number): boolean {
    const { state } = this.#sums;
    if (state[document] === UNMET) {
      const isWanted = !this.segment.isDeleted(document) && (this.#accepts === undefined || this.#accepts(document));
      state[document] = isWanted ? this.#accepted : UNWANTED;
    }
    return state[document] !== UNWANTED;
  }

  /** Scores whole documents: looking up chunks as well would take several times as long, and few of them matter. */
  #addBody({ from, to }: PostingList, weight: number): void {
    const { score, reach, state } = this.#sums;
    const { firstChunk, documentTokens } = this.reader;
    const { chunks, frequencies } = this.#postings;
    const isOpen = this.#isOpen;
    const perToken = (K1 * B) / this.#averages.documentTokens;
    for (let i = from, document = 0; i < to;) {
      document = this.reader.documentOf(chunks[i]!, document);
      const end = firstChunk[document + 1]!;
      let frequency = frequencies[i]! & MAX_TF;
      for (i++; i < to && chunks[i]! < end; i++) frequency += frequencies[i]! & MAX_TF;
      if (isOpen) state[document] = WANTED;
      else if (!this.mayBeResult(document)) continue;
      score[document]! += (weight * frequency) / (frequency + SHORTEST + perToken * documentTokens[document]!);
      // Upper bound: no chunk has the word more often than the document, and none is shorter than nothing.
      reach[document]! += (weight * frequency) / (frequency + SHORTEST);
    }
  }

  #addToDocuments({ from, to }: PostingList, value: number, reached = 0): void {
    const { score, reach } = this.#sums;
    const { firstChunk } = this.reader;
    const { chunks } = this.#postings;
    for (let i = from, document = 0; i < to;) {
      document = this.reader.documentOf(chunks[i]!, document);
      i = gallop(chunks, i, to, firstChunk[document + 1]!);
      if (!this.mayBeResult(document)) continue;
      score[document]! += value;
      reach[document]! += reached;
    }
  }

  /**
   * Calls `take` for each document that has postings in a list, with the index of its first posting and the end of the
   * list.
   */
  #each(
    list: PostingList | undefined,
    all: readonly Evidence[],
    take: (evidence: Evidence, at: number, to: number) => void,
  ): void {
    if (!list) return;
    const { chunks } = this.#postings;
    const { firstChunk } = this.reader;
    for (let i = 0, at = list.from; i < all.length && at < list.to; i++) {
      const evidence = all[i]!;
      at = gallop(chunks, at, list.to, firstChunk[evidence.document]!);
      if (at < list.to && chunks[at]! < firstChunk[evidence.document + 1]!) take(evidence, at, list.to);
    }
  }

  #gatherBody(evidence: Evidence, from: number, to: number, weight: number, bit: number): void {
    const { document } = evidence;
    const { chunks, frequencies } = this.#postings;
    const { firstChunk, chunkTokens, documentTokens } = this.reader;
    const first = firstChunk[document]!;
    const end = firstChunk[document + 1]!;
    const perChunkToken = B / this.#averages.chunkTokens;
    let frequency = 0;
    let comments = 0;
    for (let i = from; i < to && chunks[i]! < end; i++) {
      const chunk = chunks[i]!;
      const inChunk = frequencies[i]! & MAX_TF;
      frequency += inChunk;
      const at = (chunk - first) * CHUNK_SUMS;
      evidence.chunks[at + CHUNK_TEXT]! +=
        (weight * inChunk) / (inChunk + K1 * (1 - B + perChunkToken * (chunkTokens[chunk]! & MAX_TOKENS)));
      evidence.chunks[at + CHUNK_MASK]! |= bit;
      if ((frequencies[i]! & IN_COMMENT) === 0) continue;
      comments += inChunk;
      evidence.chunks[at + CHUNK_COMMENT]! += weight;
      if (chunk === first) evidence.headMask |= bit;
    }
    const tokens = documentTokens[document]!;
    const perToken = B / this.#averages.documentTokens;
    evidence.bodyMask |= bit;
    evidence.body += (weight * frequency) / (frequency + K1 * (1 - B + perToken * tokens));
    evidence.comment += (weight * comments) / (comments + 2);
    evidence.density += weight * Math.sqrt(frequency / (tokens + 50));
    evidence.spread += weight * Math.log1p(frequency);
  }

  #gatherDefinitions(evidence: Evidence, from: number, to: number, weight: number, bit: number): void {
    const { document } = evidence;
    const { chunks, frequencies } = this.#postings;
    const first = this.reader.firstChunk[document]!;
    const end = this.reader.firstChunk[document + 1]!;
    let names = 0;
    for (let i = from; i < to && chunks[i]! < end; i++) {
      names += frequencies[i]! & MAX_TF;
      evidence.chunks[(chunks[i]! - first) * CHUNK_SUMS + CHUNK_DEFINITION]! += weight;
    }
    evidence.definitionMask |= bit;
    evidence.definitionCount += weight * names;
    evidence.definitions += (weight * names) / (names + 1.5);
  }
}
