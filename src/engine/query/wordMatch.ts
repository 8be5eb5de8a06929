import { IdentifierTable } from '../analyze/identifiers.ts';
import { internWord } from '../analyze/scanner.ts';
import { AsciiParts, isIndexable, splitIdentifier, stem, STOPWORDS } from '../analyze/words.ts';
import { keep } from './keep.ts';

/** Similarity of a word to a word of the query; 0 if it is unlike all. */
export interface WordMatch {
  /** Index of the query's word. */
  readonly word: number;
  readonly value: number;
}

const NONE: WordMatch = { word: 0, value: 0 };
/** Number of trigrams: three letters of five bits each, which capital and small letters share. */
const TRIGRAMS = 1 << 15;

/** Compares words with those of a query, by their stems: `config` is nearly `configur`, and `valid` nearly `valid`ator. */
export class WordMatcher {
  /** Similarity of the most alike part of the last compared name, by word of the query. */
  readonly values: Float64Array;
  /** Similarity of all parts of the last name together. */
  like = 0;
  /** Number of significant parts of the last name: a single letter, for instance, is not. */
  parts = 0;
  readonly #words: readonly string[];
  /** The trigrams that a word of the query may begin with. */
  readonly #beginnings = new Uint8Array(TRIGRAMS);
  readonly #splitter = new AsciiParts();

  /** `words` are stems. */
  constructor(words: readonly string[]) {
    this.#words = words;
    this.values = new Float64Array(words.length);
    for (const word of words) this.#addBeginning(word);
  }

  /**
   * Compares the name in the UTF-8 bytes from `from` to `to`; `false` if no part of it is alike. Few parts become
   * strings.
   */
  compareName(name: Buffer, from: number, to: number): boolean {
    if (!this.mayMatch(name, from, to)) return false;
    this.values.fill(0);
    this.like = 0;
    this.parts = 0;
    if (!this.#splitter.split(name, from, to)) {
      for (const part of splitIdentifier(name.toString('utf8', from, to)))
        this.#comparePart(isIndexable(part) ? stems.of(part) : undefined);
      return this.like > 0;
    }
    const { starts, ends, count } = this.#splitter;
    for (let i = 0; i < count; i++) {
      const start = starts[i]!;
      const end = ends[i]!;
      if (end - start === 1) continue;
      const trigram = trigramAt(name, start, end);
      if (this.#beginnings[trigram] === 1) this.#comparePart(stems.ofBytes(name, start, end));
      else if (!mayBeStopword(trigram, end - start) || stems.ofBytes(name, start, end) !== undefined) this.parts++;
    }
    return this.like > 0;
  }

  #comparePart(stem: string | undefined): void {
    if (stem === undefined) return;
    this.parts++;
    const { word, value } = this.compare(stem);
    this.like += value;
    if (value > this.values[word]!) this.values[word] = value;
  }

  /**
   * Whether {@link compareName} may find anything, by the three letters at each possible beginning of a part. Any byte
   * may begin one but a small letter after a letter. Costs a nanosecond a byte.
   */
  mayMatch(name: Uint8Array, from: number, to: number): boolean {
    let isLetter = false;
    for (let at = from; at < to; at++) {
      const byte = name[at]!;
      // The letter may have an accent, which words do not have.
      if (byte > 0x7f) return true;
      const isSmall = byte >= 0x61 && byte <= 0x7a;
      if ((!isSmall || !isLetter) && this.#beginnings[trigramAt(name, at, to)] === 1) return true;
      isLetter = isSmall || (byte >= 0x41 && byte <= 0x5a);
    }
    return false;
  }

  /**
   * Adds the beginning of a word. Alike words begin with the same three letters, or are the same: see
   * {@link likenessOf}.
   */
  #addBeginning(word: string): void {
    const letters = /^[\x21-\x7f]{0,3}/.exec(word)![0];
    this.#addTrigrams(letters);
    // The stem of `key` is `kei`.
    if (letters.endsWith('i')) this.#addTrigrams(`${letters.slice(0, -1)}y`);
  }

  /** Adds all trigrams that begin with `letters`; a single one distinguishes too little. */
  #addTrigrams(letters: string): void {
    const length = letters.length < 2 ? 0 : letters.length;
    const first = trigramAt(Buffer.from(letters.slice(0, length)), 0, length);
    this.#beginnings.fill(1, first, first + (1 << (5 * (3 - length))));
  }

  /** Finds the most similar word of the query for a stem. */
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

/** The trigram at `from`; letters beyond `to` are 0. */
function trigramAt(text: Uint8Array, from: number, to: number): number {
  const second = from + 1 < to ? text[from + 1]! & 31 : 0;
  const third = from + 2 < to ? text[from + 2]! & 31 : 0;
  return from < to ? ((text[from]! & 31) << 10) | (second << 5) | third : 0;
}

/** Lengths of stopwords by their trigram, a bit for each length. */
const STOPWORD_LENGTHS = new Uint32Array(TRIGRAMS);
for (const word of STOPWORDS) STOPWORD_LENGTHS[trigramAt(Buffer.from(word), 0, word.length)]! |= 1 << word.length;

/** Whether a part may be insignificant: a stopword, or too long. */
function mayBeStopword(trigram: number, length: number): boolean {
  return length > 31 || (STOPWORD_LENGTHS[trigram]! & (1 << length)) !== 0;
}

const MAX_STEMS = 20_000;

/** The stems of compared words, cached for the next search. */
class Stems {
  readonly #byWord = new Map<string, string>();
  readonly #words = new IdentifierTable();
  /** Stems by the number of a word; `undefined` for an insignificant one. */
  readonly #byNumber: (string | undefined)[] = [];

  of(word: string): string {
    return keep(this.#byWord, word, stem);
  }

  /** The stem of a word in ASCII, without a string if it is known. */
  ofBytes(bytes: Buffer, from: number, to: number): string | undefined {
    if (this.#byNumber.length >= MAX_STEMS) {
      this.#words.clear();
      this.#byNumber.length = 0;
    }
    const number = internWord(bytes, from, to, this.#words);
    if (number === this.#byNumber.length) {
      const word = bytes.toString('latin1', from, to).toLowerCase();
      this.#byNumber.push(isIndexable(word) ? this.of(word) : undefined);
    }
    return this.#byNumber[number];
  }
}

const stems = new Stems();

export function stemOf(word: string): string {
  return stems.of(word);
}

/** Similarity of the beginnings of two stems. */
export function likenessOf(a: string, b: string): number {
  if (a.charCodeAt(0) !== b.charCodeAt(0)) return 0;
  if (a === b) return 1;
  const shorter = Math.min(a.length, b.length);
  let length = 1;
  while (length < shorter && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  if (length >= 3 && length === shorter) return 0.8;
  return length >= 4 && length >= 0.6 * Math.max(a.length, b.length) ? 0.6 : 0;
}
