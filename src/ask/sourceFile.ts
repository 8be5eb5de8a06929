import { Analyzer } from '../engine/analyze/analyzer.ts';
import { toSymbolSpan, type SymbolSpan } from '../engine/index/documents.ts';

/** Lines that a search found, and the one of them that answers best, by which they are known again. From 1. */
export interface FoundLines {
  readonly startLine: number;
  readonly endLine: number;
  readonly symbol?: { readonly name: string; readonly kind: string; readonly line: number };
  readonly line?: number;
  /** That line without indentation, or its beginning. */
  readonly text?: string;
}

/** A longer definition is not taken whole; what of it was found is. */
const MAX_LINES = 100;
/** Lines may be of any length, in data above all. */
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

  /** All lines of the definition that was found, however many. */
  definitionOf({ symbol }: FoundLines): SymbolSpan | undefined {
    return symbol && this.#definitions().find(({ name, line }) => name === symbol.name && line === symbol.line);
  }

  #definitions(): readonly SymbolSpan[] {
    const text = (): Buffer => Buffer.from(this.#lines.join('\n'));
    return (this.#known ??= new Analyzer().analyze(this.#path, text()).definitions.map(toSymbolSpan));
  }

  /** The lines, or as many as are not too many characters, at least one of them; a line that is by itself is cut. */
  text(startLine: number, lastLine: number): { readonly text: string; readonly endLine: number } {
    let text = this.#lines[startLine - 1]!.slice(0, MAX_CHARACTERS);
    let endLine = startLine;
    while (endLine < lastLine && text.length + 1 + this.#lines[endLine]!.length <= MAX_CHARACTERS)
      text += `\n${this.#lines[endLine++]!}`;
    return { text, endLine };
  }

  /** The line at which the text stands, that nearest to `near`. */
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
