import { throwIfCancelled } from '../../base/errors.ts';
import { splitIdentifier, stem } from '../analyze/words.ts';
import type { DocumentId } from '../documentId.ts';
import { Field, hashTerm } from '../index/format.ts';
import { Postings, type PostingList, type SegmentReader } from '../index/segmentReader.ts';
import { hasBit, type Segment } from '../index/snapshot.ts';
import { placeInChunk, type Place } from './place.ts';
import type { Query, QueryTerm } from './query.ts';
import { TopK } from './topK.ts';

/** A document that answers a query, and the best place in it. */
export interface Hit extends Place {
  readonly id: DocumentId;
  readonly path: string;
  readonly language: string;
  readonly score: number;
}

export interface SearchOptions {
  /** At most this many hits, one per document; 10 by default. */
  readonly limit?: number;
  /** Only these documents; all by default. */
  readonly within?: ReadonlySet<DocumentId>;
  readonly signal?: AbortSignal;
}

/** BM25F (Robertson and Zaragoza 2009): frequencies are weighted by field and saturated once. */
const K1 = 1.2;
const LENGTH_B = 0.5;
const FIELD_WEIGHT: Readonly<Record<Field, number>> = {
  [Field.body]: 1,
  [Field.identifier]: 2,
  [Field.definition]: 3,
  [Field.symbol]: 8,
  [Field.folder]: 2,
  [Field.fileName]: 5,
  [Field.acronym]: 2,
  [Field.qualified]: 10,
};
const KIND_WEIGHT: Readonly<Record<QueryTerm['kind'], number>> = {
  word: 1,
  name: 1,
  symbol: 2,
  maybeSymbol: 0.15,
  phrase: 0.4,
};
const FIELDS_OF: Readonly<Record<QueryTerm['kind'], readonly Field[]>> = {
  word: [Field.body, Field.definition, Field.folder, Field.fileName],
  name: [Field.identifier],
  symbol: [Field.symbol],
  maybeSymbol: [Field.symbol],
  phrase: [Field.identifier, Field.symbol],
};
// Set by hand on the benchmark of test/bench; to be replaced by fitted weights.
/** How much the best piece of a document counts beside the whole of it. */
const CHUNK_WEIGHT = 0.5;
/** What a file's name is worth when the query explains all of it. */
const NAME_WEIGHT = 16;
const SIDE_WEIGHT = 0.45;
/** Documents looked at again with what only their paths and definitions tell. */
const RERANKED = 200;
const DEFAULT_LIMIT = 10;

/** Where code stands that is about other code: rarely the place one asks for, unless one asks for it. */
const SIDE =
  /^(?:tests?|specs?|testing|testdata|e2e|examples?|samples?|demos?|fixtures?|mocks?|benchmarks?|vendor|third_?party|node_modules|generated)$/;

/**
 * Ranks the documents of `segments` for `query`. Synchronous: it works on what a commit left, so nothing can change
 * under it; callers that must not block run it in a worker.
 */
export function searchSegments(segments: readonly Segment[], query: Query, options: SearchOptions = {}): Hit[] {
  const { limit = DEFAULT_LIMIT, signal } = options;
  const scorers = segments.map((segment) => new SegmentScorer(segment, allowedDocuments(segment, options.within)));
  let documents = 0;
  let tokens = 0;
  for (const { reader, liveDocuments } of segments) {
    documents += liveDocuments;
    tokens += reader.footer.tokens;
  }
  if (documents === 0 || query.terms.length === 0) return [];
  const averageLength = Math.max(1, tokens / documents);

  const idfs = new Map<string, number>();
  for (const term of query.terms) {
    throwIfCancelled(signal);
    const lists = scorers.map((scorer) => scorer.lists(term));
    const frequency = documentFrequency(lists);
    if (frequency === 0) continue;
    const idf = Math.log(1 + (documents - Math.min(frequency, documents) + 0.5) / (frequency + 0.5));
    if (term.kind === 'word') idfs.set(term.text, idf);
    for (const [i, scorer] of scorers.entries()) scorer.add(lists[i]!, idf * KIND_WEIGHT[term.kind], averageLength);
  }

  throwIfCancelled(signal);
  const ranked: RankedDocument[] = [];
  for (const scorer of scorers) {
    for (const document of scorer.best(RERANKED)) ranked.push(rerank(scorer, document, query, idfs));
    scorer.reset();
  }
  ranked.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  return ranked.slice(0, limit).map((document) => toHit(document, query));
}

