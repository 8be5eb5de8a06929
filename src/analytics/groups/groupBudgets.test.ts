import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { times } from '../../../test/support/runs.ts';
import { openFigures } from '../../../test/support/analytics.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { firstOfMonth, formatDay } from '../../base/day.ts';
import { SextantServer } from '../../server/server.ts';
import type { AnalyticsData } from '../client/analyticsData.ts';
import type { Plan } from '../contract.ts';
import { costReport } from '../reports/costReport.ts';
import { budgetReport } from '../reports/budgetReport.ts';
import { describeUnknown } from '../reports/attentionTexts.ts';
import { groupBudgetReport } from './groupBudgets.ts';
import { isUnlimited } from '../budgets/limit.ts';
import { wholeAmount } from '../insights/amounts.ts';
import { parseGroups } from './groupFile.ts';
import { limitsByGroupTable } from './limitsByGroup.ts';
import { describeGroup, parseGroupName, readGroupLimits, setGroupLimit, type GroupLimit } from './groupLimits.ts';
import type { Groups } from './groups.ts';
import { divideLimit, spreadLimit } from './spread.ts';

describe('limits of groups', () => {
  const newFolder = temporaryFolder();
  const { XDG_DATA_HOME } = process.env;
  before(() => (process.env.XDG_DATA_HOME = newFolder()));
  after(() => {
    if (XDG_DATA_HOME === undefined) delete process.env.XDG_DATA_HOME;
    else process.env.XDG_DATA_HOME = XDG_DATA_HOME;
  });

  it('wait for each other in one process', async () => {
    const file = join(newFolder(), 'sextant-budgets.csv');
    const groups = Array.from({ length: 20 }, (_, i) => ({ column: 'team', group: `T${i}` }));
    await Promise.all(groups.map((of) => setGroupLimit(file, of, '5')));
    assert.equal((await readGroupLimits(file)).length, groups.length);
  });

  it('are kept in a file, one for each group, and cleared', async () => {
    const file = join(newFolder(), 'sextant-budgets.csv');
    assert.deepEqual(await readGroupLimits(file), []);
    const team = { column: 'team', group: 'Search, "the best" = ours' };
    assert.equal(await setGroupLimit(file, team, '5000'), undefined);
    assert.equal(await setGroupLimit(file, 'organization', '90000'), undefined);
    assert.equal(await setGroupLimit(file, team, '6000'), '5000');
    assert.deepEqual(await readGroupLimits(file), [
      { of: team, limit: '6000' },
      { of: 'organization', limit: '90000' },
    ]);
    assert.equal(await setGroupLimit(file, team, undefined), '6000');
    assert.equal(readFileSync(file, 'utf8'), 'column,group,limit\r\norganization,,90000\r\n');
    await assert.rejects(setGroupLimit(file, team, '1.5'), { code: 'BadLimit' });
  });

  it('are read back for any name of a group', async () => {
    const file = join(newFolder(), 'sextant-budgets.csv');
    const names = fc
      .string({ minLength: 1, maxLength: 12 })
      .filter((name) => name.trim() === name && !name.includes('\0'));
    await fc.assert(
      fc.asyncProperty(names, fc.bigInt(1n, 10n ** 18n - 1n), async (group, limit) => {
        writeFileSync(file, 'column,group,limit\r\n');
        await setGroupLimit(file, { column: 'team', group }, String(limit));
        assert.deepEqual(await readGroupLimits(file), [{ of: { column: 'team', group }, limit: String(limit) }]);
        assert.deepEqual(parseGroupName(describeGroup({ column: 'team', group })), { column: 'team', group });
      }),
      { numRuns: times(50) },
    );
  });

  it('name the line of an error', async () => {
    const file = join(newFolder(), 'sextant-budgets.csv');
    const errors: readonly (readonly [string, RegExp])[] = [
      ['team,limit\nA,5\n', /needs the columns column, group, limit/],
      ['column,group,limit\nteam,A,\n', /line 2: the limit is empty/],
      ['column,group,limit\nteam,A,5\nTeam,A,6\n', /line 3: team=A has a limit in an earlier line/],
      ['column,group,limit\nteam,A,5.5\n', /line 2: A limit is a whole number/],
      ['column,group,limit\nteam,,5\n', /line 2: a column and a group are needed/],
      ['column,group,limit\n"team\n', /line 2: a quote is not closed/],
    ];
    for (const [content, message] of errors) {
      writeFileSync(file, content);
      await assert.rejects(readGroupLimits(file), { code: 'GroupLimitsUnreadable', message });
    }
  });
});

describe('parts of a limit', () => {
  it('have the limit as their sum, are 1 at the least, and follow the weights', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(0n, 10n ** 12n), { minLength: 1, maxLength: 40 }),
        fc.bigInt(0n, 10n ** 17n),
        (weights, more) => {
          const limit = BigInt(weights.length) + more;
          const parts = divideLimit(limit, weights);
          assert.equal(
            parts.reduce((sum, one) => sum + one, 0n),
            limit,
          );
          assert.ok(parts.every((part) => part >= 1n));
          for (const [i, a] of weights.entries())
            for (const [j, b] of weights.entries()) if (a > b) assert.ok(parts[i]! >= parts[j]!, `${a} > ${b}`);
        },
      ),
    );
  });
});

