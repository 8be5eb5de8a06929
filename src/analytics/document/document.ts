import type { Decimal } from '../../base/decimal.ts';
import { formatCount } from '../../base/format.ts';
import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import type { Metrics } from '../contract.ts';
import type { DayRange } from '../dateRules.ts';
import {
  groupReports,
  groupTable,
  nameOfGroup,
  spendingColumn,
  titleOfColumn,
  type GroupReport,
} from '../groups/groupReport.ts';
import { groupBudgetReport, groupBudgetTable, type GroupBudgetReport } from '../groups/groupBudgets.ts';
import type { GroupLimit } from '../groups/groupLimits.ts';
import type { Groups } from '../groups/groups.ts';
import type { Identity } from '../identity.ts';
import { ORGANIZATION, type BudgetStatus } from '../insights/budgets.ts';
import { attentionOf, failureOf, type Attention } from '../reports/attention.ts';
import { allIsWell, describeAttention, describeUnknown, type NameOf } from '../reports/attentionTexts.ts';
import { budgetReport, type BudgetReport } from '../reports/budgetReport.ts';
import { costReport, MEASURE_OF, type CostReport } from '../reports/costReport.ts';
import { presenceReport } from '../reports/presenceReport.ts';
import { describeDays, qualityOf, type Quality } from '../reports/report.ts';
import { formatCell, formatGrowth, formatShare, type Table } from '../reports/table.ts';
import { budgetTable, costTable, dayTable } from '../reports/tables.ts';
import { unusualReport } from '../reports/unusualReport.ts';
import type { Unit } from '../reports/unit.ts';
import { peopleReport, usageReport, type UsageReport } from '../reports/usageReport.ts';

/** A part of a document: sentences, named figures, or a table with its picture. */
export interface Section {
  /** Stable name for programs. */
  readonly name: string;
  /** The organization that it is about, in a document of several. */
  readonly organization?: string;
  readonly title: string;
  readonly sentences?: readonly string[];
  readonly figures?: readonly (readonly [string, string])[];
  readonly table?: Table;
  /** The column of the table that is drawn: as columns over days, or as bars of its subjects. */
  readonly chart?: { readonly kind: 'days' | 'subjects'; readonly column: string };
}

/** Use and spending of an organization, for people who open no editor. */
export interface ReportDocument extends Quality {
  readonly title: string;
  /** `2026-11-14 to 2026-11-20, compared with 2026-11-07 to 2026-11-13` */
  readonly subtitle: string;
  readonly sections: readonly Section[];
  /** The highest share of a limit that is used, 0 without limits: 1 is all of it. */
  readonly mostUsed: number;
  /** Number of findings of unusual spending. */
  readonly unusual: number;
  /** The figures that are added where several organizations are. */
  readonly totals: Totals;
  /** Use and spending by each column of the group file. */
  readonly groups: readonly GroupReport[];
}

/** Use and spending of an organization. */
export interface Totals {
  /** Different active accounts; undefined if that is not known. */
  readonly people: number | undefined;
  readonly metrics: Metrics | undefined;
  readonly unit: Unit;
  readonly amount: Decimal | undefined;
  readonly before: Decimal | undefined;
}

export interface DocumentOptions extends LoadOptions {
  readonly before: DayRange;
  readonly groups: Groups | undefined;
  /** Limits of groups and of the organization; none by default. */
  readonly limits?: readonly GroupLimit[];
  /** Shows the names of accounts or hides them; shown by default. */
  readonly nameOf?: NameOf;
}

/** Largest number of limits in a document; the command lists all. */
const MOST_LIMITS = 100;

/** Loads the reports of the dashboard, and puts them in one document. */
export async function reportDocument(
  data: AnalyticsData,
  range: DayRange,
  { before, groups, limits = [], nameOf = (_, name) => name, ...load }: DocumentOptions,
): Promise<ReportDocument> {
  // All parts wait for one service: more at once would not be sooner.
  const [usage, people, cost] = await Promise.all([
    usageReport(data, range, { ...load, before }),
    peopleReport(data, range, load),
    costReport(data, range, { ...load, before }),
  ]);
  const [budgets, unusual, presence] = await Promise.all([
    budgetReport(data, load),
    unusualReport(data, load),
    presenceReport(data, load),
  ]);
  const byGroup = await groupReports(data, range, groups, { ...load, before });
  const groupBudgets = await groupBudgetReport(data.whole, limits, groups, load);
  const named = byGroup.columns.map((report) => withNames(report, nameOf));
  const parts: readonly Quality[] = [
    usage,
    people,
    cost,
    budgets,
    unusual,
    presence,
    byGroup,
    ...(limits.length > 0 ? [groupBudgets] : []),
  ];
  const failed = parts.flatMap((report) => failureOf({ report }));
  const attention = attentionOf({ budgets, groupBudgets, unusual, presence }, failed, data.newestDay);
  return {
    title: cost.unit === 'usd' ? 'Usage and cost' : 'Usage and credits',
    subtitle: `${describeDays(range)}, compared with ${describeDays(before)}`,
    ...qualityOf(...parts),
    mostUsed: Math.max(0, ...[...budgets.statuses, ...groupBudgets.statuses].map(({ used }) => used)),
    unusual: unusual.found.length,
    totals: {
      people: people.distinct,
      metrics: usage.metrics,
      unit: cost.unit,
      amount: cost.total,
      before: cost.before,
    },
    groups: named,
    sections: [
      { name: 'summary', title: 'Summary', figures: figuresOf(usage, people.distinct, cost) },
      attentionSection(attention, nameOf),
      { name: 'active', title: 'Active people by day', table: dayTable(usage), chart: days('active') },
      ...costSections(cost),
      ...named.map(groupSection),
      ...(limits.length > 0 ? [groupBudgetSection(groupBudgets, nameOf)] : []),
      budgetSection(budgets, nameOf),
    ],
  };
}

