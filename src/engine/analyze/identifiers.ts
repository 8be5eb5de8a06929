/** Numbers the distinct identifiers of many files, from their bytes, without making a string of each occurrence. */
export class IdentifierTable {
  /** Slot → identifier's number + 1, 0 where free. Open addressing; the load stays under one half. */
  #slots = new Int32Array(1 << 16);
  #hash1 = new Uint32Array(1 << 15);
  #hash2 = new Uint32Array(1 << 15);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /**
   * The number of the identifier with these two independent 32-bit hashes ({@link IDENTIFIER_SEEDS}). Identifiers are
   * compared by their 64 bits of hash alone: among ten million the chance that any two meet is 3 in a million.
   */
  intern(hash1: number, hash2: number): number {
    const mask = this.#slots.length - 1;
    let slot = (hash1 ^ Math.imul(hash2, 0x9e3779b1)) & mask;
    for (;;) {
      const found = this.#slots[slot]!;
      if (found === 0) break;
      if (this.#hash1[found - 1] === hash1 && this.#hash2[found - 1] === hash2) return found - 1;
      slot = (slot + 1) & mask;
    }
    const number = this.#count++;
    if (number === this.#hash1.length) this.#growHashes();
    this.#hash1[number] = hash1;
    this.#hash2[number] = hash2;
    this.#slots[slot] = number + 1;
    if (this.#count * 2 > this.#slots.length) this.#growSlots();
    return number;
  }

  #growHashes(): void {
    const hash1 = new Uint32Array(this.#hash1.length * 2);
    const hash2 = new Uint32Array(hash1.length);
    hash1.set(this.#hash1);
    hash2.set(this.#hash2);
    this.#hash1 = hash1;
    this.#hash2 = hash2;
  }

  #growSlots(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = (this.#hash1[number]! ^ Math.imul(this.#hash2[number]!, 0x9e3779b1)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}
