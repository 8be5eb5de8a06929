import { Analyzer } from '../engine/analyze/analyzer.ts';
import { toSymbolSpan, type SymbolSpan } from '../engine/index/documents.ts';

/** Lines that a search found, and the best of them, which identifies them later. They count from 1. */
export interface FoundLines {
  readonly startLine: number;
  readonly endLine: number;
  readonly symbol?: { readonly name: string; readonly kind: string; readonly line: number };
  readonly line?: number;
  /** The best line without indentation, or its beginning. */
  readonly text?: string;
}

/** Length of the longest definition that is a passage as a whole; of a longer one, only the found lines are. */
const MAX_LINES = 100;
/** Limit for lines of any length, as data has. */
const MAX_CHARACTERS = 8_000;

/** The lines of a file; they count from 1. */
export class SourceFile {
  readonly #path: string;
  readonly #lines: readonly string[];
  #known: SymbolSpan[] | undefined;

  constructor(path: string, text: string) {
    this.#path = path;
    this.#lines = text.split(/\r\n|\r|\n/);
  }

  holds({ startLine, endLine, line, text }: FoundLines): boolean {
    if (startLine < 1 || endLine < startLine || endLine > this.#lines.length) return false;
    return line === undefined || text === undefined || this.#lines[line - 1]?.trim().startsWith(text) === true;
  }

  /** The definition that the lines are in, if it is short enough; else the lines. */
  whole({ startLine, endLine }: FoundLines): { readonly startLine: number; readonly endLine: number } {
    const around = this.#definitions()
      .filter((one) => one.startLine <= startLine && endLine <= one.endLine && sizeOf(one) <= MAX_LINES)
      .sort((a, b) => sizeOf(a) - sizeOf(b));
    return around[0] ?? { startLine, endLine };
  }

  /** All lines of the found definition, however many. */
  definitionOf({ symbol }: FoundLines): SymbolSpan | undefined {
    return symbol && this.#definitions().find(({ name, line }) => name === symbol.name && line === symbol.line);
  }

  #definitions(): readonly SymbolSpan[] {
    const text = (): Buffer => Buffer.from(this.#lines.join('\n'));
    return (this.#known ??= new Analyzer().analyze(this.#path, text()).definitions.map(toSymbolSpan));
  }

  /** The lines up to the limit of characters, at least one; a single line is cut. */
  text(startLine: number, lastLine: number): { readonly text: string; readonly endLine: number } {
    let text = this.#lines[startLine - 1]!.slice(0, MAX_CHARACTERS);
    let endLine = startLine;
    while (endLine < lastLine && text.length + 1 + this.#lines[endLine]!.length <= MAX_CHARACTERS)
      text += `\n${this.#lines[endLine++]!}`;
    return { text, endLine };
  }

  /** The line where the text begins, nearest to `near`. */
  find(text: string, near: number): number | undefined {
    const wanted = text.split('\n');
    const isAt = (line: number): boolean => wanted.every((one, i) => this.#lines[line - 1 + i] === one);
    for (let away = 0; away <= this.#lines.length; away++) {
      if (near - away >= 1 && isAt(near - away)) return near - away;
      if (isAt(near + away)) return near + away;
    }
    return undefined;
  }
}

function sizeOf({ startLine, endLine }: { readonly startLine: number; readonly endLine: number }): number {
  return endLine - startLine + 1;
}
