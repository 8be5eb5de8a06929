import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AnalyticsData } from '../../src/analytics/client/analyticsData.ts';
import { reportDocument } from '../../src/analytics/document/document.ts';
import { previousRange } from '../../src/analytics/insights/compare.ts';
import { budgetReport } from '../../src/analytics/reports/budgetReport.ts';
import { costReport } from '../../src/analytics/reports/costReport.ts';
import { metricsOf } from '../../src/analytics/reports/metrics.ts';
import { metricsReport } from '../../src/analytics/reports/metricsReport.ts';
import { ReportStore } from '../../src/analytics/reports/reportStore.ts';
import { tableJson } from '../../src/analytics/reports/table.ts';
import { budgetTable } from '../../src/analytics/reports/tables.ts';
import { dayOf } from '../../src/base/day.ts';
import { silentLogger } from '../../src/base/log.ts';
import { summaryJson } from '../../src/cli/analytics/cost.ts';
import { BudgetEditor } from '../../src/extension/analytics/budgetEditor.ts';
import { DashboardModel, FIRST_CHOICES } from '../../src/extension/dashboard/dashboardModel.ts';
import type { Choices, Page } from '../../src/protocol/dashboardView.ts';
import { readData } from '../../src/server/analytics/data/readData.ts';
import { SextantServer } from '../../src/server/server.ts';
import { openFigures } from '../support/analytics.ts';
import { NOTHING, organizations, recordsOf, spentThisMonth, type Organization } from '../support/organizations.ts';
import { runs } from '../support/runs.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

/** Figures of this month by the names of their places: `ada@x.io, person page`. */
type Shown = Record<string, string>;

/** An organization that began today: only its credits are known. */
const NEW: Organization = {
  plan: 'credits',
  now: Date.UTC(2026, 10, 21, 12),
  facts: [{ ...NOTHING, day: dayOf(Date.UTC(2026, 10, 21)), credits: 120 }],
  limits: new Map([['ada@x.io', 100]]),
};

describe('the month so far', () => {
  const newFolder = temporaryFolder();

  it('is the same on each page, in the report, in the metrics and in the command, and is the sum of the facts', async () => {
    await fc.assert(
      fc.asyncProperty(organizations, async (organization) => {
        const lines = recordsOf(organization).map((record) => JSON.stringify(record));
        const server = await SextantServer.start({
          ...{ now: organization.now, rateLimit: false },
          data: () => readData([Buffer.from(lines.join('\n'))]),
        });
        server.clock.freeze();
        try {
          const { data } = openFigures(server, newFolder);
          const shown = {
            ...(await onPages(data, server, organization)),
            ...(await elsewhere(data, organization)),
          };
          const wrong = Object.entries(shown).filter(([place, text]) => {
            const [who] = place.split(', ');
            return text !== textOf(organization, spentThisMonth(organization, who === 'all' ? undefined : who));
          });
          assert.deepEqual(wrong, []);
          assert.ok(Object.keys(shown).length >= 6 + 4 * organization.limits.size);
        } finally {
          await server.close();
        }
      }),
      { numRuns: runs(25), examples: [[NEW]] },
    );
  }).timeout(300_000);

  /** The figures of the dashboard. */
  async function onPages(data: AnalyticsData, { clock }: SextantServer, organization: Organization): Promise<Shown> {
    const common = { logger: silentLogger, clock, onChange: () => undefined };
    const editor = new BudgetEditor({ ...common, onOutdated: () => undefined, onAcknowledged: () => undefined });
    const model = new DashboardModel({ ...common, kept: FIRST_CHOICES, keep: () => undefined, secret: '', editor });
    const range = { first: data.newestDay - 6, last: data.newestDay };
    model.connect({ kind: 'ready', name: 'here', organizations: 1 }, new ReportStore(data, range, common));
    const open = async (change: Partial<Choices>): Promise<Page> => {
      model.choose({ ...model.choices, ...change });
      return loaded(model);
    };
    try {
      const shown: Shown = { 'all, overview': valueOf(await open({}), 'projected') };
      const spending = await open({ tab: organization.plan === 'usd' ? 'cost' : 'credits' });
      if (!spending.empty) shown['all, spending'] = valueOf(spending, 'month');
      await open({ tab: 'budgets' });
      for (const { id, cells } of model.rows('budgets', 0, 10)) {
        const [who = '', , , consumed = ''] = cells;
        shown[`${who}, budgets`] = consumed;
        model.openPerson(id);
        const page = await loaded(model);
        const { note } = page.tiles.find((tile) => tile.id === 'limit')!;
        shown[`${who}, person page`] = note.split(' of ')[0]!;
        const summary = page.charts.find((chart) => chart.id === 'burn-down')!.summary;
        shown[`${who}, person chart`] = summary.split(' in ')[0]!.replace(/ credits?$/, '');
        await open({ tab: 'budgets' });
      }
      return shown;
    } finally {
      model.dispose();
    }
  }

  /** The figures of report, metrics and command. */
  async function elsewhere(data: AnalyticsData, { plan }: Organization): Promise<Shown> {
    const range = { first: data.newestDay - 6, last: data.newestDay };
    const shown: Shown = {};
    const { sections } = await reportDocument(data, range, { before: previousRange(range), groups: undefined });
    const { figures = [] } = sections.find(({ name }) => name === 'summary')!;
    shown['all, report'] = figures.find(([name]) => name.endsWith(' so far'))![1].replace(/, \d+.*/, '');
    const { table } = sections.find(({ name }) => name === 'budgets')!;
    for (const row of tableJson(table!)) shown[`${String(row.identity)}, report`] = text(String(row.consumed), plan);

    const command = summaryJson(await costReport(data, range));
    shown['all, command'] = text(command.month!.spent, plan);
    for (const row of tableJson(budgetTable(await budgetReport(data))))
      shown[`${String(row.identity)}, command`] = text(String(row.consumed), plan);

    const gauges = new Map(metricsOf(await metricsReport(data), 100).map((gauge) => [gauge.name, gauge]));
    const samplesOf = (name: string) => gauges.get(`${name}_${plan}`)?.samples ?? [];
    shown['all, metrics'] = text(String(samplesOf('sextant_month_spending')[0]!.value), plan);
    for (const name of ['sextant_budget_consumed', 'sextant_month_account_spending'])
      for (const { labels, value } of samplesOf(name)) shown[`${labels!.account}, ${name}`] = text(String(value), plan);
    return shown;
  }
});

async function loaded(model: DashboardModel): Promise<Page> {
  return until('the page is loaded', () => {
    const { page } = model.state;
    return !page.isLoading && (page.isFilled || page.empty) ? page : undefined;
  });
}

const valueOf = ({ tiles }: Page, id: string): string => tiles.find((tile) => tile.id === id)!.value;

/** An amount as pages show it: dollars with cents, whole credits. */
function textOf({ plan }: Organization, amount: number): string {
  const whole = Math.trunc(amount / 100).toLocaleString('en');
  return plan === 'usd' ? `$${whole}.${String(amount % 100).padStart(2, '0')}` : whole;
}

/** A decimal of the command in the same form. */
function text(decimal: string, plan: Organization['plan']): string {
  const [whole = '', cents = ''] = decimal.split('.');
  assert.match(cents, plan === 'usd' ? /^\d{0,2}$/ : /^$/);
  return textOf({ plan } as Organization, Number(whole) * 100 + Number(cents.padEnd(2, '0')));
}
