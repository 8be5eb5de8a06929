import assert from 'node:assert/strict';
import { openFigures } from '../../../test/support/analytics.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { parsePrometheus, type Family } from '../../../test/support/prometheus.ts';
import { parseDecimal } from '../../base/decimal.ts';
import { openMetricsText } from '../../base/openMetrics.ts';
import { SextantServer } from '../../server/server.ts';
import type { Plan } from '../contract.ts';
import { metricsOf } from './metrics.ts';
import { parseGroups } from '../groups/groupFile.ts';
import { metricsReport, type LimitedGroups, type MetricsReport } from './metricsReport.ts';

describe('metrics', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer | undefined;
  afterEach(() => server?.close());

  async function load(plan: Plan, now: string, groups?: LimitedGroups): Promise<MetricsReport> {
    server = await SextantServer.start({
      now: Date.parse(now),
      rateLimit: false,
      simulation: { seed: 7, users: 40, plan },
    });
    server.clock.freeze();
    return metricsReport(openFigures(server, newFolder).data, groups);
  }

  const families = (report: MetricsReport, accounts: number): Map<string, Family> =>
    new Map(parsePrometheus(openMetricsText(metricsOf(report, accounts))).map((family) => [family.name, family]));

  function sum(family: Family | undefined): bigint {
    return family!.metrics.reduce((all, { value }) => all + parseDecimal(value)!, 0n);
  }

  for (const unit of ['credits', 'usd'] as const)
    it(`of a plan in ${unit} have the sums of the report, however few accounts are named`, async () => {
      const report = await load(unit, '2026-11-21T12:00:00Z');
      const [few, all] = [families(report, 3), families(report, 1000)];
      assert.deepEqual([...few.keys()], [...all.keys()]);
      for (const name of ['month_account_spending', 'budget_limit', 'budget_consumed']) {
        const [short, long] = [few, all].map((one) => one.get(`sextant_${name}_${unit}`));
        assert.equal(short!.metrics.length, 4, name);
        assert.deepEqual(short!.metrics.at(-1)!.labels, { account: 'other', kind: 'other' });
        assert.equal(sum(short), sum(long), name);
        assert.equal(
          long!.metrics.some(({ labels }) => labels!.kind === 'other'),
          false,
        );
      }
      const parts = ['product', 'resource'].map((part) => sum(few.get(`sextant_month_${part}_spending_${unit}`)));
      assert.deepEqual(parts, [report.cost.total, report.cost.total]);
      assert.equal(sum(few.get(`sextant_month_spending_${unit}`)), report.cost.month!.spent);
      assert.equal(few.has('sextant_month_billed_usd'), unit === 'credits');
      const levels = few.get('sextant_budgets')!.metrics;
      assert.equal(
        levels.reduce((count, { value }) => count + Number(value), 0),
        report.budgets.statuses.length,
      );
      const active = few.get('sextant_active_accounts')!.metrics.map(({ labels, value }) => [labels!.period, value]);
      const { weekly, monthly } = report.presence.presence!;
      assert.deepEqual(active, [['day', String(report.active)], ['week', String(weekly)], ['month', String(monthly)]]); // oxfmt-ignore
      assert.equal(few.get('sextant_service_reachable')!.metrics[0]!.value, '1');
    });

  it('have the limits of groups, and none of a person with a bound of 0', async () => {
    const groups = await parseGroups('account,manager\nuser-1*,boss@x.io\n*,Pool\n', 'teams.csv');
    const of = (group: string): { readonly column: string; readonly group: string } => ({ column: 'manager', group });
    const limits = [
      { of: of('Pool'), limit: '7' },
      { of: of('boss@x.io'), limit: '100' },
      { of: 'organization', limit: '5000' },
    ] as const;
    const report = await load('credits', '2026-11-21T12:00:00Z', { groups, limits });
    const consumed = families(report, 9).get('sextant_group_budget_consumed_credits')!.metrics;
    const spent = new Map(consumed.map(({ labels, value }) => [labels!.group, parseDecimal(value)!]));
    assert.equal(spent.get(''), report.cost.month!.spent);
    assert.equal(consumed.length, 3);
    const hidden = families(report, 0).get('sextant_group_budget_limit_credits')!.metrics;
    assert.deepEqual(hidden.map(({ labels }) => labels!.group).sort(), ['', 'Pool']);
  });

  it('name no account with a bound of 0', async () => {
    const text = openMetricsText(metricsOf(await load('credits', '2026-11-21T12:00:00Z'), 0));
    assert.equal(/@|kind="(user|service)/.test(text), false);
    assert.match(text, /^sextant_month_account_spending_credits\{account="other",kind="other"\} [1-9]/m);
  });

  it('of the first hours of a month have no spending of the month before', async () => {
    const report = await load('usd', '2026-11-01T00:30:00Z');
    const known = families(report, 10);
    assert.equal(sum(known.get('sextant_month_spending_usd')), 0n);
    assert.equal(known.has('sextant_month_product_spending_usd'), false);
    assert.equal(known.has('sextant_month_account_spending_usd'), false);
  });

  it('leave out what is not known', async () => {
    const report = await load('credits', '2026-11-21T12:00:00Z');
    const known = families(
      { ...report, active: undefined, presence: { ...report.presence, presence: undefined, isTooLarge: true } },
      10,
    );
    assert.equal(known.has('sextant_active_accounts'), false);
    const kinds = known.get('sextant_attention')!.metrics.map(({ labels }) => labels!.kind);
    assert.deepEqual(kinds, ['over', 'near', 'unusual']);
  });
});
