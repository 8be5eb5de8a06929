import type { Language } from './languages.ts';
import type { Scan } from './scanner.ts';

const code = (character: string): number => character.charCodeAt(0);
const LF = 10;
const OPEN_BRACE = code('{');
const CLOSE_BRACE = code('}');
const SLASH = code('/');
const STAR = code('*');
const BACKSLASH = code('\\');
const DOUBLE = code('"');
const SINGLE = code("'");
const BACKTICK = code('`');
const AT = code('@');

/** Where `'` encloses text of any length; elsewhere it is a character's, or a lifetime's. */
const SINGLE_QUOTED = new Set(['javascript', 'typescript', 'php', 'dart', 'perl', 'shellscript', 'r']);

/**
 * Finds blocks' ends by counting braces, where indentation does not tell: after a string of several lines, in a namespace
 * whose content is not indented. Strings and comments are passed over. Reads a file at most a few times in all, so that no
 * text makes it slow.
 */
export class BraceMatcher {
  readonly #scan: Scan;
  readonly #singleQuoted: boolean;
  readonly #slashComments: boolean;
  readonly #blockComments: boolean;
  #budget: number;

  constructor(scan: Scan, language: Language) {
    this.#scan = scan;
    this.#singleQuoted = SINGLE_QUOTED.has(language.id);
    this.#slashComments = language.comments.includes('//');
    this.#blockComments = language.comments.includes('/*');
    this.#budget = scan.length * 8 + 10_000;
  }

  /** The line that closes the block which opens on line `body`; -1 if none does. */
  closingLine(body: number): number {
    const { bytes, length, lineStart } = this.#scan;
    let depth = 0;
    let line = body;
    for (let at = lineStart[body]!; at < length && this.#budget > 0; at++, this.#budget--) {
      const byte = bytes[at]!;
      if (byte === OPEN_BRACE) depth++;
      else if (byte === CLOSE_BRACE) {
        // One that closes what an earlier line opened: `} else {`.
        if (depth > 0) depth--;
        if (depth > 0) continue;
        while (lineStart[line + 1]! <= at) line++;
        if (line > body) return line;
      } else at = this.#skip(at, byte);
    }
    return -1;
  }

  /** The last byte of the string or comment that begins at `at`, or `at`. */
  #skip(at: number, byte: number): number {
    const { bytes } = this.#scan;
    switch (byte) {
      case SLASH:
        if (this.#slashComments && bytes[at + 1] === SLASH) return this.#endOfLine(at);
        if (!this.#blockComments || bytes[at + 1] !== STAR) return at;
        for (let end = at + 3; end < this.#scan.length; end++) {
          if (bytes[end] === SLASH && bytes[end - 1] === STAR) return end;
        }
        return this.#scan.length;
      case DOUBLE:
        if (bytes[at - 1] === AT || (bytes[at - 2] === AT && bytes[at - 1] === code('$'))) return this.#verbatimEnd(at);
        if (bytes[at + 1] === DOUBLE && bytes[at + 2] === DOUBLE) return this.#tripleEnd(at);
        return this.#stringEnd(at, DOUBLE, false);
      case SINGLE: {
        const end = this.#stringEnd(at, SINGLE, false);
        return this.#singleQuoted || bytes[at + 1] === BACKSLASH || end - at === 2 ? end : at;
      }
      case BACKTICK:
        return this.#stringEnd(at, BACKTICK, true);
      default:
        return at;
    }
  }

  #endOfLine(at: number): number {
    const { bytes, length } = this.#scan;
    let end = at;
    while (end < length && bytes[end] !== LF) end++;
    return end;
  }

  /** A string that does not end on its line is none. */
  #stringEnd(at: number, quote: number, mayBreak: boolean): number {
    const { bytes, length } = this.#scan;
    for (let end = at + 1; end < length; end++) {
      const byte = bytes[end]!;
      if (byte === BACKSLASH) end++;
      else if (byte === quote) return end;
      else if (byte === LF && !mayBreak) return at;
    }
    return at;
  }

  #tripleEnd(at: number): number {
    const { bytes, length } = this.#scan;
    for (let end = at + 5; end < length; end++) {
      if (bytes[end] === DOUBLE && bytes[end - 1] === DOUBLE && bytes[end - 2] === DOUBLE) return end;
    }
    return at + 2;
  }

  /** C#'s `@"…"`, in which only a doubled quote is not the end. */
  #verbatimEnd(at: number): number {
    const { bytes, length } = this.#scan;
    for (let end = at + 1; end < length; end++) {
      if (bytes[end] !== DOUBLE) continue;
      if (bytes[end + 1] !== DOUBLE) return end;
      end++;
    }
    return at;
  }
}
