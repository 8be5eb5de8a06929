import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { formatDay, isWeekend, parseDay } from '../../base/day.ts';
import { wholeAmount } from './amounts.ts';
import { sumOfDays, type DaySeries } from './series.ts';
import {
  classifyDays,
  materialAccounts,
  quantileOf,
  unusualSpending,
  usualWorkingDay,
  type SpendingHistory,
  type UnusualSpending,
} from './unusual.ts';

const last = parseDay('2026-11-20')!;
const DAYS = 60;
const first = last - DAYS + 1;

/** Ordinary amounts, with a little unrest: 1,000 on working days and 200 at week-ends. */
function ordinary(at: number, scale = 1): number {
  return Math.round((isWeekend(at) ? 200 : 1000) * scale * (0.95 + ((at * 7) % 11) / 100));
}

function series(name: string, amountOn: (at: number) => number, count = DAYS): DaySeries {
  const from = last - count + 1;
  return {
    key: name,
    name,
    amounts: Array.from({ length: count }, (_, i) => wholeAmount(Math.round(amountOn(from + i)))),
  };
}

function sum(...parts: readonly DaySeries[]): bigint[] {
  return Array.from({ length: DAYS }, (_, i) => parts.reduce((all, { amounts }) => all + amounts[i]!, 0n));
}

function history(parts: readonly DaySeries[], more: Partial<SpendingHistory> = {}): SpendingHistory {
  return { last, whole: sum(...parts), accounts: parts, resources: [], products: [], ...more };
}

const from = last - 6;
const find = (of: SpendingHistory, least = 0n): UnusualSpending[] => unusualSpending(of, { from, least });
const described = (found: readonly UnusualSpending[]): unknown[] =>
  found.map(({ subject, name, since, until, days }) => [subject, name, since, until, days].join(' '));

