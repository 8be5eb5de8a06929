import type { SextantError } from '../../base/errors.ts';
import { ByteReader, ByteWriter } from './format.ts';
import { sortEntries } from './nameSet.ts';

/*
 * The distinct words of a segment, for the correction of typing errors: terms are hashes of stems.
 *
 * Words are in alphabetical order, in one part for each first letter, and front-coded. An entry has a number
 * made of the letters shared with the previous word and, in three bits, of those added (0 if the next number has them), the
 * added letters, and the word's frequency. The parts are not deflated: that would save less than a megabyte on the Linux kernel,
 * and inflating the parts of one letter would take longer than comparing their words.
 */

export const MIN_LETTERS = 3;
export const MAX_LETTERS = 24;
/** Number of letters that a word may begin with. */
export const LETTERS = 26;
const FIRST_LETTER = 0x61;
/** Bit that turns an ASCII capital into a small letter. */
const LOWER_CASE = 32;
const ADDED_BITS = 3;
const ADDED_MASK = (1 << ADDED_BITS) - 1;

/** Number from 0 to 25 of a small ASCII letter; another number for any other byte. */
export function letterNumber(byte: number): number {
  return byte - FIRST_LETTER;
}

/** Bytes of a term's number before each gathered word. */
const TERM_BYTES = 4;

/** Gathers distinct words of ASCII letters in any order, and sorts them when they are written. */
export class WordSet {
  /** For each word the number of its term, its letters and a zero. */
  readonly #entries = new ByteWriter();
  /** Offset of the letters of each word, by its number: 0 for an unknown word, -1 where it is not listed. */
  #starts = new Int32Array(1 << 12);
  #count = 0;

  /** Number of bytes. */
  get bytes(): number {
    return this.#entries.length + this.#count * 8;
  }

  has(number: number): boolean {
    return number < this.#count && this.#starts[number] !== 0;
  }

  /**
   * Adds the word `number`, or sets the term of a known one. A word of other characters than ASCII letters, too short or too
   * long, is not listed.
   */
  set(number: number, term: number, bytes: Uint8Array, start: number, end: number): void {
    if (!this.has(number)) this.#add(number, this.#append(bytes, start, end));
    const at = this.#starts[number]!;
    const entries = this.#entries.bytes;
    for (let i = 1; at > 0 && i <= TERM_BYTES; i++) entries[at - i] = term >>> (8 * (i - 1));
  }

  clear(): void {
    this.#entries.length = 0;
    this.#starts.fill(0);
    this.#count = 0;
  }

  /** Passes the words to `writer` in their order. `frequencyOf` returns the frequency of a term; words of 0 are left out. */
  write(writer: WordWriter, frequencyOf: (term: number) => number): void {
    const { bytes } = this.#entries;
    const order = Uint32Array.from(this.#starts.subarray(0, this.#count).filter((start) => start > 0));
    sortEntries(bytes, order, 0, order.length, 0);
    for (const start of order) {
      let term = 0;
      for (let i = TERM_BYTES; i >= 1; i--) term = (term << 8) | bytes[start - i]!;
      const frequency = frequencyOf(term);
      if (frequency > 0) writer.add(bytes.subarray(start, bytes.indexOf(0, start)), frequency);
    }
  }

  #add(number: number, start: number): void {
    if (number >= this.#starts.length) {
      const larger = new Int32Array(number * 2);
      larger.set(this.#starts);
      this.#starts = larger;
    }
    this.#starts[number] = start;
    this.#count = Math.max(this.#count, number + 1);
  }

  #append(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length < MIN_LETTERS || length > MAX_LETTERS) return -1;
    const entries = this.#entries;
    entries.reserve(TERM_BYTES + length + 1);
    const from = entries.length + TERM_BYTES;
    for (let i = 0; i < length; i++) {
      const letter = bytes[start + i]! | LOWER_CASE;
      if (letterNumber(letter) < 0 || letterNumber(letter) >= LETTERS) return -1;
      entries.bytes[from + i] = letter;
    }
    entries.bytes[from + length] = 0;
    entries.length = from + length + 1;
    return from;
  }
}

