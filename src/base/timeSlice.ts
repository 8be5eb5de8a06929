import { setImmediate } from 'node:timers/promises';
import { throwIfCancelled } from './errors.ts';

/** Longest time that work holds the thread at once, so that other work does not visibly wait. */
const SLICE_MS = 8;

/** Cuts long work into slices, and counts its processor time. */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();
  #beganBusy = threadMs();
  #busyMs = 0;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get isOver(): boolean {
    return performance.now() - this.#began > SLICE_MS;
  }

  /** Processor time of the slices in milliseconds. */
  get busyMs(): number {
    return this.#busyMs + threadMs() - this.#beganBusy;
  }

  /** Yields to other work. Throws when cancelled. */
  async next(): Promise<void> {
    this.#busyMs = this.busyMs;
    await setImmediate();
    this.#began = performance.now();
    this.#beganBusy = threadMs();
    throwIfCancelled(this.#signal);
  }
}

/**
 * Runs steps to their end, a slice at a time: other work of the thread runs between. Rejects with `Cancelled`. What can be cancelled
 * begins after two turns of the loop, so that it costs nothing when the next request, which came with it or in the turn after,
 * replaces it.
 */
export async function runInSlices<T>(steps: Generator<void, T, void>, signal?: AbortSignal): Promise<T> {
  throwIfCancelled(signal);
  try {
    for (let turns = signal ? 2 : 0; turns > 0; turns--) {
      await setImmediate();
      throwIfCancelled(signal);
    }
    const slice = new TimeSlice(signal);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (slice.isOver) await slice.next();
    }
  } finally {
    // Runs the `finally` blocks of steps that were cancelled.
    steps.return(undefined as never);
  }
}

/** Runs steps to their end at once. */
export function runAtOnce<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Processor time of this thread; elapsed time on a Node that does not report it. */
function threadMs(): number {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => { readonly user: number; readonly system: number } };
  if (!threadCpuUsage) return performance.now();
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}
