import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { escapeInAnyForm } from '../base/regExp.ts';
import { SextantError, throwIfCancelled } from '../base/errors.ts';
import { TimeSlice } from '../base/timeSlice.ts';
import { ALL_LANGUAGES, IGNORING_CASE } from '../engine/analyze/languages.ts';
import { isNotebook } from '../engine/analyze/notebookName.ts';
import { isIndexable, splitToken } from '../engine/analyze/words.ts';
import { documentId } from '../engine/documentId.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { ChangedPaths } from '../engine/query/filters.ts';
import { overlap } from '../engine/query/sourceRange.ts';
import { corrected, filterNotFound, unindexedWords, withoutGlob, withoutQuotes } from '../engine/query/fallbacks.ts';
import { parseQueryLanguage, type ParsedQuery, type QueryProblem } from '../engine/query/queryLanguage.ts';
import type { FolderHit, Hit, SearchOutcome } from '../engine/query/hits.ts';
import { compileRegexes, searchIndexes } from '../engine/query/searchIndexes.ts';
import { SearchMemory } from '../engine/query/searchMemory.ts';
import { ChangedFiles } from './changedFiles.ts';
import { completeFilter, type Completion } from './completion.ts';
import type { EncodingRule } from './encodings.ts';
import { Excerpter } from './excerpt.ts';
import type { FolderOptions } from './folderOptions.ts';
import { FolderReaders } from './folderReaders.ts';
import { FolderSearch } from './folderSearch.ts';
import { notebookText } from './notebook.ts';
import { personalOrder, type PersonalOrder } from './personalOrder.ts';
import { readIndexable, type IndexableFile } from './readIndexable.ts';
import { linesOf, toResult, type ResultOptions, type SearchResult } from './searchResult.ts';
import { relocate } from './relocate.ts';
import type { KeptPlace } from './resultPlace.ts';
import { findSecret } from './secrets.ts';
import { textsOf, type ReadFile } from './fileTexts.ts';
import { similarQuery } from './similarQuery.ts';
import { isAnyName, lettersOf, UsageFinder, type Usage } from './usages.ts';

export type { KeptPlace, ResultPlace, ResultSymbol } from './resultPlace.ts';
export type { SearchResult } from './searchResult.ts';

export interface SearchFolder {
  readonly root: string;
  readonly stateFolder: string;
  /** Files with more are left out; by default those that no setting allows. */
  readonly maxFileBytes?: number;
  readonly encodings?: readonly EncodingRule[];
  /** Only the file of this path and files below it, relative to the folder, with `/`. */
  readonly below?: string;
  /** Name by which results show it among several folders. */
  readonly name?: string;
}

/** The text of an editor that is not saved; without one, what is on disk counts again. */
export interface UnsavedText {
  readonly root: string;
  readonly path: string;
  readonly text?: string;
}

export interface SearchRequest extends ResultOptions {
  readonly folders: readonly SearchFolder[];
  /** In the query language. */
  readonly query: string;
  readonly limit: number;
  /** Whether results have an `explanation`. */
  readonly explain?: boolean;
  /** Lines to leave out: those that the query was made of. */
  readonly except?: FileLines;
  /** Whether Git may run in the folders, as `changed:` needs. */
  readonly isTrusted?: boolean;
  /** Whether to read all files that may have a phrase, however long it takes; see {@link SearchResponse.isUnfinished}. */
  readonly readAll?: boolean;
  /** Number of results to report before the others are read. */
  readonly first?: number;
  /** Orders results for the user. */
  readonly personal?: PersonalOrder;
}

