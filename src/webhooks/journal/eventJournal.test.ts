import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeOver } from '../../../test/support/lease.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { AdjustableClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/log.ts';
import { eventId, type EventState } from '../event.ts';
import { Filter } from '../filter/filter.ts';
import { EventJournal, type EventJournalOptions, type EventSearch } from './eventJournal.ts';
import { RefusalLog } from './refusalLog.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const DONE: EventState = {
  status: 'succeeded',
  evaluations: [{ trigger: 't', fires: true, tree: { result: 'true' } }],
  runs: [{ trigger: 't', expert: 'record', state: 'succeeded', attempts: [] }],
};

describe('an event journal', () => {
  const folder = temporaryFolder();
  let clock: AdjustableClock;
  beforeEach(() => {
    clock = new AdjustableClock();
    clock.freeze();
    clock.set(NOON);
  });

  function openJournal(place: string, options: Partial<EventJournalOptions> = {}): EventJournal {
    return new EventJournal({ folder: place, fence: takeOver(place), clock, logger: silentLogger, ...options });
  }

  function accept(journal: EventJournal, body: string, key?: string, webhook = 'w') {
    return journal.accept({ webhook, headers: [['X-Number', '1']], body: Buffer.from(body), key });
  }

  async function found(journal: EventJournal, search: EventSearch): Promise<string[]> {
    const bodies: string[] = [];
    for await (const step of journal.search(search)) if ('event' in step) bodies.push(step.event.body.toString());
    return bodies;
  }

  it('keeps an event byte for byte, with its headers and runs, also after a restart', async () => {
    const place = folder();
    const body = ' {"a" : 1.0, "a": "\\u00e9é"}\n';
    let journal = openJournal(place);
    const { id, number } = await accept(journal, body, 'k');
    await journal.setState(number, DONE);
    for (let restart = 0; restart < 3; restart++) {
      const event = await journal.read(number);
      assert.deepEqual(
        [event?.id, event?.at, event?.webhook, event?.key, event?.headers, event?.body.toString(), event?.status],
        [id, NOON, 'w', 'k', [['X-Number', '1']], body, 'succeeded'],
      );
      const { evaluations, runs } = await journal.state(number);
      assert.deepEqual({ evaluations, runs }, { evaluations: DONE.evaluations, runs: DONE.runs });
      await journal.close();
      journal = openJournal(place);
    }
    assert.equal(await journal.read(99), undefined);
    await journal.close();
  });

  it('with an unreadable segment has the events of the others, and names the segment', async function () {
    if (process.platform !== 'linux') this.skip();
    const place = folder();
    const journal = openJournal(place);
    const lost = await accept(journal, '"one"');
    // Reading its first bytes is an I/O error.
    const [file] = readdirSync(place).filter((name) => name.endsWith('.log'));
    rmSync(join(place, file!));
    symlinkSync('/proc/self/mem', join(place, file!));
    const steps: unknown[] = [];
    for await (const step of journal.search({ text: 'one' })) if (!('progress' in step)) steps.push(step);
    assert.deepEqual(steps, [{ damaged: lost.id }]);
    await assert.rejects(journal.read(lost.number), { code: 'JournalDamaged' });
    assert.equal((await journal.verify()).length, 1);
    await journal.close();
  });

  it('stores a delivery once for each webhook and key for 24 hours', async () => {
    const place = folder();
    let journal = openJournal(place);
    const [first, again] = await Promise.all([accept(journal, '1', 'k'), accept(journal, '2', 'k')]);
    assert.deepEqual([first.isNew, again.isNew, again.id], [true, false, first.id]);
    assert.equal((await accept(journal, '3', 'k', 'other')).isNew, true);
    assert.equal((await accept(journal, '4')).isNew && (await accept(journal, '4')).isNew, true);
    await journal.close();
    journal = openJournal(place);
    clock.advance(24 * HOUR - 1);
    assert.equal((await accept(journal, '5', 'k')).id, first.id);
    clock.advance(1);
    const later = await accept(journal, '6', 'k');
    assert.equal(later.isNew, true);
    assert.equal((await accept(journal, '7', 'k')).id, later.id);
    assert.equal((await journal.read(first.number))?.body.toString(), '1');
    await journal.close();
  });

  it('keeps events up to a number, an age and a size, and all unfinished ones', async () => {
    const small = openJournal(folder(), { retention: { maxEvents: 3 } });
    const numbers: number[] = [];
    for (let i = 0; i < 6; i++) {
      const { number } = await accept(small, String(i));
      numbers.push(number);
      if (i !== 2) await small.setState(number, DONE);
    }
    // The third event still waits, which keeps the events after it.
    assert.deepEqual(
      small.list({}, 9).map(({ id }) => id),
      numbers.slice(2).reverse().map(eventId),
    );
    await small.setState(numbers[2]!, DONE);
    await accept(small, '7');
    assert.equal(small.size, 3);
    await small.close();

    const place = folder();
    const young = openJournal(place, { retention: { maxAgeMs: HOUR } });
    await young.setState((await accept(young, 'old')).number, DONE);
    clock.advance(HOUR + 1);
    await accept(young, 'new');
    assert.deepEqual(await found(young, {}), ['new']);
    await young.setState(young.unfinished()[0]!, DONE);
    clock.advance(HOUR + 1);
    young.forget();
    assert.equal(young.size, 0, 'also without new events');
    await young.close();

    const light = openJournal(folder(), { retention: { maxBytes: 3000 }, maxSegmentBytes: 1000 });
    for (let i = 0; i < 40; i++) await light.setState((await accept(light, 'x'.repeat(200))).number, DONE);
    assert.ok(light.bytes <= 4000 && light.bytes > 1000, String(light.bytes));
    assert.ok(light.size > 2 && light.size < 15, String(light.size));
    await light.close();
  });

  it('uses the system clock for age and keys, not the shown time', async () => {
    const place = folder();
    const shown = new AdjustableClock(clock);
    const options = { clock: shown, realClock: clock, retention: { maxAgeMs: 30 * 24 * HOUR } };
    let journal = openJournal(place, { ...options, maxSegmentBytes: 300 });
    const times = [NOON - 2000 * 24 * HOUR, NOON, NOON + 2000 * 24 * HOUR];
    for (const [i, time] of times.entries()) {
      shown.set(time);
      const { number, isNew } = await accept(journal, String(i), `k${i}`);
      assert.ok(isNew);
      await journal.setState(number, DONE);
    }
    for (const set of [NOON + 9000 * 24 * HOUR, NOON - 9000 * 24 * HOUR]) {
      shown.set(set);
      journal.forget();
      await journal.close();
      journal = openJournal(place, options);
      assert.deepEqual(
        journal
          .list({}, 9)
          .map(({ at }) => at)
          .reverse(),
        times,
      );
      for (const i of times.keys()) assert.equal((await accept(journal, 'again', `k${i}`)).isNew, false);
    }
    clock.advance(30 * 24 * HOUR + 1);
    journal.forget();
    assert.equal(journal.size, 0);
    await journal.close();
  });

  it('refuses events at twice its limit while the oldest event waits', async () => {
    const many = openJournal(folder(), { retention: { maxEvents: 3 } });
    const waiting = await Promise.all(Array.from({ length: 10_000 }, (_, i) => accept(many, String(i))));
    await assert.rejects(accept(many, 'more'), { code: 'JournalHeldUp' });
    await many.setState(waiting[0]!.number, DONE);
    await accept(many, 'more');
    await assert.rejects(accept(many, 'still more'), { code: 'JournalHeldUp' });
    await many.close();

    const place = folder();
    const options = { retention: { maxBytes: 3000 } };
    let large = openJournal(place, options);
    const first = await accept(large, 'first');
    const body = 'x'.repeat(500_000);
    await assert.rejects(
      async () => {
        for (let i = 0; i < 100; i++) await large.setState((await accept(large, body)).number, DONE);
      },
      { code: 'JournalHeldUp' },
    );
    assert.ok(large.bytes > 16e6 && large.bytes < 20e6, String(large.bytes));
    await large.close();
    large = openJournal(place, options);
    await assert.rejects(accept(large, 'more'), { code: 'JournalHeldUp' });
    await large.setState(first.number, DONE);
    await accept(large, 'more');
    assert.ok(large.bytes < 3e6, String(large.bytes));
    await large.close();
  });

  it('lists and searches by webhook, status, time, text and filter, newest first, and lists damaged events', async () => {
    const place = folder();
    const journal = openJournal(place, { maxSegmentBytes: 2000 });
    for (let i = 0; i < 30; i++) {
      clock.advance(1000);
      const { number } = await accept(journal, `{"i":${i},"text":"number ${i}"}`, undefined, i % 2 ? 'odd' : 'even');
      if (i % 3 === 0) await journal.setState(number, DONE);
    }
    const times = (ids: ReturnType<EventJournal['list']>) => ids.map(({ at }) => (at - NOON) / 1000 - 1);
    assert.deepEqual(times(journal.list({ webhook: 'odd' }, 3)), [29, 27, 25]);
    assert.deepEqual(times(journal.list({ webhook: 'odd', status: 'succeeded' }, 3)), [27, 21, 15]);
    assert.deepEqual(times(journal.list({ from: NOON + 5000, to: NOON + 7000 }, 9)), [5, 4]);
    assert.deepEqual(journal.list({ webhook: 'nobody' }, 9), []);
    const second = journal.list({}, 10)[9]!;
    assert.deepEqual(times(journal.list({}, 2, Number(second.id.slice(4)))), [19, 18]);
    assert.deepEqual(await found(journal, { text: 'number 17' }), ['{"i":17,"text":"number 17"}']);
    const filter = new Filter({ '<': [{ var: 'i' }, 2] });
    assert.deepEqual(await found(journal, { filter }), ['{"i":1,"text":"number 1"}', '{"i":0,"text":"number 0"}']);
    assert.equal(journal.unfinished().length, 20);

    const controller = new AbortController();
    await assert.rejects(async () => {
      for await (const step of journal.search({}, controller.signal)) if ('progress' in step) controller.abort();
    }, /cancelled/);

    const [file] = readdirSync(place).filter((name) => name.endsWith('.log'));
    const bytes = readFileSync(join(place, file!));
    bytes[bytes.indexOf('number 1"')]! ^= 1;
    writeFileSync(join(place, file!), bytes);
    const steps: unknown[] = [];
    for await (const step of journal.search({ filter, webhook: 'odd' })) if (!('progress' in step)) steps.push(step);
    assert.deepEqual(steps, [{ damaged: journal.list({ webhook: 'odd' }, 99).at(-1)!.id }]);
    assert.deepEqual(await found(journal, { filter }), ['{"i":0,"text":"number 0"}']);
    assert.equal(journal.damage.length, 1);
    await journal.close();
  });

  it('lets other work run during a costly filter, and can be cancelled', async () => {
    const journal = openJournal(folder());
    for (let i = 0; i < 40; i++) await accept(journal, '{}');
    let asked = 0;
    class Slow extends Filter {
      override fires(): boolean {
        for (const end = performance.now() + 5; performance.now() < end;);
        return ++asked < 0;
      }
    }
    const filter = new Slow(true);
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    assert.deepEqual(await found(journal, { filter }), []);
    clearInterval(counting);
    assert.deepEqual([asked, turns >= 10], [40, true], `others had ${turns} turns`);

    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1);
    await assert.rejects(
      async () => {
        for await (const _ of journal.search({ filter }, controller.signal));
      },
      { code: 'Cancelled' },
    );
    assert.ok(asked < 60, 'the rest is not evaluated');
    await journal.close();
  });

  it('stores a delivery again if its event is damaged', async () => {
    const place = folder();
    const journal = openJournal(place);
    const first = await accept(journal, '"first"', 'k');
    const [file] = readdirSync(place).filter((name) => name.endsWith('.log'));
    const bytes = readFileSync(join(place, file!));
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(join(place, file!), bytes);
    const again = await accept(journal, '"first"', 'k');
    assert.ok(again.isNew && again.number > first.number);
    await journal.close();
  });
});

describe('the log of refusals', () => {
  const folder = temporaryFolder();

  it('keeps the last refusals over a restart, and drops older ones', async () => {
    const place = folder();
    let log = new RefusalLog(takeOver(place), place, { now: () => NOON }, silentLogger);
    const refusal = { webhook: 'w', status: 401, code: 'Unauthenticated' };
    for (let i = 0; i < 400; i++) log.add({ ...refusal, reason: `no ${i}` });
    await log.close();
    log = new RefusalLog(takeOver(place), place, { now: () => NOON }, silentLogger);
    const latest = await log.latest(2);
    assert.deepEqual(latest, [
      { at: NOON, ...refusal, reason: 'no 399' },
      { at: NOON, ...refusal, reason: 'no 398' },
    ]);
    for (let i = 0; i < 2000; i++) log.add({ ...refusal, reason: 'flood' });
    assert.equal(log.leftOut, 1500);
    await log.close();
  });
});
