import * as vscode from 'vscode';
import { SextantError } from '../base/errors.ts';
import type { SearchRequest, SearchResponse } from '../workspace/searcher.ts';
import type { ShownFile } from '../workspace/readShown.ts';
import type { Folders } from './folders.ts';

export interface SearchInput {
  readonly query: string;
  readonly limit?: number;
}

export interface ReadInput {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

export interface ToolsParts {
  readonly folders: Folders;
  readonly search: (request: Pick<SearchRequest, 'query' | 'limit'>, signal: AbortSignal) => Promise<SearchResponse>;
  readonly read: (root: string, path: string) => Promise<ShownFile>;
}

const DEFAULT_RESULTS = 10;
const MAX_RESULTS = 30;
const MAX_LINES = 400;
const MAX_CHARACTERS = 40_000;

/**
 * What language models may do with the workspace, once a person has allowed it: search it, and read lines of it. Both give
 * JSON, so that what stands in a file cannot be taken for anything else. Errors are written for the model.
 */
export class Tools {
  readonly #parts: ToolsParts;

  constructor(parts: ToolsParts) {
    this.#parts = parts;
  }

  async search({ query, limit = DEFAULT_RESULTS }: SearchInput, signal: AbortSignal): Promise<unknown> {
    refuseUntrusted();
    const { results, problems } = await this.#parts.search({ query, limit: Math.min(limit, MAX_RESULTS) }, signal);
    // A file may have become a secret since it was indexed.
    const files = await Promise.all(results.map(({ root, path }) => this.#parts.read(root, path)));
    const shown = results.filter((_, i) => 'text' in files[i]!);
    return {
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

  async read({ path, startLine, endLine }: ReadInput): Promise<unknown> {
    refuseUntrusted();
    if (endLine < startLine) throw new SextantError('InvalidSpan', 'endLine is before startLine. Give them in order.');
    const file = await this.#read(path);
    const lines = file.split(/\r\n|\r|\n/);
    if (startLine > lines.length)
      throw new SextantError('InvalidSpan', `${path} has ${lines.length} lines. Ask for lines among these.`);
    const last = Math.min(endLine, lines.length, startLine + MAX_LINES - 1);
    const text = lines.slice(startLine - 1, last).join('\n');
    const isCut = text.length > MAX_CHARACTERS || last < Math.min(endLine, lines.length);
    return { path, startLine, endLine: last, lines: lines.length, text: text.slice(0, MAX_CHARACTERS), isCut };
  }

  async #read(path: string): Promise<string> {
    let refused: string | undefined;
    for (const place of this.#placesOf(path)) {
      const file = await this.#parts.read(place.root, place.path);
      if ('text' in file) return file.text;
      refused ??= file.refused;
    }
    throw new SextantError(
      'NotShown',
      refused ?? `${path} is in no folder of the workspace. Use a path that search_workspace gave.`,
    );
  }

  /** In a workspace of several folders a path begins with the folder's name, as the editor shows it. */
  #shownPath(root: string, path: string): string {
    const folder = vscode.workspace.getWorkspaceFolder(this.#parts.folders.uriOf(root));
    return this.#parts.folders.all.length > 1 && folder ? `${folder.name}/${path}` : path;
  }

  #placesOf(path: string): { readonly root: string; readonly path: string }[] {
    const { folders } = this.#parts;
    if (folders.all.length <= 1) return folders.all.map(({ root }) => ({ root, path }));
    return folders.all
      .map(({ root }) => ({ root, prefix: this.#shownPath(root, '') }))
      .filter(({ prefix }) => path.startsWith(prefix))
      .map(({ root, prefix }) => ({ root, path: path.slice(prefix.length) }));
  }
}

/** They are not even registered there; nobody may come past that. */
function refuseUntrusted(): void {
  if (!vscode.workspace.isTrusted)
    throw new SextantError('NotTrusted', 'The workspace is not trusted, so its files are not given to a model.');
}