/** Lines of a file, counted from 1, both ends included. */
export interface FileLines {
  readonly root: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

export interface UsagesRequest extends Pick<SearchRequest, 'folders' | 'isTrusted'> {
  /** One name; see `isAnyName`. */
  readonly name: string;
  /** Filters of the query language that restrict the files. */
  readonly filters?: string;
}

/** All usages of a name: first those in files that define it, then in files by rank; in a file by line. */
export interface UsagesResponse {
  readonly usages: readonly (Usage & { readonly root: string; readonly path: string })[];
  readonly files: number;
  /** False if there are more files than are read, or some could not be read. */
  readonly isComplete: boolean;
  readonly problems: readonly QueryProblem[];
}

export interface CountRequest extends Pick<SearchRequest, 'folders' | 'query' | 'isTrusted'> {
  readonly limit: number;
}

export interface CompletionRequest {
  readonly folders: readonly SearchFolder[];
  readonly query: string;
  /** Number of completions; 5 by default. */
  readonly limit?: number;
}

export interface SimilarRequest {
  readonly folders: readonly SearchFolder[];
  readonly text: string;
}

export interface RelocateRequest extends Pick<SearchRequest, 'folders'> {
  readonly places: readonly KeptPlace[];
}

export interface SearchResponse {
  readonly results: readonly SearchResult[];
  /** Folders that were not searched, and what in the query was not understood, in its order; the rest was searched for. */
  readonly problems: readonly QueryProblem[];
  /** Folders in whose index the search met damage: who keeps them should verify it. */
  readonly damaged: readonly string[];
  /** Whether it may have missed something for that. */
  readonly isPartial: boolean;
  /** Whether it stopped before all files were read that may have the phrases; `readAll` goes on. */
  readonly isUnfinished: boolean;
  /**
   * How many files were left out that the index holds to be better than some of the results, as they are deleted, cannot
   * be read, or changed and are no answer any more. Until the index is up to date, others may be missing instead.
   */
  readonly leftOut: number;
  readonly tookMs: number;
}

/** Hits requested beyond the limit, because one open folder may be within another. */
const SPARE_HITS = 5;
/** The factor of hits to request again if these are not enough. */
const MORE_HITS = 4;
/** Searches for one request, where files changed since they were indexed. */
const MAX_ROUNDS = 6;
/** Characters that a search for a phrase reads while one types: half a second's work. */
const MAX_TEXT = 64 << 20;
/** Number of files whose usages of a name are listed. */
const MAX_USAGE_FILES = 2_000;
/** Problems of a search for the words of a name. */
const OF_WORDS: ReadonlySet<QueryProblem['code']> = new Set(['PhraseNotFound', 'CorrectedWord']);
/** Filter that leaves out the files of languages that distinguish case. */
const NO_CASE = `-lang:{${ALL_LANGUAGES.flatMap(({ id }) => (IGNORING_CASE.has(id) ? [] : id)).join(',')}}`;

/**
 * Searches the indexes of folders and checks the files themselves before it answers: a file that changed since it was
 * indexed is searched as it is now, and one that was deleted is left out.
 */
export class Searcher {
  readonly #readers = new FolderReaders();
  /** By folder and path. */
  readonly #unsaved = new Map<string, Map<string, Buffer>>();
  /** State folders whose reader knows the texts as they are now. */
  readonly #overlaid = new Set<string>();
  readonly #changedFiles = new ChangedFiles();
  readonly #memory = new SearchMemory();

  /** Searches find it from now on as it is here, with its lines, where the index has a file of that path. */
  setUnsaved({ root, path, text }: UnsavedText): void {
    const texts = this.#unsaved.get(root) ?? new Map<string, Buffer>();
    this.#unsaved.set(root, texts);
    if (text === undefined) texts.delete(path);
    else texts.set(path, Buffer.from((isNotebook(path) ? notebookText(text) : undefined) ?? text));
    this.#overlaid.clear();
  }

