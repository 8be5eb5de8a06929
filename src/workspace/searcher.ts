import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { toUtf8 } from '../engine/analyze/text.ts';
import { documentId } from '../engine/documentId.ts';
import { EngineReader } from '../engine/engine.ts';
import type { DefinitionKind } from '../engine/analyze/languages.ts';
import { Highlighter, type Range } from '../engine/query/highlight.ts';
import { locate } from '../engine/query/place.ts';
import { parseQuery, type Query } from '../engine/query/query.ts';
import type { Hit } from '../engine/query/search.ts';
import { indexFolderOf } from './folderOptions.ts';

export interface SearchFolder {
  readonly root: string;
  readonly stateFolder: string;
}

export interface SearchRequest {
  readonly folders: readonly SearchFolder[];
  readonly query: string;
  readonly limit: number;
}

/** A place as it is on disk at this moment. Lines count from 1, both ends included. */
export interface SearchResult {
  readonly root: string;
  readonly path: string;
  readonly language: string;
  readonly score: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly symbol?: { readonly name: string; readonly kind: DefinitionKind; readonly line: number };
  /** The line of the span that answers best, its text without indentation, and the matches in that text. */
  readonly line: number;
  readonly text: string;
  readonly ranges: readonly Range[];
}

export interface SearchResponse {
  readonly results: readonly SearchResult[];
  /** Folders in whose index the search met damage, and so may have missed something: who keeps them should verify it. */
  readonly damaged: readonly string[];
  readonly tookMs: number;
}

/** More hits than asked for, because a file may be gone since it was indexed. */
const SPARE_HITS = 5;
const MAX_LINE = 200;

/**
 * Searches the indexes of folders and looks at the files themselves before it answers: a result whose file changed since
 * it was indexed is located again in the file as it is now, and one whose file is gone is left out.
 */
export class Searcher {
  readonly #readers = new Map<string, EngineReader>();

  async search({ folders, query: text, limit }: SearchRequest, signal?: AbortSignal): Promise<SearchResponse> {
    const began = performance.now();
    const query = parseQuery(text);
    const highlighter = new Highlighter(query);
    const hits: { readonly root: string; readonly hit: Hit }[] = [];
    const damaged: string[] = [];
    for (const { root, stateFolder } of folders) {
      const options = { limit: limit + SPARE_HITS, ...(signal && { signal }) };
      const reader = this.#reader(stateFolder);
      for (const hit of await reader.search(text, options)) hits.push({ root, hit });
      if (reader.damage.length > 0) damaged.push(root);
    }
    hits.sort((a, b) => b.hit.score - a.hit.score);
    const results: SearchResult[] = [];
    for (const { root, hit } of hits) {
      if (results.length === limit) break;
      const result = present(root, hit, query, highlighter);
      if (result) results.push(result);
    }
    return { results, damaged, tookMs: performance.now() - began };
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
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

function present(root: string, hit: Hit, query: Query, highlighter: Highlighter): SearchResult | undefined {
  let content: Uint8Array;
  try {
    content = readFileSync(join(root, hit.path));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
  const utf8 = toUtf8(content);
  if (!utf8) return undefined;
  const place = documentId(hit.path, content) === hit.id ? hit : locate(hit.path, utf8, query);
  if (!place) return undefined;
  const lines = Buffer.from(utf8)
    .toString('utf8')
    .split(/\r\n|\r|\n/);
  const { startLine, endLine, symbol } = place;
  const line = bestLine(lines, startLine, endLine, symbol?.line, highlighter);
  const shown = (lines[line - 1] ?? '').trim().slice(0, MAX_LINE);
  return {
    root,
    path: hit.path,
    language: hit.language,
    score: hit.score,
    startLine,
    endLine,
    ...(symbol && { symbol: { name: symbol.name, kind: symbol.kind, line: symbol.line } }),
    line,
    text: shown,
    ranges: highlighter.ranges(shown),
  };
}

/** The line with most of the query; between equals the defining one, then the first. */
function bestLine(
  lines: readonly string[],
  startLine: number,
  endLine: number,
  symbolLine: number | undefined,
  highlighter: Highlighter,
): number {
  let best = startLine;
  let bestScore = 0;
  for (let line = startLine; line <= Math.min(endLine, lines.length); line++) {
    const score = highlighter.score(lines[line - 1]!) + (line === symbolLine ? 0.5 : 0);
    if (score > bestScore) {
      best = line;
      bestScore = score;
    }
  }
  return best;
}
