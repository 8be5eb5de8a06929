import type { AsciiParts } from '../analyze/words.ts';
import { hashParts, hashTerm, type Field, type TermHash } from './format.ts';

/** Size of a slot: a term's number + 1 (0 where it is free), its key and its bucket. */
const SLOT = 3;
/** Terms of one bucket above which they are not sorted by insertion; the mean in a full segment is about ten. */
const MANY = 100;

/** Numbers the distinct terms of a segment by their hashes. */
export class TermTable {
  /** The load stays under two thirds. The hash is here so that a lookup misses the processor's cache once. */
  #slots = new Int32Array(SLOT << 16);
  #mask = (1 << 16) - 1;
  #keys = new Uint32Array(1 << 15);
  #highs = new Uint16Array(1 << 15);
  #fields = new Uint8Array(1 << 15);
  #hash: TermHash = { bucket: 0, key: 0 };
  size = 0;

  clear(): void {
    this.#slots.fill(0);
    this.size = 0;
  }

  keyOf(term: number): number {
    return this.#keys[term]!;
  }

  highOf(term: number): number {
    return this.#highs[term]!;
  }

  fieldOf(term: number): Field {
    return this.#fields[term] as Field;
  }

  number(field: Field, text: string): number {
    hashTerm(field, text, this.#hash);
    return this.#intern(field, this.#hash);
  }

  /** The number of all `parts` as one term. */
  numberOfParts(field: Field, bytes: Uint8Array, parts: AsciiParts): number {
    hashParts(field, bytes, parts, this.#hash);
    return this.#intern(field, this.#hash);
  }

  #intern(field: Field, { bucket, key }: TermHash): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = (key ^ (bucket << 4)) & mask;
    for (let found = slots[slot * SLOT]!; found !== 0; found = slots[slot * SLOT]!) {
      if (slots[slot * SLOT + 1] === (key | 0) && slots[slot * SLOT + 2] === bucket) return found - 1;
      slot = (slot + 1) & mask;
    }
    if (this.size === this.#keys.length) {
      this.#keys = doubled(this.#keys);
      this.#highs = doubled(this.#highs);
      this.#fields = doubled(this.#fields);
    }
    this.#fields[this.size] = field;
    this.#keys[this.size] = key;
    this.#highs[this.size] = bucket;
    this.#put(slot, this.size++);
    if (this.size * 3 > this.#mask * 2) this.#grow();
    return this.size - 1;
  }

  #put(slot: number, term: number): void {
    const at = slot * SLOT;
    this.#slots[at] = term + 1;
    this.#slots[at + 1] = this.#keys[term]!;
    this.#slots[at + 2] = this.#highs[term]!;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let term = 0; term < this.size; term++) {
      let slot = (this.#keys[term]! ^ (this.#highs[term]! << 4)) & this.#mask;
      while (this.#slots[slot * SLOT] !== 0) slot = (slot + 1) & this.#mask;
      this.#put(slot, term);
    }
  }

  /**
   * The terms' numbers in the order of (bucket, key): a counting sort by bucket, and an insertion sort of the few terms of
   * each.
   */
  sorted(): Uint32Array {
    const { size } = this;
    const highs = this.#highs;
    const ends = new Uint32Array(0x10000);
    for (let term = 0; term < size; term++) ends[highs[term]!]!++;
    let total = 0;
    for (let bucket = 0; bucket < ends.length; bucket++) {
      total += ends[bucket]!;
      ends[bucket] = total - ends[bucket]!;
    }
    const terms = new Uint32Array(size);
    const keys = new Uint32Array(size);
    for (let term = 0; term < size; term++) {
      const at = ends[highs[term]!]!++;
      terms[at] = term;
      keys[at] = this.#keys[term]!;
    }
    let from = 0;
    for (const end of ends) {
      if (end - from > MANY) terms.subarray(from, end).sort((one, other) => this.#keys[one]! - this.#keys[other]!);
      else sortFew(terms, keys, from, end);
      from = end;
    }
    return terms;
  }
}

/** Sorts terms by their keys. */
function sortFew(terms: Uint32Array, keys: Uint32Array, from: number, end: number): void {
  for (let next = from + 1; next < end; next++) {
    const term = terms[next]!;
    const key = keys[next]!;
    let at = next;
    for (; at > from && keys[at - 1]! > key; at--) {
      keys[at] = keys[at - 1]!;
      terms[at] = terms[at - 1]!;
    }
    keys[at] = key;
    terms[at] = term;
  }
}

/** A copy with room for twice as many. */
export function doubled<T extends Uint32Array | Uint16Array | Uint8Array>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(array.length * 2);
  larger.set(array);
  return larger;
}
