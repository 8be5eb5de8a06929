import { setImmediate } from 'node:timers/promises';
import { throwIfCancelled } from '../base/errors.ts';

/** No longer than this is a thread held at once: what else it has to do should not be felt to wait. */
const TURN_MS = 8;

/** Cuts long work into turns, and counts how long it kept the thread busy. */
export class Turns {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();
  #busyMs = 0;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get isOver(): boolean {
    return performance.now() - this.#began > TURN_MS;
  }

  /** Without the turns of others. */
  get busyMs(): number {
    return this.#busyMs + performance.now() - this.#began;
  }

  /** Lets others have theirs. Throws when cancelled. */
  async next(): Promise<void> {
    this.#busyMs = this.busyMs;
    await setImmediate();
    this.#began = performance.now();
    throwIfCancelled(this.#signal);
  }
}