  /**
   * Searches all folders as one, without missing ones. Rejects with `Cancelled`, within milliseconds. `report` receives the first
   * results, if there are more than `request.first`; the response has them again, and as a rule in the same order.
   */
  async search(
    request: SearchRequest,
    signal?: AbortSignal,
    report?: (first: SearchResponse) => void,
  ): Promise<SearchResponse> {
    const began = performance.now();
    // Lets the cancellation of a request that waited for others arrive before it.
    await new TimeSlice(signal).next();
    let parsed = parseQueryLanguage(request.query);
    const leftOut = new Set<string>();
    const { searched, problems } = await this.#toSearch(request, parsed, leftOut, signal);
    const toResponse = ({ results, isPartial }: Found): SearchResponse => {
      const damaged = searched.filter(({ reader }) => reader.damage.length > 0);
      return {
        results,
        problems: [...parsed.problems, ...problems].sort((a, b) => a.start - b.start),
        damaged: damaged.map(({ root }) => root),
        isPartial: damaged.some(({ reader }) => reader.damage.some(({ documents }) => documents !== 0)),
        isUnfinished: isPartial,
        leftOut: leftOut.size,
        tookMs: performance.now() - began,
      };
    };
    const onFirst = report && ((first: Found): void => report(toResponse(first)));
    let found: Found;
    try {
      found = await this.#find(searched, parsed, request, leftOut, signal, onFirst);
      const { isPartial } = found;
      const isPhraseMissing = found.results.length === 0 && withoutQuotes(parsed) !== parsed;
      if (isPhraseMissing) {
        parsed = withoutQuotes(parsed, isPartial);
        found = { ...(await this.#find(searched, parsed, request, leftOut, signal)), isPartial };
      }
      if (found.results.length === 0 && withoutGlob(parsed) !== parsed) {
        parsed = withoutGlob(parsed);
        found = await this.#find(searched, parsed, request, leftOut, signal);
      }
      if (found.corrections.length > 0) {
        parsed = corrected(parsed, found.corrections);
        found = await this.#find(searched, parsed, request, leftOut, signal);
      }
      if (found.results.length === 0) {
        const unmatched = found.isPartial ? [] : await this.#unmatchedFilters(searched, parsed, request, signal);
        const unindexed = isPhraseMissing || unmatched.length > 0 ? [] : unindexedWords(parsed);
        parsed = { ...parsed, problems: [...parsed.problems, ...unmatched, ...unindexed] };
      }
    } finally {
      for (const { index } of searched) index.close();
    }
    return toResponse(found);
  }

  /** A problem for each filter that no file passes, but those of changes, which may be rightly empty. */
  async #unmatchedFilters(
    searched: readonly FolderSearch[],
    { text, filters }: ParsedQuery,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<QueryProblem[]> {
    const problems: QueryProblem[] = [];
    if (searched.length === 0) return problems;
    for (const filter of filters.filter(({ exclude, field }) => !exclude && field !== 'changed')) {
      const alone = parseQueryLanguage(text.slice(filter.start, filter.end));
      // A query of one filter has been searched.
      const isNew = alone.text !== text.trim();
      const options = { ...request, limit: 1, explain: false };
      const found = isNew && (await this.#find(searched, alone, options, new Set(), signal)).results.length > 0;
      if (!found) problems.push(filterNotFound(alone.text, filter));
    }
    return problems;
  }

  /** Searches again while files are found that changed since they were indexed, or were deleted. */
  async #find(
    searched: readonly FolderSearch[],
    parsed: ParsedQuery,
    { limit, explain = false, except, readAll, first, personal, ...shown }: SearchRequest,
    leftOut: Set<string>,
    signal: AbortSignal | undefined,
    onFirst?: (first: Found) => void,
  ): Promise<Found> {
    let isReported = onFirst === undefined;
    const regexes = await compileRegexes(parsed);
    const excerpter = new Excerpter(parsed, regexes);
    for (let count = limit + SPARE_HITS, round = 1; ; round++) {
      const options = { limit: count, explain, correct: true, regexes, ...(!readAll && { maxText: MAX_TEXT }) };
      const found = await searchIndexes(searched, parsed, options, this.#memory, signal);
      const results: SearchResult[] = [];
      let isStale = false;
      // One open folder may be within another.
      const seen = new Set<string>();
      // A list of files is in the order of their paths.
      const isPersonal = personal && parsed.words.trim() !== '';
      const slice = new TimeSlice(signal);
      for (const one of isPersonal ? forUser(found.hits, searched, personal) : found.hits) {
        if (results.length === limit) break;
        if (!isReported && results.length === first && !isStale && found.corrections.length === 0) {
          isReported = true;
          onFirst!({ ...found, results: [...results] });
        }
        if (slice.isOver) await slice.next();
        const folder = searched[one.folder]!;
        const file = join(folder.root, one.hit.path);
        if (seen.has(file)) continue;
        seen.add(file);
        const content = folder.currentText(one);
        if (!content) isStale = true;
        else leftOut.delete(file);
        if (!content || (isStale && round < MAX_ROUNDS)) continue;
        const isExcepted = except?.root === folder.root && except.path === one.hit.path;
        const hit = isExcepted ? outside(except, one.hit) : one.hit;
        if (hit) results.push(toResult(folder.root, { ...one, hit }, content, excerpter, shown));
      }
      // Changed files are searched as they are now, and those behind deleted ones are searched for.
      const isShort = results.length < limit && found.hits.length === count;
      if (!isShort && !(isStale && round < MAX_ROUNDS)) return { ...found, results };
      if (isShort) count *= MORE_HITS;
    }
  }

  /** All usages of a name, by its text alone. Throws `InvalidName`; rejects with `Cancelled`. */
  async usages({ name, filters = '', ...request }: UsagesRequest, signal?: AbortSignal): Promise<UsagesResponse> {
    if (!isAnyName(name)) {
      throw new SextantError('InvalidName', `"${name}" is not one name. Give a name such as parseQuery or Foo.bar.`);
    }
    // The index leaves out common words such as "with": then all texts are read.
    const isIndexed = splitToken(name).some((part) => isIndexable(part));
    // The expression leaves out files of longer names, of which there may be more than are read.
    const other = `[^${lettersOf(name)}]`;
    const phrase = isIndexed ? `"${name}"` : '';
    const find = async (flags: string): Promise<SearchResponse> => {
      const query = `${phrase} /(?:^|${other})${escapeInAnyForm(name)}(?:${other}|$)/${flags} ${filters}`;
      const found = await this.search({ ...request, query, limit: MAX_USAGE_FILES + 1, readAll: true }, signal);
      const problems = found.problems.filter(({ code }) => !OF_WORDS.has(code));
      // Without the phrase, the results are those of its words.
      const isMissing = found.problems.some(({ code }) => code === 'PhraseNotFound');
      return { ...found, problems, results: isMissing ? [] : found.results };
    };
    // Of the files whose language distinguishes case, only those with the very name may count for the limit.
    const exact = await find('');
    const folded = await find(`i ${NO_CASE}`);
    const searches = [exact, folded];
    const places = new Map(searches.flatMap(({ results }) => results.map((one) => [join(one.root, one.path), one])));
    const finder = new UsageFinder(name);
    const slice = new TimeSlice(signal);
    const files: UsagesResponse['usages'][] = [];
    for (const { root, path } of [...places.values()].slice(0, MAX_USAGE_FILES)) {
      if (slice.isOver) await slice.next();
      const folder = request.folders.find((one) => one.root === root);
      const text = folder && this.#filesOf(folder)(path)?.text.toString('utf8');
      const usages = text === undefined ? [] : finder.findIn(path, text);
      if (usages.length > 0) files.push(usages.map((usage) => ({ root, path, ...usage })));
    }
    const defines = (usages: UsagesResponse['usages']): boolean => usages.some(({ kind }) => kind === 'definition');
    return {
      usages: [...files.filter(defines), ...files.filter((one) => !defines(one))].flat(),
      files: files.length,
      isComplete:
        places.size <= MAX_USAGE_FILES &&
        !searches.some(({ isPartial }) => isPartial) &&
        !exact.problems.some(({ code }) => code === 'IndexFormat'),
      problems: exact.problems,
    };
  }

  /**
   * The number of files that a query finds in the indexes, up to `limit`; unlike {@link search} it does not compare them with the
   * disk. `undefined` if not all texts were read for a phrase. Rejects with `Cancelled`.
   */
  async count(request: CountRequest, signal?: AbortSignal): Promise<number | undefined> {
    await new TimeSlice(signal).next();
    const parsed = parseQueryLanguage(request.query);
    const { searched } = await this.#toSearch(request, parsed, new Set(), signal);
    try {
      const options = { limit: request.limit, maxText: MAX_TEXT };
      const { hits, isPartial } = await searchIndexes(searched, parsed, options, this.#memory, signal);
      return isPartial ? undefined : hits.length;
    } finally {
      for (const { index } of searched) index.close();
    }
  }

  /** Ways to finish the filter at the end of a query; see {@link completeFilter}. */
  complete({ folders, query, limit }: CompletionRequest): Completion[] {
    return completeFilter(query, this.#readersOf(folders), limit);
  }

  /** What to search for to find code like a text; see {@link similarQuery}. */
  similarQuery({ folders, text }: SimilarRequest): string {
    return similarQuery(text, this.#readersOf(folders));
  }

  /** The present ranges of stored results, in unsaved texts too; `undefined` for a result whose lines were deleted. */
  relocate({ folders, places }: RelocateRequest): (KeptPlace | undefined)[] {
    const files = new Map<string, readonly string[]>();
    return places.map((place) => {
      const file = join(place.root, place.path);
      const folder = folders.find(({ root }) => root === place.root) ?? place;
      const lines = files.get(file) ?? linesOf(this.#filesOf(folder)(place.path)?.text);
      files.set(file, lines);
      return relocate(place, lines);
    });
  }

  /** The text of a file as it is at this moment, unsaved or not, if the index may hold it; see {@link readIndexable}. */
  read(folder: FolderOptions, path: string): IndexableFile {
    return readIndexable(folder, path, Date.now(), this.#unsaved.get(folder.root));
  }

  close(): void {
    this.#readers.close();
  }

  /** Opens the folders of a request for one search, without missing ones, and finds out what changed for its filters. */
  async #toSearch(
    { folders, isTrusted = false }: Pick<SearchRequest, 'folders' | 'isTrusted'>,
    { filters }: ParsedQuery,
    leftOut: Set<string>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly searched: readonly FolderSearch[]; readonly problems: readonly QueryProblem[] }> {
    const { opened, problems } = this.#readers.open(folders.filter(({ root }) => existsSync(root)));
    const changes = await this.#changedFiles.resolve(opened, filters, isTrusted);
    throwIfCancelled(signal);
    const searched = opened.map((folder) => {
      const { root, stateFolder, reader } = folder;
      this.#overlay(reader, root, stateFolder);
      const changed = this.#withUnsaved(root, changes.byRoot.get(root) ?? new Map());
      return new FolderSearch(folder, changed, this.#filesOf(folder), leftOut);
    });
    return { searched, problems: [...problems, ...changes.problems] };
  }

  /** Reads the files of a folder as they are at this moment, unsaved or not. */
  #filesOf(folder: Omit<SearchFolder, 'stateFolder'>): ReadFile {
    const saved = textsOf(folder);
    return (path) => {
      const unsaved = this.#unsaved.get(folder.root)?.get(path);
      return unsaved ? { content: unsaved, text: unsaved } : saved(path);
    };
  }

  #readersOf(folders: readonly SearchFolder[]): EngineReader[] {
    return this.#readers.open(folders).opened.map(({ reader }) => reader);
  }

  /** What is not saved is not committed either. */
  #withUnsaved(root: string, changed: ChangedPaths): ChangedPaths {
    const unsaved = [...(this.#unsaved.get(root)?.keys() ?? [])];
    if (unsaved.length === 0) return changed;
    return new Map([...changed].map(([revision, paths]) => [revision, new Set([...paths, ...unsaved])]));
  }

  #overlay(reader: EngineReader, root: string, stateFolder: string): void {
    if (this.#overlaid.has(stateFolder)) return;
    this.#overlaid.add(stateFolder);
    const texts = [...(this.#unsaved.get(root) ?? [])];
    // What is a secret now is not to be found, and neither is what it was.
    const shown = texts.map(([path, text]) => [path, findSecret(text) === undefined ? text : Buffer.alloc(0)] as const);
    reader.setOverlay(shown.map(([path, content]) => ({ id: documentId(path, content), path, content })));
  }
}

/** The outcome of a search, with the results that are shown. */
interface Found extends SearchOutcome {
  readonly results: readonly SearchResult[];
}

function forUser(
  hits: readonly FolderHit[],
  searched: readonly FolderSearch[],
  order: PersonalOrder,
): readonly FolderHit[] {
  const files = hits.map((one) => ({ ...one, ...one.hit, root: searched[one.folder]!.root }));
  return personalOrder(files, order);
}

/** The hit with its best place outside of some lines; `undefined` if it has none. */
function outside(lines: FileLines, hit: Hit): Hit | undefined {
  const [place, ...more] = [hit, ...hit.more].filter((one) => !overlap(lines, one));
  if (!place) return undefined;
  const { startLine, endLine, symbol } = place;
  const { symbol: _old, ...rest } = hit;
  return { ...rest, startLine, endLine, ...(symbol && { symbol }), more };
}