describe('budgets of groups', function () {
  this.timeout(30_000);
  const newFolder = temporaryFolder();
  let server: SextantServer | undefined;
  afterEach(() => server?.close());

  async function open(plan: Plan, now: string): Promise<AnalyticsData> {
    server = await SextantServer.start({
      now: Date.parse(now),
      rateLimit: false,
      simulation: { seed: 11, users: 30, plan },
    });
    server.clock.freeze();
    return openFigures(server, newFolder).data;
  }

  /** A file in which a third of the accounts move on the 8th, and some are in no team. */
  async function teamsOf(data: AnalyticsData): Promise<Groups> {
    const { rows } = await data.budgets();
    const { rows: active } = await data.activity({ first: data.newestDay - 20, last: data.newestDay });
    const names = [...new Set([...rows, ...active].map((row) => row.user_email ?? row.service_account_name))].sort();
    const moved = formatDay(firstOfMonth(data.today) + 7);
    const before = formatDay(firstOfMonth(data.today) + 6);
    const lines = names.flatMap((name, i) => {
      if (i % 7 === 0) return [];
      const team = `T${i % 4}`;
      return i % 3 === 0 ? [`${name},${team},,${before}`, `${name},T9,${moved},`] : [`${name},${team},,`];
    });
    return parseGroups(['account,team,from,to', ...lines].join('\n'), 'teams.csv');
  }

  const limitsOf = (...groups: readonly string[]): GroupLimit[] => [
    ...groups.map((group) => ({ of: { column: 'team', group }, limit: '1000' })),
    { of: 'organization', limit: '5000' },
  ];

  for (const plan of ['credits', 'usd'] as const)
    it(`of a plan in ${plan} consume together what the organization does, with moves in the month`, async () => {
      const data = await open(plan, '2026-11-21T12:00:00Z');
      const groups = await teamsOf(data);
      const limits = limitsOf('T0', 'T1', 'T2', 'T3', 'T9', 'unmapped');
      const { statuses, unit } = await groupBudgetReport(data, limits, groups);
      const spent = new Map(statuses.map(({ key, spent }) => [key, spent]));
      const whole = spent.get('organization')!;
      spent.delete('organization');
      const { month } = await costReport(data, { first: data.newestDay - 6, last: data.newestDay });
      assert.equal(unit, plan);
      assert.equal(whole, month!.spent);
      assert.equal(
        [...spent.values()].reduce((sum, one) => sum + one, 0n),
        whole,
      );
      assert.ok(
        [...spent.values()].every((one) => one > 0n),
        'each group has spent',
      );
      const organization = statuses.find(({ of }) => of === 'organization')!;
      assert.equal(organization.projected, month!.projected);
      for (const { projected, spent: sofar } of statuses) assert.ok(projected! >= sofar);
    });

  it('names limits of groups that the group file does not have', async () => {
    const data = await open('credits', '2026-11-21T12:00:00Z');
    const limits = [
      ...limitsOf('T1'),
      { of: { column: 'office', group: 'Rome' }, limit: '7' },
      { of: { column: 'team', group: 'Serch' }, limit: '7' },
    ];
    const { unknown } = await groupBudgetReport(data, limits, await teamsOf(data));
    assert.deepEqual(
      unknown.map(({ of }) => describeGroup(of)),
      ['office=Rome', 'team=Serch'],
    );
    assert.equal(
      describeUnknown(unknown[1]!.of, (_, name) => name),
      'No row of the group file has team=Serch, so the use of its limit is unknown',
    );
  });

  it('are spread over the members as they spent', async () => {
    const data = await open('credits', '2026-11-21T12:00:00Z');
    const groups = await teamsOf(data);
    const of = { column: 'team', group: 'T1' };
    const wanted = await spreadLimit(data, groups, { of, limit: 100_000n, by: 'use' });
    assert.equal(
      wanted.reduce((sum, { limit }) => sum + BigInt(limit), 0n),
      100_000n,
    );
    assert.ok(wanted.every(({ identity }) => groups.groupOf(identity, 'team', data.today) === 'T1'));
    assert.ok(new Set(wanted.map(({ limit }) => limit)).size > 1);
    await assert.rejects(spreadLimit(data, groups, { of, limit: 2n, by: 'equal' }), { code: 'BadLimit' });
    const none = { column: 'team', group: 'Nobody' };
    await assert.rejects(spreadLimit(data, groups, { of: none, limit: 9n, by: 'use' }), { code: 'NoMembers' });
  });

  it('of accounts have sums by group whose sum is that of all', async () => {
    const data = await open('credits', '2026-11-21T12:00:00Z');
    const report = await budgetReport(data);
    const { rows } = limitsByGroupTable(report, await teamsOf(data), 'team', data.today);
    const limited = report.statuses.filter(({ limit }) => !isUnlimited(String(limit)));
    const sum = (amounts: readonly (bigint | number)[]): bigint =>
      amounts.reduce<bigint>((all, one) => all + BigInt(one), 0n);
    assert.ok(rows.length > 2);
    assert.equal(sum(rows.map((row) => row[1] as number)), BigInt(report.statuses.length));
    assert.equal(sum(rows.map((row) => row[2] as bigint)), sum(limited.map(({ spent }) => spent)));
    assert.equal(sum(rows.map((row) => row[3] as bigint)), sum(limited.map(({ limit }) => wholeAmount(limit))));
  });

  it('of the first hours of a month have consumed nothing yet, in dollars', async () => {
    const data = await open('usd', '2026-11-01T00:30:00Z');
    const { statuses } = await groupBudgetReport(data, limitsOf('T1'), await teamsOf(data));
    assert.deepEqual(
      statuses.map(({ spent }) => spent),
      [0n, 0n],
    );
  });
});