type TermLists = readonly (readonly [Field, PostingList])[];

/** The number of documents that have the term, taken from the field in which most do. */
function documentFrequency(perSegment: readonly TermLists[]): number {
  const perField = new Map<Field, number>();
  for (const lists of perSegment) {
    for (const [field, list] of lists) perField.set(field, (perField.get(field) ?? 0) + list.documents);
  }
  return Math.max(0, ...perField.values());
}

function allowedDocuments(segment: Segment, within: ReadonlySet<DocumentId> | undefined): Uint8Array | undefined {
  if (!within) return undefined;
  const allowed = new Uint8Array((segment.reader.documents + 7) >>> 3);
  for (let document = 0; document < segment.reader.documents; document++) {
    if (within.has(hex(segment.reader.idOf(document)))) allowed[document >>> 3]! |= 1 << (document & 7);
  }
  return allowed;
}

/** Scores that a search adds up, kept with the segment between searches: only what was touched is set back to zero. */
interface Scratch {
  readonly documentScores: Float32Array;
  readonly chunkScores: Float32Array;
  readonly weighted: Float32Array;
  readonly chunkWeighted: Float32Array;
}
const scratches = new WeakMap<SegmentReader, Scratch>();
const postings = new Postings();

class SegmentScorer {
  readonly segment: Segment;
  readonly #reader: SegmentReader;
  readonly #allowed: Uint8Array | undefined;
  readonly #scratch: Scratch;
  readonly #documents: number[] = [];
  readonly #chunks: number[] = [];

  constructor(segment: Segment, allowed: Uint8Array | undefined) {
    this.segment = segment;
    this.#reader = segment.reader;
    this.#allowed = allowed;
    let scratch = scratches.get(segment.reader);
    if (!scratch) {
      const { documents, chunks } = segment.reader.footer;
      scratch = {
        documentScores: new Float32Array(documents),
        chunkScores: new Float32Array(chunks),
        weighted: new Float32Array(documents),
        chunkWeighted: new Float32Array(chunks),
      };
      scratches.set(segment.reader, scratch);
    }
    this.#scratch = scratch;
  }

  lists(term: QueryTerm): TermLists {
    const hash = { bucket: 0, key: 0 };
    const lists: [Field, PostingList][] = [];
    for (const field of FIELDS_OF[term.kind]) {
      hashTerm(field, term.text, hash);
      const list = this.#reader.find(hash);
      if (list) lists.push([field, list]);
    }
    return lists;
  }

