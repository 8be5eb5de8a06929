import { WORD } from '../analyze/numbers.ts';
import {
  isIndexable,
  isNumber,
  isUnspaced,
  lowerCase,
  splitToken,
  withoutAccents,
  writtenWords,
} from '../analyze/words.ts';
import { keep } from './keep.ts';
import type { Query } from './query.ts';
import { stemOf } from './wordMatch.ts';

/** A match in a line: UTF-16 columns from 0, end exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The matches in a token, with columns from its beginning. */
interface TokenMatches {
  readonly ranges: readonly Range[];
  /** The query's words in the ranges. */
  readonly words: readonly string[];
  readonly hasName: boolean;
}

/** Finds the matches of a query in lines of text, by the rules of the index. */
export class Highlighter {
  readonly #words: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  /** Words of one character in a script without spaces, which are parts of the index's pairs. */
  readonly #characters: readonly string[];
  /** Matches by token: code repeats its tokens, and splitting and stemming them is most of the work. */
  readonly #known = new Map<string, TokenMatches>();

  constructor(query: Query) {
    this.#words = new Set(query.words);
    this.#names = new Set([...query.names, ...query.pairs]);
    this.#characters = query.words.filter((word) => isUnspaced(word) && word.length === stepOver(word));
  }

  ranges(line: string): Range[] {
    const ranges: Range[] = [];
    for (const { 0: token, index } of line.matchAll(WORD)) {
      for (const { start, end } of this.#matchesOf(token).ranges) {
        ranges.push({ start: index + start, end: index + end });
      }
    }
    return ranges;
  }

  /** Scores a line: the number of different words of the query on it, and 2 more for a whole name. */
  score(line: string): number {
    const seen = new Set<string>();
    let names = 0;
    for (const [token] of line.matchAll(WORD)) {
      const { words, hasName } = this.#matchesOf(token);
      if (hasName) names = 2;
      for (const word of words) seen.add(word);
    }
    return seen.size + names;
  }

  #matchesOf(token: string): TokenMatches {
    return keep(this.#known, token, () => {
      const ranges = this.#rangesIn(token);
      const found = ranges.map(({ start, end }) => token.slice(start, end));
      const words = found.flatMap((text) => writtenWords(text).map(stemOf)).filter((word) => this.#words.has(word));
      return { ranges, words, hasName: found.some((text) => this.#names.has(splitToken(text).join(''))) };
    });
  }

  /** The ranges in a token of any form of Unicode; parts have no accents. */
  #rangesIn(token: string): Range[] {
    const plain = withoutAccents(token);
    const ranges = this.#rangesInPlain(plain);
    if (plain === token) return ranges;
    const columns = ranges.length === 0 ? [] : columnsOf(token);
    return ranges.map(({ start, end }) => ({ start: columns[start] ?? 0, end: columns[end] ?? token.length }));
  }

  #rangesInPlain(token: string): Range[] {
    const parts = splitToken(token);
    const whole = [{ start: 0, end: token.length }];
    if (this.#names.has(parts.join(''))) return whole;
    const [first = ''] = parts;
    // A number's term may be spelt otherwise: `1_000` is `1000`.
    if (parts.length === 1 && isNumber(first)) return this.#words.has(first) ? whole : [];
    const ranges: Range[] = [];
    const small = lowerCase(token);
    let from = 0;
    for (const part of parts) {
      const at = small.indexOf(part, from);
      if (at < 0) continue;
      from = at + stepOver(part);
      if (this.#words.has(stemOf(part))) mark(at, at + part.length, ranges);
    }
    const ofParts = ranges.length;
    for (const character of this.#characters) {
      let next = 0;
      for (let at = token.indexOf(character); at >= 0; at = token.indexOf(character, at + 1)) {
        while (next < ofParts && ranges[next]!.end <= at) next++;
        if (next === ofParts || ranges[next]!.start > at) ranges.push({ start: at, end: at + character.length });
      }
    }
    return ranges.sort((a, b) => a.start - b.start);
  }
}

/** The column in a token of each UTF-16 unit of its form without accents, and of the end. */
function columnsOf(token: string): number[] {
  const columns: number[] = [];
  for (const { segment, index } of new Intl.Segmenter().segment(token))
    for (let i = 0; i < withoutAccents(segment).length; i++) columns.push(index + i);
  return [...columns, token.length];
}

/** Distance from the beginning of a part to the next one. Text without spaces gives overlapping pairs of characters. */
function stepOver(part: string): number {
  const [first = ''] = part;
  // A single character is a word only in such text.
  return isIndexable(first) ? first.length : part.length;
}

/** Adds a range, merged with the last one if they overlap. */
function mark(start: number, end: number, ranges: Range[]): void {
  const last = ranges.at(-1);
  if (last && start < last.end) ranges[ranges.length - 1] = { start: last.start, end };
  else ranges.push({ start, end });
}
