import { isExpected, type SextantError } from '../../base/errors.ts';
import type { Fence } from '../../base/lease.ts';

/** Age at which a check is too old for a read. A check lists the folder, which costs some 10 µs. */
const MAX_AGE_MS = 20;

/** Detects a takeover of the state by another process before a request is answered from stale memory. */
export class LeaseWatch {
  readonly #fence: Fence | undefined;
  #checkedAt = -Infinity;

  constructor(fence: Fence | undefined) {
    this.#fence = fence;
  }

  /** Calls `report` once, when the lease is lost. */
  onLost(report: (error: SextantError) => void): void {
    const lost = this.#fence?.lost;
    lost?.addEventListener('abort', () => report(lost.reason as SextantError), { once: true });
  }

  /** Returns the error of a lost lease. A paused process detects the loss at its first request. */
  check(isWrite: boolean): SextantError | undefined {
    const fence = this.#fence;
    if (!fence) return undefined;
    const now = performance.now();
    if (!fence.lost.aborted && (isWrite || now - this.#checkedAt >= MAX_AGE_MS)) {
      this.#checkedAt = now;
      try {
        fence.check();
      } catch (error) {
        // On a disk error or with too many open files, reads go on, and each write checks again.
        if (!isExpected(error)) throw error;
      }
    }
    return fence.lost.aborted ? (fence.lost.reason as SextantError) : undefined;
  }
}
