import type { AsciiParts } from '../analyze/words.ts';
import { hashParts, hashTerm, type Field, type TermHash } from './format.ts';

/** The number of values of a hash's upper part. */
const BUCKETS = 1 << 16;

/** Numbers the distinct terms of a segment by their hashes. */
export class TermTable {
  /** Pairs of a term's number + 1 (0 where the slot is free) and its key. The load stays under two thirds. */
  #slots = new Int32Array(1 << 17);
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
    for (let found = slots[slot * 2]!; found !== 0; found = slots[slot * 2]!) {
      if (slots[slot * 2 + 1] === (key | 0) && this.#highs[found - 1] === bucket) return found - 1;
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
    slots[slot * 2 + 1] = key;
    slots[slot * 2] = ++this.size;
    if (this.size * 3 > slots.length) this.#grow();
    return this.size - 1;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let term = 0; term < this.size; term++) {
      const key = this.#keys[term]!;
      let slot = (key ^ (this.#highs[term]! << 4)) & this.#mask;
      while (this.#slots[slot * 2] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot * 2] = term + 1;
      this.#slots[slot * 2 + 1] = key;
    }
  }

  /** The terms' numbers in the order of (bucket, key). Hashes are even, so a bucket has few terms, which are inserted one by one. */
  sorted(): Uint32Array {
    const keys = this.#keys;
    const highs = this.#highs;
    const begins = new Uint32Array(BUCKETS + 1);
    for (let term = 0; term < this.size; term++) begins[highs[term]! + 1]!++;
    for (let bucket = 1; bucket <= BUCKETS; bucket++) begins[bucket]! += begins[bucket - 1]!;
    const ends = begins.slice();
    const order = new Uint32Array(this.size);
    for (let term = 0; term < this.size; term++) {
      const bucket = highs[term]!;
      const key = keys[term]!;
      let at = ends[bucket]!++;
      for (; at > begins[bucket]! && keys[order[at - 1]!]! > key; at--) order[at] = order[at - 1]!;
      order[at] = term;
    }
    return order;
  }
}

/** A copy with room for twice as many. */
export function doubled<T extends Uint32Array | Uint16Array | Uint8Array>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(array.length * 2);
  larger.set(array);
  return larger;
}
