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

interface KeyPart {
  readonly hour: number;
  readonly keys: Map<number, number>;
}

/**
 * Events by key, for the last 24 hours; under a flood, for the last `most` keys at least, which bounds memory. Parts of an
 * hour at most make forgetting cheap.
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

  /** The newest event with the key, perhaps up to an hour too old. */
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
    // At least `most` keys remain.
    while (this.#parts[0] && this.#size - this.#parts[0].keys.size >= this.#most)
      this.#size -= this.#parts.shift()!.keys.size;
  }
}

function isOver(hour: number, now: number): boolean {
  return (hour + 1) * HOUR <= now - KEY_LIFETIME_MS;
}
