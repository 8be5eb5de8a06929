import type { Language } from './languages.ts';
import type { Scan } from './scanner.ts';

/** Follows the lists in parentheses by which Go declares: `const (`, then a member a line, then `)`. */
export class Groups {
  readonly #scan: Scan;
  readonly #opening: RegExp | undefined;
  /** What the open list begins with. */
  #word: string | undefined;
  /** How far its members are indented, once the first is met. */
  #indent = -1;

  constructor(scan: Scan, { groups }: Language) {
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

  /** The member that stands on a line, as it were declared by itself: `const a = 1`. To be asked of one line after another. */
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
