import { RATE_BLOCK_MS, type RateLimit } from '../../analytics/contract.ts';
import type { Clock } from '../../base/clock.ts';
import { httpErrors } from '../http/errors.ts';

interface Bucket {
  /** Requests that are left, and when that was so. */
  left: number;
  at: number;
  blockedUntil: number;
}

/**
 * A token bucket for each caller and group of endpoints: as many requests at once as `burst`, refilled evenly. A caller that finds
 * it empty is refused for {@link RATE_BLOCK_MS}; requests during that time do not prolong it. Time is the given clock's.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request. Throws `ResourceExhausted` with the seconds to wait. */
  admit(caller: string, group: string, { burst, perMinute }: RateLimit): void {
    const now = this.#clock.now();
    const key = `${group}\0${caller}`;
    const known = this.#buckets.get(key);
    const bucket = known ?? { left: burst, at: now, blockedUntil: -Infinity };
    if (!known) this.#buckets.set(key, bucket);
    // A clock that was set back gives no credit, and must not keep anyone out for longer than a block.
    const elapsed = Math.max(0, now - bucket.at);
    if (bucket.blockedUntil - now > RATE_BLOCK_MS) bucket.blockedUntil = -Infinity;
    bucket.left = Math.min(burst, bucket.left + (elapsed * perMinute) / 60_000);
    bucket.at = now;
    if (now < bucket.blockedUntil) throw refused(bucket.blockedUntil - now);
    // Sums of fractions of a millisecond's worth fall short of a whole request by less than this.
    if (bucket.left < 1 - 1e-6) {
      bucket.blockedUntil = now + RATE_BLOCK_MS;
      throw refused(RATE_BLOCK_MS);
    }
    bucket.left -= 1;
  }

  clear(): void {
    this.#buckets.clear();
  }
}

function refused(waitMs: number): Error {
  return httpErrors.rateLimited(Math.ceil(waitMs / 1000));
}