  /** Adds one term's share to the scores of the documents and chunks that have it. */
  add(lists: TermLists, idf: number, averageLength: number): void {
    const { documentScores, chunkScores, weighted, chunkWeighted } = this.#scratch;
    const { chunkDocument, documentTokens } = this.#reader;
    const documents: number[] = [];
    const chunks: number[] = [];
    for (const [field, list] of lists) {
      const count = list.read(postings);
      const weight = FIELD_WEIGHT[field];
      const ofWholeFile = field === Field.folder || field === Field.fileName;
      const lengthMatters = field === Field.body || field === Field.identifier;
      for (let i = 0; i < count; i++) {
        const chunk = postings.chunks[i]!;
        const document = chunkDocument[chunk]!;
        if (!this.#isWanted(document)) continue;
        const length = lengthMatters ? 1 - LENGTH_B + (LENGTH_B * documentTokens[document]!) / averageLength : 1;
        if (weighted[document] === 0) documents.push(document);
        weighted[document]! += (weight * postings.frequencies[i]!) / length;
        if (ofWholeFile) continue;
        if (chunkWeighted[chunk] === 0) chunks.push(chunk);
        chunkWeighted[chunk]! += weight * postings.frequencies[i]!;
      }
    }
    for (const document of documents) {
      const frequency = weighted[document]!;
      weighted[document] = 0;
      if (documentScores[document] === 0) this.#documents.push(document);
      documentScores[document]! += (idf * frequency) / (frequency + K1);
    }
    for (const chunk of chunks) {
      const frequency = chunkWeighted[chunk]!;
      chunkWeighted[chunk] = 0;
      if (chunkScores[chunk] === 0) this.#chunks.push(chunk);
      chunkScores[chunk]! += (idf * frequency) / (frequency + K1);
    }
  }

  #isWanted(document: number): boolean {
    return !this.segment.isDeleted(document) && (!this.#allowed || hasBit(this.#allowed, document));
  }

  /** The best documents with their best chunk, in no order. */
  best(count: number): ScoredDocument[] {
    const { documentScores, chunkScores } = this.#scratch;
    const { chunkDocument, firstChunk } = this.#reader;
    const bestChunk = new Map<number, number>();
    for (const chunk of this.#chunks) {
      const document = chunkDocument[chunk]!;
      const best = bestChunk.get(document);
      if (best === undefined || chunkScores[chunk]! > chunkScores[best]!) bestChunk.set(document, chunk);
    }
    const top = new TopK(count);
    const scoreOf = (document: number): number => {
      const chunk = bestChunk.get(document);
      return documentScores[document]! + CHUNK_WEIGHT * (chunk === undefined ? 0 : chunkScores[chunk]!);
    };
    for (const document of this.#documents) top.add(document, scoreOf(document));
    return top.items().map((document) => ({
      document,
      chunk: bestChunk.get(document) ?? firstChunk[document]!,
      score: scoreOf(document),
    }));
  }

  reset(): void {
    for (const document of this.#documents) this.#scratch.documentScores[document] = 0;
    for (const chunk of this.#chunks) this.#scratch.chunkScores[chunk] = 0;
  }
}

interface ScoredDocument {
  readonly document: number;
  readonly chunk: number;
  readonly score: number;
}

interface RankedDocument extends ScoredDocument {
  readonly reader: SegmentReader;
  readonly path: string;
}

function rerank(
  scorer: SegmentScorer,
  scored: ScoredDocument,
  query: Query,
  idfs: ReadonlyMap<string, number>,
): RankedDocument {
  const { reader } = scorer.segment;
  const path = reader.pathOf(scored.document);
  const wanted = new Set(query.terms.filter((term) => term.kind === 'word').map((term) => term.text));
  const total = [...idfs.values()].reduce((sum, idf) => sum + idf, 0);
  let score = scored.score;
  const name = nameWords(path);
  const explained = name.filter((word) => wanted.has(word));
  if (explained.length > 0) {
    const weight = explained.reduce((sum, word) => sum + (idfs.get(word) ?? 0), 0) / Math.max(total, 1e-9);
    score += NAME_WEIGHT * (explained.length / name.length) * weight;
  }
  const aside = path
    .toLowerCase()
    .split(/[/._-]/)
    .some((part) => SIDE.test(part) && !wanted.has(stem(part)));
  return { ...scored, reader, path, score: aside ? score * SIDE_WEIGHT : score };
}

/** The words of a file's name; of a file named like every other of its kind, those of its folder. */
function nameWords(path: string): string[] {
  const parts = path.split('/');
  const name = parts.at(-1)!.replace(/\.[^.]*$/, '');
  const plain = /^(?:index|mod|main|lib|init|__init__|readme)$/i.test(name);
  return splitIdentifier(plain ? (parts.at(-2) ?? name) : name).map(stem);
}

function toHit({ reader, document, chunk, path, score }: RankedDocument, query: Query): Hit {
  const [startLine, endLine] = reader.linesOfChunk(chunk);
  const place = placeInChunk(reader.definitionsOf(document), startLine, endLine, query);
  return { id: hex(reader.idOf(document)), path, language: reader.languageOf(document), score, ...place };
}

function hex(id: Uint8Array): DocumentId {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('hex');
}
