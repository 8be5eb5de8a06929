import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { BatchStore } from '../../src/analytics/budgets/batchStore.ts';
import { systemClock } from '../../src/base/clock.ts';
import { acquireFence, isHeld, type Fence, type HeldFence } from '../../src/base/lease.ts';
import { silentLogger } from '../../src/base/log.ts';
import { eventId, eventNumber } from '../../src/webhooks/event.ts';
import { EventJournal } from '../../src/webhooks/journal/eventJournal.ts';
import { takeOver } from '../support/lease.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { FailingDisk } from './failingDisk.ts';

describe('An heir whose disk takes nothing', () => {
  const temporary = temporaryFolder();
  let disk: FailingDisk | undefined;
  afterEach(() => {
    disk?.heal();
    disk?.restore();
    disk = undefined;
  });

  function open(state: string, fence: Fence): EventJournal {
    return new EventJournal({ fence, folder: join(state, 'events'), clock: systemClock, logger: silentLogger });
  }

  function fenceOf(state: string): HeldFence {
    const fence = acquireFence(state, [join(state, 'events')]);
    assert.ok(isHeld(fence));
    return fence;
  }

  function send(journal: EventJournal, text: string, key?: string): Promise<unknown> {
    return journal.accept({ webhook: 'w', headers: [], body: Buffer.from(JSON.stringify(text)), key });
  }

  async function bodies(journal: EventJournal): Promise<unknown[]> {
    const events = await Promise.all(journal.list({}, 100).map(({ id }) => journal.read(eventNumber(id)!)));
    return events.map((event) => JSON.parse(event!.body.toString()) as unknown).reverse();
  }

  /** As of a process that sleeps for longer than its lease lasts. */
  function silence(state: string): void {
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of readdirSync(state)) if (name.endsWith('.lock')) utimesSync(join(state, name), longAgo, longAgo);
  }

  for (const code of ['ENOSPC', 'EROFS'] as const)
    it(`does not acquire the lease later if its predecessor woke up and wrote meanwhile (${code})`, async () => {
      const state = temporary();
      const first = fenceOf(state);
      const before = open(state, first);
      await send(before, 'one');
      silence(state);
      disk = await FailingDisk.below(state);
      disk.failAt(1, 'stays', code);
      const late = fenceOf(state);
      const heir = open(state, late);
      assert.deepEqual(await bodies(heir), ['one']);
      await assert.rejects(send(heir, 'refused'), { code: code === 'ENOSPC' ? 'DiskFull' : 'ReadOnly' });
      disk.heal();
      // The predecessor was not fenced, so this is acknowledged.
      await send(before, 'two');
      await before.close();
      first.release();
      await assert.rejects(send(heir, 'three'), { code: 'LeaseLost' });
      assert.equal(late.lost.aborted, true);
      await heir.close();
      const next = open(state, fenceOf(state));
      assert.deepEqual(await bodies(next), ['one', 'two']);
      await next.close();
    });

  it('acknowledges nothing, repeated deliveries included, until it is on the disk which records count', async () => {
    const state = temporary();
    const lease = takeOver(state);
    let sleep = (): void => undefined;
    const before = open(state, {
      number: lease.number,
      lost: lease.lost,
      check: () => {
        lease.check();
        sleep();
      },
    });
    await send(before, 'one', 'key 1');
    disk = await FailingDisk.below(state);
    let heir: EventJournal | undefined;
    // The predecessor sleeps between its check and its write, and the disk is full for the heir.
    sleep = () => {
      sleep = () => undefined;
      const heirs = takeOver(state);
      disk!.failAt(1, 'stays');
      heir = open(state, heirs);
      disk!.heal();
    };
    await assert.rejects(send(before, 'late'), { code: 'LeaseLost' });
    await before.close();
    disk.failAt(1, 'stays');
    assert.deepEqual(await bodies(heir!), ['one']);
    await assert.rejects(send(heir!, 'two'), { code: 'DiskFull' });
    await assert.rejects(send(heir!, 'one', 'key 1'), { code: 'DiskFull' });
    disk.heal();
    assert.deepEqual(await send(heir!, 'one', 'key 1'), { id: eventId(1), number: 1, isNew: false });
    await heir!.close();
    const next = open(state, takeOver(state));
    assert.deepEqual(await bodies(next), ['one'], 'what the heir did not count, its successors do not count either');
    await send(next, 'two');
    assert.deepEqual(await bodies(next), ['one', 'two']);
    await next.close();
  });
});

describe('A batch of budgets whose disk fails at its beginning', () => {
  const temporary = temporaryFolder();

  it('leaves no file open', async function () {
    if (process.platform !== 'linux') this.skip();
    const folder = join(temporary(), 'batches');
    mkdirSync(folder);
    const openBelow = (): string[] =>
      readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          const path = readlinkSync(`/proc/self/fd/${fd}`);
          return path.startsWith(folder) ? [path] : [];
        } catch {
          // Of the listing itself.
          return [];
        }
      });
    const store = new BatchStore(folder);
    const lease = store.lock();
    const beginning = { at: '2026-11-21T09:00:00Z', source: { kind: 'set' as const }, unit: 'usd' as const, rows: [] };
    const disk = await FailingDisk.below(folder);
    try {
      let failed = 0;
      for (let n = 1; ; n++) {
        disk.failAt(n, 'stays');
        const begun = await store.begin(lease, beginning).catch(() => undefined);
        disk.heal();
        await begun?.close();
        assert.deepEqual(openBelow(), [], `after call ${n}`);
        if (begun) break;
        failed++;
      }
      assert.ok(failed > 5);
    } finally {
      disk.restore();
      lease.release();
    }
  });
});
