import type { DocumentId } from '../documentId.ts';
import { stem } from '../analyze/words.ts';
import { Field } from '../index/format.ts';
import { compileNegative, compilePhrase, type Phrase } from './phrase.ts';
import type { ParsedQuery, QueryPhrase } from './queryLanguage.ts';
import { literalsOf } from './regexLiterals.ts';
import { termsWithin, type Term } from './terms.ts';

/** Returns a document's text, or `undefined` if it is not available. */
export type ReadText = (path: string, id: DocumentId) => string | undefined;

/** What a search for text needs beside the query. */
export interface TextOptions {
  readonly maxText?: number;
  /** The compiled expressions of the query, in its order. */
  readonly regexes?: readonly Phrase[];
}

/** Matches what a phrase means. */
export function patternOf({ text, isNumber }: QueryPhrase): Phrase {
  return isNumber ? compileNegative(text) : compilePhrase(text);
}

/** The conditions of a query on the text of documents: phrases and expressions. The index has no text, so files are read. */
export class TextConditions {
  readonly #parsed: ParsedQuery;
  readonly #conditions: readonly { readonly pattern: Phrase; readonly exclude: boolean }[];
  #left: number;

  constructor(parsed: ParsedQuery, { maxText = Infinity, regexes = [] }: TextOptions) {
    this.#parsed = parsed;
    this.#conditions = [
      ...parsed.phrases.map((phrase) => ({ pattern: patternOf(phrase), exclude: phrase.exclude })),
      ...regexes.map((pattern, i) => ({ pattern, exclude: parsed.regexes[i]!.exclude })),
    ];
    this.#left = maxText;
  }

  /** Whether documents must have a text. */
  get isNeeded(): boolean {
    return this.#conditions.some(({ exclude }) => !exclude);
  }

  /** Whether documents must match an expression. */
  get hasRegex(): boolean {
    return (
      this.#conditions.length > this.#parsed.phrases.length && this.#parsed.regexes.some(({ exclude }) => !exclude)
    );
  }

  /** Whether {@link match} left a document out that it may not read any more. */
  get isUsedUp(): boolean {
    return this.#left < 0;
  }

  /** Groups of terms: each document that meets the conditions has at least one of each. */
  requiredTerms(): readonly (readonly Term[])[] {
    const { phrases, regexes } = this.#parsed;
    const ofRegexes = this.hasRegex ? regexes : [];
    return [
      ...phrases.flatMap(({ text, exclude }) => (exclude ? [] : termsWithin(text))),
      ...ofRegexes.flatMap(({ text, flags, exclude }) =>
        exclude ? [] : literalsOf(text, flags).words.map((word) => [{ field: Field.body, text: stem(word) }]),
      ),
    ];
  }

  /** The line of the first match, if there is one; `undefined` for a document that does not meet the conditions. */
  match(readText: ReadText | undefined, path: string, id: () => DocumentId): { readonly line?: number } | undefined {
    if (this.#conditions.length === 0 || !readText) return {};
    if (this.#left === 0) this.#left = -1;
    if (this.#left < 0) return undefined;
    const content = readText(path, id());
    if (content === undefined) return undefined;
    this.#left = Math.max(0, this.#left - content.length);
    let line: number | undefined;
    for (const { pattern, exclude } of this.#conditions) {
      const found = pattern.firstIn(content);
      if (exclude === (found !== undefined)) return undefined;
      line ??= found?.line;
    }
    return line === undefined ? {} : { line };
  }
}
