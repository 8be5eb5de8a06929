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

/** The outcome of `work`, or `Cancelled` as soon as `signal` fires; `work` itself continues. */
export function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const cancel = (): void => reject(cancelled());
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
  });
}
