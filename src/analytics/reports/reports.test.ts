import assert from 'node:assert/strict';
import papa from 'papaparse';
import { openFigures } from '../../../test/support/analytics.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { dayOf, firstOfMonth, formatDay, parseDay } from '../../base/day.ts';
import { formatDecimal } from '../../base/decimal.ts';
import { SextantServer } from '../../server/server.ts';
import type { AnalyticsClient } from '../client/analyticsClient.ts';
import type { AnalyticsData } from '../client/analyticsData.ts';
import type { Plan } from '../contract.ts';
import { identityOf, identityOfKey } from '../identity.ts';
import { costBy, sumOf } from '../insights/amounts.ts';
import { total } from '../insights/compare.ts';
import { attentionOf } from './attention.ts';
import { budgetReport } from './budgetReport.ts';
import { costReport, MEASURE_OF } from './costReport.ts';
import { csvForFile, tableCsv } from './csv.ts';
import { formatCell, formatGrowth, formatShare, tableJson, type Table } from './table.ts';
import { budgetTable, costTable, creditTable, dayTable, languageTable, personTable } from './tables.ts';
import { presenceReport } from './presenceReport.ts';
import { peopleSpending } from './spendingReport.ts';
import { unusualReport } from './unusualReport.ts';
import { peopleReport, usageReport } from './usageReport.ts';

const day = (text: string): number => parseDay(text)!;

