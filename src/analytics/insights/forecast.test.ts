import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { runs } from '../../../test/support/runs.ts';
import { formatDay, parseDay, startOfDay } from '../../base/day.ts';
import { hash } from '../../server/analytics/simulation/random.ts';
import { wholeAmount } from './amounts.ts';
import { forecastMonth, type Forecast, type History } from './forecast.ts';
import { classifyDays, WARM_UP_DAYS } from './unusual.ts';

/* Expectations are computed here with Date and fractions, without code of the forecast. */

const day = (text: string): number => parseDay(text)!;
const UNIT = wholeAmount(1);
const isWeekend = (at: number): boolean => [0, 6].includes(new Date(startOfDay(at)).getUTCDay());

/** A past that ends on the day before `now`. */
function past(now: number, count: number, amountOn: (at: number) => bigint): History {
  const first = now - count;
  return { first, amounts: Array.from({ length: count }, (_, i) => amountOn(first + i) * UNIT) };
}

/** The spending of the month up to `now` by a history. */
function spentOf({ first, amounts }: History, now: number): bigint {
  const month = formatDay(now - 1).slice(0, 7);
  return amounts.reduce((sum, amount, i) => sum + (formatDay(first + i).startsWith(month) ? amount : 0n), 0n);
}

function forecastOn(now: number, history: History): Forecast {
  return forecastMonth(spentOf(history, now), startOfDay(now), history);
}

function unusualDays({ first, amounts }: Omit<History, 'lastYear'>): boolean[] {
  const options = { first, alarmsFrom: first + WARM_UP_DAYS, byWeekday: false };
  return classifyDays(amounts, options).map(({ isUnusual }) => isUnusual);
}

