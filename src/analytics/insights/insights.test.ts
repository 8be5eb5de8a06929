import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatDay, parseDay, startOfDay } from '../../base/day.ts';
import { formatDecimal } from '../../base/decimal.ts';
import { METRIC_FIELDS, TOKEN_FIELDS, type BudgetOverride, type CostMetrics, type Metrics } from '../contract.ts';
import { amountOf, costBy, creditsBy, formatAmount, formatUsd, sumOf, wholeAmount, type CostPoint } from './amounts.ts';
import { anomalousDays, median } from './anomalies.ts';
import { dueAlerts, budgetStatuses, type NotifiedAlert } from './budgets.ts';
import {
  growth,
  growthOfAmount,
  movers,
  previousRange,
  sameDaysBefore,
  shares,
  top,
  total,
  type Share,
} from './compare.ts';
import { acceptance, distinctPeople, meanActive, sumMetrics, usageBy } from './people.ts';

/* Checks every figure against the plainest computation of it: loops over all, text for exact sums, no code shared. */

const day = (text: string): number => parseDay(text)!;

/** Billionths of a dollar, and the same in the service's format. */
const nanos = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
const asText = (amount: bigint): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
};
/** Converts an internal amount to billionths. */
const inNanos = (amount: bigint): bigint => amount / 10n ** 29n;

const metrics: fc.Arbitrary<Metrics> = fc.record(
  Object.fromEntries(METRIC_FIELDS.map((field) => [field, fc.nat(1000)])) as Record<
    keyof Metrics,
    fc.Arbitrary<number>
  >,
);
const names = fc.constantFrom('ada@example.com', 'Ada@Example.com', 'bob@example.com', 'ci', 'CI');
const account = names.map((name) => (name.includes('@') ? { user_email: name } : { service_account_name: name }));
/** Key of the person: e-mail addresses have no case, service accounts have one. */
const person = (row: { user_email?: string; service_account_name?: string }): string =>
  row.user_email?.toLowerCase() ?? `account ${row.service_account_name}`;

function costMetrics(billed: string, credits = '0'): CostMetrics {
  const tokens = Object.fromEntries(TOKEN_FIELDS.map((field) => [field, 0])) as Record<
    (typeof TOKEN_FIELDS)[number],
    number
  >;
  return {
    billed_amount_usd: billed,
    estimated_customer_cost_usd: billed,
    base_cost_usd: billed,
    surcharge_usd: '0',
    credits_consumed: credits,
    ...tokens,
  };
}

const override = (name: string, limit: string): BudgetOverride => ({
  user_email: name,
  resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED',
  period: 'BUDGET_PERIOD_MONTHLY',
  config: { limit },
});

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

