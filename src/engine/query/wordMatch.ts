import { isIndexable, splitIdentifier, stem } from '../analyze/words.ts';

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
  /** The trigrams that a word of the query may begin with. */
  readonly #beginnings = new Uint8Array(TRIGRAMS);

  /** `words` are stems. */
  constructor(words: readonly string[]) {
    this.#words = words;
    for (const word of words) this.#addBeginning(word);
  }

  /**
   * Whether {@link compare} may find anything alike in the name that is UTF-8 from `from` to `to`, by the three letters that follow
   * wherever a part may begin: at all but a small letter after a letter. Costs a nanosecond a byte.
   */
  mayMatch(bytes: Uint8Array, from: number, to: number): boolean {
    let isLetter = false;
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      const isSmall = byte >= 0x61 && byte <= 0x7a;
      if (!isSmall || !isLetter) {
        const second = at + 1 < to ? bytes[at + 1]! & 31 : 0;
        const third = at + 2 < to ? bytes[at + 2]! & 31 : 0;
        if (this.#beginnings[((byte & 31) << 10) | (second << 5) | third] === 1) return true;
      }
      isLetter = isSmall || (byte >= 0x41 && byte <= 0x5a);
    }
    return false;
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

/** What a name says. */
export interface NameWords {
  /** The stems of those of its parts that say something: not those of a single letter, for instance. */
  readonly stems: readonly string[];
  readonly folded: string;
}

/** The names that were compared, for the next search: while one types, it is mostly about the same. */
const known = new Map<string, NameWords>();
const MAX_KNOWN = 20_000;

export function wordsOfName(name: string): NameWords {
  let words = known.get(name);
  if (words === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    const parts = splitIdentifier(name);
    words = { stems: parts.filter(isIndexable).map(stem), folded: parts.join('') };
    known.set(name, words);
  }
  return words;
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
