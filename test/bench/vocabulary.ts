import { isIndexable, isStopword, splitIdentifier, stem } from '../../src/engine/analyze/words.ts';

const LETTER = new Uint8Array(256);
const LETTER_OR_DIGIT = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const character = String.fromCharCode(byte);
  LETTER[byte] = /[A-Za-z_]/.test(character) || byte >= 128 ? 1 : 0;
  LETTER_OR_DIGIT[byte] = LETTER[byte]! | (/[0-9]/.test(character) ? 1 : 0);
}
const LF = 10;
const MAX_IDENTIFIER = 60;

/** Called with an identifier's bytes, two hashes of them, and whether the one before it is on the same line. */
type Visit = (start: number, end: number, hash1: number, hash2: number, follows: boolean) => void;

/** Visits the identifiers of a text: ASCII names of 2 to 60 letters, digits and underscores. */
export function eachIdentifier(bytes: Uint8Array, visit: Visit): void {
  let follows = false;
  for (let at = 0; at < bytes.length;) {
    const start = at;
    let byte = bytes[at]!;
    if (LETTER_OR_DIGIT[byte] === 0) {
      if (byte === LF) follows = false;
      at++;
      continue;
    }
    let hash1 = 0x811c9dc5;
    let hash2 = 0x9747b28c;
    let isAscii = true;
    const isName = LETTER[byte] === 1;
    do {
      if (byte >= 128) isAscii = false;
      hash1 = Math.imul(hash1 ^ byte, 0x01000193);
      hash2 = Math.imul(hash2 ^ byte, 0x5bd1e995);
      hash2 ^= hash2 >>> 13;
      byte = bytes[++at]!;
    } while (at < bytes.length && LETTER_OR_DIGIT[byte] === 1);
    const isTaken = isName && isAscii && at - start > 1 && at - start <= MAX_IDENTIFIER;
    if (isTaken) visit(start, at, hash1 >>> 0, hash2 >>> 0, follows);
    follows = isTaken;
  }
}

/** Assigns numbers from 0 to items, by two hashes of each. */
export class Numbers {
  #slots = new Int32Array(1 << 16);
  #hash1 = new Uint32Array(1 << 15);
  #hash2 = new Uint32Array(1 << 15);
  size = 0;

