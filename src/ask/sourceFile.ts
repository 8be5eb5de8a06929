import { prefixOf } from '../base/format.ts';
import { Analyzer } from '../engine/analyze/analyzer.ts';
import { DOCUMENTS } from '../engine/analyze/languages.ts';
import { toSymbolSpan, type SymbolSpan } from '../engine/index/documents.ts';
import { bestWindow, lastWholeLine } from './window.ts';

/** Lines that a search found, and the best of them, which identifies them later. They count from 1. */
export interface FoundLines {
  readonly startLine: number;
  readonly endLine: number;
  readonly symbol?: { readonly name: string; readonly kind: string; readonly line: number };
  readonly line?: number;
  /** The best line without indentation, or its beginning. */
  readonly text?: string;
}

/** Length at which the line of an enclosing definition is cut. */
const MAX_HEAD = 200;
/** Lines of an enclosing definition, with its comment, that are its context. */
const MAX_CONTEXT = 12;
/** Limit for lines of any length, as data has. */
const MAX_CHARACTERS = 8_000;

export type LineRange = Pick<FoundLines, 'startLine' | 'endLine'>;

/** Lines of a file to quote; they count from 1. */
export interface QuotedLines {
  readonly startLine: number;
  readonly endLine: number;
  /** The definition that is, or encloses, the lines. */
  readonly definition?: SymbolSpan;
}

/** Length below which a definition says too little alone, such as a field. */
const SHORT = 4;
const PROSE: ReadonlySet<string> = new Set([...DOCUMENTS, 'html', 'plaintext']);

