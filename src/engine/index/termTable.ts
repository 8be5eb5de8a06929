import type { AsciiParts } from '../analyze/words.ts';
import { hashParts, hashTerm, type Field, type TermHash } from './format.ts';

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

  /** The terms' numbers in the order of (bucket, key): a radix sort, 16 bits at a time. */
  sorted(): Uint32Array {
    let from = new Uint32Array(this.size);
    for (let i = 0; i < from.length; i++) from[i] = i;
    let to = new Uint32Array(this.size);
    const digits = [
      (term: number): number => this.#keys[term]! & 0xffff,
      (term: number): number => this.#keys[term]! >>> 16,
      (term: number): number => this.#highs[term]!,
    ];
    for (const digit of digits) {
      const begins = new Uint32Array(0x10001);
      for (const term of from) begins[digit(term) + 1]!++;
      for (let i = 1; i < begins.length; i++) begins[i]! += begins[i - 1]!;
      for (const term of from) to[begins[digit(term)]!++] = term;
      [from, to] = [to, from];
    }
    return from;
  }
}

/** A copy with room for twice as many. */
export function doubled<T extends Uint32Array | Uint16Array | Uint8Array>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(array.length * 2);
  larger.set(array);
  return larger;
}
