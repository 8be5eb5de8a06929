/** Source of time: milliseconds since 1970, like `Date.now`. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: Date.now };

/** A clock that can be set, advanced and frozen. Without these it runs like its source. */
export class AdjustableClock implements Clock {
  /** The underlying clock. */
  readonly source: Clock;
  #offset = 0;
  #frozenAt: number | undefined;

  constructor(source: Clock = systemClock) {
    this.source = source;
  }

  now(): number {
    return this.#frozenAt ?? this.source.now() + this.#offset;
  }

  get isFrozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** Sets the time to `ms`; the clock continues from there, unless it is frozen. */
  set(ms: number): void {
    if (this.#frozenAt !== undefined) this.#frozenAt = ms;
    this.#offset = ms - this.source.now();
  }

  advance(ms: number): void {
    this.set(this.now() + ms);
  }

  /** Stops the clock until {@link run}, at its time or at `ms`. */
  freeze(ms = this.now()): void {
    this.#frozenAt = ms;
  }

  /** Continues from the frozen time. */
  run(): void {
    if (this.#frozenAt === undefined) return;
    const now = this.#frozenAt;
    this.#frozenAt = undefined;
    this.set(now);
  }
}

/** Cached text: many answers are written in one second. */
let written = { second: Number.NaN, text: '' };

/** ISO 8601 in UTC, in whole seconds: `2026-11-21T09:30:00Z`. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== written.second) written = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  return written.text;
}
