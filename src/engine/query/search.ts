import { SextantError } from '../../base/errors.ts';
import { runAtOnce } from '../../base/timeSlice.ts';
import { foldName, ownName } from '../analyze/symbolNames.ts';
import { hasIndexable } from '../analyze/words.ts';
import { Field } from '../index/format.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import type { Segment } from '../index/snapshot.ts';
import type { WordLists } from './bestChunk.ts';
import { bestDocuments, leastOfBest } from './bestDocuments.ts';
import { SegmentScores } from './collect.ts';
import { Collection, sumOf } from './collection.ts';
import { correctionsOf, type Correction } from './corrections.ts';
import { FeatureExtractor, HAS_NAME } from './featureExtractor.ts';
import type { SymbolTermInfo } from './features.ts';
import { oneOfEachFamily } from './families.ts';
import { compileFilters, isKnown, type Nearness } from './filters.ts';
import type { CorpusOptions, FolderHit, Hit, SearchedFolder, SearchOutcome } from './hits.ts';
import {
  byScore,
  evidenceOf,
  type CandidateRow,
  type FoundDocument,
  type PlaceRows,
  type Ranked,
} from './foundDocument.ts';
import { inOrder } from './inOrder.ts';
import type { FileRole } from './paths.ts';
import { findPinned } from './pinned/findPinned.ts';
import { findLocations, parseLocations, type PastedLocation } from './pinned/pastedLocation.ts';
import type { NameKind, Pinned, PinRequest } from './pinned/pinned.ts';
import { findTyped, isCode } from './pinned/typedText.ts';
import { PlaceFinder } from './placeFinder.ts';
import { orderByPlaces, type Placed } from './placeOrder.ts';
import { bestPlaces } from './placeRanker.ts';
import { parseQuery, withDefinedNames, type Query } from './query.ts';
import { parseQueryLanguage, type ParsedQuery } from './queryLanguage.ts';
import { explainRow, scoreRow, sumOfShares } from './ranker.ts';
import { SearchMemory, type SearchArrays } from './searchMemory.ts';
import { expandSymbol, worthOf } from './symbols.ts';
import { excludedTerms } from './terms.ts';
import { TextConditions } from './textConditions.ts';
import { wantedIn } from './wanted.ts';
import { stemOf, WordMatcher } from './wordMatch.ts';

const DEFAULT_LIMIT = 10;
/** Number of documents ranked by path, of the first by postings; and of those, the number ranked by all features. */
const CONSIDERED = 160;
const RANKED = 48;
/** Worth of a document that precedes all others. */
const PINNED = 2 * HAS_NAME;
/** Worth of a file's name that is the name of `sym:`; a nearer definition has one more, and a test 0.4 less. */
const NAMED_FILE = 0.25;
/** Penalty of an unwanted kind of file when candidates are chosen. */
const PENALTY: Readonly<Record<FileRole, number>> = { test: 0.4, vendor: 0.3, example: 0.2, internal: 0, compat: 0 };

/**
 * Searches all folders as one corpus, with common statistics. Each step takes at most a few milliseconds, so that the caller
 * decides when to go on; the steps may be abandoned. Throws `InvalidLimit`, and the errors of reading the index.
 */
export function* searchFolders(
  folders: readonly SearchedFolder[],
  parsed: ParsedQuery,
  options: CorpusOptions,
  memory: SearchMemory,
): Generator<void, SearchOutcome, void> {
  const { limit = DEFAULT_LIMIT } = options;
  if (!(limit >= 0 && (Number.isInteger(limit) || limit === Infinity))) {
    throw new SextantError('InvalidLimit', `${limit} is no limit of hits: give a whole number, or Infinity for all.`);
  }
  const arrays = memory.borrow();
  const search = new Search(folders, parsed, options, memory, arrays);
  try {
    return yield* search.run(limit);
  } finally {
    search.reset();
    memory.giveBack(arrays);
  }
}

/** Features of the candidates for a query: the rows that the ranker's weights are fitted to. */
export function candidateRows(segments: readonly Segment[], text: string): readonly CandidateRow[] {
  const memory = new SearchMemory();
  const search = new Search([{ segments }], parseQueryLanguage(text), {}, memory, memory.borrow());
  return runAtOnce(search.candidates());
}

/** Features of the places in the first `limit` documents: the rows that the weights of places are fitted to. */
export function placeRows(segments: readonly Segment[], text: string, limit: number): readonly PlaceRows[] {
  const memory = new SearchMemory();
  const search = new Search([{ segments }], parseQueryLanguage(text), {}, memory, memory.borrow());
  return runAtOnce(search.placesOfFirst(limit));
}

