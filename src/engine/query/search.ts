import { SextantError, throwIfCancelled } from '../../base/errors.ts';
import { foldName } from '../analyze/symbolNames.ts';
import type { DocumentId } from '../documentId.ts';
import { Field } from '../index/format.ts';
import { outerFolder } from '../index/outerFolder.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { hasBit, type Segment } from '../index/snapshot.ts';
import type { Averages, WordLists } from './bestChunk.ts';
import { SegmentScores } from './collect.ts';
import type { Evidence } from './evidence.ts';
import { FeatureExtractor, HAS_NAME } from './featureExtractor.ts';
import type { Contribution, SymbolTermInfo } from './features.ts';
import { DocumentScope } from './documentScope.ts';
import { EXACT, PREFIX, compileFilters, isKnown, type ChangedPaths, type CompiledFilters } from './filters.ts';
import type { FileRole } from './paths.ts';
import { compilePhrase } from './phrase.ts';
import type { SourceRange } from './sourceRange.ts';
import { PlaceFinder } from './placeFinder.ts';
import { parseQuery, type Query } from './query.ts';
import { parseQueryLanguage, type ParsedQuery } from './queryLanguage.ts';
import { explainRow, scoreRow } from './ranker.ts';
import { SearchMemory } from './searchMemory.ts';
import { expandSymbol, type SymbolTerm } from './symbols.ts';
import { documentsWith, excludedTerms, symbolTerm, type Term } from './terms.ts';
import { TopK } from './topK.ts';
import { stemOf, WordMatcher } from './wordMatch.ts';

/** A document that answers a query, and the best place in it. */
export interface Hit extends SourceRange {
  readonly id: DocumentId;
  readonly path: string;
  readonly language: string;
  /** Higher is better; comparable only between answers to the same query. */
  readonly score: number;
  /** Up to three more places in the document, best first. */
  readonly more: readonly SourceRange[];
  /** Contributions to the score, if `explain` is set. */
  readonly explanation?: readonly Contribution[];
}

/** Scope, limits and output of a search. */
export interface SearchOptions {
  /** At most this many hits, one per document; 10 by default, `Infinity` for all. */
  readonly limit?: number;
  /** Only these documents; all by default. */
  readonly within?: Pick<ReadonlySet<DocumentId>, 'has'>;
  /** Changed paths for `changed:`; without them such filters are ignored. */
  readonly changed?: ChangedPaths;
  readonly signal?: AbortSignal;
  /**
   * Returns a document's text, or `undefined` if it is not available. The index keeps no text, and phrases are searched
   * in it. Without this function phrases filter nothing: their words rank like others.
   */
  readonly readText?: (path: string, id: DocumentId) => string | undefined;
  /** Whether hits have an `explanation`. */
  readonly explain?: boolean;
}

const DEFAULT_LIMIT = 10;
/** Number of documents ranked by path, of the first by postings; and of those, the number ranked by all features. */
const CONSIDERED = 160;
const RANKED = 48;
/** Penalty of an unwanted kind of file when candidates are chosen. */
const PENALTY: Readonly<Record<FileRole, number>> = { test: 0.4, vendor: 0.3, example: 0.2, internal: 0, compat: 0 };
/** Largest number of names that match a `sym:` filter; an excluding filter matches all. */
const MAX_FILTER_NAMES = 2000;
/** Worth of a symbol that was typed in another form. */
const LIKENESS: Readonly<Record<SymbolTerm['how'], number>> = {
  exact: 1,
  case: 1,
  qualified: 1,
  acronym: 0.7,
  member: 0.6,
  prefix: 0.5,
};

/** Parses the query and searches it in one commit. `memory` is that of earlier searches, if there were any. */
export function searchSegments(
  segments: readonly Segment[],
  text: string,
  options: SearchOptions = {},
  memory = new SearchMemory(),
): Hit[] {
  return searchParsed(segments, parseQueryLanguage(text), options, memory);
}