const CONSTANTS = new Set(['constant', 'field', 'macro', 'property', 'variable']);
const HAS_NUMBER = /\b\d/;
/** A key with a number: of a table, of settings, of `define()` in PHP. */
const KEY_WITH_NUMBER =
  /^[ \t-]*(?:(?:["']?([A-Za-z_][\w.-]*)["']?[ \t]*(=>|=(?![=>])|:(?![:=]))[ \t]*["'@]*(?:every )?-?\d)|.*\bdefine\(\s*["'](\w+)["'],.*\b\d)/;
const MAX_KEY_LINE = 400;
const KEY_COMMENT = /^\s*(?:;|#|\/\/|--)/;
/** Most lines of a comment above a key. */
const MAX_KEY_COMMENT = 6;
/** Lines of constants next to each other that are quoted together. */
const MAX_BESIDE = 12;

export function isProse(language: string): boolean {
  return PROSE.has(language);
}

/** What code does with a definition of the kind. */
export function verbOf(kind: string | undefined): 'called' | 'used' {
  return isConstant(kind) ? 'used' : 'called';
}

function isConstant(kind: string | undefined): boolean {
  return kind !== undefined && CONSTANTS.has(kind);
}

/** A constant, or a key of settings or of a table. */
export interface Constant extends SymbolSpan {
  readonly isKey?: boolean;
}

/** The lines of a file; they count from 1. */
export class SourceFile {
  readonly #path: string;
  readonly #lines: readonly string[];
  readonly #analyzer: Analyzer;
  #constants: readonly Constant[] | undefined;
  #known: { readonly definitions: readonly SymbolSpan[]; readonly chunks: readonly FoundLines[] } | undefined;

  /** An analyzer may serve many files. */
  constructor(path: string, text: string, analyzer = new Analyzer()) {
    this.#path = path;
    this.#analyzer = analyzer;
    this.#lines = text.split(/\r\n|\r|\n/);
  }

  holds({ startLine, endLine, line, text }: FoundLines): boolean {
    if (startLine < 1 || endLine < startLine || endLine > this.#lines.length) return false;
    return line === undefined || text === undefined || this.#lines[line - 1]?.trim().startsWith(text) === true;
  }

  /**
   * The lines to quote for found ones: the definition that they are, or are in, with its comment, if it has at most `most` lines; else
   * the part of the found lines that has most of the words. Of data they are the whole file or the outermost section of that length.
   */
  quote(found: FoundLines, words: readonly string[], most: number, language: string): QuotedLines {
    const around = this.around(found);
    const [inner] = around;
    const whole = around.filter((one) => sizeOf(one) <= most);
    const isData = inner?.kind === 'section';
    const lastLine = this.#lines.length - (this.#lines.at(-1) === '' ? 1 : 0);
    // A key of data says little without those around it.
    if (isData && lastLine <= most) return { startLine: 1, endLine: lastLine };
    const definition = isData ? whole.at(-1) : (whole.find((one) => sizeOf(one) >= SHORT) ?? whole[0]);
    if (definition) return { startLine: definition.startLine, endLine: definition.endLine, definition };
    const start = found.startLine - 1;
    const end = Math.min(found.endLine, this.#lines.length) - 1;
    const window = bestWindow(this.#lines, { start, end }, words, most, isProse(language));
    const lines = { startLine: window.start + 1, endLine: window.end + 1 };
    const named = inner ?? this.#mainIn(lines);
    return { ...lines, ...(named && { definition: named }) };
  }

  /** The line that names the innermost definition which begins above the lines and is around them; no heading. */
  headOf(
    lines: Pick<FoundLines, 'startLine' | 'endLine'>,
  ): { readonly line: number; readonly text: string } | undefined {
    const head = this.around(lines).find(({ line, kind }) => line < lines.startLine && kind !== 'heading');
    return head && { line: head.line, text: prefixOf(this.#lines[head.line - 1]!.trim(), MAX_HEAD) };
  }

  /** What begins the definitions that are around the lines and larger: their comments, and the lines that name them. */
  contextOf({ startLine, endLine }: Pick<FoundLines, 'startLine' | 'endLine'>): string {
    return this.around({ startLine, endLine })
      .filter((one) => one.startLine < startLine || one.endLine > endLine)
      .flatMap((one) =>
        this.#lines.slice(one.startLine - 1, Math.min(one.line, one.startLine + MAX_CONTEXT, startLine - 1)),
      )
      .join('\n');
  }

  /** The chunks of the file as the index has them, but for imports. */
  pieces(): readonly FoundLines[] {
    return this.#analysis().chunks;
  }

  /** The definitions around the lines, the innermost first. */
  around({ startLine, endLine }: Pick<FoundLines, 'startLine' | 'endLine'>): SymbolSpan[] {
    return this.#definitions()
      .filter((one) => one.startLine <= startLine && endLine <= one.endLine)
      .sort((a, b) => sizeOf(a) - sizeOf(b));
  }

  /** The definition that makes up most of the lines. */
  #mainIn(lines: { readonly startLine: number; readonly endLine: number }): SymbolSpan | undefined {
    return this.#definitions().find(
      (one) => lines.startLine <= one.startLine && one.endLine <= lines.endLine && sizeOf(one) > sizeOf(lines) / 2,
    );
  }

  /** All lines of the found definition, however many. */
  definitionOf({ symbol }: FoundLines): SymbolSpan | undefined {
    return symbol && this.#definitions().find(({ name, line }) => name === symbol.name && line === symbol.line);
  }

  /** The constants with a number on their line. */
  constants(): readonly Constant[] {
    this.#constants ??= this.#findConstants();
    return this.#constants;
  }

  #findConstants(): readonly Constant[] {
    const defined = this.#definitions().filter(({ kind, name, line }) => {
      const text = isConstant(kind) ? this.#lines[line - 1]! : '';
      return HAS_NUMBER.test(text.slice(text.indexOf(name) + name.length));
    });
    // A local variable or an argument, in code, is no setting.
    const isCode = this.#definitions().some(({ kind }) => kind !== 'section' && kind !== 'heading');
    const known = new Set(defined.map(({ line }) => line));
    const keys = this.#lines.flatMap((text, i): Constant[] => {
      if (known.has(i + 1) || text.length > MAX_KEY_LINE) return [];
      const [, key, sign, ofDefine] = KEY_WITH_NUMBER.exec(text) ?? [];
      const name = sign === '=' && isCode ? undefined : (key ?? ofDefine);
      if (name === undefined) return [];
      let start = i;
      while (i - start < MAX_KEY_COMMENT && KEY_COMMENT.test(this.#lines[start - 1] ?? '')) start--;
      return [{ name, kind: 'constant', startLine: start + 1, line: i + 1, endLine: i + 1, isKey: true }];
    });
    return [...defined, ...keys].sort((a, b) => a.line - b.line);
  }

  /** What is said about a constant: its comment, and the names of what it is in. */
  aboutConstant({ startLine, line, endLine }: SymbolSpan): string {
    const names = this.around({ startLine, endLine }).map(({ name }) => name);
    return [...this.#lines.slice(startLine - 1, line), ...names, this.#path].join('\n');
  }

  /** The lines of a constant and of those above and below it, with at most a line between, which are often about the same. */
  constantsBeside({ startLine, endLine }: LineRange): LineRange {
    const all = this.constants();
    for (;;) {
      const next = all.find(
        (one) =>
          (one.startLine < startLine || one.endLine > endLine) &&
          one.startLine - endLine <= 2 &&
          startLine - one.endLine <= 2 &&
          Math.max(endLine, one.endLine) - Math.min(startLine, one.startLine) < MAX_BESIDE,
      );
      if (!next) return { startLine, endLine };
      startLine = Math.min(startLine, next.startLine);
      endLine = Math.max(endLine, next.endLine);
    }
  }

  #definitions(): readonly SymbolSpan[] {
    return this.#analysis().definitions;
  }

  #analysis(): { readonly definitions: readonly SymbolSpan[]; readonly chunks: readonly FoundLines[] } {
    if (!this.#known) {
      const { definitions, chunks } = this.#analyzer.analyze(this.#path, Buffer.from(this.#lines.join('\n')));
      this.#known = {
        definitions: definitions.map(toSymbolSpan),
        chunks: chunks
          .filter(({ isImports }) => isImports !== true)
          .map(({ start, end }) => ({ startLine: start + 1, endLine: end + 1 })),
      };
    }
    return this.#known;
  }

  /** The lines up to the limit of characters, cut after a statement or sentence; at least one line, which is cut if it is longer. */
  text(
    startLine: number,
    lastLine: number,
    isProse: boolean,
    most = MAX_CHARACTERS,
  ): { readonly text: string; readonly endLine: number } {
    let endLine = startLine;
    let length = this.#lines[startLine - 1]!.length;
    while (endLine < lastLine && length + 1 + this.#lines[endLine]!.length <= most)
      length += 1 + this.#lines[endLine++]!.length;
    if (endLine < lastLine) endLine = lastWholeLine(this.#lines, startLine - 1, endLine - 1, isProse) + 1;
    return {
      text: this.#lines
        .slice(startLine - 1, endLine)
        .join('\n')
        .slice(0, most),
      endLine,
    };
  }

  /** Whether the lines, if any, are blank. */
  isBlank(startLine: number, endLine: number): boolean {
    return (
      endLine - startLine < 2 &&
      this.#lines.slice(startLine - 1, Math.max(startLine - 1, endLine)).every((line) => line.trim() === '')
    );
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