  /** The number of the item with these hashes; a new item gets the {@link size} before the call. */
  of(hash1: number, hash2: number): number {
    const found = this.#slotOf(hash1, hash2);
    if (this.#slots[found] !== 0) return this.#slots[found]! - 1;
    if (this.size * 2 >= this.#slots.length) this.#grow();
    this.#hash1[this.size] = hash1;
    this.#hash2[this.size] = hash2;
    this.#slots[this.#slotOf(hash1, hash2)] = this.size + 1;
    return this.size++;
  }

  #slotOf(hash1: number, hash2: number): number {
    const mask = this.#slots.length - 1;
    let slot = (hash1 ^ Math.imul(hash2, 0x9e3779b1)) & mask;
    for (;;) {
      const number = this.#slots[slot]!;
      if (number === 0 || (this.#hash1[number - 1] === hash1 && this.#hash2[number - 1] === hash2)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    this.#hash1 = doubled(this.#hash1);
    this.#hash2 = doubled(this.#hash2);
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let number = 0; number < this.size; number++) {
      this.#slots[this.#slotOf(this.#hash1[number]!, this.#hash2[number]!)] = number + 1;
    }
  }
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

const NO_TERM = 0xffffffff;

/** Counts the documents of a corpus with each name; forms of one name (`fooBar`, `foo_bar`) count as one. */
export class Vocabulary {
  readonly #identifiers = new Numbers();
  readonly #terms = new Map<string, number>();
  #termOf = new Uint32Array(1 << 15);
  #occurrences = new Uint32Array(1 << 15);
  #documents = new Uint32Array(1 << 15);
  /** The last document with a term, plus 1. */
  #lastDocument = new Uint32Array(1 << 15);
  #added = 0;

  add(content: Uint8Array): void {
    this.#added++;
    eachIdentifier(content, (start, end, hash1, hash2) => {
      const identifier = this.#numberOf(content, start, end, hash1, hash2);
      this.#occurrences[identifier]!++;
      const term = this.#termOf[identifier]!;
      if (term === NO_TERM || this.#lastDocument[term] === this.#added) return;
      this.#lastDocument[term] = this.#added;
      this.#documents[term]!++;
    });
  }

  /** The first of the rarest names in an added text; `undefined` if nothing is indexable. */
  rarest(content: Uint8Array): { readonly name: string; readonly documents: number } | undefined {
    let best: { readonly start: number; readonly end: number; readonly documents: number } | undefined;
    eachIdentifier(content, (start, end, hash1, hash2) => {
      const term = this.#termOf[this.#numberOf(content, start, end, hash1, hash2)]!;
      if (term === NO_TERM) return;
      const documents = this.#documents[term]!;
      if (!best || documents < best.documents) best = { start, end, documents };
    });
    return best && { name: textOf(content, best.start, best.end), documents: best.documents };
  }

  /** The `count` words, and the `count` pairs of neighbours on a line, that occur most; `texts` are those that were added. */
  commonest(texts: Iterable<Uint8Array>, count: number): { readonly words: string[]; readonly pairs: string[] } {
    const candidates = this.#commonestIdentifiers(2000);
    const rank = new Int32Array(this.#identifiers.size).fill(-1);
    for (const [i, identifier] of candidates.entries()) rank[identifier] = i;
    const names: string[] = [];
    const pairs = new Uint32Array(candidates.length * candidates.length);
    for (const content of texts) {
      let before = -1;
      eachIdentifier(content, (start, end, hash1, hash2, follows) => {
        const now = rank[this.#identifiers.of(hash1, hash2)] ?? -1;
        if (now >= 0) names[now] ??= textOf(content, start, end);
        if (now >= 0 && before >= 0 && follows) pairs[before * candidates.length + now]!++;
        before = now;
      });
    }
    const isWord = (name: string): boolean => /^[A-Za-z]{3}/.test(name) && !isStopword(name.toLowerCase());
    const wanted = (index: number): boolean => isWord(names[index] ?? '');
    const words = candidates.map((_, i) => i).filter(wanted);
    const neighbours = [...pairs.keys()]
      .filter((i) => pairs[i]! > 0 && wanted(Math.floor(i / candidates.length)) && wanted(i % candidates.length))
      .sort((a, b) => pairs[b]! - pairs[a]!);
    return {
      words: words.slice(0, count).map((i) => names[i]!),
      pairs: neighbours
        .slice(0, count)
        .map((i) => `${names[Math.floor(i / candidates.length)]!} ${names[i % candidates.length]!}`),
    };
  }

  #commonestIdentifiers(count: number): number[] {
    const occurrences = this.#occurrences;
    const numbers = Array.from({ length: this.#identifiers.size }, (_, i) => i).filter((i) => occurrences[i]! > 20);
    return numbers.sort((a, b) => occurrences[b]! - occurrences[a]! || a - b).slice(0, count);
  }

  #numberOf(content: Uint8Array, start: number, end: number, hash1: number, hash2: number): number {
    const known = this.#identifiers.size;
    const identifier = this.#identifiers.of(hash1, hash2);
    if (identifier < known) return identifier;
    if (identifier >= this.#termOf.length) {
      this.#termOf = doubled(this.#termOf);
      this.#occurrences = doubled(this.#occurrences);
    }
    this.#termOf[identifier] = this.#termNumber(textOf(content, start, end));
    return identifier;
  }

  /** The form in which identifiers are equal for the index: their words in lower case; for a single word, its stem. */
  #termNumber(identifier: string): number {
    const parts = splitIdentifier(identifier);
    const [word = ''] = parts;
    if (parts.length < 2 && !isIndexable(word)) return NO_TERM;
    const key = parts.length === 1 ? `word ${stem(word)}` : `name ${parts.join('')}`;
    const known = this.#terms.get(key);
    if (known !== undefined) return known;
    const term = this.#terms.size;
    this.#terms.set(key, term);
    if (term >= this.#documents.length) {
      this.#documents = doubled(this.#documents);
      this.#lastDocument = doubled(this.#lastDocument);
    }
    return term;
  }
}

function textOf(content: Uint8Array, start: number, end: number): string {
  return Buffer.from(content.buffer, content.byteOffset + start, end - start).toString('latin1');
}
