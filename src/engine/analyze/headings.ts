import type { SourceScan } from './scanner.ts';

const HASH = '#'.charCodeAt(0);
const EQUALS = '='.charCodeAt(0);
const DASH = '-'.charCodeAt(0);
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})[ \t]*$/;
/** Lines of a paragraph, rather than of a list, a quote, a table, a rule or HTML. */
const TITLE = /^ {0,3}(?![-*+>|<=#]|\d+[.)]\s)(\S.*?)[ \t]*$/;
const FRONT_MATTER = /^---[ \t]*$/;

/** Finds the titles of Markdown that are underlined by `===` or `---`, and the ends of sections. */
export class Headings {
  readonly #scan: SourceScan;
  readonly #quiet: Uint8Array;
  /** The first line after the metadata at the top. */
  readonly #first: number;

  constructor(scan: SourceScan, quiet: Uint8Array) {
    this.#scan = scan;
    this.#quiet = quiet;
    this.#first = afterFrontMatter(scan);
  }

  /** The title on a line, if the next line underlines it. A title has one line. */
  underlined(line: number): string | undefined {
    const scan = this.#scan;
    if (line < this.#first || !this.#isUnderline(line + 1) || !this.#isShown(line)) return undefined;
    const isFirst = line === this.#first || !this.#isShown(line - 1) || this.#isUnderline(line - 1);
    if (!isFirst && scan.firstByte[line - 1] !== HASH) return undefined;
    return TITLE.exec(scan.line(line, 300))?.[1];
  }

  #isUnderline(line: number): boolean {
    const { firstByte } = this.#scan;
    if (line < 0 || line >= this.#scan.lineCount || (firstByte[line] !== EQUALS && firstByte[line] !== DASH))
      return false;
    return this.#quiet[line] === 0 && UNDERLINE.test(this.#scan.line(line));
  }

  #isShown(line: number): boolean {
    return this.#scan.indent[line]! >= 0 && this.#quiet[line] === 0;
  }

  /** Last line of the section of a heading, before the next heading of its level or a higher one. */
  sectionEnd(line: number): number {
    const { lineCount } = this.#scan;
    const level = this.#level(line) || 1;
    for (let at = line + 1; at < lineCount; at++) {
      const other = this.#level(at);
      if (other > 0 && other <= level) return this.#lastVisible(at - 1, line);
    }
    return this.#lastVisible(lineCount - 1, line);
  }

  /** The level of the heading on a line, 0 for none. */
  #level(line: number): number {
    if (this.#quiet[line] !== 0) return 0;
    const { firstByte, indent } = this.#scan;
    if (firstByte[line] === HASH) {
      return indent[line] === 0 ? (/^(#{1,6})\s/.exec(this.#scan.line(line, 20))?.[1]?.length ?? 0) : 0;
    }
    if (this.underlined(line) === undefined) return 0;
    return firstByte[line + 1] === EQUALS ? 1 : 2;
  }

  #lastVisible(from: number, notBefore: number): number {
    let line = from;
    while (line > notBefore && this.#scan.indent[line]! < 0) line--;
    return line;
  }
}

function afterFrontMatter(scan: SourceScan): number {
  if (scan.lineCount === 0 || !FRONT_MATTER.test(scan.line(0))) return 0;
  for (let line = 1; line < scan.lineCount; line++) {
    if (scan.firstByte[line] === DASH && FRONT_MATTER.test(scan.line(line))) return line + 1;
  }
  return 0;
}
