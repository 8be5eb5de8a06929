import { setTimeout as wait } from 'node:timers/promises';
import { cancelled, throwIfCancelled } from './errors.ts';

/** Waits `ms` milliseconds. Throws `Cancelled` as soon as `signal` fires. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (ms, signal) => {
  throwIfCancelled(signal);
  try {
    await wait(ms, undefined, { ...(signal && { signal }) });
  } catch (error) {
    throw signal?.aborted ? cancelled() : error;
  }
};
