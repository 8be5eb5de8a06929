import { throwIfCancelled } from '../../base/errors.ts';
import { splitIdentifier, stem } from '../analyze/words.ts';
import { foldName, foldQualified } from '../analyze/symbolNames.ts';
import type { DocumentId } from '../documentId.ts';
import { Field, hashTerm, type TermHash } from '../index/format.ts';
import { Postings, type PostingList, type SegmentReader } from '../index/segmentReader.ts';
import { hasBit, setBit, type Segment } from '../index/snapshot.ts';
import { DEFINING, SegmentScores, type Averages, type FieldLists } from './collect.ts';
import {
  FeatureMaker,
  HAS_NAME,
  definitionsOf,
  pathInfoOf,
  type Candidate,
  type Definitions,
  type SymbolTermInfo,
} from './features.ts';
import { compileFilters, isNamed, type CompiledFilters, type Test } from './filters.ts';
import { compilePhrase } from './phrase.ts';
import { placeInChunk, scoreName, scoreSymbol, type NameScore, type Place } from './place.ts';
import { parseQuery, type Query } from './query.ts';
import { parseQueryLanguage, type ParsedQuery } from './queryLanguage.ts';
import { explainRow, scoreRow, type Share } from './ranker.ts';
import { expandSymbol, type SymbolTerm } from './symbols.ts';
import { WordMatcher } from './wordMatch.ts';

/** A document that answers a query, and the best place in it. */
export interface Hit extends Place {
  readonly id: DocumentId;
  readonly path: string;
  readonly language: string;
  /** Higher is better; comparable within the answers to one query only. */
  readonly score: number;
  /** Up to three more places in it, best first. */
  readonly more: readonly Place[];
  /** What makes up the score, if it was asked for. */
  readonly explanation?: readonly Share[];
}

export interface SearchOptions {
  /** At most this many hits, one per document; 10 by default. */
  readonly limit?: number;
  /** Only these documents; all by default. */
  readonly within?: ReadonlySet<DocumentId>;
  readonly signal?: AbortSignal;
  /**
   * Gives a document's text, or `undefined` if it is not to be had: the index keeps none, and phrases are looked for in it.
   * Without it a phrase is found where all its words stand in one document.
   */
  readonly readText?: (path: string, id: DocumentId) => string | undefined;
  /** Whether hits have an `explanation`. */
  readonly explain?: boolean;
}

const DEFAULT_LIMIT = 10;
/** Documents that are looked at by path, and of those the ones whose order is decided by all features. */
const CONSIDERED = 160;
const RANKED = 48;
/** What a kind of file that is not asked for costs a document when candidates are chosen. */
const ASIDE = { test: 0.4, vendor: 0.3, example: 0.2 } as const;
const MORE_PLACES = 3;
/** More than the words of a query can make a name worth that `sym:` does not ask for. */
const ASKED_SYMBOL = 100;
/** Names that a `sym:` filter may stand for; one that excludes stands for all. */
const MAX_FILTER_NAMES = 2000;
const WORD_FIELDS = [Field.body, Field.definition, Field.fileName, Field.folder] as const;
/** What a symbol is worth that was not typed as it is. */
const LIKENESS: Readonly<Record<SymbolTerm['how'], number>> = {
  exact: 1,
  case: 1,
  qualified: 1,
  acronym: 0.7,
  member: 0.6,
  prefix: 0.5,
  glob: 1,
};

/** The query that words and filters come to, and the search for it in one commit. */
export function searchSegments(segments: readonly Segment[], text: string, options: SearchOptions = {}): Hit[] {
  return new Search(segments, parseQueryLanguage(text), options).run();
}

/** What ranking sees of the candidates for a query: the rows that its weights are fitted to. */
export function candidateRows(segments: readonly Segment[], text: string): readonly CandidateRow[] {
  return new Search(segments, parseQueryLanguage(text), {}).candidates();
}

export interface CandidateRow {
  readonly path: string;
  readonly row: Float64Array;
  /** It has the one name that was asked for, and so goes before all that have not. */
  readonly hasName: boolean;
}

interface Ranked extends Candidate {
  readonly score: number;
  readonly row: Float64Array | undefined;
  readonly hasName: boolean;
}

