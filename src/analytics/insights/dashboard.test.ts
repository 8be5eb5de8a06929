import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseDay, startOfDay } from '../../base/day.ts';
import { TOKEN_FIELDS, type BudgetOverride } from '../contract.ts';
import { amountOf, costBy, wholeAmount, type CostPoint } from './amounts.ts';
import { forecastMonth } from './forecast.ts';
import { sumOfLimits } from '../budgets/limit.ts';
import { burnDown, countLevels, levelOf, budgetStatuses } from './budgets.ts';
import { shareOfAmount, total } from './compare.ts';
import { OTHERS, onDays, onOwnKeys, seriesBy, splitByKeys, withRest } from './series.ts';
import { extent, movingMean } from './trend.ts';

/* Checks the figures of charts against the plainest computation of them. */

const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20'];
const tokens = Object.fromEntries(TOKEN_FIELDS.map((field) => [field, 0])) as Record<
  (typeof TOKEN_FIELDS)[number],
  number
>;

const point: fc.Arbitrary<CostPoint> = fc
  .record({
    day: fc.constantFrom(...DAYS),
    cents: fc.nat(10_000),
    resource: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    isOwn: fc.boolean(),
  })
  .map(({ day, cents, resource, isOwn }) => {
    const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
    return {
      start_date: day,
      group_by_values: {
        resource_display_name: resource,
        byok_status: isOwn ? 'COST_ANALYTICS_BYOK_STATUS_BYOK' : 'COST_ANALYTICS_BYOK_STATUS_NON_BYOK',
      },
      cost_metrics: {
        billed_amount_usd: amount,
        estimated_customer_cost_usd: amount,
        base_cost_usd: amount,
        surcharge_usd: '0',
        credits_consumed: '0',
        ...tokens,
      },
    };
  });

