import { setImmediate } from 'node:timers/promises';
import { throwIfCancelled } from '../base/errors.ts';

/** No longer than this is a thread held at once: what else it has to do should not be felt to wait. */
const TURN_MS = 8;

/** Cuts long work into turns, and counts what it takes of the processor. */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();
  #beganBusy = threadMs();
  #busyMs = 0;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get isOver(): boolean {
    return performance.now() - this.#began > TURN_MS;
  }

  /** Without the turns of others. */
  get busyMs(): number {
    return this.#busyMs + threadMs() - this.#beganBusy;
  }

  /** Lets others have theirs. Throws when cancelled. */
  async next(): Promise<void> {
    this.#busyMs = this.busyMs;
    await setImmediate();
    this.#began = performance.now();
    this.#beganBusy = threadMs();
    throwIfCancelled(this.#signal);
  }
}

/** What this thread has taken of the processor; of a Node that cannot tell, the time that went by. */
function threadMs(): number {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => { readonly user: number; readonly system: number } };
  if (!threadCpuUsage) return performance.now();
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}
