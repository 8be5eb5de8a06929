import type { Language } from './language.ts';
import { rulesOf } from './lexerRules.ts';
import { Literals } from './lexer.ts';
import type { SourceScan } from './scanner.ts';

const OPEN_BRACE = '{'.charCodeAt(0);
const CLOSE_BRACE = '}'.charCodeAt(0);

/**
 * Finds the ends of blocks by counting braces where indentation is unreliable: after a string of several lines, or in a
 * namespace with unindented content. Skips strings and comments. Reads a file at most a few times in all, so that no
 * text makes it slow.
 */
export class BraceMatcher {
  readonly #scan: SourceScan;
  readonly #literals: Literals | undefined;
  #budget: number;

  constructor(scan: SourceScan, language: Language) {
    this.#scan = scan;
    const rules = rulesOf(language);
    this.#literals = rules && new Literals(scan, rules);
    this.#budget = scan.length * 8 + 10_000;
  }

  /** The line that closes the block which opens on line `body`; -1 if there is none. */
  closingLine(body: number): number {
    const { bytes, length, lineStart } = this.#scan;
    let depth = 0;
    let line = body;
    for (let at = lineStart[body]!; at < length && this.#budget > 0; at++, this.#budget--) {
      const byte = bytes[at]!;
      if (byte === OPEN_BRACE) depth++;
      else if (byte === CLOSE_BRACE) {
        // A brace that closes a block of an earlier line: `} else {`.
        if (depth > 0) depth--;
        if (depth > 0) continue;
        while (lineStart[line + 1]! <= at) line++;
        if (line > body) return line;
      } else at = Math.max(at, this.#literals?.skip(at) ?? at);
    }
    return -1;
  }
}
