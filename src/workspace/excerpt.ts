import { prefixOf } from '../base/format.ts';
import { foldName, ownName } from '../engine/analyze/symbolNames.ts';
import { Highlighter, type Range } from '../engine/query/highlight.ts';
import { compileWords, type Phrase } from '../engine/query/phrase.ts';
import type { SymbolSpan } from '../engine/index/documents.ts';
import type { SourceRange } from '../engine/query/sourceRange.ts';
import { parseQuery } from '../engine/query/query.ts';
import type { ParsedQuery } from '../engine/query/queryLanguage.ts';
import { patternOf } from '../engine/query/textConditions.ts';

/** The most relevant line of a place, its text without indentation, and the matches in that text. */
export interface Excerpt {
  readonly line: number;
  readonly text: string;
  readonly ranges: readonly Range[];
}

const MAX_LINE = 200;
/** A line is longer only if its first match is behind that, and then ends this far behind the match. */
const BEHIND_MATCH = 40;
const MAX_LONG_LINE = 1_000;

/** Chooses the line to show of each place. */
export class Excerpter {
  readonly #highlighter: Highlighter;
  /** What the text of a file must have. */
  readonly #required: readonly Phrase[];
  readonly #phrases: readonly Phrase[];
  /** The name that is searched, folded, without its container: it may be the beginning of another. */
  readonly #name: string | undefined;
  /** Whether definitions are searched by their names. */
  readonly #isByName: boolean;

  /** `regexes` are the compiled expressions of the query. */
  constructor({ words, phrases, filters }: ParsedQuery, regexes: readonly Phrase[] = []) {
    const query = parseQuery(words);
    this.#highlighter = new Highlighter(query);
    this.#name = query.symbol === undefined ? undefined : foldName(ownName(query.symbol));
    this.#isByName = this.#name !== undefined || filters.some(({ field, exclude }) => field === 'sym' && !exclude);
    this.#required = [...phrases.filter(({ exclude }) => !exclude).map(patternOf), ...regexes];
    const inOrder = compileWords(words);
    this.#phrases = [...this.#required, ...(inOrder ? [inOrder] : [])];
  }

  /** The lines of a file, from 1, in which a phrase or an expression of the query begins, in their order. */
  matchingLines(lines: readonly string[]): number[] {
    return [...matchesIn(lines, this.#required).keys()].map((at) => at + 1).sort((a, b) => a - b);
  }

  /** `lines` are all lines of the file; `wanted` is the line to show, if the place has it. */
  excerpt(lines: readonly string[], { startLine, endLine, symbol }: SourceRange, wanted?: number): Excerpt {
    const span = lines.slice(startLine - 1, endLine);
    const matches = matchesIn(span, this.#phrases);
    const isWithin = wanted !== undefined && wanted >= startLine && wanted <= endLine;
    const typed = symbol ? this.#typedOf(symbol) : '';
    // The line of a name that begins as typed counts as one with the whole name.
    const worth = typed === '' ? 0.5 : 2.5;
    const best = (): number =>
      bestIndex(span, (i) => {
        const bonus = (symbol?.line === startLine + i ? worth : 0) + (matches.has(i) ? Infinity : 0);
        return this.#highlighter.score(span[i]!) + bonus;
      });
    const at = isWithin ? wanted - startLine : best();
    const line = span[at] ?? '';
    const whole = line.trim().slice(0, MAX_LONG_LINE);
    const indent = line.length - line.trimStart().length;
    const phrases = (matches.get(at) ?? []).map(({ start, end }) => ({ start: start - indent, end: end - indent }));
    const found = [...this.#highlighter.ranges(whole), ...phrases];
    if (symbol?.line === startLine + at && this.#isByName) {
      const name = ownName(symbol.name);
      const marked = typed === '' && found.length === 0 ? name : typed;
      // Its letters may be within another word before it.
      const start = whole.indexOf(whole.includes(name) ? name : marked);
      if (start >= 0) found.push({ start, end: start + marked.length });
    }
    const all = merge(found, whole.length);
    const [first] = all;
    const isBehind = first !== undefined && first.start >= MAX_LINE;
    const text = prefixOf(whole, isBehind ? first.end + BEHIND_MATCH : MAX_LINE);
    return { line: startLine + at, text, ranges: merge(all, text.length) };
  }

  /** The beginning of a definition's name that is the searched name; empty if it does not begin so. */
  #typedOf(symbol: SymbolSpan): string {
    const name = ownName(symbol.name);
    if (this.#name === undefined || !foldName(name).startsWith(this.#name)) return '';
    let end = this.#name.length;
    while (end < name.length && foldName(name.slice(0, end)).length < this.#name.length) end++;
    return name.slice(0, end);
  }
}

/** Matches of phrases by the index of their line; of a phrase over several lines, the first line. */
function matchesIn(lines: readonly string[], phrases: readonly Phrase[]): Map<number, Range[]> {
  const found = new Map<number, Range[]>();
  if (phrases.length === 0) return found;
  const content = lines.join('\n');
  for (const phrase of phrases) {
    for (const { line, column, endLine, endColumn } of phrase.allIn(content)) {
      const ranges = found.get(line - 1) ?? [];
      ranges.push({ start: column, end: endLine === line ? endColumn : lines[line - 1]!.length });
      found.set(line - 1, ranges);
    }
  }
  return found;
}

/** The line with the highest score, the first of equals; without a score the first that is not blank. */
function bestIndex(lines: readonly string[], score: (index: number) => number): number {
  let best = Math.max(
    0,
    lines.findIndex((line) => line.trim() !== ''),
  );
  let bestScore = 0;
  for (let i = 0; i < lines.length; i++) {
    const value = score(i);
    if (value <= bestScore) continue;
    best = i;
    bestScore = value;
  }
  return best;
}

/** Sorts ranges, merges overlaps, and clips them to `0` and `length`. */
function merge(ranges: readonly Range[], length: number): Range[] {
  const merged: { start: number; end: number }[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const start = Math.max(0, range.start);
    const end = Math.min(length, range.end);
    const last = merged.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else if (start < end) merged.push({ start, end });
  }
  return merged;
}
