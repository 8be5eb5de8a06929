import { Analyzer } from '../analyze/analyzer.ts';
import { splitIdentifier, stem } from '../analyze/words.ts';
import { toSymbolSpan, type SymbolSpan } from '../index/documents.ts';
import { Highlighter } from './highlight.ts';
import type { Query } from './query.ts';

/** Lines of a document that answer a query, from 1, both ends included. */
export interface Place {
  readonly startLine: number;
  readonly endLine: number;
  /** The definition that the lines are, or are in. */
  readonly symbol?: SymbolSpan;
}

/** What to show of a chunk: the definition in it that the query names, else all of it. */
export function placeInChunk(symbols: readonly SymbolSpan[], startLine: number, endLine: number, query: Query): Place {
  const symbol = bestSymbol(symbols, startLine, endLine, query);
  if (!symbol) return { startLine, endLine };
  const isWithin = symbol.startLine >= startLine && symbol.endLine <= endLine;
  return isWithin ? { startLine: symbol.startLine, endLine: symbol.endLine, symbol } : { startLine, endLine, symbol };
}

/** The best place in a text that is not in an index; `undefined` if nothing in it answers the query. */
export function locate(path: string, text: Uint8Array, query: Query): Place | undefined {
  const { chunks, definitions } = new Analyzer().analyze(path, text);
  const lines = Buffer.from(text)
    .toString('utf8')
    .split(/\r\n|\r|\n/);
  const highlighter = new Highlighter(query);
  let best: { readonly start: number; readonly end: number } | undefined;
  let bestScore = 0;
  for (const chunk of chunks) {
    const score = highlighter.score(lines.slice(chunk.start, chunk.end + 1).join('\n'));
    if (score <= bestScore) continue;
    best = chunk;
    bestScore = score;
  }
  return best && placeInChunk(definitions.map(toSymbolSpan), best.start + 1, best.end + 1, query);
}

/**
 * The definition to name a chunk by: of those in it, the one whose name answers most of the query; if none does, the one
 * that makes up most of the chunk; else the innermost that encloses it.
 */
function bestSymbol(
  symbols: readonly SymbolSpan[],
  startLine: number,
  endLine: number,
  query: Query,
): SymbolSpan | undefined {
  let named: SymbolSpan | undefined;
  let namedScore = 0;
  let main: SymbolSpan | undefined;
  let enclosing: SymbolSpan | undefined;
  for (const symbol of symbols) {
    if (symbol.startLine <= startLine && symbol.endLine >= endLine) enclosing = symbol;
    if (symbol.line < startLine || symbol.line > endLine) continue;
    if (symbol.endLine - symbol.startLine >= (endLine - startLine) / 2) main = symbol;
    const score = nameScore(symbol.name, query);
    if (score > namedScore) {
      named = symbol;
      namedScore = score;
    }
  }
  return named ?? main ?? enclosing;
}

function nameScore(name: string, query: Query): number {
  const parts = splitIdentifier(name);
  const words = parts.map(stem);
  let matched = 0;
  for (const word of query.words) if (words.includes(word)) matched++;
  const folded = parts.join('');
  for (const name of [...query.names, ...query.pairs, ...query.possibleNames]) if (name === folded) matched += 2;
  return matched === 0 ? 0 : matched + matched / Math.max(1, words.length);
}
