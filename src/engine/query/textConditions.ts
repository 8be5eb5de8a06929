import type { DocumentId } from '../documentId.ts';
import { compilePhrase, type Phrase } from './phrase.ts';
import type { ParsedQuery } from './queryLanguage.ts';
import { termsWithin, type Term } from './terms.ts';

/** Returns a document's text, or `undefined` if it is not available. */
export type ReadText = (path: string, id: DocumentId) => string | undefined;

/** The conditions of a query on the text of documents: what is in quotes. The index has no text, so files are read. */
export class TextConditions {
  readonly #parsed: ParsedQuery;
  readonly #phrases: readonly { readonly phrase: Phrase; readonly exclude: boolean }[];
  #left: number;

  /** `maxText` is the number of characters that may be read. */
  constructor(parsed: ParsedQuery, maxText = Infinity) {
    this.#parsed = parsed;
    this.#phrases = parsed.phrases.map(({ text, exclude }) => ({ phrase: compilePhrase(text), exclude }));
    this.#left = maxText;
  }

  /** Whether {@link match} left a document out that it may not read any more. */
  get isUsedUp(): boolean {
    return this.#left < 0;
  }

  /** Groups of terms: each document that meets the conditions has at least one of each. */
  requiredTerms(): readonly (readonly Term[])[] {
    return this.#parsed.phrases.flatMap(({ text, exclude }) => (exclude ? [] : termsWithin(text)));
  }

  /** The line of the first phrase, if there is one; `undefined` for a document that does not meet the conditions. */
  match(readText: ReadText | undefined, path: string, id: () => DocumentId): { readonly line?: number } | undefined {
    if (this.#phrases.length === 0 || !readText) return {};
    if (this.#left === 0) this.#left = -1;
    if (this.#left < 0) return undefined;
    const content = readText(path, id());
    if (content === undefined) return undefined;
    this.#left = Math.max(0, this.#left - content.length);
    let line: number | undefined;
    for (const { phrase, exclude } of this.#phrases) {
      const found = phrase.firstIn(content);
      if (exclude === (found !== undefined)) return undefined;
      line ??= found?.line;
    }
    return line === undefined ? {} : { line };
  }
}
