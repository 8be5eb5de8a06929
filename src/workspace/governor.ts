import { availableParallelism } from 'node:os';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { cancelled, throwIfCancelled } from '../base/errors.ts';
import { lowMemory, type Machine } from './machine.ts';

/** How much of the machine indexing may take. */
export interface Budget {
  /** How much of the time it may work, in percent; between, it sleeps. */
  readonly cpuPercent: number;
  /** About how many bytes of memory all its threads may take. */
  readonly memoryBytes: number;
  readonly onBattery: 'full' | 'reduced' | 'paused';
}

export const DEFAULT_BUDGET: Budget = { cpuPercent: 100, memoryBytes: 1024 << 20, onBattery: 'reduced' };

/** What indexing takes without threads that help, and what each of these takes besides. */
const BASE_BYTES = 256 << 20;
const THREAD_BYTES = 160 << 20;

/** How many threads may help within a budget of memory. */
export function threadsWithin(memoryBytes: number): number {
  const most = Math.min(3, availableParallelism() - 1);
  return Math.max(0, Math.min(most, Math.floor((memoryBytes - BASE_BYTES) / THREAD_BYTES)));
}

/** Time as the governor sees it, in milliseconds. */
export interface Timer {
  now(): number;
  /** Rejects when aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const systemTimer: Timer = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
};

/** Why indexing waits. */
export type PauseReason = 'user' | 'battery' | 'memory';

/** Of the time, where the battery is to be spared. */
const REDUCED_PERCENT = 30;
/** Power and memory are asked for no more often. */
const ASK_MS = 5_000;
/** What is slept at once. */
const LONGEST_SLEEP_MS = 5_000;

/** Keeps background work within its budget, and stops it while it is not wanted. One serves all folders of a thread. */
export class Governor {
  budget: Budget;
  readonly #machine: Machine;
  readonly #lowMemory: number;
  readonly #timer: Timer;
  #isPaused = false;
  #wake = new AbortController();
  #askedAt = -Infinity;
  #isOnBattery = false;
  #isLow = false;
  /** When the work began that is not slept for yet. */
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
    this.#askedAt = -Infinity;
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** Why work is to wait, if it is. */
  get pauseReason(): PauseReason | undefined {
    if (this.#isPaused) return 'user';
    this.#ask();
    if (this.#isOnBattery && this.budget.onBattery === 'paused') return 'battery';
    return this.#isLow ? 'memory' : undefined;
  }

  get isOnBattery(): boolean {
    this.#ask();
    return this.#isOnBattery;
  }

  /** How many bytes of text may be taken up by one commit. */
  get batchBytes(): number {
    const free = this.#machine.freeMemory() ?? Infinity;
    return Math.max(4 << 20, Math.min(this.budget.memoryBytes / 4, free / 8));
  }

  /** Waits until work may go on; `onWait` is told why it does not. Throws when cancelled. */
  async whenAllowed(signal: AbortSignal, onWait: (reason: PauseReason) => void): Promise<void> {
    for (let reason = this.pauseReason; reason !== undefined; reason = this.pauseReason) {
      onWait(reason);
      await this.#sleep(reason === 'user' ? 2 ** 30 : ASK_MS, signal);
      this.#since = undefined;
    }
  }

  /** Lets others have their turn, and sleeps as long as the budget asks for the work since. Throws when cancelled. */
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

  #ask(): void {
    if (this.#timer.now() - this.#askedAt < ASK_MS) return;
    this.#askedAt = this.#timer.now();
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