describe('the figures of charts', () => {
  it('have a trend that is the mean of a window, from the first full window on', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (values, window) => {
        movingMean(values, window).forEach((mean, i) => {
          if (i < window - 1) assert.equal(mean, undefined);
          else {
            const own = values.slice(i - window + 1, i + 1);
            assert.equal(mean, own.reduce((sum, value) => sum + value, 0) / window);
          }
        });
      }),
    );
  });

  it('name the first smallest and the first largest value', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1 }), (values) => {
        const { least, most } = extent(values)!;
        assert.equal(least, values.indexOf(Math.min(...values)));
        assert.equal(most, values.indexOf(Math.max(...values)));
      }),
    );
    assert.equal(extent([]), undefined);
  });

  it('divide each day into the largest and all others, without loss', () => {
    fc.assert(
      fc.property(fc.array(point), fc.integer({ min: 1, max: 5 }), (points, n) => {
        const series = seriesBy(points, 'resource', 'billed_amount_usd', DAYS, n);
        const whole = onDays(costBy(points, 'day', 'billed_amount_usd'), DAYS);
        DAYS.forEach((_, i) =>
          assert.equal(
            series.reduce((sum, { amounts }) => sum + amounts[i]!, 0n),
            whole[i],
          ),
        );
        const named = series.filter(({ key }) => key !== OTHERS);
        assert.ok(named.length <= n + 1);
        for (const { key, amounts } of named) {
          const own = points.filter((one) => one.group_by_values.resource_display_name === key);
          assert.deepEqual(amounts, onDays(costBy(own, 'day', 'billed_amount_usd'), DAYS));
        }
        // Some series and the rest are the whole, too.
        const rest = withRest(series.slice(0, 1), whole);
        DAYS.forEach((_, i) =>
          assert.equal(
            rest.reduce((sum, { amounts }) => sum + amounts[i]!, 0n),
            whole[i],
          ),
        );
      }),
    );
  });

  it('divide each subject into own keys and the service’s', () => {
    fc.assert(
      fc.property(fc.array(point), (points) => {
        for (const { key, amount, parts } of splitByKeys(points, 'resource', 'billed_amount_usd')) {
          const own = points.filter(
            (one) =>
              one.group_by_values.resource_display_name === key &&
              one.group_by_values.byok_status === 'COST_ANALYTICS_BYOK_STATUS_BYOK',
          );
          assert.equal(
            parts[1],
            own.reduce((sum, one) => sum + amountOf(one.cost_metrics.billed_amount_usd), 0n),
          );
          assert.equal(parts[0]! + parts[1], amount);
        }
        const all = splitByKeys(points, 'resource', 'billed_amount_usd').reduce(
          (sum, { parts }) => sum + parts[1]!,
          0n,
        );
        assert.equal(all, total(costBy(onOwnKeys(points), 'day', 'billed_amount_usd')));
      }),
    );
  });

  it('sum a month up to its last known day, and continue from there to the forecast', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 30, maxLength: 30 });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 29 }), fc.nat(500), (spent, last, open) => {
        const first = parseDay('2026-11-01')!;
        const history = { first, amounts: spent.slice(0, last + 1).map((amount) => wholeAmount(amount)) };
        const finished = wholeAmount(spent.slice(0, last + 1).reduce((sum, amount) => sum + amount, 0));
        // Of the next day, half is over.
        const isOpen = open > 0 && last < 29;
        const until = startOfDay(first + last + 1) + (isOpen ? 43_200_000 : 0);
        const all = finished + (isOpen ? wholeAmount(open) : 0n);
        const burn = burnDown(forecastMonth(all, until, history), until, history);
        assert.equal(burn.days.length, 30);
        let sum = 0n;
        burn.spent.forEach((known, i) => {
          sum += wholeAmount(spent[i]!);
          assert.equal(known, i <= last ? sum : isOpen && i === last + 1 ? all : undefined);
        });
        assert.equal(burn.pace.spent, all);
        if (last < 2) assert.ok(burn.projected.every((one) => one === undefined));
        else {
          assert.equal(burn.projected[last], finished);
          assert.equal(burn.projected[29], burn.pace.projected);
          assert.equal(burn.projected.filter((one) => one !== undefined).length, 30 - last);
        }
      }),
    );
  });

  it('count each limit at one level, by its largest used share', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ limit: fc.integer({ min: 1, max: 100 }), spent: fc.nat(150) })), (people) => {
        const overrides = people.map(({ limit }, i): BudgetOverride => ({
          user_email: `p${i}@example.com`,
          resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED',
          period: 'BUDGET_PERIOD_MONTHLY',
          config: { limit: String(limit) },
        }));
        const spent = people.map(({ spent }, i) => ({
          key: `p${i}@example.com\0u`,
          name: '',
          amount: wholeAmount(spent),
        }));
        const all = budgetStatuses(overrides, spent, Date.parse('2026-11-16T00:00:00Z'));
        const counts = countLevels(all);
        assert.equal(counts.over, people.filter(({ limit, spent }) => spent >= limit).length);
        assert.equal(counts.near, people.filter(({ limit, spent }) => spent < limit && spent * 10 >= limit * 9).length);
        assert.equal(counts.over + counts.near + counts.crossing + counts.within, people.length);
        // Half of the month is over: a person who used half of the limit crosses it.
        assert.equal(
          counts.crossing,
          people.filter(({ limit, spent }) => spent * 10 < limit * 9 && spent * 2 > limit).length,
        );
        const sum = people.reduce((before, { limit }) => before + BigInt(limit), 0n);
        assert.deepEqual(sumOfLimits(all.map(({ limit }) => String(limit))), { sum, unlimited: 0 });
        for (const one of all) assert.equal(levelOf(one) === 'over', one.used >= 1);
      }),
    );
  });

  it('have no shares of an empty whole', () => {
    assert.equal(shareOfAmount(1n, 0n), undefined);
    assert.equal(shareOfAmount(1n, 8n), 0.125);
  });
});
