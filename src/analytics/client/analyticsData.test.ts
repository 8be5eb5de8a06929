import assert from 'node:assert/strict';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { dayOf, formatDay } from '../../base/day.ts';
import { SextantServer } from '../../server/server.ts';
import type { DayRange } from '../dateRules.ts';
import { accountKey } from './account.ts';
import { AnalyticsClient } from './analyticsClient.ts';
import { ServiceData, type AnalyticsData } from './analyticsData.ts';
import { AnswerCache } from './answerCache.ts';
import { RequestBudget } from './requestBudget.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const TODAY = dayOf(NOON);

describe('the figures of an account', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer;
  let folder: string;
  before(async () => {
    server = await SextantServer.start({
      now: NOON,
      rateLimit: false,
      simulation: { seed: 5, users: 30, plan: 'credits' },
    });
  });
  after(() => server.close());
  beforeEach(async () => {
    await server.reset();
    server.clock.freeze();
    folder = newFolder();
  });

  /** Another window, or the command: the same folder and time. */
  function dataOf(token = server.token): AnalyticsData {
    const connection = { url: server.url, token };
    const { clock } = server;
    const sleep = async (): Promise<void> => Promise.resolve();
    // Separate time for the budget, so that waiting for it does not change the day.
    const budget = new RequestBudget(newFolder());
    const client = new AnalyticsClient(connection, budget, { clock, sleep });
    return new ServiceData(client, new AnswerCache(folder, accountKey(connection), { clock }), clock);
  }

  /** Requests that the server received since the last call. */
  function asked(): string[] {
    const all = server.requestLog
      .latest(1000)
      .map(({ path, query }) => `${path.split('/').at(-1)}${query ? `?${query}` : ''}`);
    server.requestLog.clear();
    return all.map((one) => one.replace(/page_size=\d+&?/, '').replace(/\?$/, '')).reverse();
  }

  const range = (first: number, last: number): DayRange => ({ first: TODAY + first, last: TODAY + last });

  it('are fetched once for a finished day, by the first window that needs them', async () => {
    const first = await dataOf().dailyUsage(range(-7, -1));
    assert.ok(first.rows.length > 0);
    assert.deepEqual(asked(), ['daily-usage?start_date=2026-08-23&end_date=2026-11-20'], 'as many days as one has');
    assert.ok(first.rows.every(({ date }) => date >= '2026-11-14'));
    const other = dataOf();
    assert.deepEqual((await other.dailyUsage(range(-7, -1))).rows, first.rows);
    assert.deepEqual((await other.dailyUsage(range(-5, -3))).rows.length, 3);
    assert.deepEqual(asked(), []);
    const more = await other.dailyUsage(range(-10, -1));
    assert.deepEqual(asked(), []);
    await other.dailyUsage(range(-95, -92));
    assert.deepEqual(asked(), ['daily-usage?start_date=2026-05-24&end_date=2026-08-21']);
    await other.dailyUsage(range(-92, -1));
    assert.deepEqual(asked(), ['daily-usage?start_date=2026-08-22&end_date=2026-08-22']);
    assert.equal(more.asOf, '2026-11-21T12:00:00Z');
    server.clock.advance(24 * HOUR);
    const rows = (await dataOf().dailyUsage(range(-9, 0))).rows.map(({ date }) => date).sort();
    assert.deepEqual(asked(), ['daily-usage?start_date=2026-11-21&end_date=2026-11-21']);
    assert.equal(rows.at(-1), '2026-11-21');
  });

  it('are fetched again while a day is not finished, until 02:00 and after', async () => {
    server.clock.set(Date.UTC(2026, 10, 21, 1));
    const data = dataOf();
    assert.equal(formatDay(data.newestDay), '2026-11-19');
    const yesterday = range(-2, -1);
    assert.equal((await data.dailyUsage(yesterday)).rows.length, 1, 'the service has no data of yesterday yet');
    assert.equal(asked().length, 1);
    await data.dailyUsage(yesterday);
    assert.deepEqual(asked(), [], 'for a while that stays so');
    server.clock.set(Date.UTC(2026, 10, 21, 2));
    assert.equal(formatDay(data.newestDay), '2026-11-20');
    assert.equal((await data.dailyUsage(yesterday)).rows.length, 2);
    assert.deepEqual(asked(), ['daily-usage?start_date=2026-11-20&end_date=2026-11-20']);
    server.clock.set(Date.UTC(2026, 10, 21, 3));
    await data.dailyUsage(yesterday);
    assert.deepEqual(asked(), []);
  });

  it('keep credits of today for 90 minutes, and those of earlier days for ever', async () => {
    const month = range(-20, 0);
    const byDay = (): Promise<unknown> => dataOf().credits(month, { date: true });
    await byDay();
    assert.equal(asked().length > 0, true);
    server.clock.advance(89 * 60_000);
    await byDay();
    assert.deepEqual(asked(), []);
    server.clock.advance(2 * 60_000);
    const first = await dataOf().credits(month, { date: true });
    assert.deepEqual(asked(), [
      'credit-usage-by-user?start_date=2026-11-21&end_date=2026-11-21&by_date=true&by_model=false',
    ]);
    assert.equal(first.asOf, '2026-11-21T13:30:00Z');
    await dataOf().credits(month, { date: true }, { refresh: true });
    assert.equal(asked().length, 1, 'who wants it fresh gets it');
    // Totals per person cannot be added up from other totals.
    const totals = await dataOf().credits(month);
    assert.ok(totals.rows.length > 10);
    assert.equal(asked().length, 1);
  });

  it('are the same in one range or in many', async () => {
    const data = dataOf();
    const by = ['COST_ANALYTICS_GROUP_BY_USER'] as const;
    for (const part of [range(-9, -8), range(-3, -1), range(-20, -15)]) await data.cost(part, by, { daily: true });
    const pieces = await data.cost(range(-25, -1), by, { daily: true });
    folder = newFolder();
    const whole = await dataOf().cost(range(-25, -1), by, { daily: true });
    const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
    assert.deepEqual(sorted(pieces.rows), sorted(whole.rows));
    assert.deepEqual(pieces.missing, []);
  });

  it('keep each day of languages as soon as it arrives', async () => {
    const cancel = new AbortController();
    let days = 0;
    const rows: number[] = [];
    await assert.rejects(
      dataOf().languages(range(-5, -1), {
        signal: cancel.signal,
        onProgress: (count) => {
          rows.push(count);
          if (asked().length > 0 && ++days === 3) cancel.abort();
        },
      }),
      { code: 'Cancelled' },
    );
    asked();
    const all = await dataOf().languages(range(-5, -1));
    assert.ok(asked().length <= 3, 'it goes on where it was left');
    assert.deepEqual([...new Set(all.rows.map(({ date }) => date))].length, 5);
    assert.deepEqual(
      rows,
      [...rows].sort((a, b) => a - b),
    );
  });

  it('come from the cache, with their age, while the service is unreachable', async () => {
    await dataOf().credits(range(-3, 0), { date: true });
    await dataOf().budgets();
    server.clock.advance(24 * HOUR);
    server.faults.add({ status: 503 });
    const data = dataOf();
    const credits = await data.credits(range(-4, 1), { date: true });
    assert.equal(credits.offline?.code, 'ServiceFailed');
    assert.deepEqual(credits.missing, [range(-4, -4), range(1, 1)]);
    assert.equal(credits.asOf, '2026-11-21T12:00:00Z');
    assert.ok(credits.rows.some(({ date }) => date === '2026-11-21'));
    const budgets = await data.budgets();
    assert.ok(budgets.rows.length > 0 && budgets.offline);
    assert.equal(budgets.asOf, '2026-11-21T12:00:00Z');
    const nothing = await data.languages(range(-3, -1));
    assert.deepEqual([nothing.rows, nothing.asOf, nothing.missing], [[], undefined, [range(-3, -3), range(-2, -1)]]);
  });

  it('never show answers of another account, and report a refused token', async () => {
    await dataOf().dailyUsage(range(-3, -1));
    await assert.rejects(dataOf('sxt_other').dailyUsage(range(-3, -1)), { code: 'Unauthenticated' });
  });

  it('requested by many callers at once cost one request', async () => {
    const data = dataOf();
    const all = await Promise.all([1, 2, 3].map(() => data.activity(range(-7, -1))));
    assert.equal(asked().length, 1);
    assert.deepEqual(all[2], all[0]);
  });

  it("are not finished before the service's clock agrees", async () => {
    server.clock.set(Date.UTC(2026, 10, 21, 1));
    const client = new AnalyticsClient({ url: server.url, token: server.token }, new RequestBudget(newFolder()));
    const ahead = { now: () => server.clock.now() + 2 * HOUR };
    const data = new ServiceData(client, new AnswerCache(folder, 'account', { clock: ahead }), ahead);
    const early = await data.dailyActive(range(-3, -1));
    assert.deepEqual(early.missing, [range(-1, -1)], 'it is not zero: it is not there');
    assert.deepEqual(early.rows.map(({ date }) => date).sort(), ['2026-11-18', '2026-11-19']);
    server.clock.advance(3 * HOUR);
    const late = await data.dailyActive(range(-3, -1));
    assert.deepEqual([late.missing, late.rows.length], [[], 3]);
  });
});

