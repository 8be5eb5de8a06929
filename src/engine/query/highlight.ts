import { WORD } from '../analyze/numbers.ts';
import { isIndexable, isNumber, splitToken, stem } from '../analyze/words.ts';
import type { Query } from './query.ts';

/** A match in a line: UTF-16 columns from 0, end exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds the matches of a query in lines of text, by the rules of the index. */
export class Highlighter {
  readonly #words: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;

  constructor(query: Query) {
    this.#words = new Set(query.words);
    this.#names = new Set([...query.names, ...query.pairs]);
  }

  ranges(line: string): Range[] {
    const ranges: Range[] = [];
    for (const match of line.matchAll(WORD)) {
      const [name] = match;
      const parts = splitToken(name);
      if (this.#names.has(parts.join(''))) {
        ranges.push({ start: match.index, end: match.index + name.length });
        continue;
      }
      const [first = ''] = parts;
      if (parts.length === 1 && isNumber(first)) {
        // A number's term may be spelt otherwise: `1_000` is `1000`.
        if (this.#words.has(first)) ranges.push({ start: match.index, end: match.index + name.length });
        continue;
      }
      let from = 0;
      for (const part of parts) {
        const at = name.toLowerCase().indexOf(part, from);
        if (at < 0) continue;
        from = at + stepOver(part);
        if (this.#words.has(stem(part))) mark(match.index + at, match.index + at + part.length, ranges);
      }
    }
    return ranges;
  }

  /** Scores a line: the number of different words of the query on it, and 2 more for a whole name. */
  score(line: string): number {
    const seen = new Set<string>();
    let names = 0;
    for (const { start, end } of this.ranges(line)) {
      const text = line.slice(start, end);
      const parts = splitToken(text);
      if (this.#names.has(parts.join(''))) names = 2;
      for (const part of parts) if (this.#words.has(stem(part))) seen.add(stem(part));
    }
    return seen.size + names;
  }
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
