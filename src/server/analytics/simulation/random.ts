/**
 * A number from 0 to 2^32 - 1 that looks random and depends on nothing but its two arguments: the n-th of the stream `key`.
 * Integer arithmetic only, so that it is the same on every machine, and no state, so that it is the same in any order.
 * The mixing is "lowbias32" of C. Wellons' hash prospector.
 */
export function hash(key: number, n: number): number {
  let h = (Math.imul(n, 0x9e3779b1) + key) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

/** The key of a stream of its own for each name. */
export function stream(key: number, name: string): number {
  let result = key;
  for (let i = 0; i < name.length; i++) result = hash(result, name.charCodeAt(i));
  return result;
}

/** The key of a seed of up to 53 bits. */
export function seedKey(seed: number): number {
  return hash(hash(0x5e87a27, seed % 2 ** 32), Math.floor(seed / 2 ** 32));
}

/** Numbers one after the other, for what is always made as a whole. */
export class Dice {
  readonly #key: number;
  #n = 0;

  constructor(key: number) {
    this.#key = key;
  }

  /** From 0 to below `limit`. */
  below(limit: number): number {
    return hash(this.#key, this.#n++) % limit;
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  percent(chance: number): boolean {
    return this.below(100) < chance;
  }
}