describe('an answer in many pages', () => {
  const newFolder = temporaryFolder();
  const week = { first: TODAY - 7, last: TODAY - 1 };
  let server: SextantServer;
  let folder: string;
  before(async () => {
    const simulation = { seed: 5, users: 450, plan: 'credits' } as const;
    server = await SextantServer.start({ now: NOON, rateLimit: false, simulation });
    server.clock.freeze();
  });
  after(() => server.close());
  beforeEach(() => {
    folder = newFolder();
    server.requestLog.clear();
  });

  const dataOf = (): AnalyticsData => {
    const { clock, url, token } = server;
    const sleep = async (): Promise<void> => Promise.resolve();
    const client = new AnalyticsClient({ url, token }, new RequestBudget(newFolder()), { clock, sleep });
    return new ServiceData(client, new AnswerCache(folder, 'account', { clock }), clock);
  };
  const asked = (): number => server.requestLog.latest(100).length;

  /** Cancels after `pages` pages. */
  async function giveUpAfter(pages: number): Promise<number> {
    const giveUp = new AbortController();
    let rows = 0;
    let calls = 0;
    const onRows = (all: readonly unknown[]): void => {
      rows = all.length;
      if (++calls === pages) giveUp.abort();
    };
    await assert.rejects(dataOf().activity(week, { signal: giveUp.signal, onRows }), { code: 'Cancelled' });
    return rows;
  }

  it('resumes where it was cancelled, in another window, too', async () => {
    assert.equal(await giveUpAfter(2), 200);
    const before = asked();
    const counts: number[] = [];
    const all = await dataOf().activity(week, { onRows: (rows) => void counts.push(rows.length) });
    assert.deepEqual(counts.slice(0, 2), [200, 300], 'what was there comes first');
    assert.equal(asked() - before, Math.ceil(all.rows.length / 100) - 2);
    folder = newFolder();
    const whole = await dataOf().activity(week);
    assert.deepEqual(all.rows, whole.rows);
  });

  it('starts again from the first page where the service does not know the cursor any more', async () => {
    await giveUpAfter(2);
    server.faults.add({ path: '/analytics/v0/user-activity', status: 400, times: 1 });
    const all = await dataOf().activity(week);
    assert.equal(server.faults.list()[0]!.hits, 1);
    server.faults.clear();
    assert.equal(new Set(all.rows.map((row) => JSON.stringify(row))).size, all.rows.length);
    assert.deepEqual(all.missing, []);
  });

  it('starts again from the first page where its days have changed since', async () => {
    const open = { first: TODAY - 7, last: TODAY };
    const data = dataOf();
    const giveUp = new AbortController();
    await assert.rejects(
      data.credits(open, { model: true }, { signal: giveUp.signal, onProgress: () => giveUp.abort() }),
    );
    server.clock.advance(2 * HOUR);
    const { asOf } = await data.credits(open, { model: true });
    assert.equal(asOf, '2026-11-21T13:30:00Z');
    server.clock.set(NOON);
  });

  it('returns the rows so far when the service is unreachable, and never marks a part as complete', async () => {
    let came = 0;
    const onRows = (all: readonly unknown[]): void => {
      came = all.length;
      if (came === 200) server.faults.add({ path: '/analytics/v0/user-activity', status: 503 });
    };
    const { rows, missing, offline } = await dataOf().activity(week, { onRows });
    server.faults.clear();
    assert.deepEqual([came, rows.length, missing, offline?.code], [200, 0, [week], 'ServiceFailed']);
  });

  it('delays no request for other days, or for cached rows', async () => {
    const data = dataOf();
    const known = { first: TODAY - 3, last: TODAY - 1 };
    await data.activity(known);
    const order: string[] = [];
    server.faults.add({ path: '/analytics/v0/user-activity', latency: { ms: 100 } });
    const long = data.activity(week).then(() => order.push('a week'));
    const cached = data.activity(known, { cachedOnly: true }).then(() => order.push('what is known'));
    const again = data.activity(known).then(() => order.push('the same, asked for'));
    const other = data.activity(
      { first: TODAY - 5, last: TODAY - 1 },
      { onRows: () => order.push('a page of others') },
    );
    await Promise.all([long, cached, again, other]);
    server.faults.clear();
    const before = order.slice(0, order.indexOf('a week'));
    for (const one of ['what is known', 'the same, asked for', 'a page of others'])
      assert.ok(before.includes(one), order.join());
  });

  it('reports rows to all who requested it, is urgent if it is to one of them, and continues when the first cancels', async () => {
    const data = dataOf();
    const giveUp = new AbortController();
    const counts: number[] = [];
    const first = data.activity(week, { signal: giveUp.signal, isBackground: () => true });
    const urgent: boolean[] = [];
    const second = data.activity(week, {
      isBackground: () => urgent.push(true) < 0,
      onRows: (rows) => {
        if (counts.push(rows.length) === 2) giveUp.abort();
      },
    });
    await assert.rejects(first, { code: 'Cancelled' });
    const { rows } = await second;
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => a - b),
    );
    assert.ok(counts.includes(100) && counts.at(-1) === rows.length && urgent.length > 0);
    assert.ok(asked() <= Math.ceil(rows.length / 100) + 1);
  });
});
