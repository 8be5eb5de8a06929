import { hash } from 'node:crypto';

const HOUR = 3_600_000;
/** Time in which an equal key means the same delivery. */
export const KEY_LIFETIME_MS = 24 * HOUR;

/** 53 bits of a hash of webhook and key; never 0. Equal hashes need a comparison of the keys. */
export function keyHash(webhook: string, key: string): number {
  // Hexadecimal text takes half the time: allocating a buffer costs more than the hash.
  const digest = hash('sha256', `${webhook}\0${key}`, 'hex');
  return Number.parseInt(digest.slice(0, 12), 16) * 32 + (Number.parseInt(digest.slice(12, 14), 16) & 31) || 1;
}

/** Number of parts, each forgotten as a whole. */
const PARTS = 8;

/** Slots of a new table; a power of two. */
const LEAST_SLOTS = 1024;

/**
 * Events by key in two columns: a key takes at most 32 bytes, where a `Map` takes over 80, because numbers of 53 bits are
 * objects there. A key is at the slot of its last bits, or the next free one.
 */
class KeyTable {
  readonly hour: number;
  /** The event of the first key. Others are relative to it. */
  readonly #first: number;
  #keys = new Float64Array(LEAST_SLOTS);
  #events = new Uint32Array(LEAST_SLOTS);
  #size = 0;

  constructor(hour: number, first: number) {
    this.hour = hour;
    this.#first = first;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#events.byteLength;
  }

  get(key: number): number | undefined {
    const slot = this.#slotOf(key);
    return this.#keys[slot] === 0 ? undefined : this.#first + this.#events[slot]!;
  }

  set(key: number, event: number): void {
    if (this.#size >= this.#keys.length * 0.75) this.#grow();
    this.#put(key, event - this.#first);
  }

  #put(key: number, event: number): void {
    const slot = this.#slotOf(key);
    if (this.#keys[slot] === 0) this.#size++;
    this.#keys[slot] = key;
    this.#events[slot] = event;
  }

  /** The slot that has the key, or would get it. */
  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = key & mask;
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, events] = [this.#keys, this.#events];
    this.#keys = new Float64Array(keys.length * 2);
    this.#events = new Uint32Array(keys.length * 2);
    this.#size = 0;
    keys.forEach((key, slot) => key !== 0 && this.#put(key, events[slot]!));
  }
}

/**
 * Events by key, for the last 24 hours; under a flood, for the last `most` keys at least, which bounds memory. Parts of an
 * hour at most make forgetting cheap.
 */
export class SeenKeys {
  readonly #most: number;
  #parts: KeyTable[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(key: number, event: number, at: number): void {
    const hour = Math.floor(at / HOUR);
    let last = this.#parts.at(-1);
    if (last?.hour !== hour || last.size >= this.#most / PARTS) {
      this.#forget(at);
      this.#parts.push((last = new KeyTable(hour, event)));
    }
    const before = last.size;
    last.set(key, event);
    this.#size += last.size - before;
  }

  /** Memory of all keys. */
  get bytes(): number {
    return this.#parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The newest event with the key, perhaps up to an hour too old. */
  find(key: number, now: number): number | undefined {
    for (let i = this.#parts.length - 1; i >= 0; i--) {
      const part = this.#parts[i]!;
      const event = isOver(part.hour, now) ? undefined : part.get(key);
      if (event !== undefined) return event;
    }
    return undefined;
  }

  #forget(at: number): void {
    this.#parts = this.#parts.filter(({ hour }) => !isOver(hour, at));
    this.#size = this.#parts.reduce((sum, { size }) => sum + size, 0);
    // At least `most` keys remain.
    while (this.#parts[0] && this.#size - this.#parts[0].size >= this.#most) this.#size -= this.#parts.shift()!.size;
  }
}

function isOver(hour: number, now: number): boolean {
  return (hour + 1) * HOUR <= now - KEY_LIFETIME_MS;
}
