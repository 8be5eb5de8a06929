import assert from 'node:assert/strict';
import { isHeld, Lease } from '../../src/base/lease.ts';

/** Takes the lease of a folder; a log or a server of this process that held it loses it, as in a takeover. */
export function takeOver(folder: string): Lease {
  Lease.releaseOwn(folder);
  const lease = Lease.acquire(folder);
  assert.ok(isHeld(lease));
  return lease;
}