/** Like {@link searchSegments}, for a query that is parsed already. */
export function searchParsed(
  segments: readonly Segment[],
  parsed: ParsedQuery,
  options: SearchOptions,
  memory: SearchMemory,
): Hit[] {
  const { limit = DEFAULT_LIMIT } = options;
  if (!(limit >= 0 && (Number.isInteger(limit) || limit === Infinity))) {
    throw new SextantError('InvalidLimit', `${limit} is no limit of hits: give a whole number, or Infinity for all.`);
  }
  return new Search(segments, parsed, options, memory).run();
}

/** Features of the candidates for a query: the rows that the ranker's weights are fitted to. */
export function candidateRows(segments: readonly Segment[], text: string): readonly CandidateRow[] {
  return new Search(segments, parseQueryLanguage(text), {}, new SearchMemory()).candidates();
}

export interface CandidateRow {
  readonly path: string;
  readonly row: Float64Array;
  /** Contribution to the score of rules that are not fitted. */
  readonly ruled: number;
}

/** A found document and its score so far. */
interface FoundDocument {
  readonly scores: SegmentScores;
  readonly document: number;
  readonly path: string;
  readonly score: number;
}

interface Ranked extends FoundDocument {
  readonly evidence?: Evidence;
  readonly row?: Float64Array;
  readonly rules?: readonly Contribution[];
}

class Search {
  readonly #parsed: ParsedQuery;
  readonly #query: Query;
  readonly #matcher: WordMatcher;
  readonly #options: SearchOptions;
  readonly #memory: SearchMemory;
  readonly #segments: readonly Segment[];
  readonly #readers: readonly SegmentReader[];
  readonly #filters: CompiledFilters;
  /** Names that match `sym:`. */
  readonly #namesAsked = new Map<SegmentReader, readonly string[]>();
  readonly #scores: readonly SegmentScores[];
  readonly #documents: number;
  readonly #weights: number[] = [];
  readonly #folderWeights: number[] = [];
  #total = 1;
  readonly #symbols: SymbolTermInfo[] = [];

  constructor(segments: readonly Segment[], parsed: ParsedQuery, options: SearchOptions, memory: SearchMemory) {
    this.#parsed = parsed;
    this.#query = parseQuery(parsed.words);
    this.#matcher = new WordMatcher(this.#query.words);
    this.#options = options;
    this.#memory = memory;
    this.#segments = segments;
    this.#readers = segments.map(({ reader }) => reader);
    this.#filters = compileFilters(parsed.filters, options.changed);
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
    memory.postings.clear();
    this.#scores = segments.map((segment) => new SegmentScores(segment, averages, this.#wantedIn(segment), memory));
  }

  /** Throws the errors of reading the index, and when cancelled. */
  run(): Hit[] {
    return this.#withRanked((ranked) => this.#take(ranked));
  }

