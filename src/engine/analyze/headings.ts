import type { Language } from './language.ts';
import type { SourceScan } from './scanner.ts';

interface Heading {
  readonly title: string;
  /** 1 for the highest. */
  readonly level: number;
}

/** The heading on a line, or nothing. It is tried on each line from the first on. */
type HeadingReader = (line: number) => Heading | undefined;

const HASH = '#'.charCodeAt(0);
const EQUALS = '='.charCodeAt(0);
const DASH = '-'.charCodeAt(0);
const STAR = '*'.charCodeAt(0);
const DOT = '.'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const MAX_TITLE = 300;

const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})[ \t]*$/;
/** Lines of a paragraph, rather than of a list, a quote, a table, a rule or HTML. */
const TITLE = /^ {0,3}(?![-*+>|<=#]|\d+[.)]\s)(\S.*?)[ \t]*$/;
const FRONT_MATTER = /^---[ \t]*$/;
/** A sign that is repeated up to the end of its line. */
const ADORNMENT = /^([!-/:-@[-`{-~])\1+[ \t]*$/;
/** Least length of an underline that is shorter than its title. */
const MIN_ADORNMENT = 4;
const PARTS_OF_TEX = ['part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph'];

/** Finds the headings of a document, and the ends of their sections. */
export class Headings {
  readonly #scan: SourceScan;
  readonly #titles = new Map<number, string>();
  /** The line after each section, by the line of its heading. */
  readonly #ends = new Map<number, number>();

  constructor(scan: SourceScan, quiet: Uint8Array, language: NonNullable<Language['headings']>) {
    this.#scan = scan;
    const isShown = (line: number): boolean =>
      line >= 0 && line < scan.lineCount && scan.indent[line]! >= 0 && quiet[line] === 0;
    const headingAt = READERS[language](scan, isShown);
    const open: { readonly line: number; readonly level: number }[] = [];
    for (let line = 0; line < scan.lineCount; line++) {
      const heading = isShown(line) ? headingAt(line) : undefined;
      if (!heading) continue;
      while (open.length > 0 && open.at(-1)!.level >= heading.level) this.#ends.set(open.pop()!.line, line);
      this.#titles.set(line, heading.title);
      open.push({ line, level: heading.level });
    }
  }

  /** The title on a line. */
  title(line: number): string | undefined {
    return this.#titles.get(line);
  }

  /** Last line of the section of a heading, before the next heading of its level or a higher one. */
  sectionEnd(line: number): number {
    let last = (this.#ends.get(line) ?? this.#scan.lineCount) - 1;
    while (last > line && this.#scan.indent[last]! < 0) last--;
    return last;
  }
}

const READERS: Readonly<
  Record<NonNullable<Language['headings']>, (scan: SourceScan, isShown: (line: number) => boolean) => HeadingReader>
> = {
  /** `# Title`, or a line that `===` or `---` underlines. */
  markdown(scan, isShown) {
    const first = afterFrontMatter(scan);
    const isUnderline = (line: number): boolean =>
      isShown(line) &&
      (scan.firstByte[line] === EQUALS || scan.firstByte[line] === DASH) &&
      UNDERLINE.test(scan.line(line));
    return (line) => {
      if (scan.firstByte[line] === HASH) {
        const [, signs, title] = /^(#{1,6})\s+(.+?)\s*#*$/.exec(scan.line(line, MAX_TITLE)) ?? [];
        return title === undefined ? undefined : { title, level: signs!.length };
      }
      if (line < first || !isUnderline(line + 1)) return undefined;
      const isFirst =
        line === first || !isShown(line - 1) || isUnderline(line - 1) || scan.firstByte[line - 1] === HASH;
      const title = isFirst ? TITLE.exec(scan.line(line, MAX_TITLE))?.[1] : undefined;
      return title === undefined ? undefined : { title, level: scan.firstByte[line + 1] === EQUALS ? 1 : 2 };
    };
  },

  /** A line at the left edge that a repeated sign underlines. The order in which the signs occur gives the levels. */
  restructuredtext(scan, isShown) {
    const styles: string[] = [];
    const adornment = (line: number): string | undefined =>
      isShown(line) && scan.indent[line] === 0 && scan.firstByte[line] === scan.lastByte[line]
        ? ADORNMENT.exec(scan.line(line, MAX_TITLE))?.[0].trimEnd()
        : undefined;
    return (line) => {
      const under = adornment(line + 1);
      if (under === undefined || adornment(line) !== undefined) return undefined;
      const title = scan.line(line, MAX_TITLE).trim();
      const isOverlined = adornment(line - 1) === under;
      if (!isOverlined && (scan.indent[line] !== 0 || isShown(line - 1))) return undefined;
      if (under.length < Math.min(title.length, MIN_ADORNMENT)) return undefined;
      const style = `${isOverlined}${under[0]}`;
      if (!styles.includes(style)) styles.push(style);
      return { title, level: styles.indexOf(style) + 1 };
    };
  },

  /** `== Title`, outside of blocks of code. */
  asciidoc(scan) {
    let block: string | undefined;
    return (line) => {
      const first = scan.firstByte[line];
      if (scan.indent[line] !== 0) return undefined;
      if (first === DASH || first === DOT) {
        const fence = /^(?:-{4,}|\.{4,})\s*$/.exec(scan.line(line, MAX_TITLE))?.[0].trimEnd();
        if (fence !== undefined && (block === undefined || block === fence))
          block = block === undefined ? fence : undefined;
        return undefined;
      }
      if (first !== EQUALS || block !== undefined) return undefined;
      const [, signs, title] = /^(={1,6})\s+(\S.*?)\s*=*$/.exec(scan.line(line, MAX_TITLE)) ?? [];
      return title === undefined ? undefined : { title, level: signs!.length };
    };
  },

  /** `\section{Title}`. */
  tex(scan) {
    const pattern = new RegExp(String.raw`^\s*\\(${PARTS_OF_TEX.join('|')})\*?(?:\[[^\]]*\])?\{(.+?)\}`);
    return (line) => {
      if (scan.firstByte[line] !== BACKSLASH) return undefined;
      const [, part, title] = pattern.exec(scan.line(line, MAX_TITLE)) ?? [];
      return title === undefined ? undefined : { title, level: PARTS_OF_TEX.indexOf(part!) + 1 };
    };
  },

  /** `** Title`, perhaps with a state of its task. */
  org(scan) {
    return (line) => {
      if (scan.firstByte[line] !== STAR || scan.indent[line] !== 0) return undefined;
      const [, signs, title] =
        /^(\*+)\s+(?:(?:TODO|DONE)\s+)?(\S.*?)(?:\s+:[\w@:]+:)?\s*$/.exec(scan.line(line, MAX_TITLE)) ?? [];
      return title === undefined ? undefined : { title, level: signs!.length };
    };
  },
};

function afterFrontMatter(scan: SourceScan): number {
  if (scan.lineCount === 0 || !FRONT_MATTER.test(scan.line(0))) return 0;
  for (let line = 1; line < scan.lineCount; line++) {
    if (scan.firstByte[line] === DASH && FRONT_MATTER.test(scan.line(line))) return line + 1;
  }
  return 0;
}
