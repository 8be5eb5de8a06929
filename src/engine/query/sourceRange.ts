import { MAX_CHUNK_LINES } from '../analyze/chunks.ts';
import { TYPE_KINDS } from '../analyze/language.ts';
import { foldName, nameSegments } from '../analyze/symbolNames.ts';
import { isIndexable, splitIdentifier } from '../analyze/words.ts';
import type { SymbolSpan } from '../index/documents.ts';
import { keep } from './keep.ts';
import type { Query } from './query.ts';
import { stemOf } from './wordMatch.ts';

/** Lines of a document that answer a query, from 1, both ends inclusive. */
export interface SourceRange {
  readonly startLine: number;
  readonly endLine: number;
  /** The definition that is, or encloses, the lines. */
  readonly symbol?: SymbolSpan;
}

/** Whether two ranges of a file have a line in common. */
export function overlap(a: LineSpan, b: LineSpan): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine;
}

type LineSpan = Pick<SourceRange, 'startLine' | 'endLine'>;

/** Score of the `i`th symbol's name for the query; 0 for no match. */
export type NameScore = (i: number) => number;

/** The lines of a chunk to show: the definition in it that the query names, else the whole chunk. */
export function placeInChunk(
  symbols: readonly SymbolSpan[],
  startLine: number,
  endLine: number,
  nameScore: NameScore,
): SourceRange {
  return placeOf(bestSymbol(symbols, startLine, endLine, nameScore), startLine, endLine);
}

/** The lines of a chunk to show for a definition that it has, or that is around it or, with its comment, begins there. */
export function placeOf(symbol: SymbolSpan | undefined, startLine: number, endLine: number): SourceRange {
  if (!symbol) return { startLine, endLine };
  // A part of a long comment is shown with the definition below it.
  if (symbol.line > endLine) {
    const most = Math.max(symbol.line, startLine + MAX_CHUNK_LINES - 1);
    return { startLine, endLine: Math.min(symbol.endLine, most), symbol };
  }
  const isWithin = symbol.startLine >= startLine && symbol.endLine <= endLine;
  return isWithin ? { startLine: symbol.startLine, endLine: symbol.endLine, symbol } : { startLine, endLine, symbol };
}

/**
 * The definition that names a chunk. Of those inside, the one whose name answers most of the query; without such a
 * name, the one that makes up most of the chunk. Else the innermost around the chunk.
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

/** Words of the name of a definition. */
export interface NameWords {
  readonly folded: string;
  /** `repo` of `Acme.Repo`, folded. */
  readonly own: string;
  readonly stems: readonly string[];
}

export function wordsOf(name: string): NameWords {
  const parts = splitIdentifier(name);
  const folded = parts.join('');
  const segments = nameSegments(name);
  const own = segments.length > 1 ? foldName(segments.at(-1)!) : folded;
  return { folded, own, stems: parts.filter(isIndexable).map(stemOf) };
}

/** Score of a symbol's name for the query. `known` caches the words of names: many searches show the same definitions. */
export function scoreSymbol(symbol: SymbolSpan, query: Query, known: Map<string, NameWords>): number {
  const { folded, own, stems } = keep(known, symbol.name, wordsOf);
  let matched = 0;
  for (let i = 0; i < stems.length; i++) if (query.words.includes(stems[i]!)) matched++;
  return scoreName(symbol, query.names.includes(own) ? own : folded, matched, stems.length, query);
}

/** Kind of another implementation or reopening of a type that is defined elsewhere. */
const REOPENING = 'extension';

/**
 * Share of a name's words that are in the query; a name of the query counts as two more. Of several definitions of one
 * name, the one spelt as typed that is no mere extension wins.
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
  const isSpelt = isAsked && symbol !== undefined && (symbol.endsWith(name) || name.endsWith(symbol));
  const spelling = name === symbol ? 0.75 : isSpelt ? 0.5 : 0;
  const kindValue = kind === REOPENING ? -0.5 : TYPE_KINDS.has(kind) || kind === 'function' ? 0.25 : 0;
  return score + matched / Math.max(1, words) + spelling + kindValue;
}