describe('insights', () => {
  it('count distinct people, never the sum of days', () => {
    fc.assert(
      fc.property(fc.array(account), (rows) => {
        assert.equal(distinctPeople(rows), new Set(rows.map(person)).size);
      }),
    );
    assert.equal(distinctPeople([{ user_email: 'a' }, { user_email: 'A' }, { service_account_name: 'a' }]), 2);
  });

  it('have two rates of acceptance, and none without suggestions', () => {
    fc.assert(
      fc.property(fc.array(metrics), (rows) => {
        const sum = sumMetrics(rows);
        for (const field of METRIC_FIELDS)
          assert.equal(
            sum[field],
            rows.reduce((so, row) => so + row[field], 0),
          );
        const { bySuggestions, byLines } = acceptance(sum);
        let [shown, accepted, suggested, taken] = [0, 0, 0, 0];
        for (const row of rows) {
          shown += row.completions_count;
          accepted += row.completions_accepted;
          suggested += row.completions_suggested_lines_of_code;
          taken += row.completions_lines_of_code;
        }
        assert.equal(bySuggestions, shown === 0 ? undefined : accepted / shown);
        assert.equal(byLines, suggested === 0 ? undefined : taken / suggested);
      }),
    );
    assert.equal(meanActive([]), undefined);
    assert.equal(meanActive([{ user_count: 3 }, { user_count: 0 }]), 1.5);
  });

  it('count a person of a language once, over any number of days and editors', () => {
    const use = fc.tuple(account, fc.constantFrom('Go', 'C'), fc.constantFrom('CLI', 'Vim'), metrics);
    fc.assert(
      fc.property(fc.array(use), (uses) => {
        const rows = uses.map(([who, language, editor, metrics]) => ({ ...who, language, editor, metrics }));
        for (const { name, people, metrics } of usageBy(rows, 'language')) {
          const own = rows.filter(({ language }) => language === name);
          assert.equal(people, new Set(own.map(person)).size);
          assert.equal(
            metrics.chat_messages,
            own.reduce((sum, row) => sum + row.metrics.chat_messages, 0),
          );
        }
        assert.equal(usageBy(rows, 'editor').length, new Set(rows.map(({ editor }) => editor)).size);
      }),
    );
  });

  it('sum money exactly, in any dimension', () => {
    const point = fc.record({ nano: nanos, product: fc.constantFrom('Chat', 'Agent', undefined), on: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(point), (facts) => {
        const points: CostPoint[] = facts.map(({ nano, product, on }) => ({
          start_date: `2026-11-0${on + 1}`,
          cost_metrics: costMetrics(asText(nano)),
          group_by_values: product === undefined ? {} : { product_display_name: product },
        }));
        const whole = facts.reduce((sum, { nano }) => sum + nano, 0n);
        assert.equal(inNanos(sumOf(points, 'billed_amount_usd')), whole);
        for (const dimension of ['product', 'day'] as const) {
          const found = costBy(points, dimension, 'billed_amount_usd');
          assert.equal(inNanos(total(found)), whole);
          for (const { key, amount } of found) {
            const own = facts.filter(
              ({ product = '\0', on }) => (dimension === 'product' ? product : `2026-11-0${on + 1}`) === key,
            );
            assert.equal(
              inNanos(amount),
              own.reduce((sum, { nano }) => sum + nano, 0n),
            );
          }
          for (let i = 1; i < found.length; i++) assert.ok(found[i - 1]!.amount >= found[i]!.amount);
        }
      }),
    );
    const big = costBy(
      [{ start_date: '', cost_metrics: costMetrics('99999999999999999999.000000000000000001'), group_by_values: {} }],
      'day',
      'billed_amount_usd',
    );
    assert.equal(formatDecimal(total([...big, ...big])), '199999999999999999998.000000000000000002');
  });

  it('name every account with cost, and those whose name is lost', () => {
    const point = (user_info: object): CostPoint => ({
      start_date: '',
      cost_metrics: costMetrics('1'),
      group_by_values: { user_info },
    });
    const infos = [
      { user_email: 'Ada@x' },
      { user_email: 'ada@X' },
      { service_account_name: 'ci' },
      { bot_name: 'ci' },
      {},
      { user_type: 'COST_ANALYTICS_USER_TYPE_USER' },
    ];
    const found = costBy(infos.map(point), 'user', 'billed_amount_usd');
    assert.deepEqual(found.map(({ name, amount }) => [name, formatDecimal(amount)]).sort(), [
      ['(deleted accounts)', '2'],
      ['Ada@x', '2'],
      ['ci', '1'],
      ['ci', '1'],
    ]);
  });

  it('sum credits by person, model and day', () => {
    const row = fc.tuple(
      account,
      fc.record({ credits_consumed: fc.nat(), model_name: fc.constantFrom('a', 'b'), date: fc.constantFrom('1', '2') }),
    );
    fc.assert(
      fc.property(fc.array(row), (pairs) => {
        const rows = pairs.map(([who, what]) => ({ ...who, ...what }));
        const naive = (keyOf: (row: (typeof rows)[number]) => string): string[] => {
          const sums = new Map<string, bigint>();
          for (const one of rows) sums.set(keyOf(one), (sums.get(keyOf(one)) ?? 0n) + BigInt(one.credits_consumed));
          return [...sums.values()].map(String).sort();
        };
        const ours = (by: 'user' | 'model' | 'day'): string[] =>
          creditsBy(rows, by)
            .map(({ amount }) => formatDecimal(amount))
            .sort();
        assert.deepEqual(ours('user'), naive(person));
        assert.deepEqual(
          ours('model'),
          naive(({ model_name }) => model_name),
        );
        assert.deepEqual(
          ours('day'),
          naive(({ date }) => date),
        );
      }),
    );
  });

  it('compare with the previous period, and have no growth from zero', () => {
    assert.deepEqual(previousRange({ first: 10, last: 16 }), { first: 3, last: 9 });
    const before = (first: string, last: string): string[] => {
      const range = sameDaysBefore({ first: parseDay(first)!, last: parseDay(last)! });
      return [formatDay(range.first), formatDay(range.last)];
    };
    assert.deepEqual(before('2026-11-01', '2026-11-20'), ['2026-10-01', '2026-10-20']);
    assert.deepEqual(before('2026-11-01', '2026-11-30'), ['2026-10-01', '2026-10-31'], 'a whole month');
    assert.deepEqual(before('2026-03-01', '2026-03-30'), ['2026-02-01', '2026-02-28'], 'February has no 30th');
    assert.deepEqual(before('2026-01-01', '2026-01-01'), ['2025-12-01', '2025-12-01']);
    assert.equal(growth(150, 100), 0.5);
    assert.equal(growth(3, 0), undefined);
    assert.equal(growthOfAmount(amountOf('0.75'), amountOf('1')), -0.25);
    assert.equal(growthOfAmount(1n, 0n), undefined);
  });

  it('find the largest values and the largest changes', () => {
    const item = fc.record({ key: fc.constantFrom(...KEYS), amount: fc.bigInt({ min: 0n, max: 50n }) });
    const list = fc.array(item.map(({ key, amount }): Share => ({ key, name: key.toUpperCase(), amount })));
    fc.assert(
      fc.property(list, list, fc.nat(5), (now, before, n) => {
        const sorted = shares(now);
        const { top: first, others } = top(sorted, n);
        assert.equal(total(first) + others, total(now));
        assert.ok(sorted.slice(n).every(({ amount }) => first.every((one) => one.amount >= amount)));
        const of = (items: readonly Share[], key: string): bigint => total(items.filter((one) => one.key === key));
        const naive = KEYS.map((key) => ({ key, name: key.toUpperCase(), now: of(now, key), before: of(before, key) }))
          .filter((one) => one.now !== one.before)
          .sort((a, b) => {
            const [x, y] = [a, b].map((one) =>
              one.now - one.before < 0n ? one.before - one.now : one.now - one.before,
            );
            return x === y ? (a.key < b.key ? -1 : 1) : x! > y! ? -1 : 1;
          });
        assert.deepEqual(movers(sorted, shares(before), n), naive.slice(0, n));
      }),
    );
  });

  it('project when a limit is crossed, and put the largest used share first', () => {
    const asOf = startOfDay(day('2026-11-11'));
    const found = budgetStatuses(
      [override('slow@x', '100'), override('over@x', '100'), override('Near@x', '100'), override('none@x', '1')],
      [
        { key: 'slow@x\0u', name: '', amount: wholeAmount(10) },
        { key: 'over@x\0u', name: '', amount: wholeAmount(100) },
        { key: 'near@x\0u', name: '', amount: amountOf('50.5') },
      ],
      asOf,
    );
    assert.deepEqual(
      found.map(({ identity, used, crossesOn }) => [identity.name, used, crossesOn && formatDay(crossesOn)]),
      [
        ['over@x', 1, '2026-11-10'],
        ['Near@x', 0.505, '2026-11-20'],
        ['slow@x', 0.1, undefined],
        ['none@x', 0, undefined],
      ],
    );
    const early = budgetStatuses(
      [override('a@x', '10')],
      [{ key: 'a@x\0u', name: '', amount: wholeAmount(9) }],
      startOfDay(day('2026-11-03')),
    );
    assert.deepEqual([early[0]?.crossesOn, early[0]?.projected], [undefined, undefined], 'two days say nothing');
    const largest = budgetStatuses(
      [override('a@x', '9'.repeat(18))],
      [{ key: 'a@x\0u', name: '', amount: wholeAmount(10n ** 18n - 2n) }],
      asOf,
    );
    assert.ok(largest[0]!.used < 1, 'not at the limit by a rounding');
  });

  it('cross a limit on the day on which the sum of even days does', () => {
    const asOf = startOfDay(day('2026-11-11'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 5000 }), (limit, spent) => {
        fc.pre(spent < limit);
        const [one] = budgetStatuses(
          [override('a@x', String(limit))],
          [{ key: 'a@x\0u', name: '', amount: wholeAmount(spent) }],
          asOf,
        );
        let naive: number | undefined;
        // After d whole days spent · d / 10 is used: the first day at whose end it is more than the limit.
        for (let d = 30; d >= 1; d--) if (spent * d > limit * 10) naive = day('2026-11-01') + d - 1;
        assert.equal(one!.crossesOn, naive);
      }),
    );
  });

  it('know the day on which a limit was reached, and follow the weekdays of an account', () => {
    const first = day('2026-10-01');
    const asOf = startOfDay(day('2026-11-11'));
    // 100 on each working day; a week-end has none.
    const amounts = Array.from({ length: 41 }, (_, i) =>
      wholeAmount([0, 6].includes(new Date(startOfDay(first + i)).getUTCDay()) ? 0 : 100),
    );
    const of = (limit: string): (string | undefined)[] => {
      const [one] = budgetStatuses(
        [override('a@x', limit)],
        [{ key: 'a@x\0u', name: '', amount: wholeAmount(700) }],
        asOf,
        new Map([['a@x\0u', { first, amounts }]]),
      );
      return [one!.crossesOn, one!.projected && Number(one!.projected / wholeAmount(1))].map((value, i) =>
        value === undefined ? undefined : i === 0 ? formatDay(Number(value)) : String(value),
      );
    };
    // November 2026 begins on a Sunday and has 21 working days, seven of them before the 11th.
    assert.deepEqual(of('250'), ['2026-11-04', '2100']);
    assert.deepEqual(of('950'), ['2026-11-13', '2100']);
    assert.deepEqual(of('1000'), ['2026-11-16', '2100']);
    assert.deepEqual(of('2100'), [undefined, '2100']);
  });

  it('alert once for each threshold, subject and month', () => {
    const at = (used: number, asOf: string): ReturnType<typeof budgetStatuses> =>
      budgetStatuses(
        [override('a@x', '1000')],
        [{ key: 'a@x\0u', name: '', amount: wholeAmount(used) }],
        startOfDay(day(asOf)),
      );
    let notified: NotifiedAlert = {};
    const thresholds = [0.75, 0.9, 1];
    const next = (used: number, asOf = '2026-11-20'): number[] => {
      const due = dueAlerts(at(used, asOf), thresholds, notified, startOfDay(day(asOf)));
      ({ notified } = due);
      return due.alerts.map(({ threshold }) => threshold);
    };
    assert.deepEqual(
      [next(700), next(760), next(800), next(950), next(760), next(2000), next(3000)],
      [[], [0.75], [], [0.9], [], [1], []],
    );
    assert.deepEqual(next(760, '2026-12-05'), [0.75], 'another month');
    assert.equal(Object.keys(notified).length, 1);
  });

  it('find unusual days, and treat no week-end as one', () => {
    const monday = day('2026-11-02');
    const ordinary = Array.from({ length: 28 }, (_, i) => ({
      day: monday + i,
      value: i % 7 >= 5 ? 2 + (i % 2) : 100 + (i % 5),
    }));
    assert.deepEqual(anomalousDays(ordinary), []);
    const odd = ordinary.map((one) => (one.day === monday + 9 ? { ...one, value: 400 } : one));
    assert.deepEqual(anomalousDays(odd), [{ day: monday + 9, value: 400 }]);
    const even = Array.from({ length: 10 }, (_, i) => ({ day: monday + 7 * i, value: i === 4 ? 50 : 7 }));
    assert.deepEqual(anomalousDays(even), [{ day: monday + 28, value: 50 }], 'also among equal days');
    assert.deepEqual(anomalousDays(odd.slice(7, 11)), [], 'four days say nothing');
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        const sorted = [...values].sort((a, b) => a - b);
        const below = values.filter((value) => value < median(values)).length;
        const above = values.filter((value) => value > median(values)).length;
        assert.ok(below * 2 <= values.length && above * 2 <= values.length, sorted.join());
      }),
    );
  });

  it('format amounts, a half rounded away from zero', () => {
    assert.equal(formatUsd(amountOf('1234567.895')), '$1,234,567.90');
    assert.equal(formatUsd(amountOf('-0.004')), '$0.00');
    assert.equal(formatUsd(0n), '$0.00');
    assert.equal(formatAmount(wholeAmount(1250), 0), '1,250');
    assert.equal(formatAmount(amountOf('999.5'), 0), '1,000');
    assert.equal(formatAmount(amountOf('-999.5'), 0), '-1,000');
    assert.equal(formatUsd(amountOf('-12.3')), '-$12.30');
  });
});
