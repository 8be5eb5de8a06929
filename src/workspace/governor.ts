import { availableParallelism } from 'node:os';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { cancelled, throwIfCancelled } from '../base/errors.ts';
import { lowMemory, type Machine } from './machine.ts';

/** Limits of indexing on the machine. */
export interface Budget {
  /** Share of the time that it works, in percent; it sleeps in between. */
  readonly cpuPercent: number;
  /** Approximate memory of all its threads in bytes. */
  readonly memoryBytes: number;
  readonly onBattery: 'full' | 'reduced' | 'paused';
}

/** `npm run bench:budget`: at 100 %, another job on two processors takes twice as long; at 50 %, a quarter longer. */
export const DEFAULT_BUDGET: Budget = { cpuPercent: 50, memoryBytes: 1024 << 20, onBattery: 'reduced' };

/** Memory of indexing without helper threads, and of each helper thread. */
const BASE_BYTES = 256 << 20;
const THREAD_BYTES = 160 << 20;

/** Number of helper threads within a budget of memory. */
export function threadsWithin(memoryBytes: number): number {
  const most = Math.min(3, availableParallelism() - 1);
  return Math.max(0, Math.min(most, Math.floor((memoryBytes - BASE_BYTES) / THREAD_BYTES)));
}

/** The governor's clock, in milliseconds. */
export interface Timer {
  now(): number;
  /** Rejects when aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const systemTimer: Timer = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
};

/** Reason why indexing waits. */
export type PauseReason = 'user' | 'battery' | 'memory';

/** Share of the time on battery. */
const REDUCED_PERCENT = 30;
/** Shortest interval of checks of power and memory. */
const CHECK_MS = 5_000;
/** Longest single sleep. */
const LONGEST_SLEEP_MS = 5_000;

/** Keeps background work within its budget, and pauses it. One governor serves all folders of a thread. */
export class Governor {
  budget: Budget;
  readonly #machine: Machine;
  readonly #lowMemory: number;
  readonly #timer: Timer;
  #isPaused = false;
  #wake = new AbortController();
  #checkedAt = -Infinity;
  #isOnBattery = false;
  #isLow = false;
  /** Start of the work, or end of the last sleep in it. */
  #since: number | undefined;

  constructor(machine: Machine, budget: Budget = DEFAULT_BUDGET, low: number = lowMemory(), timer = systemTimer) {
    this.#machine = machine;
    this.budget = budget;
    this.#lowMemory = low;
    this.#timer = timer;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#checkedAt = -Infinity;
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** Reason why work must wait, if any. */
  get pauseReason(): PauseReason | undefined {
    if (this.#isPaused) return 'user';
    this.#check();
    if (this.#isOnBattery && this.budget.onBattery === 'paused') return 'battery';
    return this.#isLow ? 'memory' : undefined;
  }

  get isOnBattery(): boolean {
    this.#check();
    return this.#isOnBattery;
  }

  /** Limit of one commit in bytes of text. */
  get batchBytes(): number {
    const free = this.#machine.freeMemory() ?? Infinity;
    return Math.max(4 << 20, Math.min(this.budget.memoryBytes / 4, free / 8));
  }

  /** Waits until work may go on; `onWait` gets the reason. Throws when cancelled. */
  async whenAllowed(signal: AbortSignal, onWait: (reason: PauseReason) => void): Promise<void> {
    for (let reason = this.pauseReason; reason !== undefined; reason = this.pauseReason) {
      onWait(reason);
      await this.#sleep(reason === 'user' ? 2 ** 30 : CHECK_MS, signal);
      this.#since = undefined;
    }
  }

  /** Begins a work: the time since the last one was no work. */
  begin(): void {
    this.#since = this.#timer.now();
  }

  /** Yields to other work, and sleeps as the budget requires. Throws when cancelled. */
  async next(signal: AbortSignal): Promise<void> {
    const now = this.#timer.now();
    const worked = now - (this.#since ?? now);
    const percent = Math.min(this.budget.cpuPercent, this.#isReduced() ? REDUCED_PERCENT : 100);
    if (percent >= 100) await setImmediate();
    else await this.#sleep(Math.min(LONGEST_SLEEP_MS, worked * (100 / percent - 1)), signal);
    throwIfCancelled(signal);
    this.#since = this.#timer.now();
  }

  #isReduced(): boolean {
    return this.budget.onBattery !== 'full' && this.isOnBattery;
  }

  #check(): void {
    if (this.#timer.now() - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = this.#timer.now();
    this.#isOnBattery = this.#machine.isOnBattery();
    const free = this.#machine.freeMemory();
    this.#isLow = free !== undefined && free < this.#lowMemory;
  }

  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#timer.sleep(milliseconds, AbortSignal.any([signal, this.#wake.signal]));
    } catch {
      if (signal.aborted) throw cancelled();
    }
  }
}
