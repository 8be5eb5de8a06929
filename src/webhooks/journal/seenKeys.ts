import { hash } from 'node:crypto';

const HOUR = 3_600_000;
/** Time in which a delivery with the same key is the same delivery. */
export const KEY_LIFETIME_MS = 24 * HOUR;

/** 53 bits of the key of a delivery to a webhook; never 0. Equal ones need a comparison of the keys themselves. */
export function keyHash(webhook: string, key: string): number {
  // By way of text it takes half the time: memory of a buffer's own costs more than the hash.
  const digest = hash('sha256', `${webhook}\0${key}`, 'hex');
  return Number.parseInt(digest.slice(0, 12), 16) * 32 + (Number.parseInt(digest.slice(12, 14), 16) & 31) || 1;
}

/** Number of parts in which keys are forgotten. */
const PARTS = 8;

interface KeyPart {
  readonly hour: number;
  readonly keys: Map<number, number>;
}

/**
 * Which event a key belongs to, for the last 24 hours, or for the last `most` keys at the least, so that no flood of them takes
 * all memory. In parts of an hour at the most, so that forgetting is cheap.
 */
export class SeenKeys {
  readonly #most: number;
  #parts: KeyPart[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(key: number, event: number, at: number): void {
    const hour = Math.floor(at / HOUR);
    let last = this.#parts.at(-1);
    if (last?.hour !== hour || last.keys.size >= this.#most / PARTS) {
      this.#forget(at);
      this.#parts.push((last = { hour, keys: new Map() }));
    }
    const before = last.keys.size;
    last.keys.set(key, event);
    this.#size += last.keys.size - before;
  }

  /** The newest event with the key. It may be up to an hour too old. */
  find(key: number, now: number): number | undefined {
    for (let i = this.#parts.length - 1; i >= 0; i--) {
      const { hour, keys } = this.#parts[i]!;
      const event = isOver(hour, now) ? undefined : keys.get(key);
      if (event !== undefined) return event;
    }
    return undefined;
  }

  #forget(at: number): void {
    this.#parts = this.#parts.filter(({ hour }) => !isOver(hour, at));
    this.#size = this.#parts.reduce((sum, { keys }) => sum + keys.size, 0);
    // What is left is still as much as is promised.
    while (this.#parts[0] && this.#size - this.#parts[0].keys.size >= this.#most)
      this.#size -= this.#parts.shift()!.keys.size;
  }
}

function isOver(hour: number, now: number): boolean {
  return (hour + 1) * HOUR <= now - KEY_LIFETIME_MS;
}
