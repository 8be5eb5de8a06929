import { join } from 'node:path';
import envPaths from 'env-paths';
import { acquireFence, isHeld } from './lease.ts';
import { sleep } from './sleep.ts';

/** Interval in which a process checks whether another has ended its change. */
const POLL_MS = 10;

/**
 * Runs `work` while no other process of the user on this machine runs any, so that none loses what another writes to the same file.
 *
 * For files beside those of the user, in a folder that may be a repository. The one lock is therefore in Sextant's data folder. A lock
 * beside the file would stay there after a kill, and one that is deleted and created again is none, see `Lease`. Changes take
 * milliseconds, so that changes of different files may wait for each other. Where the data folder cannot be written there is no lock.
 */
export async function changeAlone<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  const folder = join(envPaths('sextant', { suffix: '' }).data, 'changes');
  for (;;) {
    const lease = acquireFence(folder);
    if (!isHeld(lease)) {
      await sleep(POLL_MS, signal);
      continue;
    }
    try {
      return await work();
    } finally {
      lease.release();
    }
  }
}
