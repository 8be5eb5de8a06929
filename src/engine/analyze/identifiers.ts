/** Size of a slot: an identifier's number + 1 (0 where it is free) and its two hashes. */
const SLOT = 3;

/** Numbers the distinct identifiers, or words, of many files by their bytes, without a string for each occurrence. */
export class IdentifierTable {
  /**
   * Open addressing; the load stays below three quarters. The hashes are stored beside the number because a lookup
   * costs as much as its misses in the processor's cache: one line rather than three.
   */
  #slots = new Int32Array(SLOT << 12);
  #mask = (1 << 12) - 1;
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /**
   * The number of the identifier with these two independent 32-bit hashes, as signed integers. Identifiers are compared
   * by their 64 bits of hash alone: among ten million, the chance of any collision is 3 in a million.
   */
  intern(hash1: number, hash2: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = this.#slotOf(hash1, hash2);
    for (;;) {
      const at = slot * SLOT;
      const found = slots[at]!;
      if (found === 0) return this.#add(at, hash1, hash2);
      if (slots[at + 1] === hash1 && slots[at + 2] === hash2) return found - 1;
      slot = (slot + 1) & mask;
    }
  }

  clear(): void {
    this.#slots.fill(0);
    this.#count = 0;
  }

  #slotOf(hash1: number, hash2: number): number {
    return (hash1 ^ Math.imul(hash2, 0x9e3779b1)) & this.#mask;
  }

  #add(at: number, hash1: number, hash2: number): number {
    const number = this.#count++;
    this.#slots[at] = number + 1;
    this.#slots[at + 1] = hash1;
    this.#slots[at + 2] = hash2;
    if (this.#count * 4 > this.#mask * 3) this.#grow();
    return number;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from] === 0) continue;
      let slot = this.#slotOf(old[from + 1]!, old[from + 2]!);
      while (this.#slots[slot * SLOT] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot * SLOT] = old[from]!;
      this.#slots[slot * SLOT + 1] = old[from + 1]!;
      this.#slots[slot * SLOT + 2] = old[from + 2]!;
    }
  }
}
