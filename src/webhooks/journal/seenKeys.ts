import { hash } from 'node:crypto';

const HOUR = 3_600_000;
/** A delivery with the same key is the same delivery for so long. */
export const KEY_LIFETIME_MS = 24 * HOUR;

/** 53 bits of the key of a delivery to a webhook; never 0. Whoever finds two alike compares the keys themselves. */
export function keyHash(webhook: string, key: string): number {
  const digest = hash('sha256', `${webhook}\0${key}`, 'buffer');
  return digest.readUIntBE(0, 6) * 32 + (digest[6]! & 31) || 1;
}

/** Which event a key belongs to, for the last 24 hours. By the hour, so that forgetting is cheap. */
export class SeenKeys {
  readonly #hours = new Map<number, Map<number, number>>();

  add(key: number, event: number, at: number): void {
    const hour = Math.floor(at / HOUR);
    let keys = this.#hours.get(hour);
    if (!keys) {
      this.#hours.set(hour, (keys = new Map<number, number>()));
      for (const old of this.#hours.keys()) if ((old + 1) * HOUR <= at - KEY_LIFETIME_MS) this.#hours.delete(old);
    }
    keys.set(key, event);
  }

  /** The newest event with the key. It may be up to an hour too old. */
  find(key: number, now: number): number | undefined {
    let found: number | undefined;
    for (const [hour, keys] of this.#hours) {
      if ((hour + 1) * HOUR <= now - KEY_LIFETIME_MS) continue;
      const event = keys.get(key);
      if (event !== undefined && event > (found ?? 0)) found = event;
    }
    return found;
  }
}