class Search {
  readonly #parsed: ParsedQuery;
  readonly #query: Query;
  readonly #matcher: WordMatcher;
  readonly #options: SearchOptions;
  readonly #segments: readonly Segment[];
  readonly #readers: readonly SegmentReader[];
  readonly #filters: CompiledFilters;
  readonly #scores: readonly SegmentScores[];
  readonly #documents: number;
  readonly #weights: number[] = [];
  readonly #symbols: SymbolTermInfo[] = [];

  constructor(segments: readonly Segment[], parsed: ParsedQuery, options: SearchOptions) {
    this.#parsed = parsed;
    this.#query = parseQuery(parsed.words);
    this.#matcher = new WordMatcher(this.#query.words);
    this.#options = options;
    this.#segments = segments;
    this.#readers = segments.map(({ reader }) => reader);
    this.#filters = compileFilters(parsed.filters);
    let documents = 0;
    let tokens = 0;
    let allDocuments = 0;
    let chunks = 0;
    for (const { reader, liveDocuments } of segments) {
      documents += liveDocuments;
      allDocuments += reader.documents;
      tokens += reader.footer.tokens;
      chunks += reader.footer.chunks;
    }
    this.#documents = documents;
    const averages: Averages = {
      documentTokens: Math.max(1, tokens / Math.max(1, allDocuments)),
      chunkTokens: Math.max(1, tokens / Math.max(1, chunks)),
    };
    this.#scores = segments.map((segment) => new SegmentScores(segment, averages, this.#wantedIn(segment)));
  }

  /** Throws what reading the index throws, and when cancelled. */
  run(): Hit[] {
    return this.#withRanked((ranked) => this.#take(ranked));
  }

