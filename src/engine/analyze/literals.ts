import type { Scan } from './scanner.ts';

const LF = 10;
const CR = 13;
const SPACE = 32;
const DOLLAR = '$'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/** Bits of what a stretch of text is: a docstring is both. */
export const COMMENT = 1;
export const TEXT = 2;
/** For the further lines of a comment that began after code. */
export const TRAILING = 4;
/** For a line that takes in what other files define. */
export const IMPORT = 8;

/** What a rule says where it does not apply. */
export const NONE = -1;
/** What a rule says of a literal that begins and never ends. */
export const UNCLOSED = -2;

/** After so many of a kind that never end no more are looked for: each look reads the rest of the file. */
const MAX_UNCLOSED = 20;
/** Strings with code in them that has strings, and so on. */
const MAX_DEPTH = 20;

/** How a kind of comment or string begins, and which of the bits it is. */
export interface Rule {
  readonly open: string;
  readonly is: number;
  /** The last byte of what begins at `at`, {@link NONE} or {@link UNCLOSED}. */
  readonly end: (text: Literals, at: number) => number;
}

/** The rules of a language by the byte they begin with. */
export interface Rules {
  readonly byFirst: readonly (readonly Rule[] | undefined)[];
  /** 1 for each byte with which something may begin. */
  readonly begins: Uint8Array;
}

/** Finds comments and strings, one after the other. */
export class Literals {
  readonly bytes: Uint8Array;
  readonly length: number;
  /** What {@link next} found, or {@link skip}. */
  start = 0;
  end = -1;
  is = 0;

  readonly #buffer: Buffer;
  readonly #rules: Rules;
  readonly #unclosed = new Map<Rule, number>();
  /** By byte, up to where nothing ends that begins with it: see {@link noEnd}. */
  readonly #endless = new Int32Array(256);
  #depth = 0;
  /** The end of the line that announces heredocs, and of the last of them. */
  #announced = -1;
  #heredocEnd = -1;

  constructor({ bytes, length }: Scan, rules: Rules) {
    this.bytes = bytes;
    this.length = length;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, length);
    this.#rules = rules;
  }

  /** Goes to the next comment or string; false if there is none. */
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
        this.#unclosed.set(rule, (this.#unclosed.get(rule) ?? 0) + 1);
        // What only announces a string may be something else, as `<<` is.
        if (rule.is !== 0) return UNCLOSED;
      }
    }
    return NONE;
  }

  /** The last byte of the line, without what ends it. */
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

  /** The last byte of the first `close` from `from` on, if need be one that no backslash escapes. */
  find(close: string, from: number, escapes = false): number {
    let at = this.#buffer.indexOf(close, from);
    while (escapes && at >= 0 && this.#isEscaped(from, at)) at = this.#buffer.indexOf(close, at + 1);
    return at < 0 ? UNCLOSED : at + close.length - 1;
  }

  /** The next byte like that at `at` which no backslash escapes. */
  quoteEnd(at: number, overLines: boolean): number {
    const { bytes, length } = this;
    const quote = bytes[at]!;
    if (!overLines && this.isEndless(at)) return NONE;
    let end = at + 1;
    for (; end < length; end++) {
      const byte = bytes[end]!;
      if (byte === BACKSLASH) end++;
      else if (byte === quote) return end;
      else if (byte === LF && !overLines) break;
    }
    if (overLines) return UNCLOSED;
    this.noEnd(quote, end);
    return NONE;
  }

  /** Notes that nothing that begins with a byte ends before a place, so that a long line is not read again for each. */
  noEnd(byte: number, before: number): void {
    this.#endless[byte] = before;
  }

  /** Whether {@link noEnd} says that what begins at `at` has no end. */
  isEndless(at: number): boolean {
    return at < this.#endless[this.bytes[at]!]!;
  }

  /** The same for a string that code interrupts between `$` with `open` and `close`, in which strings may be again. */
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
   * Notes that the next line, or that after the heredoc announced last, begins a heredoc. Tells whether it ends: with its
   * delimiter first on a line, and alone there if that has to be.
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

  /** Whether nothing but blanks stands before `at` on its line. */
  isFirst(at: number): boolean {
    let before = at - 1;
    while (before >= 0 && this.bytes[before]! <= SPACE) {
      if (this.bytes[before] === LF || this.bytes[before] === CR) return true;
      before--;
    }
    return before < 0;
  }

  #isGivenUp(rule: Rule): boolean {
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
