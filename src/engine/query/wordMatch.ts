import { isIndexable, stem } from '../analyze/words.ts';

/** How alike a word is to one of a query's: 0 is unlike all. */
export interface WordMatch {
  /** Which word of the query. */
  readonly word: number;
  readonly value: number;
}

const NONE: WordMatch = { word: 0, value: 0 };
/** Three letters of five bits each, which capital and small letters share. */
const TRIGRAMS = 1 << 15;

/** Compares words with those of a query, by their stems: `config` is nearly `configur`, and `valid` nearly `valid`ator. */
export class WordMatcher {
  readonly #words: readonly string[];
  readonly #known = new Map<string, WordMatch | undefined>();
  /** The trigrams that a word of the query may begin with. */
  readonly #beginnings = new Uint8Array(TRIGRAMS);

  /** `words` are stems. */
  constructor(words: readonly string[]) {
    this.#words = words;
    for (const word of words) this.#addBeginning(word);
  }

  /** How alike a part of a name is; `undefined` if it says nothing, as a single letter. */
  match(part: string): WordMatch | undefined {
    let match = this.#known.get(part);
    if (match === undefined && !this.#known.has(part)) {
      match = isIndexable(part) ? this.compare(stemOf(part)) : undefined;
      this.#known.set(part, match);
    }
    return match;
  }

  /** Whether {@link match} may find anything in the name that is UTF-8 from `from` to `to`. Costs a nanosecond a byte. */
  mayMatch(bytes: Uint8Array, from: number, to: number): boolean {
    let trigram = 0;
    for (let at = from; at < to; at++) {
      trigram = ((trigram << 5) | (bytes[at]! & 31)) & (TRIGRAMS - 1);
      if (at >= from + 2 && this.#beginnings[trigram] === 1) return true;
    }
    // A word of two letters at the end.
    return this.#beginnings[(trigram << 5) & (TRIGRAMS - 1)] === 1;
  }

  /** What is alike begins with the same three letters, or is the same: see {@link likenessOf}. */
  #addBeginning(word: string): void {
    const letters = /^[\x21-\x7f]{0,3}/.exec(word)![0];
    this.#addTrigrams(letters);
    // The stem of `key` is `kei`.
    if (letters.endsWith('i')) this.#addTrigrams(`${letters.slice(0, -1)}y`);
  }

  /** All that begin with `letters`; a single one decides too little. */
  #addTrigrams(letters: string): void {
    let first = 0;
    const length = letters.length < 2 ? 0 : letters.length;
    for (let i = 0; i < length; i++) first = (first << 5) | (letters.charCodeAt(i) & 31);
    const count = 1 << (5 * (3 - length));
    this.#beginnings.fill(1, first * count, (first + 1) * count);
  }

  /** How alike a stem is. */
  compare(stem: string): WordMatch {
    let word = 0;
    let value = 0;
    for (let i = 0; i < this.#words.length && value < 1; i++) {
      const likeness = likenessOf(this.#words[i]!, stem);
      if (likeness <= value) continue;
      word = i;
      value = likeness;
    }
    return value === 0 ? NONE : { word, value };
  }
}

/** The stems of words that were compared, for the next search. */
const stems = new Map<string, string>();
const MAX_STEMS = 20_000;

function stemOf(part: string): string {
  let known = stems.get(part);
  if (known === undefined) {
    if (stems.size >= MAX_STEMS) stems.clear();
    stems.set(part, (known = stem(part)));
  }
  return known;
}

/** How alike two stems begin. */
export function likenessOf(a: string, b: string): number {
  if (a.charCodeAt(0) !== b.charCodeAt(0)) return 0;
  if (a === b) return 1;
  const shorter = Math.min(a.length, b.length);
  let length = 1;
  while (length < shorter && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  if (length >= 3 && length === shorter) return 0.8;
  return length >= 4 && length >= 0.6 * Math.max(a.length, b.length) ? 0.6 : 0;
}