/** Steps without a result; and results in order, with `undefined` for pauses. */
type Steps = Generator<void, void, void>;
type InOrder = Iterable<Placed<Ranked> | undefined>;

class Search {
  readonly #parsed: ParsedQuery;
  #query: Query;
  readonly #matcher: WordMatcher;
  readonly #options: CorpusOptions;
  readonly #memory: SearchMemory;
  readonly #arrays: SearchArrays;
  readonly #folders: readonly SearchedFolder[];
  readonly #readers: readonly SegmentReader[];
  readonly #collection: Collection;
  readonly #texts: TextConditions;
  readonly #locations: readonly PastedLocation[];
  /** Documents that precede all others. */
  #pinned: readonly Pinned[] = [];
  /** Stems of words that no document has. */
  readonly #unknown = new Set<string>();
  readonly #scores: SegmentScores[] = [];
  readonly #nearness: Nearness | undefined;
  readonly #weights: number[] = [];
  readonly #folderWeights: number[] = [];
  #total = 1;
  readonly #symbols: SymbolTermInfo[] = [];
  #name: NameKind | undefined;

  constructor(
    folders: readonly SearchedFolder[],
    parsed: ParsedQuery,
    options: CorpusOptions,
    memory: SearchMemory,
    arrays: SearchArrays,
  ) {
    this.#folders = folders;
    this.#locations = parseLocations(parsed.text);
    // A pasted frame such as `File "a.py", line 2` has quotes of its own.
    const isPasted = this.#locations.length > 0;
    this.#parsed = isPasted ? { ...parsed, phrases: parsed.phrases.filter(({ exclude }) => exclude) } : parsed;
    this.#query = parseQuery(parsed.words);
    this.#matcher = new WordMatcher(this.#query.words);
    this.#options = options;
    this.#memory = memory;
    this.#arrays = arrays;
    this.#readers = folders.flatMap(({ segments }) => segments.map(({ reader }) => reader));
    this.#collection = new Collection(
      folders.map(({ segments }) => segments),
      memory,
      options.statistics,
    );
    this.#texts = new TextConditions(this.#parsed, options);
    const { wantedSymbol, nearness } = compileFilters(parsed.filters);
    this.#nearness = wantedSymbol && nearness;
  }

  *run(limit: number): Generator<void, SearchOutcome, void> {
    const hits: FolderHit[] = [];
    const ranked = limit === 0 ? undefined : yield* this.#collected();
    if (!ranked) return { hits, isPartial: false, corrections: [] };
    const places = this.#placeFinder();
    for (const candidate of this.#orOthers(this.#inOrder(ranked, places), hits)) {
      yield;
      if (!candidate) continue;
      const { scores, document, path } = candidate;
      const { readText } = this.#folders[scores.folder]!;
      const match = this.#texts.match(readText, path, () => scores.reader.documentIdOf(document));
      if (this.#texts.isUsedUp) break;
      if (!match) scores.remove(document);
      const hit = match && this.#toHit(candidate, places, match.line ?? candidate.line);
      const line = candidate.line !== undefined && { line: candidate.line };
      if (hit) hits.push({ folder: scores.folder, hit, ...line, reader: scores.reader, document });
      if (hits.length >= limit) break;
    }
    return { hits, isPartial: this.#texts.isUsedUp, corrections: this.#corrections() };
  }

  /** The ranked documents and, if they give no hits, all others: they may have the phrases within words. */
  *#orOthers(ranked: InOrder, hits: readonly FolderHit[]): InOrder {
    yield* ranked;
    if (!this.#texts.isNeeded || hits.length > 0) return;
    for (const scores of this.#scores)
      if (this.#folders[scores.folder]!.withinWords) for (const _ of scores.addAll()) yield undefined;
    yield* inOrder(this.#allFound(), byScore);
  }

  /** A half name has its documents, and so has what pins documents: neither is a mistake. */
  #corrections(): Correction[] {
    if (!this.#options.correct || this.#name === 'begun' || this.#pinned.length > 0) return [];
    return correctionsOf(
      this.#unknown,
      this.#parsed,
      this.#folders.flatMap(({ segments }) => segments),
    );
  }

  *candidates(): Generator<void, CandidateRow[], void> {
    const rows: CandidateRow[] = [];
    for (const candidate of (yield* this.#collected()) ?? []) {
      if (!candidate) continue;
      const { path, row, rules = [] } = candidate;
      if (!row) break;
      rows.push({ path, row, ruled: sumOfShares(rules) });
    }
    return rows;
  }

  *placesOfFirst(limit: number): Generator<void, PlaceRows[], void> {
    const rows: PlaceRows[] = [];
    const ranked = (yield* this.#collected()) ?? [];
    const places = this.#placeFinder();
    for (const candidate of ranked) {
      if (rows.length >= limit) break;
      if (!candidate) continue;
      const { scores, document, path, score, evidence } = candidate;
      if (evidence) rows.push({ path, score, places: places.candidates(scores, document, evidence) });
    }
    return rows;
  }

  /** The results by their scores and their best places; as they are, if the text decides on them. */
  #inOrder(ranked: Iterable<Ranked | undefined>, places: PlaceFinder): InOrder {
    if (!places.isRanked || this.#texts.isNeeded) return ranked;
    return orderByPlaces(ranked, ({ scores, document, evidence }: Ranked) =>
      bestPlaces(places.candidates(scores, document, evidence ?? scores.evidence([document])[0]!)),
    );
  }

  #placeFinder(): PlaceFinder {
    return new PlaceFinder({
      query: this.#query,
      weights: this.#weights,
      names: this.#memory.names,
      total: this.#total,
      symbols: this.#symbols,
      nearness: this.#nearness,
    });
  }

  /** Resets the sums for the next search. */
  reset(): void {
    for (const scores of this.#scores) scores.reset();
  }

  /** The results in order, with `undefined` for pauses; `undefined` for an empty query or index. */
  *#collected(): Generator<void, Iterable<Ranked | undefined> | undefined, void> {
    const isFilterOnly = this.#query.words.length === 0 && this.#query.names.length === 0;
    const { filters } = this.#parsed;
    const isEmpty =
      isFilterOnly &&
      !filters.some((filter) => this.#folders.some(({ changed }) => isKnown(filter, changed))) &&
      !this.#texts.isNeeded;
    if (this.#collection.documents === 0 || isEmpty) return undefined;
    yield* this.#addSegments();
    this.#pinned = yield* findLocations(this.#locations, this.#scores);
    if (!isFilterOnly) yield* this.#collect();
    // The index has neither the middle of words nor, as in "-1", single digits, nor common words.
    const isUnindexed = this.#texts.hasRegex || (this.#texts.isNeeded && !hasIndexable(this.#parsed.words));
    if (isFilterOnly || isUnindexed) for (const scores of this.#scores) yield* scores.addAll();
    return isFilterOnly ? inOrder<FoundDocument>(this.#allFiltered(), byScore) : this.#rank();
  }

  /** All found documents; of those that define a name equally near to `sym:`, one whose file has the name precedes. */
  *#allFiltered(): Generator<FoundDocument> {
    const wanted = this.#parsed.filters.filter(({ field, exclude }) => field === 'sym' && !exclude);
    const names = new Set(wanted.map(({ pattern }) => foldName(ownName(pattern))));
    for (const found of this.#allFound()) {
      const [, file = ''] = names.size > 0 ? (/([^/.]*)[^/]*$/.exec(found.path) ?? []) : [];
      yield names.has(foldName(file)) && file !== '' ? { ...found, score: found.score + NAMED_FILE } : found;
    }
  }

  *#addSegments(): Steps {
    const excluded = excludedTerms(this.#parsed);
    const names = this.#folders.map(({ name }) => name);
    for (const [folder, { segments, within, below, name, changed, readText }] of this.#folders.entries()) {
      const filters = compileFilters(this.#parsed.filters, changed, below, name, names);
      const required = readText ? this.#texts.requiredTerms() : [];
      for (const segment of segments) {
        yield;
        const wanted = yield* wantedIn(segment, { filters, within, excluded, required }, this.#arrays.postings);
        this.#scores.push(new SegmentScores(segment, folder, this.#collection.averages, wanted, this.#arrays));
      }
    }
    this.#arrays.postings.clear();
  }

  *#collect(): Steps {
    this.#query = withDefinedNames(this.#query, this.#collection);
    yield;
    const { words, names, nameWords, pairs, possibleNames, symbol } = this.#query;
    for (const word of words) {
      const lists = this.#scores.map((scores) => scores.listsOf(word));
      const count = (field: keyof WordLists): number =>
        this.#collection.documentsOf(
          { field: Field[field], text: word },
          sumOf(this.#scores, (scores, i) => scores.documentsIn(lists[i]![field])),
        );
      const inFolders = count('folder');
      const most = Math.max(count('body'), count('definition'), count('fileName'), inFolders);
      const weight = this.#collection.idf(most);
      if (most === 0) this.#unknown.add(word);
      this.#weights.push(weight);
      this.#folderWeights.push(this.#collection.idf(inFolders));
      for (const [i, scores] of this.#scores.entries()) {
        yield;
        if (scores.isSlow) yield* scores.meetAll(Object.values(lists[i]!));
        scores.addWord(weight, lists[i]!);
      }
    }
    this.#total = this.#weights.reduce((sum, weight) => sum + weight, 0) || 1;
    for (const name of [...names, ...pairs].slice(0, 31)) {
      // The lists of names are short.
      yield;
      for (const scores of this.#scores) {
        const list = scores.listOf(Field.identifier, name);
        if (scores.isSlow) yield* scores.meetAll([list]);
        scores.addName(list);
      }
    }
    if (symbol === undefined) {
      for (const name of names) yield* this.#addSymbol(Field.symbol, name, name, 1);
      for (const name of [...possibleNames, ...pairs]) yield* this.#addSymbol(Field.symbol, name, name, 0);
    } else {
      for (const term of expandSymbol(symbol, this.#readers))
        yield* this.#addSymbol(term.field, term.text, foldName(term.name.split('.').at(-1)!), worthOf(term));
    }
    const valueOf = (term: number): number => this.#symbols[term]!.value;
    if (symbol !== undefined) this.#name = this.#kindOfName();
    for (const scores of this.#scores) {
      const factor = this.#name === 'begun' ? HAS_NAME * this.#total : this.#total;
      scores.addSymbolValues((term) => valueOf(term) * factor);
      if (symbol === undefined || names.length !== 1) continue;
      scores.addNameValue(HAS_NAME * this.#total, nameWords[0]!, (term) => valueOf(term) === 1);
    }
    yield;
    const least = leastOfBest(this.#scores, CONSIDERED);
    for (const scores of this.#scores) {
      scores.finishAbove(least);
      yield;
    }
  }

  #kindOfName(): NameKind {
    if (this.#symbols.some(({ value }) => value === 1)) return 'defined';
    const { names, nameWords } = this.#query;
    const isUsed = names.length !== 1 || this.#scores.some((scores) => scores.hasName(nameWords[0]!));
    if (isUsed) return 'used';
    return this.#symbols.some(({ value }) => value > 0) ? 'begun' : 'unknown';
  }

  *#addSymbol(field: Field, text: string, folded: string, value: number): Steps {
    const lists = this.#scores.map((scores) => scores.listOf(field, text));
    const here = sumOf(this.#scores, (scores, i) => scores.documentsIn(lists[i]));
    if (here === 0) return;
    const documents = this.#collection.documentsOf({ field, text }, here);
    const word = this.#query.words.indexOf(stemOf(folded));
    const qualified = field === Field.qualified ? text : undefined;
    const term = this.#symbols.push({ folded, qualified, word, value, documents }) - 1;
    yield;
    for (const [i, list] of lists.entries()) {
      const scores = this.#scores[i]!;
      if (scores.isSlow) yield* scores.meetAll([list]);
      if (list) scores.addSymbol(term, list);
    }
  }

  /** A found document, with the penalty of unwanted kinds. */
  #foundAt(scores: SegmentScores, document: number): FoundDocument {
    const score = scores.scoreOf(document) / this.#total;
    const { path } = this.#memory.pathAndSidesOf(scores.reader, document);
    return { scores, document, path, score: score - this.#costOf(scores, document) };
  }

  /** The penalty of a test, of vendored code or an example that the query does not request. */
  #costOf(scores: SegmentScores, document: number): number {
    const { sides } = this.#memory.pathAndSidesOf(scores.reader, document);
    let cost = 0;
    if (sides.length > 0) {
      const unasked = sides.filter(([, word]) => !this.#query.words.includes(word));
      for (const side of new Set(unasked.map(([side]) => side))) cost += PENALTY[side];
    }
    return cost;
  }

  /** All found documents, in no order. */
  *#allFound(): Generator<FoundDocument> {
    for (const scores of this.#scores) for (const document of scores.found()) yield this.#foundAt(scores, document);
  }

  /** The found documents, best first, with `undefined` for pauses. All may be needed where text decides on results. */
  *#rank(): Generator<Ranked | undefined, void, void> {
    const considered = bestDocuments(this.#scores, CONSIDERED)
      .flatMap(({ scores, documents }) => documents.map((document) => this.#foundAt(scores, document)))
      .sort(byScore);
    yield undefined;
    if (this.#pinned.length === 0) this.#pinned = yield* this.#findPinned();
    for (const { scores, document } of this.#pinned) {
      const at = considered.findIndex((one) => one.scores === scores && one.document === document);
      const [found = this.#foundAt(scores, document)] = at < 0 ? [] : considered.splice(at, 1);
      considered.unshift(found);
    }
    const ranked = yield* this.#rankByFeatures(considered.slice(0, RANKED));
    yield* ranked;
    // The rest follows in the order of its choice, whatever the limit.
    const rest = considered.slice(RANKED);
    let lowest = ranked.at(-1)?.score ?? 0;
    const shift = lowest - (rest[0]?.score ?? 0);
    yield* rest.map((one) => ({ ...one, score: (lowest = one.score + shift) }));
    if (considered.length < CONSIDERED) return;
    for (const { scores, document } of considered) scores.remove(document);
    for (const scores of this.#scores) for (const _ of scores.finish()) yield undefined;
    for (const one of inOrder(this.#allFound(), byScore)) {
      yield one && { ...one, score: Math.min(one.score + shift, lowest) };
    }
  }

  *#findPinned(): Generator<undefined, readonly Pinned[], void> {
    const { words, text, phrases, filters, regexes, excludedWords } = this.#parsed;
    const request: PinRequest = {
      typed: words.trim(),
      query: this.#query,
      name: this.#name,
      likeRegex: this.#options.likeRegex,
      all: this.#scores,
      folders: this.#folders,
      isAside: ({ scores, document }) => this.#costOf(scores, document) > 0,
      hasFolder: (text) => this.#collection.documentsWith({ field: Field.folder, text }) > 0,
    };
    if (this.#texts.isNeeded) {
      // Pasted code has phrases of its own.
      const rest = [...phrases, { start: text.length }].map(({ start }, i) => text.slice(phrases[i - 1]?.end, start));
      const isPasted = isCode(rest.join('')) && filters.length + regexes.length + excludedWords.length === 0;
      return isPasted ? yield* findTyped({ ...request, typed: text.trim(), likeRegex: undefined }) : [];
    }
    return yield* findPinned(request);
  }

  *#rankByFeatures(found: readonly FoundDocument[]): Generator<undefined, readonly Ranked[], void> {
    const maker = new FeatureExtractor({
      query: this.#query,
      matcher: this.#matcher,
      weights: this.#weights,
      folderWeights: this.#folderWeights,
      symbols: this.#symbols,
      isHalfName: this.#name === 'begun',
      languageShare: (language) => this.#collection.languageShare(language),
      packageShare: (folder, name) => this.#collection.packageShare(folder, name),
      references: (folded) => this.#collection.references(folded),
    });
    const evidence = evidenceOf(found, this.#scores);
    yield;
    const candidates = found.map((one) => ({
      scores: one.scores,
      document: one.document,
      evidence: evidence.get(one)!,
      info: this.#memory.pathInfoOf(one.scores.reader, one.document),
    }));
    const rows = yield* maker.rows(candidates);
    const ranked = found.map((one, i) => {
      const rules = maker.rules(candidates[i]!);
      const pin = this.#pinned.find(({ scores, document }) => scores === one.scores && document === one.document);
      if (pin) rules.push({ feature: pin.feature, value: pin.worth, share: PINNED * pin.worth });
      const score = scoreRow(rows[i]!, this.#query) + sumOfShares(rules);
      return {
        ...one,
        evidence: candidates[i]!.evidence,
        row: rows[i]!,
        form: candidates[i]!.info.form,
        rules,
        score,
        ...(pin?.line !== undefined && { line: pin.line }),
      };
    });
    ranked.sort(byScore);
    const isQuestion = this.#query.symbol === undefined && this.#pinned.every(({ feature }) => feature === 'locale');
    return isQuestion ? oneOfEachFamily(ranked, this.#query.text) : ranked;
  }

  #toHit(
    { scores, document, path, score, evidence, row, rules = [], ranges, alike }: Placed<Ranked>,
    places: PlaceFinder,
    line?: number,
  ): Hit | undefined {
    const { reader } = scores;
    const [place, ...more] = ranges ?? places.find(scores, document, evidence ?? scores.evidence([document])[0]!, line);
    if (!place) return undefined;
    const explanation = this.#options.explain && row && [...rules, ...explainRow(row, this.#query)];
    return {
      id: reader.documentIdOf(document),
      path,
      language: reader.languageOf(document),
      score,
      ...place,
      more,
      ...(alike !== undefined && { alike }),
      ...(explanation && { explanation }),
    };
  }
}
