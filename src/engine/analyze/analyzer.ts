import { cutChunks, type Chunk } from './chunks.ts';
import { findDefinitions, type Definition } from './definitions.ts';
import { findFields } from './fields.ts';
import { IdentifierTable } from './identifiers.ts';
import { markImports } from './imports.ts';
import { HEADER_WORDS, languageOfHeader } from './headers.ts';
import type { Language } from './language.ts';
import { LANGUAGES, isManual, languageOf, nameFromFile } from './languages.ts';
import { nonCodeLines } from './nonCode.ts';
import { SourceScan, decode, hashIdentifier, scan } from './scanner.ts';

export interface Analysis {
  readonly language: string;
  /** Set for data and templates of it, except XML: their comments, often settings that are off, describe no more than the rest. */
  readonly isData: boolean;
  readonly definitions: readonly Definition[];
  /** Chunks that cover the file without overlap. */
  readonly chunks: readonly Chunk[];
  /** Bits of `lexer.ts` for each line that is not code. */
  readonly quiet: Uint8Array;
  /** Lines and tokens; valid until the next document is analysed. */
  readonly scan: SourceScan;
}

/** Called at the first occurrence of each identifier, with its number and the range of its UTF-8 text. */
export type Meet = (identifier: number, bytes: Uint8Array, start: number, end: number) => void;

/** A field of a type, as an outline has it. */
export interface OutlinedField extends Omit<Definition, 'kind'> {
  readonly kind: 'field';
}

/** Finds the language, lines, definitions and chunks of one document after the other. */
export class Analyzer {
  readonly #table = new IdentifierTable();
  readonly #scan = new SourceScan();
  readonly #meet: Meet;
  readonly #meetInScan = (identifier: number, start: number, end: number): void =>
    this.#meet(identifier, this.#scan.bytes, start, end);
  /** Identifiers that may begin a definition, by language. */
  readonly #leaders = new Map<string, ReadonlySet<number>>();
  readonly #headerWords: ReadonlySet<number>;

  constructor(meet: Meet = () => undefined) {
    this.#meet = meet;
    for (const { id, leaders } of LANGUAGES) this.#leaders.set(id, new Set(leaders.map((word) => this.#intern(word))));
    this.#headerWords = new Set(HEADER_WORDS.map((word) => this.#intern(word)));
  }

  /** Forgets all identifiers; the next document reports them again. */
  clear(): void {
    this.#table.clear();
    // Same order as the first time, so that they get the same numbers.
    for (const { leaders } of LANGUAGES) for (const word of leaders) this.#intern(word);
    for (const word of HEADER_WORDS) this.#intern(word);
  }

  /** Number of distinct identifiers since the last {@link clear}. */
  get identifiers(): number {
    return this.#table.size;
  }

  /** Analyses one document. `text` is UTF-8; lines count from 0. */
  analyze(path: string, text: Uint8Array): Analysis {
    scan(text, this.#scan, this.#table, this.#meetInScan);
    const language = this.#languageOf(path, text);
    // Thousands of generated pages of documentation would stand before the code that they document.
    const leaders = isManual(path, language) ? undefined : this.#leaders.get(language.id);
    const quiet = nonCodeLines(this.#scan, language);
    markImports(this.#scan, language, quiet);
    const definitions = leaders ? findDefinitions(this.#scan, language, quiet, (word) => leaders.has(word)) : [];
    const name = nameFromFile(path, language);
    const last = this.#scan.lineCount - 1;
    if (name !== undefined && last >= 0) definitions.unshift({ name, kind: 'module', start: 0, line: 0, end: last });
    return {
      language: language.id,
      isData: language.sections !== undefined && language.sections !== 'xml',
      definitions,
      chunks: cutChunks(this.#scan, definitions, quiet),
      quiet,
      scan: this.#scan,
    };
  }

  /** The definitions of a document, and the fields of its types, in their order. */
  outline(path: string, text: Uint8Array): (Definition | OutlinedField)[] {
    const { definitions, quiet, scan, language } = this.analyze(path, text);
    const rules = LANGUAGES.find(({ id }) => id === language);
    if (!rules) return [];
    const fields = findFields(scan, rules, quiet, definitions).map((field): OutlinedField => ({
      ...field,
      kind: 'field',
      start: field.line,
      end: field.line,
    }));
    return [...definitions, ...fields].toSorted((one, other) => one.line - other.line);
  }

  #languageOf(path: string, text: Uint8Array): Language {
    const language = languageOf(path, decode(text, 0, Math.min(text.length, 120)));
    if (language.id !== 'c' || !path.endsWith('.h')) return language;
    const id = languageOfHeader(this.#scan, (identifier) => this.#headerWords.has(identifier));
    return LANGUAGES.find((one) => one.id === id) ?? language;
  }

  #intern(word: string): number {
    const known = this.#table.size;
    const identifier = this.#table.intern(...hashIdentifier(word));
    if (identifier === known) this.#meet(identifier, Buffer.from(word), 0, word.length);
    return identifier;
  }
}
