import { TYPE_KINDS } from '../analyze/languages.ts';
import { foldName, nameSegments } from '../analyze/symbolNames.ts';
import { isIndexable, splitIdentifier } from '../analyze/words.ts';
import type { SymbolSpan } from '../index/documents.ts';
import { keep } from './keep.ts';
import type { Query } from './query.ts';
import { stemOf } from './wordMatch.ts';

/** Lines of a document that answer a query, from 1, both ends included. */
export interface Place {
  readonly startLine: number;
  readonly endLine: number;
  /** The definition that the lines are, or are in. */
  readonly symbol?: SymbolSpan;
}

/** How well the name of the `i`th symbol answers the query; 0 for not at all. */
export type NameScore = (i: number) => number;

/** What to show of a chunk: the definition in it that the query names, else all of it. */
export function placeInChunk(
  symbols: readonly SymbolSpan[],
  startLine: number,
  endLine: number,
  nameScore: NameScore,
): Place {
  const symbol = bestSymbol(symbols, startLine, endLine, nameScore);
  if (!symbol) return { startLine, endLine };
  const isWithin = symbol.startLine >= startLine && symbol.endLine <= endLine;
  return isWithin ? { startLine: symbol.startLine, endLine: symbol.endLine, symbol } : { startLine, endLine, symbol };
}

/**
 * The definition to name a chunk by: of those in it, the one whose name answers most of the query; if none does, the one
 * that makes up most of the chunk; else the innermost that encloses it.
 */
function bestSymbol(
  symbols: readonly SymbolSpan[],
  startLine: number,
  endLine: number,
  nameScore: NameScore,
): SymbolSpan | undefined {
  let named: SymbolSpan | undefined;
  let namedScore = 0;
  let main: SymbolSpan | undefined;
  let enclosing: SymbolSpan | undefined;
  for (let i = 0; i < symbols.length; i++) {
    const symbol = symbols[i]!;
    if (symbol.startLine <= startLine && symbol.endLine >= endLine) enclosing = symbol;
    if (symbol.line < startLine || symbol.line > endLine) continue;
    if (symbol.endLine - symbol.startLine >= (endLine - startLine) / 2) main = symbol;
    const score = nameScore(i);
    if (score > namedScore) {
      named = symbol;
      namedScore = score;
    }
  }
  return named ?? main ?? enclosing;
}

interface NameWords {
  readonly folded: string;
  /** `repo` of `Acme.Repo`, folded. */
  readonly own: string;
  readonly stems: readonly string[];
}

/** Of names that were met, for the next search: it shows many of the same definitions. */
const known = new Map<string, NameWords>();

function wordsOf(name: string): NameWords {
  const parts = splitIdentifier(name);
  const folded = parts.join('');
  const segments = nameSegments(name);
  const own = segments.length > 1 ? foldName(segments.at(-1)!) : folded;
  return { folded, own, stems: parts.filter(isIndexable).map(stemOf) };
}

/** How well a symbol's name answers the query. */
export function scoreSymbol(symbol: SymbolSpan, query: Query): number {
  const { folded, own, stems } = keep(known, symbol.name, wordsOf);
  let matched = 0;
  for (let i = 0; i < stems.length; i++) if (query.words.includes(stems[i]!)) matched++;
  return scoreName(symbol, query.names.includes(own) ? own : folded, matched, stems.length, query);
}

/** Another implementation or reopening of something that is defined elsewhere. */
const REOPENING = 'extension';

/**
 * Of how many words a name has, how many the query has; a name that is asked for counts as two more. Of several definitions
 * of one name the one that is spelt as typed, and is no mere extension, is meant.
 */
function scoreName(
  { name, kind }: SymbolSpan,
  folded: string,
  matched: number,
  words: number,
  { names, pairs, possibleNames, symbol }: Query,
): number {
  const isAsked = names.includes(folded) || pairs.includes(folded) || possibleNames.includes(folded);
  const score = matched + (isAsked ? 2 : 0);
  if (score === 0) return 0;
  const spelling = isAsked && symbol !== undefined && (symbol.endsWith(name) || name.endsWith(symbol)) ? 0.5 : 0;
  const kindValue = kind === REOPENING ? -0.5 : TYPE_KINDS.has(kind) || kind === 'function' ? 0.25 : 0;
  return score + matched / Math.max(1, words) + spelling + kindValue;
}
