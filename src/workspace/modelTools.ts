import { SextantError } from '../base/errors.ts';
import { prefixOf } from '../base/format.ts';
import { readGivenPath, type ModelFolder, type PathInFolder } from './givenPath.ts';
import { outlineOf } from './outline.ts';
import type { IndexableFile } from './readIndexable.ts';
import type {
  ResultPlace,
  SearchFolder,
  SearchRequest,
  SearchResponse,
  UsagesRequest,
  UsagesResponse,
} from './searcher.ts';

export interface SearchInput {
  readonly query: string;
  /** A file, a folder, or a glob of paths. */
  readonly path?: string | undefined;
  readonly language?: string | undefined;
  readonly limit?: number | undefined;
}

export interface ReadInput {
  readonly path: string;
  /** From 1, both ends included. */
  readonly startLine: number;
  readonly endLine: number;
}

export interface UsagesInput {
  readonly name: string;
  /** A glob of paths. */
  readonly path?: string | undefined;
  /** Number of usages to skip. */
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export interface FilesInput {
  /** A glob of paths, or a folder. */
  readonly path?: string | undefined;
  readonly language?: string | undefined;
  /** Files that differ from the last commit, also untracked ones. */
  readonly changed?: boolean | undefined;
  /** Number of files to skip. */
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export interface OutlineInput {
  /** A file, a folder, or a glob of paths. */
  readonly path: string;
  /** Number of files to skip. */
  readonly offset?: number | undefined;
}

export interface ExplainInput {
  readonly path: string;
  readonly query?: string | undefined;
}

/** Restricts a request to a path of one folder. */
export interface Scoped {
  readonly within?: PathInFolder;
}

export interface ModelToolsParts {
  readonly folders: () => readonly ModelFolder[];
  readonly search: (request: ModelSearch, signal: AbortSignal) => Promise<SearchResponse>;
  readonly usages: (request: ModelUsages, signal: AbortSignal) => Promise<UsagesResponse>;
  readonly read: (root: string, path: string) => Promise<IndexableFile>;
  /** Sentences on why a file is found or not; with a query, on its rank. */
  readonly explain: (file: PathInFolder, query: string | undefined, signal: AbortSignal) => Promise<readonly string[]>;
}

export type ModelSearch = Scoped & Pick<SearchRequest, 'query' | 'limit'>;
export type ModelUsages = Scoped & Pick<UsagesRequest, 'name' | 'filters'>;

/** The folders of a request: all, or a path of one. */
export function foldersWithin<T extends SearchFolder>(all: readonly T[], { within }: Scoped): readonly T[] {
  if (!within) return all;
  return all.filter(({ root }) => root === within.root).map((folder) => ({ ...folder, below: within.path }));
}

/** Limits of a model's requests; package.json and the MCP server state them. */
export const TOOL_LIMITS = {
  queryLength: 1000,
  defaultResults: 10,
  maxResults: 30,
  defaultUsages: 50,
  maxUsages: 200,
  defaultFiles: 200,
  maxFiles: 1000,
} as const;

const GLOB = /[*?[{]/;
const UNFINISHED = 'Only part of the files were searched for the phrase. Add words or filters.';
const MAX_LINES = 400;
const MAX_CHARACTERS = 40_000;
/** Number of files and definitions in an outline. */
const MAX_OUTLINED_FILES = 40;
const MAX_OUTLINED = 300;

/**
 * Tools for language models: search folders, find usages of names, list files and definitions, and read lines of files by the
 * rules of {@link IndexableFile}. All return plain data for JSON, so that a file's text cannot be taken for anything else.
 * Errors are written for the model.
 */
export class ModelTools {
  readonly #parts: ModelToolsParts;

  constructor(parts: ModelToolsParts) {
    this.#parts = parts;
  }

  async search(input: SearchInput, signal: AbortSignal): Promise<object> {
    const { query, limit = TOOL_LIMITS.defaultResults } = input;
    const { filters, within } = this.#filtersOf(input);
    // Filters precede a query whose last quotation mark may be missing.
    const request = {
      query: [...filters, query].join(' '),
      limit: Math.min(limit, TOOL_LIMITS.maxResults),
      ...(within && { within }),
    };
    const { results, problems, leftOut, isUnfinished } = await this.#parts.search(request, signal);
    // A file may have become a secret since it was indexed.
    const files = await Promise.all(results.map(({ root, path }) => this.#parts.read(root, path)));
    const shown = results.filter((_, i) => 'text' in files[i]!);
    // Count files that are not shown, so that a short answer is not taken for a complete one.
    const missing = leftOut + results.length - shown.length;
    const own = filters.join(' ').length;
    const found = [...messagesOf(problems, own), ...(await this.#absence(results, input.path))];
    return {
      ...(missing > 0 && { leftOut: missing }),
      ...(isUnfinished && { unfinished: UNFINISHED }),
      results: shown.map(({ root, path, line, text, more, alike: _alike, ...place }) => ({
        path: this.#shownPath(root, path),
        ...presentPlace(place),
        bestLine: line,
        text,
        ...(more.length > 0 && { more: more.map(presentPlace) }),
      })),
      ...(found.length > 0 && { problems: found }),
    };
  }

  /** Throws `InvalidSpan` and `NotShown`. */
  async read({ path, startLine, endLine }: ReadInput): Promise<object> {
    if (endLine < startLine) throw new SextantError('InvalidSpan', 'endLine is before startLine. Give them in order.');
    const file = await this.#find(path);
    if (!file) throw await this.#notShown(path);
    const lines = file.text.split(/\r\n|\r|\n/);
    if (startLine > lines.length)
      throw new SextantError('InvalidSpan', `${path} has ${lines.length} lines. Ask for lines among these.`);
    const last = Math.min(endLine, lines.length, startLine + MAX_LINES - 1);
    const text = lines.slice(startLine - 1, last).join('\n');
    const isCut = text.length > MAX_CHARACTERS || last < Math.min(endLine, lines.length);
    const shownPath = this.#shownPath(file.root, file.path);
    return {
      path: shownPath,
      startLine,
      endLine: last,
      lines: lines.length,
      text: prefixOf(text, MAX_CHARACTERS),
      isCut,
    };
  }

  /** Usages of a name, by its text alone, those in defining files first. Throws `InvalidName`. */
  async findUsages(input: UsagesInput, signal: AbortSignal): Promise<object> {
    const { name, path, offset = 0, limit = TOOL_LIMITS.defaultUsages } = input;
    const { filter: filters, within } = path === undefined ? {} : this.#below(path);
    const request = { name: name.trim(), ...(filters !== undefined && { filters }), ...(within && { within }) };
    const { usages, isComplete, problems } = await this.#parts.usages(request, signal);
    const page = usages.slice(offset, offset + Math.min(limit, TOOL_LIMITS.maxUsages));
    const next = offset + page.length;
    // Its problem gives the advice.
    const isUnsearched = problems.some(({ code }) => code === 'IndexFormat');
    // A file may have become a secret since it was indexed.
    const readable = new Map<string, boolean>();
    for (const { root, path: file } of page) {
      const key = this.#shownPath(root, file);
      if (!readable.has(key)) readable.set(key, 'text' in (await this.#parts.read(root, file)));
    }
    const found = [...messagesOf(problems), ...(await this.#absence(usages, path))];
    const shown = page.filter(({ root, path: file }) => readable.get(this.#shownPath(root, file)));
    return {
      name: request.name,
      total: usages.length,
      files: new Set(usages.map(({ root, path: file }) => this.#shownPath(root, file))).size,
      ...(shown.length < page.length && { leftOut: page.length - shown.length }),
      ...(!isComplete && { incomplete: `Not all files were read.${isUnsearched ? '' : ' Restrict path.'}` }),
      ...(next < usages.length && { nextOffset: next }),
      usages: shown.map(({ root, path: file, line, kind, within, text }) => ({
        path: this.#shownPath(root, file),
        line,
        kind,
        ...(within !== undefined && { in: within }),
        text,
      })),
      ...(found.length > 0 && { problems: found }),
    };
  }

  /** Definitions of a file with their lines, or of the files of a folder. Throws `NotShown`. */
  async outline({ path, offset = 0 }: OutlineInput, signal: AbortSignal): Promise<object> {
    const file = await this.#find(path);
    if (file)
      return { path: this.#shownPath(file.root, file.path), ...firstOf(file.path, file.text, MAX_OUTLINED, true) };
    const { files, leftOut } = await this.#list({ path, offset, limit: MAX_OUTLINED_FILES }, signal);
    const [problem] = await this.#absence(files, path);
    if (problem !== undefined) throw new SextantError('NotShown', problem);
    const outlines: object[] = [];
    let room = MAX_OUTLINED;
    let seen = 0;
    for (const one of files) {
      if (room <= 0) break;
      seen++;
      const read = await this.#parts.read(one.root, one.path);
      if (!('text' in read)) continue;
      const outline = firstOf(one.path, read.text, room, false);
      room -= outline.definitions.length;
      outlines.push({ path: this.#shownPath(one.root, one.path), ...outline });
    }
    const hasMore = leftOut || seen < files.length;
    return { files: outlines, ...(hasMore && { nextOffset: offset + seen }) };
  }

  /** Paths of indexed files by glob, language or change, in their order. */
  async listFiles(input: FilesInput, signal: AbortSignal): Promise<object> {
    const { files, leftOut, problems } = await this.#list(input, signal);
    const paths = files.map(({ root, path }) => this.#shownPath(root, path));
    const next = { nextOffset: (input.offset ?? 0) + files.length };
    const found = [...problems, ...(await this.#absence(files, input.path))];
    return { files: paths, ...(leftOut && next), ...(found.length > 0 && { problems: found }) };
  }

  /** Why a file is found or not; with a query, its rank, or the parts of the query that it does not match. */
  async explainMissing({ path, query }: ExplainInput, signal: AbortSignal): Promise<object> {
    const file = (await this.#find(path)) ?? readGivenPath(path, this.#parts.folders())[0];
    if (!file) throw await this.#notShown(path);
    const { root, path: inFolder } = file;
    const explanation = await this.#parts.explain({ root, path: inFolder }, query, signal);
    return { path: this.#shownPath(root, inFolder), explanation };
  }

  async #list(
    { path, language, changed, offset = 0, limit = TOOL_LIMITS.defaultFiles }: FilesInput,
    signal: AbortSignal,
  ): Promise<{ files: readonly PathInFolder[]; leftOut: boolean; problems: readonly string[] }> {
    const most = Math.min(limit, TOOL_LIMITS.maxFiles);
    const { filters, within } = this.#filtersOf({ path, language });
    const query = [...(filters.length > 0 ? filters : ['path:**']), ...(changed ? ['changed:'] : [])].join(' ');
    const request = { query, limit: offset + most + 1, ...(within && { within }) };
    const { results, problems } = await this.#parts.search(request, signal);
    return {
      files: results.slice(offset, offset + most),
      leftOut: results.length > offset + most,
      problems: messagesOf(problems),
    };
  }

  #filtersOf({ path, language }: Pick<FilesInput, 'path' | 'language'>): Scoped & { readonly filters: string[] } {
    const { filter, within } = path === undefined ? {} : this.#below(path);
    const filters = [
      ...(filter === undefined ? [] : [filter]),
      ...(language === undefined ? [] : [`lang:${quoted(language)}`]),
    ];
    return { filters, ...(within && { within }) };
  }

  /** The filter of a glob, and the folder that it names; of a path without wildcards, the file or folder that it means. */
  #below(given: string): Scoped & { readonly filter?: string } {
    const folders = this.#parts.folders();
    if (GLOB.test(given)) {
      const glob = given.replace(/^\.\//, '');
      for (const { root, prefix } of folders)
        for (const before of [`${root.replaceAll('\\', '/')}/`, prefix])
          if (before !== '' && glob.startsWith(before))
            return { filter: `path:${quoted(glob.slice(before.length))}`, within: { root, path: '' } };
      return { filter: `path:${quoted(glob)}` };
    }
    const [within] = readGivenPath(given, folders);
    return within ? { within } : { filter: `path:${quoted(`/${given}{,/**}`)}` };
  }

  /** Why nothing is found at a path: it is missing, left out or outside. Empty if something is, or the path is a folder. */
  async #absence(found: readonly unknown[], path: string | undefined): Promise<readonly string[]> {
    if (found.length > 0 || path === undefined || GLOB.test(path)) return [];
    const folders = this.#parts.folders();
    const [meant] = readGivenPath(path, folders);
    const file = meant && (await this.#parts.read(meant.root, meant.path));
    // With several folders the path may be one in each of them.
    if (file ? 'text' in file || file.isFolder : folders.length > 1) return [];
    return [(await this.#notShown(path)).message];
  }

  /** The first file that a path means and that may be shown. */
  async #find(path: string): Promise<(PathInFolder & { readonly text: string }) | undefined> {
    for (const meant of readGivenPath(path, this.#parts.folders())) {
      if (meant.path === '') continue;
      const file = await this.#parts.read(meant.root, meant.path);
      if ('text' in file) return { ...meant, text: file.text };
    }
    return undefined;
  }

  async #notShown(path: string): Promise<SextantError> {
    const folders = this.#parts.folders();
    const [meant] = readGivenPath(path, folders);
    if (meant) {
      const file = await this.#parts.read(meant.root, meant.path);
      if ('refused' in file) return new SextantError('NotShown', file.refused);
    }
    const roots = folders.map(({ root }) => root).join(', ');
    return new SextantError('NotShown', `${path} is outside of ${roots}. Only files below can be read.`);
  }

  #shownPath(root: string, path: string): string {
    return `${this.#parts.folders().find((one) => one.root === root)?.prefix ?? ''}${path}`;
  }
}

/** The messages, but for filters before `own`: these are made of a path or language, whose absence the tools explain. */
function messagesOf(problems: SearchResponse['problems'], own = Infinity): string[] {
  return problems.filter(({ code, start }) => code !== 'FilterNotFound' || start >= own).map(({ message }) => message);
}

function presentPlace({ startLine, endLine, symbol }: ResultPlace): object {
  return { startLine, endLine, ...(symbol && { definition: `${symbol.kind} ${symbol.name}` }) };
}

/** The first `most` definitions of a text: `12-30 function Foo.bar`. */
function firstOf(
  path: string,
  text: string,
  most: number,
  withFields: boolean,
): { readonly definitions: string[]; readonly isCut?: true } {
  const lines = outlineOf(path, text, withFields).map(({ startLine, endLine, kind, name }) => {
    return `${startLine}${endLine > startLine ? `-${endLine}` : ''} ${kind} ${name}`;
  });
  return { definitions: lines.slice(0, most), ...(lines.length > most && { isCut: true }) };
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '')}"`;
}