/** Packs words, which must come in alphabetical order. */
export class WordWriter {
  readonly #write: (part: Uint8Array) => void;
  readonly #part = new ByteWriter();
  readonly #offsets = new Uint32Array(LETTERS + 1);
  readonly #previous = new Uint8Array(MAX_LETTERS);
  #previousLength = 0;
  #letter = 0;
  #written = 0;
  count = 0;

  /** `write` receives each part when it is complete. */
  constructor(write: (part: Uint8Array) => void) {
    this.#write = write;
  }

  add(word: Uint8Array, frequency: number): void {
    while (this.#letter < letterNumber(word[0]!)) this.#finishPart();
    const previous = this.#previous;
    let shared = 0;
    while (shared < word.length && shared < this.#previousLength && word[shared] === previous[shared]) shared++;
    const added = word.length - shared;
    const part = this.#part;
    part.varint((shared << ADDED_BITS) | (added > ADDED_MASK ? 0 : added));
    if (added > ADDED_MASK) part.varint(added);
    part.append(word.subarray(shared));
    part.varint(frequency);
    previous.set(word.subarray(shared), shared);
    this.#previousLength = word.length;
    this.count++;
  }

  /** Returns the offset of each letter's part from the first one's, and of the end. */
  finish(): Uint32Array {
    while (this.#letter < LETTERS) this.#finishPart();
    return this.#offsets;
  }

  #finishPart(): void {
    this.#write(this.#part.view());
    this.#written += this.#part.length;
    this.#part.length = 0;
    this.#previousLength = 0;
    this.#offsets[++this.#letter] = this.#written;
  }
}

/** Iterates in order over the words that begin with one letter. */
export class WordCursor {
  /** The current word's letters; they change with {@link next}. */
  readonly letters = new Uint8Array(MAX_LETTERS);
  length = 0;
  frequency = 0;
  readonly #bytes: Uint8Array;
  #at = 0;
  readonly #damaged: (what: string) => SextantError;

  /** `damaged` returns the error to throw where {@link WordWriter} did not write the bytes. */
  constructor(part: Uint8Array, damaged: (what: string) => SextantError) {
    this.#bytes = part;
    this.#damaged = damaged;
  }

  /**
   * Moves to the next word, or to the next that shares fewer than `sharing` letters with the current one. Returns the
   * number of letters that it shares with the current one, or -1 if there is no such word.
   */
  next(sharing = MAX_LETTERS): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    let at = this.#at;
    // Reads numbers in place: most of a letter's words are skipped.
    while (at < end) {
      let head = bytes[at++]!;
      if (head > 127) head = (head & 127) | (bytes[at++]! << 7);
      const shared = head >>> ADDED_BITS;
      let added = head & ADDED_MASK;
      if (added === 0) added = bytes[at++]!;
      if (shared < sharing) {
        this.#take(at, shared, added);
        return shared;
      }
      at += added;
      // Skips the frequency, most often of one byte.
      while (bytes[at++]! > 127);
    }
    this.#at = at;
    return -1;
  }

  text(): string {
    return Buffer.from(this.letters.buffer, 0, this.length).toString('latin1');
  }

  word(): Uint8Array {
    return this.letters.subarray(0, this.length);
  }

  /** Below 0 if the current word comes before that of `other`. */
  compare(other: WordCursor): number {
    const { letters } = this;
    const end = Math.min(this.length, other.length);
    let at = 0;
    while (at < end && letters[at] === other.letters[at]) at++;
    return at < end ? letters[at]! - other.letters[at]! : this.length - other.length;
  }

  #take(from: number, shared: number, added: number): void {
    const { letters } = this;
    const length = shared + added;
    const end = from + added;
    // A comparison with a missing byte is false.
    if (!(shared <= this.length && length <= MAX_LETTERS && end < this.#bytes.length)) {
      throw this.#damaged('a word is too long');
    }
    for (let at = from, to = shared; at < end; at++) letters[to++] = this.#bytes[at]!;
    this.length = length;
    this.#at = end + 1;
    this.frequency = this.#bytes[end]!;
    if (this.frequency < 128) return;
    const reader = new ByteReader(this.#bytes, end);
    this.frequency = reader.varint();
    this.#at = reader.at;
  }
}