const days = (column: string): NonNullable<Section['chart']> => ({ kind: 'days', column });
const subjects = (column: string): NonNullable<Section['chart']> => ({ kind: 'subjects', column });

function figuresOf(
  usage: UsageReport,
  distinct: number | undefined,
  cost: CostReport,
): NonNullable<Section['figures']> {
  const { unit, month } = cost;
  const amount = (value: Decimal | undefined): string => formatCell(value, { kind: unit });
  const count = (value: number | undefined): string => formatCell(value, { kind: 'count' });
  const since = (growth: number | undefined): string => (growth === undefined ? '' : ` (${formatGrowth(growth)})`);
  const last = month?.lastMonth === undefined ? '' : `, last month ${amount(month.lastMonth)}`;
  const band = month?.band ? `, ${amount(month.band.low)} to ${amount(month.band.high)}` : '';
  const { metrics, acceptance } = usage;
  return [
    ['Different people', count(distinct)],
    ['Active on an average day', `${count(usage.meanActive)}${since(usage.growth.meanActive)}`],
    ['Messages', `${count(metrics?.total_messages)}${since(usage.growth.messages)}`],
    ['Modified lines', count(metrics?.total_modified_lines_of_code)],
    ['Suggestions accepted', formatShare(acceptance.bySuggestions)],
    [unit === 'usd' ? 'Cost' : 'Credits', `${amount(cost.total)}${since(cost.growth)}`],
    ['For each person', distinct && cost.total !== undefined ? amount(cost.total / BigInt(distinct)) : '–'],
    ...(month
      ? ([
          [`In ${month.month} so far`, `${amount(month.spent)}, ${month.daysElapsed} of ${month.daysInMonth} days`],
          [
            `In all of ${month.month}`,
            month.projected === undefined ? '–' : `${amount(month.projected)}${band}${last}`,
          ],
        ] as const)
      : []),
  ];
}

function attentionSection({ items, unit, lookedAt }: Omit<Attention, 'isLoading'>, nameOf: NameOf): Section {
  const sentences = items.map((item) => describeAttention(item, unit, nameOf));
  return {
    name: 'attention',
    title: 'Needs attention',
    sentences: [...(sentences.length === 0 ? [allIsWell()] : sentences), lookedAt],
  };
}

function costSections({ points, unit }: CostReport): Section[] {
  const noun = unit === 'usd' ? 'Cost' : 'Credits';
  return (['day', 'product', 'resource'] as const).map((dimension) => ({
    name: `cost-by-${dimension}`,
    title: `${noun} by ${dimension}`,
    table: costTable(points, dimension),
    chart: dimension === 'day' ? days(MEASURE_OF[unit]) : subjects(MEASURE_OF[unit]),
  }));
}

/** A group whose name is that of a person, such as a manager, is named as that person. */
function withNames(report: GroupReport, nameOf: NameOf): GroupReport {
  const groups = report.groups.map((one) => ({ ...one, name: nameOfGroup(one.name, nameOf) }));
  return { ...report, groups };
}

/** Use and spending by a column of the group file. */
export function groupSection(report: GroupReport): Section {
  const table = groupTable(report);
  const sum = report.groups.reduce((before, { amount }) => before + amount, 0n);
  return {
    name: `groups-by-${report.column}`,
    title: `By ${titleOfColumn(report.column).toLowerCase()}`,
    sentences: [`${formatCount(report.groups.length)} groups, ${formatCell(sum, { kind: report.unit })} together.`],
    table,
    chart: subjects(spendingColumn(report.unit).name),
  };
}

/** Limits of groups and of the organization; a group that is a person is named as that person. */
function groupBudgetSection(report: GroupBudgetReport, nameOf: NameOf): Section {
  const statuses = report.statuses.map(({ of, ...status }) => ({
    ...status,
    of: of === ORGANIZATION ? of : { ...of, group: nameOfGroup(of.group, nameOf) },
  }));
  return {
    name: 'group-budgets',
    title: 'Limits of groups this month, the most used first',
    sentences: report.unknown.map(({ of }) => describeUnknown(of, nameOf)),
    table: groupBudgetTable({ ...report, statuses }),
  };
}

function budgetSection(report: BudgetReport, nameOf: NameOf): Section {
  const all = report.statuses.length;
  const named = ({ key, identity }: BudgetStatus): Identity => ({ ...identity, name: nameOf(key, identity.name) });
  const statuses = report.statuses.slice(0, MOST_LIMITS).map((status) => ({ ...status, identity: named(status) }));
  const rest = all > MOST_LIMITS ? [`The ${MOST_LIMITS} most used of ${formatCount(all)}.`] : [];
  return {
    name: 'budgets',
    title: 'Limits this month, the most used first',
    ...(all === 0 ? { sentences: ['No account has an override.'] } : { sentences: rest }),
    ...(all > 0 && { table: budgetTable({ ...report, statuses }) }),
  };
}
