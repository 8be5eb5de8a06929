import { cancelled, throwIfCancelled } from './errors.ts';

/** Settles as `work` does, or rejects with `Cancelled` when `signal` aborts; the work itself goes on. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  // After an abort a failure of the work has no other handler.
  work.catch(() => undefined);
  throwIfCancelled(signal);
  const aborting = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(cancelled());
    signal.addEventListener('abort', abort, { once: true, signal: aborting.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    aborting.abort();
  }
}