describe('the forecast of a month', () => {
  it('is exact for an organization whose weeks are all alike', () => {
    const week = fc.array(fc.bigInt({ min: 1000n, max: 2900n }), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(
        week,
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 21, max: 120 }),
        (amounts, offset, count) => {
          const now = day('2026-01-02') + offset;
          const amountOn = (at: number): bigint => amounts[new Date(startOfDay(at)).getUTCDay()]!;
          const history = past(now, count, amountOn);
          fc.pre(formatDay(now - count).slice(0, 7) < formatDay(now - 1).slice(0, 7));
          let whole = 0n;
          for (let at = now - 32; at <= now + 31; at++)
            if (formatDay(at).slice(0, 7) === formatDay(now - 1).slice(0, 7)) whole += amountOn(at) * UNIT;
          const found = forecastOn(now, history);
          assert.deepEqual([found.projected, found.asLastWeek, found.isShifted], [whole, whole, false]);
          if (found.band) assert.deepEqual(found.band, { low: whole, high: whole });
        },
      ),
    );
  });

  it('adds the mean of each weekday, as exact fractions do', () => {
    const amounts = fc.array(fc.bigInt({ min: 80n, max: 120n }), { minLength: 56, maxLength: 56 });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 30 }), (values, date) => {
        const now = day('2026-11-01') + date;
        const history = past(now, 56, (at) => values[at - (now - 56)]!);
        // Eight values of each weekday: the sum of the rest in eighths of a unit.
        let eighths = 0n;
        for (let at = now; at < day('2026-12-01'); at++)
          for (let back = 1; back <= 56; back++) if ((at - now + back) % 7 === 0) eighths += values[56 - back]!;
        const found = forecastOn(now, history);
        const exact = found.spent + (eighths * UNIT) / 8n;
        const difference = exact - found.projected!;
        assert.ok(difference >= 0n && difference < 31n, 'rounded down on each day at most');
        assert.ok(found.band!.low <= found.projected! && found.projected! <= found.band!.high);
        assert.ok(found.band!.low <= found.asLastWeek! && found.asLastWeek! <= found.band!.high);
      }),
    );
  });

  it('has no sum of the last month while its last day is not finished', () => {
    const history = past(day('2026-11-01'), 60, () => 5n);
    const lastMonth = (days: History): bigint | undefined =>
      forecastMonth(0n, startOfDay(day('2026-11-01')) + 1, days).lastMonth;
    assert.equal(lastMonth(history), 155n * UNIT);
    assert.equal(lastMonth({ ...history, amounts: history.amounts.slice(0, -1) }), undefined);
  });

  it('stands beside the sum of the last month, if all of that is known', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 3, max: 100 }), (offset, count) => {
        const now = day('2026-01-02') + offset;
        const history = past(now, count, (at) => BigInt(at));
        const before = new Date(startOfDay(now - 1));
        before.setUTCDate(0);
        const month = before.toISOString().slice(0, 7);
        const own = history.amounts.filter((_, i) => formatDay(history.first + i).startsWith(month));
        const isWhole = own.length === before.getUTCDate();
        assert.equal(
          forecastOn(now, history).lastMonth,
          isWhole ? own.reduce((sum, amount) => sum + amount, 0n) : undefined,
        );
      }),
    );
  });

  it('counts the part of today that is left', () => {
    const now = day('2026-11-10');
    const history = past(now, 60, () => 24n);
    const at = (hour: number): Forecast =>
      forecastMonth(216n * UNIT + BigInt(hour) * UNIT, startOfDay(now) + hour * 3_600_000, history);
    for (const hour of [0, 1, 9, 21]) assert.equal(at(hour).projected, 720n * UNIT, String(hour));
    assert.equal(at(12).daysElapsed, 9.5);
  });

  it('follows the last week if that is unusual on three days, and ignores a single unusual day', () => {
    const now = day('2026-11-22');
    const usual = (at: number): bigint => (isWeekend(at) ? 0n : 500n);
    const exploding = past(now, 60, (at) => (at >= day('2026-11-16') && !isWeekend(at) ? 20_000n : usual(at)));
    const found = forecastOn(now, exploding);
    // 10 + 5 working days so far, 6 to come.
    assert.deepEqual([found.isShifted, found.projected], [true, (5_000n + 100_000n + 120_000n) * UNIT]);
    assert.ok(found.band!.high >= found.projected!);
    assert.ok(found.band!.low <= (5_000n + 100_000n + 6n * 500n) * UNIT, 'the band holds an end of it');
    const once = forecastOn(
      now,
      past(now, 60, (at) => (at === day('2026-11-18') ? 20_000n : usual(at))),
    );
    assert.deepEqual([once.isShifted, once.projected], [false, (14n * 500n + 20_000n + 6n * 500n) * UNIT]);
    assert.ok(once.asLastWeek! > once.projected! && once.band!.high >= once.asLastWeek!, 'the band holds a repetition');
  });

  it('expects the same of five months and the days of last year as of all days between', () => {
    const amount = fc.bigInt({ min: 1n, max: 5000n });
    fc.assert(
      fc.property(fc.array(amount, { minLength: 460, maxLength: 460 }), fc.nat(364), (amounts, offset) => {
        const now = day('2026-01-02') + offset;
        const all = past(now, 460, (at) => amounts[at - now + 460]!);
        const month = day(`${formatDay(now).slice(0, 7)}-01`);
        const between = (first: number, end: number) => ({
          first,
          amounts: all.amounts.slice(first - all.first, end - all.first),
        });
        const parts = { ...between(now - 160, now), lastYear: between(month - 364 - 56, month + 31 - 364) };
        // A day may be unusual in a shorter past, which compares fewer days with it.
        for (const part of [parts, parts.lastYear]) {
          const ofAll = unusualDays(all).slice(part.first - all.first, part.first - all.first + part.amounts.length);
          fc.pre(isDeepStrictEqual(unusualDays(part), ofAll));
        }
        assert.equal(forecastOn(now, parts).projected, forecastOn(now, all).projected);
      }),
      { numRuns: runs(30) },
    );
  });

  it('expects nothing of last year where its days end before the month does', () => {
    const now = day('2026-11-21');
    const recent = past(now, 160, () => 10n);
    const lastYear = { first: now - 364 - 60, amounts: past(now, 62, () => 10n).amounts };
    assert.equal(forecastOn(now, { ...recent, lastYear }).projected, forecastOn(now, recent).projected);
  });

  it('expects half of the dip of the same days a year ago', () => {
    const holiday = (at: number): boolean => /-12-(2[4-9]|3[01])$/.test(formatDay(at));
    const now = day('2026-12-11');
    const history = past(now, 450, (at) => (holiday(at) && at < now - 300 ? 0n : 100n));
    const found = forecastOn(now, history);
    // 364 days before 11 to 31 December 2026 are 12 December 2025 to 1 January 2026: 8 of 21 days without spending.
    const percent = 50n + (50n * 13n) / 21n;
    assert.equal(found.projected, (1000n + (2100n * percent) / 100n) * UNIT);
  });

  it('needs three days of data, and no earlier month', () => {
    const now = day('2026-11-03');
    assert.equal(
      forecastOn(
        now,
        past(now, 2, () => 5n),
      ).projected,
      undefined,
    );
    assert.equal(
      forecastOn(
        now,
        past(now, 60, () => 0n),
      ).projected,
      undefined,
    );
    const found = forecastOn(
      day('2026-11-04'),
      past(day('2026-11-04'), 3, () => 5n),
    );
    assert.equal(found.projected, 150n * UNIT);
    assert.equal(found.band, undefined, 'there are no past forecasts');
    const over = forecastOn(
      day('2026-12-01'),
      past(day('2026-12-01'), 60, () => 5n),
    );
    assert.deepEqual(
      [over.month, over.daysElapsed, over.projected, over.band],
      ['2026-11', 30, 150n * UNIT, { low: 150n * UNIT, high: 150n * UNIT }],
    );
  });

  it('leaves out days without an earlier spending', () => {
    const now = day('2026-11-15');
    const history = past(now, 60, (at) => (at < day('2026-11-02') ? 0n : 10n));
    assert.equal(forecastOn(now, history).projected, 290n * UNIT);
  });

  it('has a band that holds the stated share of months of an uneven organization', () => {
    let [held, all] = [0, 0];
    const random = (at: number): number => (hash(7, at) % 1000) / 1000;
    for (let run = 0; run < 60; run++) {
      const now = day('2026-11-11');
      const amountOn = (at: number): bigint =>
        BigInt(Math.round((isWeekend(at) ? 200 : 1000) * (0.5 + random(run * 1000 + at))));
      const whole = past(day('2026-12-01'), 140, amountOn);
      const history = { first: whole.first, amounts: whole.amounts.slice(0, 120) };
      const { low, high } = forecastOn(now, history).band!;
      const truth = spentOf(whole, day('2026-12-01'));
      all++;
      if (low <= truth && truth <= high) held++;
    }
    assert.ok(held / all >= 0.8, `${held} of ${all}`);
  });
});
