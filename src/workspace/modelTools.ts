import { SextantError } from '../base/errors.ts';
import type { IndexableFile } from './readIndexable.ts';
import type { SearchRequest, SearchResponse } from './searcher.ts';

export interface SearchInput {
  readonly query: string;
  readonly limit?: number | undefined;
}

export interface ReadInput {
  readonly path: string;
  /** From 1, both ends included. */
  readonly startLine: number;
  readonly endLine: number;
}

/** A folder as models see it. With several folders each path begins with `prefix`, which ends with `/`; else it is empty. */
export interface ModelFolder {
  readonly root: string;
  readonly prefix: string;
}

export interface ModelToolsParts {
  readonly folders: () => readonly ModelFolder[];
  readonly search: (request: Pick<SearchRequest, 'query' | 'limit'>, signal: AbortSignal) => Promise<SearchResponse>;
  readonly read: (root: string, path: string) => Promise<IndexableFile>;
}

/** Limits of a model's requests; package.json and the MCP server state them. */
export const TOOL_LIMITS = { queryLength: 1000, defaultResults: 10, maxResults: 30 } as const;

const UNFINISHED = 'Only part of the files were searched for the phrase. Add words or filters.';
const MAX_LINES = 400;
const MAX_CHARACTERS = 40_000;

/**
 * Tools for language models: search folders, and read lines of their files by the rules of {@link IndexableFile}. Both return
 * plain data for JSON, so that a file's text cannot be taken for anything else. Errors are written for the model.
 */
export class ModelTools {
  readonly #parts: ModelToolsParts;

  constructor(parts: ModelToolsParts) {
    this.#parts = parts;
  }

  async search({ query, limit = TOOL_LIMITS.defaultResults }: SearchInput, signal: AbortSignal): Promise<object> {
    const request = { query, limit: Math.min(limit, TOOL_LIMITS.maxResults) };
    const { results, problems, leftOut, isUnfinished } = await this.#parts.search(request, signal);
    // A file may have become a secret since it was indexed.
    const files = await Promise.all(results.map(({ root, path }) => this.#parts.read(root, path)));
    const shown = results.filter((_, i) => 'text' in files[i]!);
    // Count files that are not shown, so that a short answer is not taken for a complete one.
    const missing = leftOut + results.length - shown.length;
    return {
      ...(missing > 0 && { leftOut: missing }),
      ...(isUnfinished && { unfinished: UNFINISHED }),
      results: shown.map(({ root, path, startLine, endLine, symbol, line, text }) => ({
        path: this.#shownPath(root, path),
        startLine,
        endLine,
        ...(symbol && { definition: `${symbol.kind} ${symbol.name}` }),
        bestLine: line,
        text,
      })),
      ...(problems.length > 0 && { problems: problems.map(({ message }) => message) }),
    };
  }

  /** Throws `InvalidSpan` and `NotShown`. */
  async read({ path, startLine, endLine }: ReadInput): Promise<object> {
    if (endLine < startLine) throw new SextantError('InvalidSpan', 'endLine is before startLine. Give them in order.');
    const lines = (await this.#read(path)).split(/\r\n|\r|\n/);
    if (startLine > lines.length)
      throw new SextantError('InvalidSpan', `${path} has ${lines.length} lines. Ask for lines among these.`);
    const last = Math.min(endLine, lines.length, startLine + MAX_LINES - 1);
    const text = lines.slice(startLine - 1, last).join('\n');
    const isCut = text.length > MAX_CHARACTERS || last < Math.min(endLine, lines.length);
    return { path, startLine, endLine: last, lines: lines.length, text: text.slice(0, MAX_CHARACTERS), isCut };
  }

  async #read(path: string): Promise<string> {
    let refused: string | undefined;
    for (const { root, prefix } of this.#parts.folders()) {
      if (!path.startsWith(prefix)) continue;
      const file = await this.#parts.read(root, path.slice(prefix.length));
      if ('text' in file) return file.text;
      refused ??= file.refused;
    }
    throw new SextantError(
      'NotShown',
      refused ?? `${path} is in no folder of the workspace. Use a path that search_workspace gave.`,
    );
  }

  #shownPath(root: string, path: string): string {
    return `${this.#parts.folders().find((one) => one.root === root)?.prefix ?? ''}${path}`;
  }
}
