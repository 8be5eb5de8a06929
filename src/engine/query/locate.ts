import { Analyzer } from '../analyze/analyzer.ts';
import type { Chunk } from '../analyze/chunks.ts';
import { isIndexable, splitIdentifier, stem } from '../analyze/words.ts';
import { toSymbolSpan, type SymbolSpan } from '../index/documents.ts';
import { compileFilters, isNamed, namesOf, type ChangedPaths, type CompiledFilters } from './filters.ts';
import { Highlighter } from './highlight.ts';
import { compilePhrase, type Phrase } from './phrase.ts';
import { placeInChunk, scoreSymbol, type SourceRange } from './sourceRange.ts';
import { WORD, parseQuery, type Query } from './query.ts';
import type { ParsedQuery } from './queryLanguage.ts';

/** Worth of a definition that matches `sym:`, equal to that of a name among the words. */
const ASKED_SYMBOL = 2;

/**
 * Locates the answer to a query in texts outside the index, such as files changed since. Filters, phrases and
 * exclusions apply as in a search.
 */
export class Locator {
  readonly #query: Query;
  readonly #highlighter: Highlighter;
  readonly #filters: CompiledFilters;
  readonly #wanted: readonly Phrase[];
  readonly #excluded: readonly Phrase[];
  readonly #excludedWords: readonly (readonly string[])[];

  constructor({ words, phrases, filters, excludedWords }: ParsedQuery, changed?: ChangedPaths) {
    const compile = (isExcluded: boolean): Phrase[] =>
      phrases.filter(({ exclude }) => exclude === isExcluded).map(({ text }) => compilePhrase(text));
    this.#query = parseQuery(words);
    this.#highlighter = new Highlighter(this.#query);
    this.#filters = compileFilters(filters, changed);
    this.#wanted = compile(false);
    this.#excluded = compile(true);
    this.#excludedWords = excludedWords.map(({ text }) => splitIdentifier(text));
  }

  /** The best place in a text of UTF-8; `undefined` if the text does not answer the query. */
  locate(path: string, text: Uint8Array): SourceRange | undefined {
    const content = Buffer.from(text).toString('utf8');
    const phrases = this.#wanted.map((phrase) => phrase.firstIn(content)?.line);
    if (phrases.includes(undefined) || this.#excluded.some((phrase) => phrase.firstIn(content))) return undefined;
    if (this.#hasExcludedWord(content)) return undefined;
    const { language, chunks, definitions } = new Analyzer().analyze(path, text);
    if (!this.#filters.matchesDocument(path, language)) return undefined;
    const symbols = definitions.map(toSymbolSpan);
    const { wantedSymbol, excludedSymbol, nearness } = this.#filters;
    const nearnessOf = (symbol: SymbolSpan): number => Math.max(...namesOf(symbol).map(nearness));
    if (excludedSymbol && symbols.some((symbol) => isNamed(symbol, excludedSymbol))) return undefined;
    const asked = wantedSymbol ? symbols.filter((symbol) => isNamed(symbol, wantedSymbol)) : [];
    if (wantedSymbol && asked.length === 0) return undefined;

    const [phraseLine] = phrases;
    const lines = content.split(/\r\n|\r|\n/);
    const nearestIn = (chunk: Chunk): number =>
      Math.max(0, ...asked.filter(({ line }) => isIn(line, chunk)).map(nearnessOf));
    const score = (chunk: Chunk): number => {
      if (phraseLine !== undefined && isIn(phraseLine, chunk)) return Infinity;
      const words = this.#highlighter.score(lines.slice(chunk.start, chunk.end + 1).join('\n'));
      const near = nearestIn(chunk);
      return words + (near > 0 ? ASKED_SYMBOL + near / 4 : 0);
    };
    let best: Chunk | undefined;
    let bestScore = this.#query.words.length === 0 ? -1 : 0;
    for (const chunk of chunks) {
      const value = score(chunk);
      if (value <= bestScore) continue;
      best = chunk;
      bestScore = value;
    }
    if (!best) return undefined;
    let shown = symbols;
    if (phraseLine !== undefined) shown = symbols.filter((s) => s.startLine <= phraseLine && phraseLine <= s.endLine);
    else if (nearestIn(best) > 0) shown = asked;
    return placeInChunk(
      shown,
      best.start + 1,
      best.end + 1,
      (i) => scoreSymbol(shown[i]!, this.#query) + nearnessOf(shown[i]!),
    );
  }

  #hasExcludedWord(content: string): boolean {
    if (this.#excludedWords.length === 0) return false;
    const words = new Set<string>();
    const names = new Set<string>();
    for (const [name] of content.matchAll(WORD)) {
      const parts = splitIdentifier(name);
      for (const part of parts) if (isIndexable(part)) words.add(stem(part));
      if (parts.length > 1) names.add(parts.join(''));
    }
    return this.#excludedWords.some((parts) =>
      parts.length === 1 ? words.has(stem(parts[0]!)) : names.has(parts.join('')),
    );
  }
}

/** `line` counts from 1. */
function isIn(line: number, { start, end }: Chunk): boolean {
  return start < line && line <= end + 1;
}
