import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FailingDisk } from '../../../test/fault/failingDisk.ts';
import { AlertReceiver } from '../../../test/support/alertReceiver.ts';
import { folderOfTest } from '../../../test/support/temporary.ts';
import { AdjustableClock } from '../../base/clock.ts';
import type { SextantError } from '../../base/errors.ts';
import { Lease, isHeld } from '../../base/lease.ts';
import type { AlertEvent } from './alertEvents.ts';
import { readJournal, type JournalMessage } from './alertJournal.ts';
import { readDestination, type Destination, type DestinationInput } from './destination.ts';
import { sendAlerts, type SendResult } from './sendAlerts.ts';

const MINUTE = 60_000;

describe('alerts that are sent', () => {
  const folder = folderOfTest();
  const clock = new AdjustableClock();
  let receiver: AlertReceiver;
  beforeEach(async () => {
    clock.freeze();
    clock.set(Date.parse('2026-11-21T12:00:00Z'));
    receiver = await AlertReceiver.start();
  });
  afterEach(() => receiver.close());

  const event = (name: string, kind: AlertEvent['kind'] = 'over'): AlertEvent => ({
    ...{ key: `${kind} ${name} 2026-11`, kind, period: '2026-11', text: `${name} is over`, groups: { team: 'Search' } },
    subject: { type: 'account', name },
    figures: { unit: 'credits', used: 1.2 },
  });
  const to = (input: Partial<DestinationInput> = {}): Destination =>
    readDestination({ name: 'ops', url: receiver.url(), kind: 'json', ...input });
  const send = (events: readonly AlertEvent[], destinations = [to()], more = {}): Promise<SendResult> =>
    sendAlerts(destinations, events, { folder: folder(), source: 'example.com', clock, ...more });
  const journal = (): readonly JournalMessage[] => readJournal(folder()).messages;
  const namesOf = (body: unknown): string[] =>
    (body as { alerts: { subject: { name: string } }[] }).alerts.map(({ subject }) => subject.name);

  it('go out together, each event once to each destination', async () => {
    const destinations = [to(), to({ name: 'audit', url: receiver.url('OTHER') })];
    await send([event('ada'), event('bob')], destinations);
    assert.deepEqual(receiver.bodies.map(namesOf), [['ada', 'bob'], ['ada', 'bob']]); // oxfmt-ignore
    await send([event('ada'), event('bob'), event('eve')], destinations);
    await send([event('eve'), event('ada')], destinations);
    assert.deepEqual(receiver.bodies.slice(2).map(namesOf), [['eve'], ['eve']]);
    assert.deepEqual(new Set(journal().map(({ state }) => state)), new Set(['sent']));
  });

  it('go only to destinations that want their kind, subject and group', async () => {
    await send([event('ada'), event('bob', 'near')], [to({ on: ['near'] })]);
    await send([event('eve')], [to({ for: ['groups', 'organization'] })]);
    await send([event('kim')], [to({ group: 'team=Billing' })]);
    await send([event('lea')], [to({ group: 'team=Search' })]);
    assert.deepEqual(receiver.bodies.map(namesOf), [['bob'], ['lea']]);
  });

  for (const [what, behavior, result] of [
    ['a 500', { status: 500, body: 'no' }, '500: no'],
    ['a reset', 'reset', 'other side closed'],
    ['no answer in time', 'hang', 'no answer within 0.3 s'],
  ] as const)
    it(`are sent again after ${what}, with the same id, and later each time`, async () => {
      receiver.behaviors.push(behavior, behavior);
      await send([event('ada')], [to()], { timeoutMs: 300 });
      const [first] = journal();
      assert.deepEqual([first!.state, first!.attempts, first!.result], ['waiting', 1, result]);
      await send([event('ada')]);
      assert.equal(receiver.received.length, 1, 'not before its time');
      clock.set(first!.next);
      await send([], [to()], { timeoutMs: 300 });
      const [second] = journal();
      assert.ok(second!.next - clock.now() > first!.next - Date.parse('2026-11-21T12:00:00Z'), 'a longer pause');
      clock.set(second!.next);
      await send([]);
      assert.deepEqual([journal()[0]!.state, journal()[0]!.attempts], ['sent', 3]);
      const ids = receiver.received.map(({ headers }) => headers['x-sextant-alert-id']);
      assert.deepEqual([ids.length, new Set(ids).size], [3, 1]);
      assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
    });

  it('wait as long as a 429 requests', async () => {
    receiver.behaviors.push({ status: 429, headers: { 'retry-after': '300' } });
    await send([event('ada')]);
    assert.equal(journal()[0]!.next, clock.now() + 5 * MINUTE);
  });

  it('are given up at once if refused, and after a day of failures', async () => {
    receiver.behaviors.push({ status: 404, body: 'no_service' });
    await send([event('ada')]);
    assert.deepEqual([journal()[0]!.state, journal()[0]!.result], ['failed', '404: no_service']);
    receiver.behaviors.push({ status: 503 });
    await send([event('bob')]);
    clock.advance(25 * 60 * MINUTE);
    await send([]);
    assert.equal(journal()[1]!.state, 'failed');
    assert.equal(receiver.received.length, 2);
  });

  it('follow no redirect', async () => {
    const other = await AlertReceiver.start();
    receiver.behaviors.push({ status: 307, headers: { location: other.url() } });
    await send([event('ada')]);
    assert.deepEqual([journal()[0]!.state, other.received.length], ['failed', 0]);
    await other.close();
  });

  it('leave no secret in the journal, even if the receiver repeats it', async () => {
    receiver.behaviors.push({ status: 404, body: 'Cannot POST /services/T0PSECRET?sig=SIGNED-T0PSECRET' });
    await send([event('ada')]);
    assert.equal(journal()[0]!.result, '404: Cannot POST …?…');
    for (const name of readdirSync(folder())) assert.doesNotMatch(readFileSync(join(folder(), name), 'utf8'), /T0PSE/);
  });

  it('are held in quiet hours, together, and sent after them', async () => {
    const quiet = to({ quiet: '20:00-07:00', timeZone: 'Europe/Berlin' });
    clock.set(Date.parse('2026-11-21T19:30:00Z'));
    await send([event('ada')], [quiet]);
    clock.set(Date.parse('2026-11-22T02:00:00Z'));
    await send([event('ada'), event('bob')], [quiet]);
    assert.equal(receiver.received.length, 0);
    assert.deepEqual([journal().length, journal()[0]!.next], [1, Date.parse('2026-11-22T06:00:00Z')]);
    clock.set(Date.parse('2026-11-22T06:00:00Z'));
    await send([], [quiet]);
    assert.deepEqual(receiver.bodies.map(namesOf), [['ada', 'bob']]);
  });

  it('of an interrupted process are sent again by the next one', async () => {
    receiver.behaviors.push('hang');
    const controller = new AbortController();
    const sending = send([event('ada')], [to()], { signal: controller.signal });
    while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(journal()[0]!.state, 'sending', 'claimed on the disk before it is sent');
    controller.abort();
    await assert.rejects(sending, { code: 'Cancelled' });
    await send([event('ada')]);
    assert.deepEqual([journal().length, journal()[0]!.state, journal()[0]!.attempts], [1, 'sent', 2]);
  });

  it('wait for another process that sends, which is named if it does not end', async () => {
    const lease = Lease.acquire(folder());
    assert.ok(isHeld(lease));
    const { owner, messages } = await send([event('ada')], [to()], { waitMs: 300 });
    assert.deepEqual([owner?.pid, messages.length, receiver.received.length], [process.pid, 0, 0]);
    const waiting = send([event('ada')]);
    lease.release();
    assert.equal((await waiting).messages[0]!.state, 'sent');
  });

  it('wait for space on a disk that becomes full at any moment, which is reported', async () => {
    const disk = await FailingDisk.below(folder());
    try {
      for (let n = 1, isFull = true; isFull; n++) {
        const more = { folder: join(folder(), String(n)) };
        const before = receiver.bodies.length;
        disk.failAt(n, 'stays');
        const error: unknown = await send([event('ada')], [to()], more).then(() => undefined, (reason: unknown) => reason); // oxfmt-ignore
        isFull = disk.heal() > 0;
        // Without an error the lease alone could not be given back, which ends with the process.
        if (error !== undefined || n === 1) assert.equal((error as SextantError | undefined)?.code, 'DiskFull', `${n}`);
        await send([event('ada')], [to()], more);
        // One whose result could not be kept is sent again with its id.
        const ids = receiver.bodies.slice(before).map((body) => (body as { id: string }).id);
        assert.deepEqual([ids.length > 0, new Set(ids).size], [true, 1], `call ${n}`);
      }
    } finally {
      disk.restore();
    }
  });

  it('are forgotten after months', async () => {
    await send([event('ada')]);
    clock.advance(121 * 24 * 60 * MINUTE);
    await send([event('bob')]);
    assert.deepEqual(journal().map(({ events }) => events[0]!.subject.name), ['bob']); // oxfmt-ignore
  });
});