  candidates(): CandidateRow[] {
    return this.#withRanked((ranked) =>
      ranked.flatMap(({ info: { path }, row, hasName }) => (row ? [{ path, row, hasName }] : [])),
    );
  }

  #withRanked<T>(use: (ranked: readonly Ranked[]) => T[]): T[] {
    const isFilterOnly = this.#query.words.length === 0 && this.#query.names.length === 0;
    const { filters, phrases } = this.#parsed;
    const isEmpty = isFilterOnly && filters.length === 0 && phrases.every(({ exclude }) => exclude);
    if (this.#documents === 0 || isEmpty) return [];
    try {
      if (isFilterOnly) for (const scores of this.#scores) scores.addAll();
      else this.#collect();
      throwIfCancelled(this.#options.signal);
      return use(this.#rank(isFilterOnly));
    } finally {
      for (const scores of this.#scores) scores.reset();
    }
  }

  #collect(): void {
    const { words, names, pairs, possibleNames, symbol } = this.#query;
    for (const [number, word] of words.entries()) {
      throwIfCancelled(this.#options.signal);
      const lists = this.#readers.map((reader) => wordLists(reader, word));
      const frequency = Math.min(this.#documents, documentFrequency(lists));
      const weight = frequency === 0 ? 0 : Math.log(1 + (this.#documents - frequency + 0.5) / (frequency + 0.5));
      this.#weights.push(weight);
      for (const [i, scores] of this.#scores.entries()) scores.addWord(number, weight, lists[i]!);
    }
    for (const [number, name] of [...names, ...pairs].slice(0, 31).entries()) {
      for (const scores of this.#scores) {
        const list = find(scores.reader, Field.identifier, name);
        if (list) scores.addName(number, list);
      }
    }
    if (symbol === undefined) {
      for (const name of names) this.#addSymbol(Field.symbol, name, name, 1);
      for (const name of [...possibleNames, ...pairs]) this.#addSymbol(Field.symbol, name, name, 0);
      return;
    }
    for (const { field, text, how, name, similarity } of expandSymbol(symbol, this.#readers)) {
      const value = how === 'prefix' ? LIKENESS.prefix * similarity : LIKENESS[how];
      this.#addSymbol(field, text, foldName(name.split('.').at(-1)!), value);
    }
  }

  #addSymbol(field: Field, text: string, folded: string, value: number): void {
    const lists = this.#scores.map(({ reader }) => find(reader, field, text));
    const documents = lists.reduce((sum, list) => sum + (list?.documents ?? 0), 0);
    if (documents === 0) return;
    const word = this.#query.words.indexOf(stem(folded));
    const term = this.#symbols.push({ folded, word, value, documents }) - 1;
    for (const [i, list] of lists.entries()) if (list) this.#scores[i]!.addSymbol(term, list);
  }

  /** The documents found, best first. */
  #rank(isFilterOnly: boolean): Ranked[] {
    const maker = new FeatureMaker({
      query: this.#query,
      matcher: this.#matcher,
      weights: this.#weights,
      symbols: this.#symbols,
      languageShare: (language) => languageShare(this.#segments, language),
      references: (folded) => this.#references(folded),
    });
    // All that is found may be needed, where text decides later what is a result.
    const isDecidedByText = this.#parsed.phrases.length > 0;
    const isAllNeeded = isFilterOnly || isDecidedByText;
    const count = isAllNeeded ? Number.MAX_SAFE_INTEGER : Math.max(CONSIDERED, this.#options.limit ?? 0);
    const considered: Ranked[] = [];
    for (const scores of this.#scores) {
      const base = (document: number): number => maker.base(scores, document);
      for (const document of scores.best(count, base)) {
        const info = pathInfoOf(scores.reader, document);
        let score = base(document);
        for (const side of ['test', 'vendor', 'example'] as const) {
          if (maker.isAside(info, side)) score -= ASIDE[side];
        }
        considered.push({ scores, document, info, score, row: undefined, hasName: false });
      }
    }
    considered.sort(byScore);
    if (isFilterOnly) return considered;
    const candidates = considered.slice(0, RANKED);
    const rows = maker.rows(candidates);
    const ranked = candidates.map((candidate, i) => {
      const hasName = maker.hasName(candidate.scores, candidate.document);
      const score = scoreRow(rows[i]!, this.#query) + (hasName ? HAS_NAME : 0);
      return { ...candidate, row: rows[i]!, hasName, score };
    });
    ranked.sort(byScore);
    // The rest follows in the order in which it was chosen, whatever the limit.
    const rest = considered.slice(RANKED);
    const shift = (ranked.at(-1)?.score ?? 0) - (rest[0]?.score ?? 0);
    return [...ranked, ...rest.map((one) => ({ ...one, score: one.score + shift }))];
  }

  #take(ranked: readonly Ranked[]): Hit[] {
    const { limit = DEFAULT_LIMIT, signal, readText } = this.#options;
    const phrases = this.#parsed.phrases.map(({ text, exclude }) => ({ matcher: compilePhrase(text), exclude }));
    const hits: Hit[] = [];
    for (const candidate of ranked) {
      if (hits.length === limit) break;
      const { reader } = candidate.scores;
      let line: number | undefined;
      if (phrases.length > 0 && readText) {
        throwIfCancelled(signal);
        const content = readText(candidate.info.path, idOf(reader, candidate.document));
        if (content === undefined) continue;
        const found = phrases.map(({ matcher }) => matcher.firstIn(content));
        if (phrases.some(({ exclude }, i) => exclude === (found[i] !== undefined))) continue;
        line = found.find((match) => match !== undefined)?.line;
      }
      hits.push(this.#toHit(candidate, line));
    }
    return hits;
  }

  #toHit({ scores, document, info, score, row, hasName }: Ranked, line: number | undefined): Hit {
    const { reader } = scores;
    const definitions = definitionsOf(reader, document);
    // Of a document with thousands of definitions they are not kept.
    const spans = definitions.spans.length > 0 ? definitions.spans : reader.definitionsOf(document);
    const ownScore: NameScore =
      spans === definitions.spans ? this.#nameScore(definitions) : (i) => scoreSymbol(spans[i]!, this.#query);
    const { wantedSymbol } = this.#filters;
    const asked = wantedSymbol && spans.map((span) => isNamed(span, wantedSymbol));
    const nameScore: NameScore = (i) => {
      if (line === undefined) return ownScore(i) + (asked?.[i] ? ASKED_SYMBOL : 0);
      // The innermost definition around a phrase.
      const { startLine, endLine } = spans[i]!;
      return startLine <= line && line <= endLine ? 1 / (endLine - startLine + 1) : 0;
    };
    const askedLines = asked ? spans.filter((_, i) => asked[i]).map((span) => span.line) : [];
    const chunks = this.#bestChunks(scores, document, line ?? this.#definingLine(definitions, nameScore), askedLines);
    // The others need not have the phrase.
    const shown = line === undefined ? chunks : chunks.slice(0, 1);
    const [place, ...more] = shown.map((chunk) => {
      const [startLine, endLine] = reader.linesOfChunk(chunk);
      const place = placeInChunk(spans, startLine, endLine, nameScore);
      const isIn = (from: number, to: number): boolean => line !== undefined && from <= line && line <= to;
      // Where the phrase is in no definition, the one that makes up most of the chunk is not meant.
      return isIn(startLine, endLine) && !isIn(place.startLine, place.endLine) ? { startLine, endLine } : place;
    });
    const explanation = this.#options.explain && row && explainRow(row, this.#query);
    if (explanation && hasName) explanation.unshift({ feature: 'hasName', value: 1, share: HAS_NAME });
    return {
      id: idOf(reader, document),
      path: info.path,
      language: reader.languageOf(document),
      score,
      ...place!,
      more,
      ...(explanation && { explanation }),
    };
  }

  #nameScore({ spans, folded, own, words, wordStarts, vocabulary }: Definitions): NameScore {
    const { names } = this.#query;
    const table = this.#matcher.table(vocabulary);
    return (i) => {
      let matched = 0;
      for (let at = wordStarts[i]!; at < wordStarts[i + 1]!; at++) {
        if ((table[words[at]!] ?? this.#matcher.fill(vocabulary, words[at]!)).value === 1) matched++;
      }
      const name = names.includes(own[i]!) ? own[i]! : folded[i]!;
      return scoreName(spans[i]!, name, matched, wordStarts[i + 1]! - wordStarts[i]!, this.#query);
    };
  }

  /** The line that defines the name that is looked for, if the query is one. */
  #definingLine({ spans, folded, own }: Definitions, nameScore: NameScore): number | undefined {
    if (this.#query.symbol === undefined) return undefined;
    let best: number | undefined;
    let bestScore = 0;
    for (const { folded: wanted, value } of this.#symbols) {
      for (let at = 0; at < spans.length && value > 0; at++) {
        if (own[at] !== wanted && folded[at] !== wanted) continue;
        const score = value * (1 + nameScore(at));
        if (score <= bestScore) continue;
        best = spans[at]!.line;
        bestScore = score;
      }
    }
    return best;
  }

  /** The chunk to show and up to three more. One that defines what was asked for goes before all that use it. */
  #bestChunks(
    { reader, sums, symbols }: SegmentScores,
    document: number,
    line: number | undefined,
    askedLines: readonly number[],
  ): number[] {
    const first = reader.firstChunk[document]!;
    const end = reader.firstChunk[document + 1]!;
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    const values = new Map<number, number>();
    for (let chunk = first; chunk < end; chunk++) {
      const value = sums.chunkScore[chunk]! + DEFINING * sums.chunkDefinition[chunk]!;
      if (value > 0) values.set(chunk, value);
    }
    for (const { term, chunk } of symbols.get(document) ?? []) {
      values.set(chunk, (values.get(chunk) ?? 0) + total * this.#symbols[term]!.value);
    }
    for (let chunk = first; chunk < end && askedLines.length > 0; chunk++) {
      const [startLine, endLine] = reader.linesOfChunk(chunk);
      const isAsked = askedLines.some((at) => startLine <= at && at <= endLine);
      if (isAsked) values.set(chunk, (values.get(chunk) ?? 0) + total + 1);
    }
    const least = Math.max(0, ...values.values()) / 2;
    for (let chunk = first; chunk < end && line !== undefined; chunk++) {
      const [startLine, endLine] = reader.linesOfChunk(chunk);
      if (startLine <= line && line <= endLine) values.set(chunk, Number.MAX_VALUE);
    }
    const best = [...values.keys()].sort((a, b) => values.get(b)! - values.get(a)! || a - b);
    if (best.length === 0) return [first];
    return best.filter((chunk, i) => i === 0 || (i <= MORE_PLACES && values.get(chunk)! >= least));
  }

  /** In how many documents a name stands: a compound one as a whole, a single word as the word it is. */
  #references(folded: string): number {
    let documents = 0;
    for (const reader of this.#readers) {
      documents += Math.max(
        find(reader, Field.identifier, folded)?.documents ?? 0,
        find(reader, Field.body, stem(folded))?.documents ?? 0,
      );
    }
    return documents;
  }

  /** Tells which documents of a segment may be results at all. */
  #wantedIn(segment: Segment): (document: number) => boolean {
    const { reader } = segment;
    const { within } = this.#options;
    const { hasDocumentFilter, matchesDocument, wantedSymbol, excludedSymbol } = this.#filters;
    const unwanted = excludedLists(reader, this.#parsed);
    const defining = wantedSymbol && documentsWith(reader, symbolLists(reader, wantedSymbol, MAX_FILTER_NAMES));
    // A file that defines what is excluded is out, whatever else it defines.
    if (excludedSymbol) unwanted.push(...symbolLists(reader, excludedSymbol, Infinity));
    const excluded = unwanted.length > 0 ? documentsWith(reader, unwanted) : undefined;
    return (document) =>
      (!within || within.has(idOf(reader, document))) &&
      (!excluded || !hasBit(excluded, document)) &&
      (!defining || hasBit(defining, document)) &&
      (!hasDocumentFilter || matchesDocument(reader.pathOf(document), reader.languageOf(document)));
  }
}

/** A bit per document that one of the lists has. */
function documentsWith(reader: SegmentReader, lists: readonly PostingList[]): Uint8Array {
  const documents = new Uint8Array((reader.documents + 7) >>> 3);
  const postings = new Postings();
  for (const list of lists) {
    const count = list.read(postings);
    for (let i = 0; i < count; i++) setBit(documents, reader.chunkDocument[postings.chunks[i]!]!);
  }
  return documents;
}

/** The lists of the defined names that a test accepts, of at most `limit` of them. */
function symbolLists(reader: SegmentReader, test: Test, limit: number): PostingList[] {
  const symbols = new Set<string>();
  const members = new Set<string>();
  for (const name of reader.namesMatching(test, limit)) {
    if (name.includes('.')) members.add(foldQualified(name));
    else symbols.add(foldName(name));
  }
  return [
    ...[...symbols].map((name) => find(reader, Field.symbol, name)),
    ...[...members].map((name) => find(reader, Field.qualified, name)),
  ].filter((list) => list !== undefined);
}

function excludedLists(reader: SegmentReader, { excludedWords }: ParsedQuery): PostingList[] {
  const lists = excludedWords.map(({ text }) => {
    const parts = splitIdentifier(text);
    return parts.length === 1
      ? find(reader, Field.body, stem(parts[0]!))
      : find(reader, Field.identifier, parts.join(''));
  });
  return lists.filter((list) => list !== undefined);
}

function wordLists(reader: SegmentReader, word: string): FieldLists {
  const lists = new Map<Field, PostingList>();
  for (const field of WORD_FIELDS) {
    const list = find(reader, field, word);
    if (list) lists.set(field, list);
  }
  return lists;
}

const hash: TermHash = { bucket: 0, key: 0 };

function find(reader: SegmentReader, field: Field, text: string): PostingList | undefined {
  hashTerm(field, text, hash);
  return reader.find(hash);
}

/** The number of documents that have a word, taken from the field in which most do. */
function documentFrequency(perSegment: readonly FieldLists[]): number {
  const perField = new Map<Field, number>();
  for (const lists of perSegment) {
    for (const [field, list] of lists) perField.set(field, (perField.get(field) ?? 0) + list.documents);
  }
  return Math.max(0, ...perField.values());
}

/** The share of the documents that are in a language. */
function languageShare(segments: readonly Segment[], language: string): number {
  let documents = 0;
  let all = 0;
  for (const { reader } of segments) {
    documents += reader.documentsIn(language);
    all += reader.documents;
  }
  return documents / Math.max(1, all);
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.info.path < b.info.path ? -1 : 1);
}

function idOf(reader: SegmentReader, document: number): DocumentId {
  return Buffer.from(reader.idOf(document)).toString('hex');
}