describe('unusual spending', () => {
  const calm = ['ada', 'bob', 'eve', 'kim'].map((name) => series(name, (at) => ordinary(at, 0.25)));

  it('is not found in ordinary weeks', () => {
    assert.deepEqual(find(history(calm)), []);
  });

  it('states who, since when, and how much more than usual in money', () => {
    const start = parseDay('2026-11-16')!;
    const exploding = series('lea', (at) => (at >= start ? 5000 : isWeekend(at) ? 0 : 100));
    const found = find(history([...calm, exploding]));
    const [account] = found.filter(({ subject }) => subject === 'account');
    assert.deepEqual(described([account!]), ['account lea 2026-11-16 2026-11-20 5']);
    assert.deepEqual(
      [account!.amount, account!.usual, account!.excess],
      [25_000n, 500n, 24_500n].map((n) => wholeAmount(n)),
    );
    assert.deepEqual(described(found.filter(({ subject }) => subject === 'day')), ['day  2026-11-16 2026-11-20 5']);
  });

  it('continues over a week-end, and stays unusual while it lasts', () => {
    const start = parseDay('2026-11-02')!;
    const exploding = series('lea', (at) => (isWeekend(at) ? 0 : at >= start ? 5000 : 100));
    const found = find(history([...calm, exploding])).filter(({ subject }) => subject === 'account');
    assert.deepEqual(described(found), ['account lea 2026-11-02 2026-11-20 15']);
  });

  it('is not an event of the past, nor a small one', () => {
    const spike = (date: string, amount: number): DaySeries =>
      series('lea', (at) => (at === parseDay(date)! ? amount : isWeekend(at) ? 0 : 20));
    assert.deepEqual(find(history([...calm, spike('2026-11-10', 5000)])), []);
    // A tenth of a usual day of 1,000 is the least.
    const of = (amount: number): number =>
      find(history([...calm, spike('2026-11-19', amount)])).filter(({ subject }) => subject === 'account').length;
    assert.deepEqual([of(90), of(300)], [0, 1]);
    assert.deepEqual(find(history([...calm, spike('2026-11-19', 300)]), wholeAmount(1000)), []);
  });

  it('is not what a weekly job does from its third time on', () => {
    const weekly = (at: number): boolean => (parseDay('2026-11-18')! - at) % 7 === 0;
    const job = (since: string): DaySeries => series('job', (at) => (weekly(at) && at >= parseDay(since)! ? 2000 : 50));
    const accounts = (since: string): number =>
      find(history([...calm, job(since)])).filter(({ subject }) => subject === 'account').length;
    assert.deepEqual([accounts('2026-11-11'), accounts('2026-11-04')], [1, 0]);
  });

  it('is not found in the first two weeks of data', () => {
    const start = last - 13;
    const young = ['ada', 'bob'].map((name) => series(name, (at) => (at < start ? 0 : at > last - 3 ? 9000 : 100)));
    assert.deepEqual(find(history(young)), []);
  });

  it('is found for a new account that outspends all others, and not for an ordinary new one', () => {
    const newcomer = (amount: number): DaySeries => series('new', (at) => (at > last - 3 ? amount : 0));
    const accounts = (amount: number): unknown[] =>
      described(find(history([...calm, newcomer(amount)])).filter(({ subject }) => subject === 'account'));
    assert.deepEqual(accounts(250), []);
    assert.deepEqual(accounts(20_000), ['account new 2026-11-18 2026-11-20 3']);
  });

  it('is found for a model whose price doubles, and not for one that replaces another', () => {
    const change = parseDay('2026-11-16')!;
    const old = (price: number): DaySeries => series('opus', (at) => ordinary(at, 0.6) * (at >= change ? price : 1));
    const rest = series('haiku', (at) => ordinary(at, 0.4));
    const doubled = history([], { whole: sum(old(2), rest), resources: [old(2), rest] });
    assert.deepEqual(described(find(doubled).filter(({ subject }) => subject === 'resource')), [
      'resource opus 2026-11-16 2026-11-20 5',
    ]);
    const shrinking = series(
      'haiku',
      (at) => Number(sum(old(1), rest)[at - first]! / wholeAmount(1)) - ordinary(at, 0.6) * (at >= change ? 1.6 : 1),
    );
    const replaced = history([], { whole: sum(old(1.6), shrinking), resources: [old(1.6), shrinking] });
    assert.deepEqual(find(replaced), []);
  });

  it('says the same for any unit and any order', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: DAYS, maxLength: DAYS });
    fc.assert(
      fc.property(
        fc.array(amounts, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 2, max: 1000 }),
        (all, scale) => {
          const of = (factor: number): DaySeries[] =>
            all.map((row, i) => series(String(i), (at) => row[at - first]! * factor));
          const plain = find(history(of(1)));
          assert.deepEqual(described(find(history(of(scale)))), described(plain));
          assert.deepEqual(find(history(of(1).reverse())), plain);
          for (const { amount, usual, excess, days } of plain) {
            assert.equal(amount - usual, excess);
            assert.ok(excess > 0n && days > 0);
          }
        },
      ),
      { numRuns: times(50) },
    );
  });

  it('compares a day with the median of its weekday, computed plainly', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: DAYS, maxLength: DAYS });
    fc.assert(
      fc.property(amounts, (values) => {
        const decimals = values.map((value) => wholeAmount(value));
        const verdicts = classifyDays(decimals, { first, alarmsFrom: last + 1, byWeekday: true });
        const i = DAYS - 1;
        // Eight of the same weekday in 56 days: the mean of the fourth and the fifth.
        const same = [1, 2, 3, 4, 5, 6, 7, 8].map((week) => values[i - 7 * week]!).sort((a, b) => a - b);
        assert.equal(verdicts[i]!.usual, (wholeAmount(same[3]!) + wholeAmount(same[4]!)) / 2n);
        assert.ok(
          verdicts.every(({ isUnusual }) => !isUnusual),
          'before its time, nothing is unusual',
        );
      }),
    );
  });

  it('is found from the days of the accounts that spent much, as from those of all', () => {
    const many = Array.from({ length: 60 }, (_, i) => series(`p${i}`, (at) => ordinary(at, (1 + (i % 5)) / 60)));
    const start = parseDay('2026-11-16')!;
    fc.assert(
      fc.property(fc.nat({ max: 59 }), fc.integer({ min: 1, max: 40 }), (who, times) => {
        const rows = many.map((one, i) =>
          i === who ? series(one.name, (at) => ordinary(at, (1 + (i % 5)) / 60) * (at >= start ? times : 1)) : one,
        );
        const all = history(rows);
        const week = rows.map((one) => ({ ...one, amount: sumOfDays({ amounts: one.amounts.slice(-7) }) }));
        const some = materialAccounts(week, usualWorkingDay(all.whole, last), 0n);
        assert.ok(some.length < 60);
        assert.deepEqual(find({ ...all, accounts: some, accountCount: 60 }), find(all));
      }),
      { numRuns: times(12) },
    );
  });

  it('is sorted by its excess', () => {
    const parts = ['a', 'b'].map((name, i) => series(name, (at) => (at === last ? 5000 * (i + 1) : 50)));
    const found = find(history([...calm, ...parts]));
    assert.deepEqual(
      [...found].sort((a, b) => Number(b.excess - a.excess)),
      found,
    );
    assert.equal(found[0]!.since, formatDay(last));
  });

  it('has quantiles that a share of the values does not exceed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (values, share) => {
          const found = quantileOf(values, share)!;
          assert.ok(values.filter((value) => value <= found).length >= share * values.length - 1e-9);
          assert.ok(values.filter((value) => value < found).length < share * values.length);
        },
      ),
    );
    assert.equal(quantileOf([], 0.5), undefined);
  });
});
