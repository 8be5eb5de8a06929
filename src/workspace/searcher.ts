import { join } from 'node:path';
import { throwIfCancelled } from '../base/errors.ts';
import { toUtf8 } from '../engine/analyze/text.ts';
import { documentId } from '../engine/documentId.ts';
import { EngineReader } from '../engine/engine.ts';
import type { ChangedPaths } from '../engine/query/filters.ts';
import { Locator } from '../engine/query/locate.ts';
import type { SourceRange } from '../engine/query/sourceRange.ts';
import { parseQueryLanguage, type QueryProblem } from '../engine/query/queryLanguage.ts';
import type { Contribution } from '../engine/query/features.ts';
import type { Hit } from '../engine/query/search.ts';
import { ChangedFiles } from './changedFiles.ts';
import { completeFilter, type Completion } from './completion.ts';
import { Excerpter, type Excerpt } from './excerpt.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { GuardedFolder } from './guardedFile.ts';
import { readIndexable, type IndexableFile } from './readIndexable.ts';
import { relocate } from './relocate.ts';
import type { KeptPlace, ResultPlace } from './resultPlace.ts';
import { findSecret } from './secrets.ts';
import { similarQuery } from './similarQuery.ts';

export type { KeptPlace, ResultPlace, ResultSymbol } from './resultPlace.ts';

export interface SearchFolder {
  readonly root: string;
  readonly stateFolder: string;
  /** Files with more are left out; by default those that no setting allows. */
  readonly maxFileBytes?: number;
}

/** The text of an editor that is not saved; without one, what is on disk counts again. */
export interface UnsavedText {
  readonly root: string;
  readonly path: string;
  readonly text?: string;
}

export interface SearchRequest {
  readonly folders: readonly SearchFolder[];
  /** In the query language. */
  readonly query: string;
  readonly limit: number;
  /** Whether results have an `explanation`. */
  readonly explain?: boolean;
  /** Whether further places in a file have an excerpt each. */
  readonly excerpts?: boolean;
  /** Lines to leave out: those that the query was made of. */
  readonly except?: FileLines;
  /** Whether Git may run in the folders, as `changed:` needs. */
  readonly isTrusted?: boolean;
}

/** Lines of a file, counted from 1, both ends included. */
export interface FileLines {
  readonly root: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

export interface CompletionRequest {
  readonly folders: readonly SearchFolder[];
  readonly query: string;
}

export interface SimilarRequest {
  readonly folders: readonly SearchFolder[];
  readonly text: string;
}

/** A file that answers, and the best place in it. */
export interface SearchResult extends ResultPlace, Excerpt {
  readonly root: string;
  readonly path: string;
  readonly language: string;
  readonly score: number;
  /** Up to three more places in the file, best first; none if it changed since it was indexed. */
  readonly more: readonly (ResultPlace & Partial<Excerpt>)[];
  /** What makes up the score, the largest share first; missing for a query of filters alone, which ranks nothing. */
  readonly explanation?: readonly Contribution[];
}

export interface SearchResponse {
  readonly results: readonly SearchResult[];
  /** What in the query was not understood, in its order; the rest was searched for. */
  readonly problems: readonly QueryProblem[];
  /** Folders in whose index the search met damage: who keeps them should verify it. */
  readonly damaged: readonly string[];
  /** Whether it may have missed something for that. */
  readonly isPartial: boolean;
  /**
   * How many files were left out that the index holds to be better than some of the results, as they are deleted, cannot
   * be read, or changed and are no answer any more. Until the index is up to date, others may be missing instead.
   */
  readonly leftOut: number;
  readonly tookMs: number;
}

/** Hits requested beyond the limit, because a file may have been deleted since it was indexed. */
const SPARE_HITS = 5;
/** The factor of hits to request again if these are not enough. */
const MORE_HITS = 4;
/** Upper bound of the setting for the size of files. */
const MAX_FILE_BYTES = 64 << 20;

/**
 * Searches the indexes of folders and checks the files themselves before it answers: a result whose file changed since
 * it was indexed is located again in the current file, and one whose file was deleted is left out.
 */
export class Searcher {
  readonly #readers = new Map<string, EngineReader>();
  /** By folder and path. */
  readonly #unsaved = new Map<string, Map<string, Buffer>>();
  /** State folders whose reader knows the texts as they are now. */
  readonly #overlaid = new Set<string>();
  readonly #changedFiles = new ChangedFiles();