describe('reports', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer | undefined;
  afterEach(() => server?.close());

  async function start(
    plan: Plan,
    now: string,
  ): Promise<{ data: AnalyticsData; client: AnalyticsClient; server: SextantServer }> {
    server = await SextantServer.start({
      now: Date.parse(now),
      rateLimit: false,
      simulation: { seed: 7, users: 40, plan },
    });
    server.clock.freeze();
    return { server, ...openFigures(server, newFolder) };
  }

  const week = { first: day('2026-11-14'), last: day('2026-11-20') };
  const dates = { start_date: '2026-11-14', end_date: '2026-11-20' };

  it("of use have the service's figures", async () => {
    const { data, client } = await start('credits', '2026-11-21T12:00:00Z');
    const report = await usageReport(data, week);
    const { daily_active_user_counts: counts } = await client.call('dauCount', dates);
    assert.deepEqual(
      report.days.map(({ date, active }) => ({ date, user_count: active })),
      counts,
    );
    assert.equal(report.meanActive, counts.reduce((sum, { user_count }) => sum + user_count, 0) / 7);
    const people = await peopleReport(data, week);
    assert.equal(people.distinct, people.people.length);
    assert.ok(people.distinct < counts.reduce((sum, { user_count }) => sum + user_count, 0));
    const messages = people.people.reduce((sum, { metrics }) => sum + metrics.total_messages, 0);
    assert.equal(report.metrics!.total_messages, messages);
    assert.equal(report.asOf, '2026-11-21T12:00:00Z');
    assert.ok(report.growth.messages !== undefined);
    const { rows } = await data.languages(week);
    assert.equal(
      languageTable(rows, 'editor').rows.reduce((sum, row) => sum + Number(row[2]), 0),
      messages,
    );
    assert.equal(dayTable(report).rows.length, 7);
    assert.equal(personTable(people).rows.length, people.distinct);
  });

  it('compare with nothing if the previous period is out of reach or unknown', async () => {
    const { data, server } = await start('credits', '2026-11-21T12:00:00Z');
    const oldest = { first: day('2024-11-22'), last: day('2024-11-30') };
    assert.deepEqual((await usageReport(data, oldest)).growth, { meanActive: undefined, messages: undefined });
    await data.dailyUsage(week);
    await data.dailyActive(week);
    server.faults.add({ status: 503 });
    // The first of the days that a request has.
    const report = await usageReport(data, { first: day('2026-08-23'), last: day('2026-08-29') });
    assert.deepEqual([report.offline, report.missing, report.growth.messages], [undefined, [], undefined]);
  });

  it('state their number of days, and leave unknown values empty, while the service is unreachable', async () => {
    const { data, server } = await start('credits', '2026-11-21T12:00:00Z');
    const known = { first: day('2026-11-14'), last: day('2026-11-16') };
    const report = await usageReport(data, known);
    server.faults.add({ status: 503 });
    const part = await usageReport(data, week);
    assert.deepEqual(
      [part.daysKnown, part.growth],
      [
        { active: 3, metrics: 3 },
        { meanActive: undefined, messages: undefined },
      ],
    );
    assert.deepEqual(part.metrics, report.metrics);
    assert.deepEqual(
      part.days.map(({ active }) => active === undefined),
      [false, false, false, true, true, true, true],
    );
    assert.deepEqual(part.latest, report.latest);
    // For these days the active people are known, and not their activity.
    server.faults.clear();
    const other = { first: day('2026-05-01'), last: day('2026-05-07') };
    await data.dailyActive(other);
    server.faults.add({ status: 503 });
    const half = await usageReport(data, other);
    assert.deepEqual(
      [half.daysKnown, half.metrics, half.acceptance.bySuggestions],
      [{ active: 7, metrics: 0 }, undefined, undefined],
    );
    assert.deepEqual([...new Set(half.days.map(({ metrics }) => metrics))], [undefined]);
    assert.equal((await peopleReport(data, week)).distinct, undefined);
  });

  it('of cost and budgets show no zeros for unknown values', async () => {
    const { data, server } = await start('credits', '2026-11-21T12:00:00Z');
    const known = { first: day('2026-11-01'), last: day('2026-11-10') };
    const report = await costReport(data, known);
    await data.budgets();
    server.faults.add({ status: 503 });
    const part = await costReport(data, { first: day('2026-11-08'), last: day('2026-11-20') });
    assert.deepEqual([part.daysKnown, part.growth, part.movers], [3, undefined, []]);
    assert.ok(part.total! > 0n && part.total! < report.total!);
    // Its band is of a shorter past, as an unknown day would look like one without spending.
    assert.deepEqual({ ...part.month, band: 0 }, { ...report.month, band: 0 }, 'up to the newest day that is known');
    const nothing = await costReport(data, { first: day('2025-03-01'), last: day('2025-03-07') });
    assert.deepEqual([nothing.total, nothing.month, nothing.burnDown], [undefined, undefined, undefined]);
    // Without consumption, the people near a limit are unknown.
    await assert.rejects(budgetReport(data), { code: 'ServiceFailed' });
  });

  for (const plan of ['credits', 'usd'] as const) {
    it(`of cost equal the service's bill, on the plan ${plan}`, async () => {
      const { data, client } = await start(plan, '2026-11-21T12:00:00Z');
      const report = await costReport(data, week);
      const {
        data_points: [point],
      } = await client.call('costAnalytics', dates);
      const { billed_amount_usd: billed, credits_consumed: credits } = point!.cost_metrics;
      assert.equal(report.unit, plan);
      assert.equal(formatDecimal(report.total!), plan === 'usd' ? billed : credits);
      for (const part of [report.byProduct, report.byResource, report.byKey, report.byDay])
        assert.equal(total(part), report.total);
      const dollars = costTable(report.points, 'product').rows.reduce((sum, row) => sum + (row[1] as bigint), 0n);
      assert.equal(formatDecimal(dollars), billed);
      assert.equal(report.month!.daysElapsed, plan === 'usd' ? 20 : 20.5, 'credits of today count');
      assert.ok(report.month!.projected! > report.month!.spent);
    });

    it(`of cost have every field of the service, by model and in the change, on the plan ${plan}`, async () => {
      const { data, client } = await start(plan, '2026-11-21T12:00:00Z');
      const report = await costReport(data, week);
      const group_by_keys = ['COST_ANALYTICS_GROUP_BY_RESOURCE'] as const;
      const { data_points: points } = await client.call('costAnalytics', {
        ...dates,
        group_by_keys: [...group_by_keys],
        granularity: 'COST_ANALYTICS_TIME_GRANULARITY_TOTAL',
        page_size: 1000,
      });
      const rows = tableJson(costTable(report.points, 'resource'));
      assert.equal(rows.length, points.length);
      for (const { cost_metrics: metrics, group_by_values: values } of points) {
        const row = rows.find(({ resource }) => resource === values.resource_display_name)!;
        assert.equal(row.resource_type, values.resource_type);
        for (const [field, value] of Object.entries(metrics)) assert.equal(row[field], String(value), field);
      }
      const { change, total } = report;
      assert.ok(change);
      assert.equal(change.now, total);
      assert.equal(change.before + change.volume + change.mix + change.price + change.other, total);
    });

    it(`of budgets count the consumption of all people this month, on the plan ${plan}`, async () => {
      const { data, client } = await start(plan, '2026-11-21T12:00:00Z');
      const report = await budgetReport(data);
      assert.equal(report.unit, plan);
      const { overrides } = await client.call('getUserBudgetOverrides', {});
      assert.equal(report.statuses.length, overrides.length);
      const most = report.statuses.find(({ identity }) => identity.kind === 'user_email');
      assert.ok(most && most.spent > 0n);
      const asked = {
        start_date: '2026-11-01',
        end_date: '2026-11-20',
        filters: { user_emails: [most.identity.name] },
      };
      const {
        data_points: [point],
      } = await client.call('costAnalytics', asked);
      if (plan === 'usd') assert.equal(formatDecimal(most.spent), point!.cost_metrics.billed_amount_usd);
      // No other answer has today's credits yet.
      else assert.ok(most.spent >= BigInt(point!.cost_metrics.credits_consumed.split('.')[0]!));
      assert.equal(
        new Date(report.countedUntil).toISOString(),
        plan === 'usd' ? '2026-11-21T00:00:00.000Z' : '2026-11-21T12:00:00.000Z',
      );
      assert.equal(budgetTable(report).rows.length, overrides.length);
      const people = report.statuses.filter(({ identity }) => identity.kind === 'user_email');
      const robot = { ...most, identity: { kind: 'service_account_name', name: 'nightly' } } as const;
      for (const statuses of [people, [...people, robot]]) {
        const { columns } = budgetTable({ ...report, statuses });
        const isShown = columns.find(({ name }) => name === 'kind')!.isDetail !== true;
        assert.equal(isShown, statuses !== people, 'the kind is shown where it differs');
      }
    });

    it(`of budgets have the unit of the plan also without an override, on the plan ${plan}`, async () => {
      const { data, client } = await start(plan, '2026-11-21T12:00:00Z');
      const { overrides } = await client.call('getUserBudgetOverrides', {});
      const cleared = overrides.map((override) => ({ ...override, config: { limit: '' } }));
      await client.call('setUserBudgetOverrides', { overrides: cleared });
      const report = await budgetReport(data);
      assert.deepEqual([report.unit, report.statuses], [plan, []]);
      const spenders = (await data.cost({ first: day('2026-11-01'), last: day('2026-11-20') }, ['COST_ANALYTICS_GROUP_BY_USER'])).rows; // oxfmt-ignore
      const [most] = costBy(spenders, 'user', MEASURE_OF[plan]).filter(({ key, name }) => identityOfKey(key, name));
      assert.equal(report.others[0]!.identity.name, most!.name);
    });

    it(`of budgets work in the first hours of a month, on the plan ${plan}`, async () => {
      for (const now of [
        '2026-11-01T00:00:00Z',
        '2026-11-01T01:00:00Z',
        '2026-11-01T03:00:00Z',
        '2026-11-02T01:00:00Z',
      ]) {
        const { data, server } = await start(plan, now);
        const report = await budgetReport(data);
        assert.ok(report.statuses.length > 0, now);
        assert.ok(
          report.statuses.some(({ projected, spent }) => projected !== undefined && projected > spent),
          `${now}: from the days of the last month`,
        );
        assert.equal(formatDay(dayOf(report.countedUntil)).slice(0, 7), '2026-11', now);
        await server.close();
      }
    });
  }

  it('of what needs attention have the unit of the limits, also before a day shows it', async () => {
    const { data } = await start('credits', '2026-11-21T12:00:00Z');
    const unusual = { ...(await unusualReport(data)), unit: 'usd' as const, found: [] };
    const budgets = await budgetReport(data);
    const { unit } = attentionOf(
      { budgets, groupBudgets: undefined, unusual, presence: undefined },
      [],
      data.newestDay,
    );
    assert.equal(unit, 'credits');
  });

  for (const plan of ['credits', 'usd'] as const)
    it(`have one truth about the month for organization, limits and people, on the plan ${plan}`, async () => {
      for (const now of [
        '2026-11-01T01:00:00Z',
        '2026-11-02T03:00:00Z',
        '2026-11-11T21:55:00Z',
        '2026-12-01T12:00:00Z',
      ]) {
        const { data, server } = await start(plan, now);
        const recent = { first: data.newestDay - 27, last: data.newestDay };
        const [cost, budgets] = [await costReport(data, recent), await budgetReport(data)];
        assert.equal(cost.countedUntil, budgets.countedUntil, now);
        const people = [...budgets.statuses, ...budgets.others];
        const sum = people.reduce((all, { spent }) => all + spent, 0n);
        // Bots and deleted accounts have no limit; they count in the bill of finished days.
        const month = { first: firstOfMonth(data.today), last: data.newestDay };
        const bill = month.last < month.first ? [] : (await data.cost(month, ['COST_ANALYTICS_GROUP_BY_USER'])).rows;
        const others = costBy(bill, 'user', MEASURE_OF[plan]).filter(({ key, name }) => !identityOfKey(key, name));
        assert.equal(sum + total(others), cost.month!.spent, now);
        for (const { identity, spent, projected } of budgets.statuses.slice(0, 4)) {
          const { burnDown: burn } = await peopleSpending(data, recent, [identity], plan);
          const { pace } = burn;
          assert.deepEqual([pace.spent, pace.projected, pace.month], [spent, projected, cost.month!.month], now);
          assert.equal(burn.spent.findLast((one) => one !== undefined) ?? 0n, spent, now);
        }
        await server.close();
      }
    });

  it('have credits of each account, day and model, and cost of a product, a model or an expert, without loss', async () => {
    const { data } = await start('credits', '2026-11-21T12:00:00Z');
    const today = { first: day('2026-11-14'), last: day('2026-11-21') };
    const rows = tableJson(creditTable((await data.credits(today, { date: true, model: true })).rows));
    const { rows: totals } = await data.credits(today);
    for (const row of totals) {
      const own = rows.filter(({ identity }) => identity === identityOf(row).name);
      const sum = own.reduce((all, { credits_consumed: credits }) => all + Number(credits), 0);
      assert.equal(sum, row.credits_consumed);
      assert.ok(own.every(({ date, model_name: model }) => date !== null && model !== null));
    }
    assert.ok(
      rows.some(({ date }) => date === '2026-11-21'),
      'today, too',
    );
    const filters = [
      ['COST_ANALYTICS_GROUP_BY_PRODUCT', 'product', (key: string) => ({ products: [key] })],
      ['COST_ANALYTICS_GROUP_BY_RESOURCE', 'resource', (key: string) => ({ resources: [key] })],
      ['COST_ANALYTICS_GROUP_BY_EXPERT', 'expert', (key: string) => ({ experts: [key] })],
    ] as const;
    for (const [group, dimension, filter] of filters) {
      const parts = costBy((await data.cost(week, [group])).rows, dimension, 'credits_consumed');
      for (const { key, amount } of parts.filter(({ key }) => key !== '\0'))
        assert.equal(sumOf((await data.cost(week, [], filter(key))).rows, 'credits_consumed'), amount, key);
    }
  });

  it('find unusual spending and people who stopped with the requests of the service', async () => {
    const { data } = await start('credits', '2026-11-21T12:00:00Z');
    const [unusual, presence] = [await unusualReport(data), await presenceReport(data)];
    assert.ok(unusual.accounts > 20);
    assert.deepEqual([unusual.missing, presence.missing], [[], []]);
    const range = { first: day('2026-11-14'), last: day('2026-11-20') };
    const { distinct } = await peopleReport(data, range);
    assert.equal(presence.presence!.weekly, distinct, 'as user-activity counts them');
    const active = new Set(
      presence.presence!.people.filter(({ lastActive }) => lastActive! >= '2026-11-14').map(({ key }) => key),
    );
    assert.equal(active.size, distinct);
  });

  it('have a byte order mark in a file only where they have more than ASCII', () => {
    assert.equal(csvForFile('name\r\nAda\r\n'), 'name\r\nAda\r\n');
    assert.equal(csvForFile('name\r\nZoë\r\n'), '\ufeffname\r\nZoë\r\n');
  });

  it('are written for people, for programs and for spreadsheets, which run no formula of them', async () => {
    const names = ['=1+1', '+49 30', '-cmd|x', '@sum', '\t=1', ' =1', '＝1', 'a,"b"\r\nc', '-5', 'Ünï 🙂', "'x"];
    const table: Table = {
      columns: [
        { name: 'who', title: 'Who', kind: 'text' },
        { name: 'usd', title: 'Dollars', kind: 'usd' },
        { name: 'share', title: 'Share', kind: 'share' },
      ],
      rows: names.map((name) => [name, -(10n ** 35n) * 1234567n, undefined]),
    };
    const csv = await tableCsv(table);
    const { data, errors } = papa.parse<Record<string, string>>(csv.trimEnd(), { header: true });
    assert.deepEqual(errors, []);
    assert.deepEqual(
      data.map(({ who }) => who),
      names.map((name) => (/^\s*[=+@＝]|^-c/.test(name) ? `'${name}` : name)),
    );
    const [{ usd, share } = {}] = data;
    assert.deepEqual([usd, share], ['-1234.567', '']);
    assert.deepEqual(tableJson(table)[0], { who: '=1+1', usd: '-1234.567', share: null });
    const shown = table.columns.map((column, i) => formatCell(table.rows[0]![i], column));
    assert.deepEqual(shown, ['=1+1', '-$1,234.57', '–']);
    assert.deepEqual([0.9999, 1, 0.575, 9.9999, 27].map(formatShare), [
      '99.9 %',
      '100.0 %',
      '57.5 %',
      '999.9 %',
      '2,700 %',
    ]);
    assert.deepEqual([0.25, -0.1, 0, undefined].map(formatGrowth), ['+25 %', '−10 %', '±0 %', '–']);
  });
});
