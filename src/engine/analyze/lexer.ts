import { increment } from '../../base/collections.ts';
import type { SourceScan } from './scanner.ts';

const LF = 10;
const CR = 13;
const SPACE = 32;
const DOLLAR = '$'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/** Bits for the kinds of a range of text: a docstring has both. */
export const COMMENT = 1;
export const TEXT = 2;
/** Bit of the further lines of a comment that began after code. */
export const TRAILING = 4;
/** Bit of a line that imports definitions of other files. */
export const IMPORT = 8;

/** Result of a rule that does not apply. */
export const NONE = -1;
/** Result of a rule for a literal that begins and never ends. */
export const UNCLOSED = -2;

/** Number of unclosed literals of a kind after which no more are searched: each search reads the rest of the file. */
const MAX_UNCLOSED = 20;
/** Depth of strings inside interpolated code inside strings. */
const MAX_DEPTH = 20;

/** The beginning of a kind of comment or string, and its bits. */
export interface LexerRule {
  readonly open: string;
  readonly is: number;
  /** The last byte of the literal that begins at `at`, {@link NONE} or {@link UNCLOSED}. */
  readonly end: (text: Literals, at: number) => number;
}

/** The rules of a language by their first byte. */
export interface Rules {
  readonly byFirst: readonly (readonly LexerRule[] | undefined)[];
  /** 1 for each byte that a rule begins with. */
  readonly begins: Uint8Array;
}

/** Finds comments and strings, one after the other. */
export class Literals {
  readonly bytes: Uint8Array;
  readonly length: number;
  /** Result of {@link next} or {@link skip}. */
  start = 0;
  end = -1;
  is = 0;

  readonly #buffer: Buffer;
  readonly #rules: Rules;
  readonly #unclosed = new Map<LexerRule, number>();
  /** Offset, by first byte, before which no such literal ends: see {@link noEnd}. */
  readonly #endless = new Int32Array(256);
  #depth = 0;
  /** The end of the line that announces heredocs, and the end of the last heredoc. */
  #announced = -1;
  #heredocEnd = -1;

