import type { Language } from './language.ts';
import type { SourceScan } from './scanner.ts';

/** Follows the declaration lists of Go: `const (`, then one member a line, then `)`. */
export class Groups {
  readonly #scan: SourceScan;
  readonly #opening: RegExp | undefined;
  /** Keyword of the open list. */
  #word: string | undefined;
  /** Indentation of the members, once the first is found. */
  #indent = -1;

  constructor(scan: SourceScan, { groups }: Language) {
    this.#scan = scan;
    this.#opening = groups && new RegExp(String.raw`^(${groups.join('|')})\s*\(\s*(?://.*)?$`);
  }

  /** Whether a line opens a list. */
  opens(text: string): boolean {
    const word = this.#opening?.exec(text)?.[1];
    if (word === undefined) return false;
    this.#word = word;
    this.#indent = -1;
    return true;
  }

  /** The member on a line, as if declared by itself: `const a = 1`. Call it for each line in order. */
  member(line: number): string | undefined {
    if (this.#word === undefined || this.#scan.indent[line]! < 0) return undefined;
    const indent = this.#scan.indent[line]!;
    if (indent === 0) {
      this.#word = undefined;
      return undefined;
    }
    if (this.#indent < 0) this.#indent = indent;
    return indent === this.#indent ? `${this.#word} ${this.#scan.line(line, 300).trimStart()}` : undefined;
  }
}
