import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { killed, spawnUntil } from '../../test/support/processes.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { acquireFence, describeOwner, isHeld, Lease, type LeaseOwner } from './lease.ts';

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

  it('is held by one at a time, and identifies its owner', () => {
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
    assert.throws(() => sleeper.check(), {
      code: 'LeaseLost',
      message:
        `Process ${process.pid} on ${hostname()} took over ${state}; this process no longer writes to it. ` +
        'Stop it, and use that one.',
    });
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

  it('passes at once from a process that had the id of this one, as after a restart of a container', () => {
    const state = folder();
    acquired(state).release();
    const lock = join(state, 'writer.1.lock');
    const owner = { pid: process.pid, host: hostname(), started: 'earlier' };
    writeFileSync(lock, JSON.stringify(owner));
    acquired(state).release();
    writeFileSync(join(state, 'writer.2.lock'), JSON.stringify({ ...owner, pid: 1, boot: 'of another start' }));
    acquired(state).release();
  });

  it('is reported lost as soon as another process has it', () => {
    const state = folder();
    const sleeper = acquired(state);
    writeFileSync(join(state, 'writer.2.lock'), readFileSync(join(state, 'writer.1.lock')));
    assert.equal(sleeper.lost.aborted, false);
    assert.throws(() => sleeper.check(), { code: 'LeaseLost' });
    assert.equal((sleeper.lost.reason as { code: string }).code, 'LeaseLost');
    assert.throws(() => sleeper.check(), { code: 'LeaseLost' });
  });

  it('is lost where the folder is removed', () => {
    const state = folder();
    const lease = acquired(state);
    rmSync(state, { recursive: true });
    assert.throws(() => lease.check(), {
      code: 'LeaseLost',
      message: `${state} was removed; this process no longer writes to it. Stop it, and start again.`,
    });
    lease.release();
  });

  it('has a number above all files that carry one, also where the locks are missing', () => {
    const state = folder();
    const other = folder();
    writeFileSync(join(state, 'manifest.7.json'), '');
    writeFileSync(join(other, 'definitions.9.copy.json'), '');
    const lease = Lease.acquire(state, [other, join(other, 'missing')]);
    assert.equal((lease as Lease).number, 10);
    (lease as Lease).release();
    assert.deepEqual(readdirSync(state).sort(), ['manifest.7.json', 'writer.10.lock']);
  });

  it('of an unreadable lock counts for some seconds, and its owner is named as unknown', () => {
    const state = folder();
    const lock = join(state, 'writer.1.lock');
    for (const text of ['', '\0'.repeat(60), 'null', '{"pid":"1","host":1}']) {
      writeFileSync(lock, text);
      const owner = Lease.acquire(state) as LeaseOwner;
      assert.equal(describeOwner(owner), 'Another process (its lock is unreadable)');
    }
    const before = new Date(Date.now() - 6_000);
    utimesSync(lock, before, before);
    acquired(state).release();
  });

  it('is acquired later where the folder cannot be written to at first, unless another process had it meanwhile', function () {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) this.skip();
    const state = folder();
    acquired(state).release();
    const readOnly = (on: boolean) => execFileSync('chattr', [on ? '+i' : '-i', state], { stdio: 'ignore' });
    try {
      readOnly(true);
    } catch {
      this.skip();
    }
    const [late, later] = [acquireFence(state), acquireFence(state)];
    assert.ok(isHeld(late) && isHeld(later));
    assert.throws(() => late.check(), { code: 'ReadOnly' });
    readOnly(false);
    late.check();
    late.release();
    assert.throws(() => later.check(), { code: 'LeaseLost' });
    assert.equal(later.lost.aborted, true);
  });
});
