import { afterAttributes } from './attributes.ts';
import type { Language } from './languages.ts';
import type { Scan } from './scanner.ts';

/** What an enum may have besides its members has a type or a word before its name, but for these. */
const MEMBER = /^\s*(?:case\s+)?(?!(?:init|static|subscript)\b)([a-zA-Z_][\w\u0080-\uffff]*)\s*(?:[=,;({]|\/[/*]|$)/;

interface Enum {
  readonly name: string;
  readonly line: number;
  readonly end: number;
}

/** Finds the members of the enum that was met last: one a line, all indented as the first. */
export class Members {
  readonly #scan: Scan;
  readonly #language: Language;
  #enum: Enum | undefined;
  #indent = -1;

  constructor(scan: Scan, language: Language) {
    this.#scan = scan;
    this.#language = language;
  }

  open(definition: Enum): void {
    this.#enum = definition;
    this.#indent = -1;
  }

  /** The name of the member on a line. To be asked of one line after another. */
  name(line: number): string | undefined {
    if (this.#enum === undefined || line <= this.#enum.line) return undefined;
    if (line >= this.#enum.end) {
      this.#enum = undefined;
      return undefined;
    }
    const indent = this.#scan.indent[line]!;
    if (this.#indent < 0 && indent > this.#scan.indent[this.#enum.line]!) this.#indent = indent;
    if (indent < 0 || indent !== this.#indent) return undefined;
    const name = MEMBER.exec(afterAttributes(this.#scan.line(line, 300), this.#language))?.[1];
    // A constructor has the name of its type.
    return name === this.#enum.name ? undefined : name;
  }
}