  constructor({ bytes, length }: SourceScan, rules: Rules) {
    this.bytes = bytes;
    this.length = length;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, length);
    this.#rules = rules;
  }

  /** Moves to the next comment or string; false if there is none. */
  next(): boolean {
    const { bytes, length } = this;
    const { begins } = this.#rules;
    for (let at = this.end + 1; at < length; at++) {
      if (begins[bytes[at]!] === 0) continue;
      const end = this.skip(at);
      if (end < at) continue;
      this.start = at;
      this.end = end;
      return true;
    }
    return false;
  }

  /** The last byte of the comment or string that begins at `at`, or a number below 0. */
  skip(at: number): number {
    if (at === this.#announced) {
      this.is = TEXT;
      return this.#heredocEnd;
    }
    for (const rule of this.#rules.byFirst[this.bytes[at]!] ?? []) {
      if (!this.#startsWith(at, rule.open) || this.#isGivenUp(rule)) continue;
      const end = rule.end(this, at);
      if (end >= 0) {
        this.is = rule.is;
        return end;
      }
      if (end === UNCLOSED) {
        increment(this.#unclosed, rule);
        // An announcement such as `<<` may be an operator instead.
        if (rule.is !== 0) return UNCLOSED;
      }
    }
    return NONE;
  }

  /** The last byte of the line, without its line end. */
  lineEnd(at: number): number {
    let end = at;
    while (end < this.length && this.bytes[end] !== LF && this.bytes[end] !== CR) end++;
    return end - 1;
  }

  slice(from: number, to: number): string {
    return this.#buffer.toString('latin1', Math.max(0, from), to);
  }

  indexOf(text: string, from: number): number {
    return this.#buffer.indexOf(text, from);
  }

  /** The last byte of the first `close` from `from` on; with `escapes`, the first without a backslash before it. */
  find(close: string, from: number, escapes = false): number {
    let at = this.#buffer.indexOf(close, from);
    while (escapes && at >= 0 && this.#isEscaped(from, at)) at = this.#buffer.indexOf(close, at + 1);
    return at < 0 ? UNCLOSED : at + close.length - 1;
  }

  /** The next byte equal to the one at `at`; with `escapes`, without a backslash before it. */
  quoteEnd(at: number, overLines: boolean, escapes = true): number {
    const { bytes, length } = this;
    const quote = bytes[at]!;
    if (!overLines && this.isEndless(at)) return NONE;
    let end = at + 1;
    for (; end < length; end++) {
      const byte = bytes[end]!;
      if (escapes && byte === BACKSLASH) end++;
      else if (byte === quote) return end;
      else if (byte === LF && !overLines) break;
    }
    if (overLines) return UNCLOSED;
    this.noEnd(quote, end);
    return NONE;
  }

  /**
   * Records that no literal with this first byte ends before `before`, so that a long line is not read again for each.
   */
  noEnd(byte: number, before: number): void {
    this.#endless[byte] = before;
  }

  /** Whether {@link noEnd} recorded that the literal at `at` has no end. */
  isEndless(at: number): boolean {
    return at < this.#endless[this.bytes[at]!]!;
  }

  /**
   * The end of a string with interpolated code between `$` with `open` and `close`, which may contain strings again.
   */
  interpolatedEnd(at: number, open: number, close: number): number {
    const { bytes, length } = this;
    const quote = bytes[at];
    for (let end = at + 1; end < length; end++) {
      const byte = bytes[end]!;
      if (byte === BACKSLASH) end++;
      else if (byte === quote) return end;
      else if (byte === DOLLAR && bytes[end + 1] === open) {
        end = this.#codeEnd(end + 2, open, close);
        if (end < 0) return UNCLOSED;
      }
    }
    return UNCLOSED;
  }

  #codeEnd(from: number, open: number, close: number): number {
    if (this.#depth === MAX_DEPTH) return UNCLOSED;
    this.#depth++;
    let depth = 1;
    let at = from;
    for (; at < this.length && depth > 0; at++) {
      const byte = this.bytes[at]!;
      if (byte === open) depth++;
      else if (byte === close) depth--;
      else if (this.#rules.begins[byte] === 1) {
        const end = this.skip(at);
        if (end === UNCLOSED) break;
        at = Math.max(at, end);
      }
    }
    this.#depth--;
    return depth > 0 ? UNCLOSED : at - 1;
  }

  /**
   * Records that a heredoc begins on the next line, or after the heredoc announced last. Returns whether it ends: with
   * its delimiter first on a line, and alone there if `isAlone`.
   */
  announce(at: number, delimiter: string, isAlone: boolean): boolean {
    const line = this.lineEnd(at) + 1;
    const from = this.#announced === line ? this.#heredocEnd : line;
    for (let end = this.#buffer.indexOf(delimiter, from); end >= 0; end = this.#buffer.indexOf(delimiter, end + 1)) {
      const next = this.bytes[end + delimiter.length]!;
      if ((isAlone ? next !== LF && next !== CR : isWord(next)) || !this.isFirst(end)) continue;
      this.#announced = line;
      this.#heredocEnd = end + delimiter.length - 1;
      return true;
    }
    return false;
  }

  /** Whether only blanks precede `at` on its line. */
  isFirst(at: number): boolean {
    let before = at - 1;
    while (before >= 0 && this.bytes[before]! <= SPACE) {
      if (this.bytes[before] === LF || this.bytes[before] === CR) return true;
      before--;
    }
    return before < 0;
  }

  #isGivenUp(rule: LexerRule): boolean {
    return this.#unclosed.size > 0 && this.#unclosed.get(rule) === MAX_UNCLOSED;
  }

  #isEscaped(from: number, at: number): boolean {
    let first = at;
    while (first > from && this.bytes[first - 1] === BACKSLASH) first--;
    return (at - first) % 2 === 1;
  }

  #startsWith(at: number, open: string): boolean {
    for (let i = 1; i < open.length; i++) if (this.bytes[at + i] !== open.charCodeAt(i)) return false;
    return true;
  }
}

export function isWord(byte: number): boolean {
  return (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || (byte >= 48 && byte <= 57) || byte === 95;
}
