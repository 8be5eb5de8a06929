import assert from 'node:assert/strict';
import { isHeld, Lease } from '../../src/base/lease.ts';

/** The lease of a folder; a log or a server of this process that held it before loses it, as to an heir. */
export function takeOver(folder: string): Lease {
  Lease.releaseOwn(folder);
  const lease = Lease.acquire(folder);
  assert.ok(isHeld(lease));
  return lease;
}