  candidates(): CandidateRow[] {
    return this.#withRanked((ranked) => {
      const rows: CandidateRow[] = [];
      for (const { path, row, rules = [] } of ranked) {
        if (!row) break;
        rows.push({ path, row, ruled: sumOfShares(rules) });
      }
      return rows;
    });
  }

  #withRanked<T>(use: (ranked: Iterable<Ranked>) => T[]): T[] {
    const isFilterOnly = this.#query.words.length === 0 && this.#query.names.length === 0;
    const { filters, phrases } = this.#parsed;
    const isEmpty =
      isFilterOnly &&
      !filters.some((filter) => isKnown(filter, this.#options.changed)) &&
      phrases.every(({ exclude }) => exclude);
    if (this.#documents === 0 || isEmpty) return [];
    try {
      if (isFilterOnly) this.#addAll();
      else this.#collect();
      throwIfCancelled(this.#options.signal);
      return use(isFilterOnly ? this.#found(Infinity).sort(byScore) : this.#rank());
    } finally {
      for (const scores of this.#scores) scores.reset();
    }
  }

  /** Adds all documents, for a query of filters alone; files that define a nearer match of `sym:` precede. */
  #addAll(): void {
    for (const scores of this.#scores) {
      scores.addAll();
      const names = this.#namesAsked.get(scores.reader) ?? [];
      for (const least of [PREFIX, EXACT]) {
        const near = names.filter((name) => this.#filters.nearness(name) >= least);
        if (near.length > 0) scores.addValue(1, this.#documentsWith(scores.reader, near.map(symbolTerm)));
      }
    }
  }

  #collect(): void {
    const { words, names, nameWords, pairs, possibleNames, symbol } = this.#query;
    for (const word of words) {
      throwIfCancelled(this.#options.signal);
      const lists = this.#scores.map((scores) => scores.listsOf(word));
      const weight = this.#idf(documentFrequency(lists));
      this.#weights.push(weight);
      this.#folderWeights.push(this.#idf(sumOf(lists, ({ folder }) => folder?.documents ?? 0)));
      for (const [i, scores] of this.#scores.entries()) scores.addWord(weight, lists[i]!);
    }
    this.#total = this.#weights.reduce((sum, weight) => sum + weight, 0) || 1;
    for (const name of [...names, ...pairs].slice(0, 31)) for (const scores of this.#scores) scores.addName(name);
    if (symbol === undefined) {
      for (const name of names) this.#addSymbol(Field.symbol, name, name, 1);
      for (const name of [...possibleNames, ...pairs]) this.#addSymbol(Field.symbol, name, name, 0);
    } else {
      for (const { field, text, how, name, similarity } of expandSymbol(symbol, this.#readers)) {
        const value = how === 'prefix' ? LIKENESS.prefix * similarity : LIKENESS[how];
        this.#addSymbol(field, text, foldName(name.split('.').at(-1)!), value);
      }
    }
    const valueOf = (term: number): number => this.#symbols[term]!.value;
    for (const scores of this.#scores) {
      scores.addSymbolValues((term) => valueOf(term) * this.#total);
      if (symbol === undefined || names.length !== 1) continue;
      scores.addNameValue(HAS_NAME * this.#total, nameWords[0]!, (term) => valueOf(term) === 1);
    }
    const least = this.#leastToConsider();
    for (const scores of this.#scores) scores.finishAbove(least);
  }

  /** Inverse document frequency, as in BM25; 0 for no documents. */
  #idf(counted: number): number {
    // Lists also count removed documents.
    const documents = Math.min(this.#documents, counted);
    return documents === 0 ? 0 : Math.log(1 + (this.#documents - documents + 0.5) / (documents + 0.5));
  }

  /** A lower bound of the score of the first {@link CONSIDERED} documents: that number of documents reach it. */
  #leastToConsider(): number {
    const first = this.#best(CONSIDERED);
    const isFull = first.reduce((count, { documents }) => count + documents.length, 0) === CONSIDERED;
    return isFull ? Math.min(...first.map(({ scores, documents }) => scores.lowestOf(documents))) : 0;
  }

  /** The `count` documents with the highest scores so far, in ascending order. */
  #best(count: number): { readonly scores: SegmentScores; readonly documents: readonly number[] }[] {
    const top = new TopK(count);
    let offset = 0;
    for (const scores of this.#scores) {
      scores.addScores(top, offset);
      offset += scores.reader.documents;
    }
    const items = Float64Array.from(top.items()).sort();
    let at = 0;
    offset = 0;
    return this.#scores.map((scores) => {
      const documents: number[] = [];
      const end = offset + scores.reader.documents;
      for (; at < items.length && items[at]! < end; at++) documents.push(items[at]! - offset);
      offset = end;
      return { scores, documents };
    });
  }

  #addSymbol(field: Field, text: string, folded: string, value: number): void {
    const lists = this.#scores.map((scores) => scores.listOf(field, text));
    const documents = lists.reduce((sum, list) => sum + (list?.documents ?? 0), 0);
    if (documents === 0) return;
    const word = this.#query.words.indexOf(stemOf(folded));
    const qualified = field === Field.qualified ? text : undefined;
    const term = this.#symbols.push({ folded, qualified, word, value, documents }) - 1;
    for (const [i, list] of lists.entries()) if (list) this.#scores[i]!.addSymbol(term, list);
  }

  /** The `count` documents that postings rank first, in no order, with the penalty of unwanted kinds. */
  #found(count: number): FoundDocument[] {
    const first = this.#best(count).flatMap(({ scores, documents }) =>
      documents.map((document) => ({ scores, document, score: scores.scoreOf(document) / this.#total })),
    );
    return first.map(({ scores, document, score }) => {
      const { path, sides } = this.#memory.pathAndSidesOf(scores.reader, document);
      let cost = 0;
      if (sides.length > 0) {
        const unasked = sides.filter(([, word]) => !this.#query.words.includes(word));
        for (const side of new Set(unasked.map(([side]) => side))) cost += PENALTY[side];
      }
      return { scores, document, path, score: score - cost };
    });
  }

  /** The found documents, best first. All may be needed where text decides later which are results. */
  *#rank(): Generator<Ranked> {
    const considered = this.#found(CONSIDERED).sort(byScore);
    const ranked = this.#rankByFeatures(considered.slice(0, RANKED));
    yield* ranked;
    // The rest follows in the order of its choice, whatever the limit.
    const rest = considered.slice(RANKED);
    let lowest = ranked.at(-1)?.score ?? 0;
    const shift = lowest - (rest[0]?.score ?? 0);
    yield* rest.map((one) => ({ ...one, score: (lowest = one.score + shift) }));
    if (considered.length < CONSIDERED) return;
    throwIfCancelled(this.#options.signal);
    for (const { scores, document } of considered) scores.remove(document);
    for (const scores of this.#scores) scores.finish();
    for (const one of this.#found(Infinity).sort(byScore)) yield { ...one, score: Math.min(one.score + shift, lowest) };
  }

  #rankByFeatures(found: readonly FoundDocument[]): Ranked[] {
    const maker = new FeatureExtractor({
      query: this.#query,
      matcher: this.#matcher,
      weights: this.#weights,
      folderWeights: this.#folderWeights,
      symbols: this.#symbols,
      languageShare: (language) => shareOf(this.#segments, (reader) => reader.documentsIn(language)),
      packageShare: (path) => {
        const folder = outerFolder(path);
        return shareOf(this.#segments, (reader) => reader.documentsUnder(folder));
      },
      references: (folded) => this.#memory.references(this.#segments, folded),
    });
    const evidence = this.#evidence(found);
    const candidates = found.map((one) => ({
      scores: one.scores,
      document: one.document,
      evidence: evidence.get(one)!,
      info: this.#memory.pathInfoOf(one.scores.reader, one.document),
    }));
    const rows = maker.rows(candidates);
    const ranked = found.map((one, i) => {
      const rules = maker.rules(candidates[i]!);
      const score = scoreRow(rows[i]!, this.#query) + sumOfShares(rules);
      return { ...one, evidence: candidates[i]!.evidence, row: rows[i]!, rules, score };
    });
    return ranked.sort(byScore);
  }

  #evidence(found: readonly FoundDocument[]): Map<FoundDocument, Evidence> {
    const evidence = new Map<FoundDocument, Evidence>();
    for (const scores of this.#scores) {
      const here = found.filter((one) => one.scores === scores).sort((a, b) => a.document - b.document);
      const all = scores.evidence(here.map(({ document }) => document));
      for (const [i, one] of here.entries()) evidence.set(one, all[i]!);
    }
    return evidence;
  }

  #take(ranked: Iterable<Ranked>): Hit[] {
    const { limit = DEFAULT_LIMIT, signal, readText } = this.#options;
    const phrases = this.#parsed.phrases.map(({ text, exclude }) => ({ matcher: compilePhrase(text), exclude }));
    const places = new PlaceFinder({
      query: this.#query,
      names: this.#memory.names,
      total: this.#total,
      symbols: this.#symbols,
      nearness: this.#filters.wantedSymbol && this.#filters.nearness,
    });
    const hits: Hit[] = [];
    if (limit === 0) return hits;
    for (const candidate of ranked) {
      const { reader } = candidate.scores;
      let line: number | undefined;
      if (phrases.length > 0 && readText) {
        throwIfCancelled(signal);
        const content = readText(candidate.path, reader.documentIdOf(candidate.document));
        if (content === undefined) continue;
        const found = phrases.map(({ matcher }) => matcher.firstIn(content));
        if (phrases.some(({ exclude }, i) => exclude === (found[i] !== undefined))) continue;
        line = found.find((match) => match !== undefined)?.line;
      }
      const hit = this.#toHit(candidate, places, line);
      if (hit) hits.push(hit);
      if (hits.length >= limit) break;
    }
    return hits;
  }

  #toHit(
    { scores, document, path, score, evidence, row, rules = [] }: Ranked,
    places: PlaceFinder,
    line?: number,
  ): Hit | undefined {
    const { reader } = scores;
    const [place, ...more] = places.find(scores, document, evidence ?? scores.evidence([document])[0]!, line);
    if (!place) return undefined;
    const explanation = this.#options.explain && row && [...rules, ...explainRow(row, this.#query)];
    return {
      id: reader.documentIdOf(document),
      path,
      language: reader.languageOf(document),
      score,
      ...place,
      more,
      ...(explanation && { explanation }),
    };
  }

  #documentsWith(reader: SegmentReader, terms: readonly Term[]): Uint8Array {
    return documentsWith(reader, terms, this.#memory.postings);
  }

  /** A test of which documents of a segment may be results at all. */
  #wantedIn(segment: Segment): (document: number) => boolean {
    const { reader } = segment;
    const { within } = this.#options;
    const isWithin = (document: number): boolean =>
      within instanceof DocumentScope ? within.hasIn(reader, document) : within!.has(reader.documentIdOf(document));
    const { hasDocumentFilter, matchesDocument, wantedSymbol, excludedSymbol } = this.#filters;
    const unwanted = excludedTerms(this.#parsed);
    const names = wantedSymbol && reader.namesMatching(wantedSymbol, MAX_FILTER_NAMES);
    if (names) this.#namesAsked.set(reader, names);
    const defining = names && this.#documentsWith(reader, names.map(symbolTerm));
    // A file that defines an excluded name is out, whatever else it defines.
    if (excludedSymbol) {
      for (const name of reader.namesMatching(excludedSymbol, Infinity)) unwanted.push(symbolTerm(name));
    }
    const excluded = unwanted.length > 0 ? this.#documentsWith(reader, unwanted) : undefined;
    return (document) =>
      (!within || isWithin(document)) &&
      (!excluded || !hasBit(excluded, document)) &&
      (!defining || hasBit(defining, document)) &&
      (!hasDocumentFilter || matchesDocument(reader.pathOf(document), reader.languageOf(document)));
  }
}

/** The number of documents that have a word, from the field with the highest number. */
function documentFrequency(perSegment: readonly WordLists[]): number {
  const most = (field: keyof WordLists): number =>
    perSegment.reduce((sum, lists) => sum + (lists[field]?.documents ?? 0), 0);
  return Math.max(most('body'), most('definition'), most('fileName'), most('folder'));
}

/** The share of documents that `count` counts, at least one. */
function shareOf(segments: readonly Segment[], count: (reader: SegmentReader) => number): number {
  const counted = sumOf(segments, ({ reader }) => count(reader));
  const all = sumOf(segments, ({ reader }) => reader.documents);
  return Math.max(1, counted) / Math.max(1, all);
}

function sumOfShares(shares: readonly Contribution[]): number {
  return sumOf(shares, ({ share }) => share);
}

function sumOf<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + valueOf(item), 0);
}

function byScore(a: FoundDocument, b: FoundDocument): number {
  return b.score - a.score || (a.path < b.path ? -1 : 1);
}