  /** Searches find it from now on as it is here, with its lines, where the index has a file of that path. */
  setUnsaved({ root, path, text }: UnsavedText): void {
    const texts = this.#unsaved.get(root) ?? new Map<string, Buffer>();
    this.#unsaved.set(root, texts);
    if (text === undefined) texts.delete(path);
    else texts.set(path, Buffer.from(text));
    this.#overlaid.clear();
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResponse> {
    const began = performance.now();
    const { folders, query, limit, explain = false, except, excerpts = false, isTrusted = false } = request;
    const parsed = parseQueryLanguage(query);
    const roots = folders.map(({ root }) => root);
    const { byRoot, problems } = await this.#changedFiles.resolve(roots, parsed.filters, isTrusted);
    throwIfCancelled(signal);
    const changed = new Map(roots.map((root) => [root, this.#withUnsaved(root, byRoot.get(root) ?? new Map())]));
    const files = new Map(folders.map((folder) => [folder.root, this.#filesOf(folder)]));
    // For changed files alone, of which most searches have none.
    const locate: Locate = (root, path, text) => new Locator(parsed, changed.get(root)).locate(path, text);
    const excerpter = new Excerpter(parsed);
    const damaged = new Set<string>();
    const leftOut = new Set<string>();
    let isPartial = false;
    const find = async (count: number): Promise<{ readonly hits: FolderHit[]; readonly areAll: boolean }> => {
      const hits: FolderHit[] = [];
      let areAll = true;
      for (const { root, stateFolder } of folders) {
        const reader = this.#reader(stateFolder);
        this.#overlay(reader, root, stateFolder);
        const options = {
          limit: count,
          explain,
          changed: changed.get(root)!,
          readText: (path: string) => {
            const read = files.get(root)!(path);
            if (!read) leftOut.add(join(root, path));
            return read?.text.toString('utf8');
          },
          ...(signal && { signal }),
        };
        const found = await reader.search(query, options);
        for (const one of found) {
          const hit = except?.root === root && except.path === one.path ? outside(except, one) : one;
          if (hit) hits.push({ root, hit });
        }
        areAll &&= found.length < count;
        if (reader.damage.length > 0) damaged.add(root);
        isPartial ||= reader.damage.some(({ documents }) => documents !== 0);
      }
      return { hits: hits.sort((a, b) => b.hit.score - a.hit.score), areAll };
    };
    // One open folder may be within another.
    const presented = new Map<string, SearchResult | undefined>();
    let results: SearchResult[] = [];
    for (let count = limit + SPARE_HITS, areAll = false; !areAll && results.length < limit; count *= MORE_HITS) {
      const found = await find(count);
      areAll = found.areAll;
      results = [];
      const seen = new Set<string>();
      for (const { root, hit } of found.hits) {
        if (results.length === limit) break;
        const file = join(root, hit.path);
        if (seen.has(file)) continue;
        seen.add(file);
        if (!presented.has(file)) {
          const content = files.get(root)!(hit.path);
          presented.set(file, content && present(root, hit, content, locate, excerpter, excerpts));
        }
        const result = presented.get(file);
        if (!result) leftOut.add(file);
        else if (except?.root !== root || except.path !== hit.path || !overlaps(except, result)) results.push(result);
      }
    }
    const allProblems = [...parsed.problems, ...problems].sort((a, b) => a.start - b.start);
    return {
      results,
      problems: allProblems,
      damaged: [...damaged],
      isPartial,
      leftOut: leftOut.size,
      tookMs: performance.now() - began,
    };
  }

  /** Ways to finish the filter at the end of a query; see {@link completeFilter}. */
  complete({ folders, query }: CompletionRequest): Completion[] {
    return completeFilter(query, this.#readersOf(folders));
  }

  /** What to search for to find code like a text; see {@link similarQuery}. */
  similarQuery({ folders, text }: SimilarRequest): string {
    return similarQuery(text, this.#readersOf(folders));
  }

  /** The present ranges of stored results, in unsaved texts too; `undefined` for a result whose lines were deleted. */
  relocate(places: readonly KeptPlace[]): (KeptPlace | undefined)[] {
    const files = new Map<string, readonly string[]>();
    return places.map((place) => {
      const file = join(place.root, place.path);
      const lines = files.get(file) ?? linesOf(this.#filesOf(place)(place.path)?.text);
      files.set(file, lines);
      return relocate(place, lines);
    });
  }

  /** The text of a file as it is at this moment, unsaved or not, if the index may hold it; see {@link readIndexable}. */
  read(folder: FolderOptions, path: string): IndexableFile {
    return readIndexable(folder, path, Date.now(), this.#unsaved.get(folder.root)?.get(path));
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
  }

  /** Reads the files of a folder as they are at this moment, unsaved or not. */
  #filesOf(folder: Pick<SearchFolder, 'root' | 'maxFileBytes'>): (path: string) => FileText | undefined {
    const saved = textsOf(folder);
    return (path) => {
      const unsaved = this.#unsaved.get(folder.root)?.get(path);
      return unsaved ? { content: unsaved, text: unsaved } : saved(path);
    };
  }

  #readersOf(folders: readonly SearchFolder[]): EngineReader[] {
    return folders.map(({ stateFolder }) => this.#reader(stateFolder));
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

  #reader(stateFolder: string): EngineReader {
    const known = this.#readers.get(stateFolder);
    if (known) {
      known.refresh();
      return known;
    }
    const reader = new EngineReader(indexFolderOf(stateFolder));
    this.#readers.set(stateFolder, reader);
    return reader;
  }
}

interface FolderHit {
  readonly root: string;
  readonly hit: Hit;
}

/** The best place in a text that changed since it was indexed. */
type Locate = (root: string, path: string, text: Uint8Array) => SourceRange | undefined;

function present(
  root: string,
  hit: Hit,
  { content, text }: FileText,
  locate: Locate,
  excerpter: Excerpter,
  excerpts: boolean,
): SearchResult | undefined {
  const isUnchanged = documentId(hit.path, content) === hit.id;
  const place = isUnchanged ? hit : locate(root, hit.path, text);
  if (!place) return undefined;
  const lines = linesOf(text);
  const { path, language, score, explanation } = hit;
  return {
    root,
    path,
    language,
    score,
    ...toResultPlace(place),
    ...excerpter.excerpt(lines, place),
    more: isUnchanged
      ? hit.more.map((one) => ({ ...toResultPlace(one), ...(excerpts && excerpter.excerpt(lines, one)) }))
      : [],
    ...(explanation && { explanation }),
  };
}

function linesOf(text: Buffer | undefined): string[] {
  return text === undefined ? [] : text.toString('utf8').split(/\r\n|\r|\n/);
}

type Lines = Pick<FileLines, 'startLine' | 'endLine'>;

function overlaps(a: Lines, b: Lines): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine;
}

/** The hit with its best place outside of some lines; `undefined` if it has none. */
function outside(lines: Lines, hit: Hit): Hit | undefined {
  const [place, ...more] = [hit, ...hit.more].filter((one) => !overlaps(lines, one));
  if (!place) return undefined;
  const { startLine, endLine, symbol } = place;
  const { symbol: _old, ...rest } = hit;
  return { ...rest, startLine, endLine, ...(symbol && { symbol }), more };
}

function toResultPlace({ startLine, endLine, symbol }: SourceRange): ResultPlace {
  return { startLine, endLine, ...(symbol && { symbol: { name: symbol.name, kind: symbol.kind, line: symbol.line } }) };
}

/** A file's bytes and its text in UTF-8. */
interface FileText {
  readonly content: Buffer;
  readonly text: Buffer;
}

/** Reads the files of a folder; gives `undefined` for one that is deleted, no text, or may not be read. */
export function textsOf({
  root,
  maxFileBytes = MAX_FILE_BYTES,
}: Pick<SearchFolder, 'root' | 'maxFileBytes'>): (path: string) => FileText | undefined {
  const folder = new GuardedFolder(root);
  return (path) => {
    const read = folder.read(path, { maxBytes: maxFileBytes });
    if (!read || 'reason' in read) return undefined;
    const { content } = read;
    const text = toUtf8(content);
    return text && { content, text: Buffer.from(text.buffer, text.byteOffset, text.byteLength) };
  };
}
