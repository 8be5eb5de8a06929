import { MemorySegment } from '../index/memorySegment.ts';
import type { ChangedPaths } from './filters.ts';
import type { ParsedQuery } from './queryLanguage.ts';
import { searchParsed } from './search.ts';
import { SearchMemory } from './searchMemory.ts';
import type { SourceRange } from './sourceRange.ts';

/** A document of one text needs no id. */
const NO_ID = '0'.repeat(64);

/**
 * Locates the answer to a query in texts outside the index, such as files changed since: searches each by itself, so that
 * filters, phrases, exclusions and the choice of the place are those of a search.
 */
export class Locator {
  readonly #parsed: ParsedQuery;
  readonly #changed: ChangedPaths | undefined;
  readonly #memory = new SearchMemory();

  constructor(parsed: ParsedQuery, changed?: ChangedPaths) {
    this.#parsed = parsed;
    this.#changed = changed;
  }

  /** The best place in a text of UTF-8; `undefined` if the text does not answer the query. */
  locate(path: string, text: Uint8Array): SourceRange | undefined {
    const segment = new MemorySegment([{ id: NO_ID, path, text }]);
    try {
      const changed = this.#changed && { changed: this.#changed };
      const readText = (): string => Buffer.from(text).toString('utf8');
      const [hit] = searchParsed([segment], this.#parsed, { ...changed, limit: 1, readText }, this.#memory);
      return hit && { startLine: hit.startLine, endLine: hit.endLine, ...(hit.symbol && { symbol: hit.symbol }) };
    } finally {
      segment.reader.close();
    }
  }
}
