import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { openFigures } from '../../../test/support/analytics.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { parseDay } from '../../base/day.ts';
import { SextantServer } from '../../server/server.ts';
import { COST_KEYS, type AnalyticsData, type CostRow } from '../client/analyticsData.ts';
import type { DayRange } from '../dateRules.ts';
import { identityKey, identityOf, identityOfKey } from '../identity.ts';
import { amountOf } from '../insights/amounts.ts';
import { budgetReport } from '../reports/budgetReport.ts';
import { costReport } from '../reports/costReport.ts';
import { presenceReport } from '../reports/presenceReport.ts';
import { unusualReport } from '../reports/unusualReport.ts';
import { usageReport } from '../reports/usageReport.ts';
import { countLevels } from '../insights/budgets.ts';
import { countPresence } from '../insights/presence.ts';
import { attentionByGroup } from './attentionByGroup.ts';
import { GroupData } from './groupData.ts';
import { accountOf } from './groupReport.ts';
import { Groups, UNMAPPED, type GroupRow } from './groups.ts';

const BY_USER = 'COST_ANALYTICS_GROUP_BY_USER';

describe('the figures of a group', function () {
  this.timeout(60_000);
  const newFolder = temporaryFolder();
  let server: SextantServer;
  let data: AnalyticsData;
  let range: DayRange;
  let names: string[];
  before(async () => {
    server = await SextantServer.start({
      now: Date.parse('2026-11-21T12:00:00Z'),
      rateLimit: false,
      simulation: { seed: 11, users: 25, plan: 'credits' },
    });
    server.clock.freeze();
    ({ data } = openFigures(server, newFolder));
    range = { first: data.newestDay - 20, last: data.newestDay };
    const { rows } = await data.cost(range, [BY_USER]);
    await data.activeAccounts(range);
    names = rows.flatMap((row) => accountOf(row)?.name ?? []).sort();
  });
  after(() => server.close());

  /** Random files: patterns, moves within the days, accounts without a group. */
  const files = (): fc.Arbitrary<Groups> => {
    const day = fc.option(fc.integer({ min: range.first - 2, max: range.last + 2 }), { nil: undefined });
    const row: fc.Arbitrary<GroupRow> = fc.record({
      line: fc.constant(2),
      account: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, fc.constantFrom('a*', '*e*@*')),
      values: fc.constantFrom({ team: 'A' }, { team: 'B' }, { office: 'Rome' }),
      first: day,
      last: day,
    });
    return fc.array(row, { maxLength: 30 }).map((rows) => new Groups(['team'], rows));
  };
  const GROUPS = ['A', 'B', UNMAPPED] as const;
  const dataOf = (groups: Groups, group: string): GroupData => new GroupData(data, groups, { column: 'team', group });
  const groupIn = (groups: Groups, row: CostRow): string => {
    const account = accountOf(row);
    return (account && groups.groupOf(account, 'team', parseDay(row.start_date)!)) ?? UNMAPPED;
  };

  it('are those of its accounts on the days on which they are in it, and add up to all', async () => {
    await fc.assert(
      fc.asyncProperty(files(), async (groups) => {
        const facts = await data.cost(range, [BY_USER, ...COST_KEYS], { daily: true });
        const whole = await data.activity(range);
        const [people, messages, active, credits] = [new Set<string>(), [0], [0], [0]];
        for (const group of GROUPS) {
          const own = dataOf(groups, group);
          const expected = sumsOf(facts.rows.filter((row) => groupIn(groups, row) === group));
          const cost = await own.organizationCost(range);
          assert.deepEqual(sumsOf(cost.rows), expected, `cost of ${group} by day, product, model and key`);
          const byUser = await own.cost(range, [BY_USER]);
          assert.equal(creditsIn(byUser.rows), creditsIn(cost.rows), `cost of ${group} by account`);
          const daily = await own.cost(range, [BY_USER], { daily: true });
          assert.equal(creditsIn(daily.rows), creditsIn(cost.rows), `cost of ${group} by account and day`);
          const report = await costReport(own, range);
          assert.equal(report.total, creditsIn(cost.rows));
          assert.equal(report.byDay.reduce((sum, { amount }) => sum + amount, 0n), report.total); // oxfmt-ignore
          const rows = (await own.activity(range)).rows;
          const keys = rows.map((row) => identityKey(identityOf(row)));
          assert.equal(new Set(keys).size, keys.length, 'an account that came back has one row');
          for (const key of keys) people.add(key);
          const usage = await usageReport(own, range);
          messages.push(usage.metrics!.total_messages);
          active.push(usage.days.reduce((sum, day) => sum + day.active!, 0));
          assert.ok(Math.abs(usage.meanActive! * 21 - active.at(-1)!) < 1e-6, 'the mean is that of the days');
          const used = await own.credits({ first: range.first, last: data.today }, { date: true });
          credits.push(used.rows.reduce((sum, row) => sum + row.credits_consumed, 0));
        }
        const sum = (parts: readonly number[]): number => parts.reduce((all, one) => all + one, 0);
        assert.equal(people.size, whole.rows.length);
        const usage = await usageReport(data, range);
        assert.equal(sum(messages), usage.metrics!.total_messages);
        assert.equal(sum(active), usage.days.reduce((all, day) => all + day.active!, 0)); // oxfmt-ignore
        const used = await data.credits({ first: range.first, last: data.today }, { date: true });
        assert.equal(sum(credits), used.rows.reduce((all, row) => all + row.credits_consumed, 0)); // oxfmt-ignore
      }),
      { numRuns: times(5) },
    );
  });

  it('have the limits and the people who stopped of those who are in it today, each in one group', async () => {
    const [budgets, unusual, people] = [
      await budgetReport(data),
      await unusualReport(data),
      await presenceReport(data),
    ];
    const { presence } = people;
    await fc.assert(
      fc.asyncProperty(files(), async (groups) => {
        const [limits, stopped]: [string[], string[]] = [[], []];
        for (const group of GROUPS) {
          const own = dataOf(groups, group);
          const report = await budgetReport(own);
          limits.push(...report.statuses.map(({ key, spent }) => `${key} ${spent}`));
          const members = (await presenceReport(own)).presence!.people;
          for (const { identity } of members)
            assert.equal(groups.groupOf(identity, 'team', data.today) ?? UNMAPPED, group);
          stopped.push(...members.map(({ key, kind, lastActive }) => `${key} ${kind} ${lastActive}`));
          const { found } = await unusualReport(own);
          for (const { subject, key, name } of found)
            if (subject === 'account' && identityOfKey(key, name)) assert.ok(members.some((one) => one.key === key));
        }
        const found = attentionByGroup({ budgets, unusual, presence: people }, groups, 'team', data.today);
        const together = (kind: 'over' | 'near' | 'unusual' | 'stopped'): number =>
          found.reduce((sum, one) => sum + one[kind], 0);
        const { over, near, crossing } = countLevels(budgets.statuses);
        assert.deepEqual([together('over'), together('near')], [over, near + crossing]);
        assert.equal(together('stopped'), countPresence(presence!.people).stopped);
        const keys = unusual.found.flatMap(({ subject, key }) => (subject === 'account' ? [key] : []));
        assert.equal(together('unusual'), new Set(keys).size);
        assert.deepEqual(limits.sort(), budgets.statuses.map(({ key, spent }) => `${key} ${spent}`).sort());
        const all = presence!.people.map(({ key, kind, lastActive }) => `${key} ${kind} ${lastActive}`);
        assert.deepEqual(stopped.sort(), all.sort());
      }),
      { numRuns: times(2) },
    );
  });
});

function creditsIn(rows: readonly CostRow[]): bigint {
  return rows.reduce((sum, { cost_metrics }) => sum + amountOf(cost_metrics.credits_consumed), 0n);
}

/** Amounts and tokens by day, product, model and key, without rows of nothing. */
function sumsOf(rows: readonly CostRow[]): Record<string, readonly bigint[]> {
  const sums: Record<string, readonly bigint[]> = {};
  for (const {
    start_date,
    cost_metrics,
    group_by_values: { user_info: _, ...values },
  } of rows) {
    // oxfmt-ignore
    const key = JSON.stringify([start_date, ...Object.entries(values).sort()]);
    const { input_tokens, credits_consumed, estimated_customer_cost_usd } = cost_metrics;
    const own = [BigInt(input_tokens), amountOf(credits_consumed), amountOf(estimated_customer_cost_usd)];
    sums[key] = own.map((one, i) => one + (sums[key]?.[i] ?? 0n));
  }
  return Object.fromEntries(Object.entries(sums).filter(([, own]) => own.some((one) => one !== 0n)));
}
