import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { killed, spawnUntil } from '../../test/support/processes.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { Lease } from './lease.ts';

const HOLD = `
  import { Lease } from './src/base/lease.ts';
  const lease = Lease.acquire(process.argv.at(-1));
  console.log(lease instanceof Lease ? 'held' : 'busy');
  setInterval(() => undefined, 1000);
`;

function acquired(folder: string): Lease {
  const lease = Lease.acquire(folder);
  assert.ok(lease instanceof Lease);
  return lease;
}

describe('Lease', () => {
  const folder = temporaryFolder();

  it('is held by one at a time, and told who that is', () => {
    const state = folder();
    const lease = acquired(state);
    assert.equal((Lease.acquire(state) as { pid: number }).pid, process.pid);
    lease.check();
    lease.release();
    acquired(state).release();
  });

  it('passes from a process that was killed', async () => {
    const state = folder();
    const { child: owner } = await spawnUntil('held', HOLD, [state]);
    assert.equal((Lease.acquire(state) as { pid: number }).pid, owner.pid);
    await killed(owner);
    acquired(state).release();
  });

  it('is won by exactly one of several that find it free', async () => {
    const state = folder();
    const race = HOLD.replace("'held' : 'busy'", "'held.' : 'busy.'");
    const racers = await Promise.all(Array.from({ length: 6 }, () => spawnUntil('.', race, [state])));
    assert.deepEqual(racers.map(({ said }) => said.trim()).sort(), [...Array<string>(5).fill('busy.'), 'held.']);
    await Promise.all(racers.map(({ child }) => killed(child)));
    acquired(state).release();
  });

  it('is lost by an owner that was silent for too long, before its next commit', () => {
    const state = folder();
    const sleeper = acquired(state);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(state, 'writer.1.lock'), longAgo, longAgo);
    const heir = acquired(state);
    assert.throws(() => sleeper.check(), { code: 'LeaseLost' });
    heir.check();
    sleeper.release();
    heir.check();
    heir.release();
  });

  it('can be freed for a thread of this process that died', () => {
    const state = folder();
    acquired(state);
    Lease.releaseOwn(state);
    acquired(state).release();
    Lease.releaseOwn(join(state, 'nowhere'));
  });
});
