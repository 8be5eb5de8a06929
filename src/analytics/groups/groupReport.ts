import type { ActivityRow, AnalyticsData, CostFilter, CostRow, Loaded, LoadOptions } from '../client/analyticsData.ts';
import type { Metrics } from '../contract.ts';
import type { DayRange } from '../dateRules.ts';
import { identityKey, identityOf, type Identity } from '../identity.ts';
import { sumOf } from '../insights/amounts.ts';
import { previousRange } from '../insights/compare.ts';
import { distinctPeople, sumMetrics } from '../insights/people.ts';
import { loadBefore, qualityOf, type Compared, type Quality } from '../reports/report.ts';
import type { Column, Table } from '../reports/table.ts';
import { costsBy, count, roundedPrice, text, USE, use } from '../reports/tables.ts';
import { MEASURE_OF, unitOf, type Unit } from '../reports/unit.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { Groups } from './groups.ts';
import { groupRows, type Grouped, type GroupedRow } from './memberDays.ts';

/** Use and spending of one group over a range of days. */
export interface GroupUse {
  readonly name: string;
  /** Different active accounts; one that moved counts in both groups. */
  readonly people: number;
  readonly metrics: Metrics;
  readonly amount: Decimal;
  /** The amount for each active account; undefined without any. */
  readonly perPerson: Decimal | undefined;
  /** The amount of the period that is compared with; undefined if that is not known. */
  readonly before: Decimal | undefined;
}

/** Use and spending by group. Sums of messages, lines and amounts over the groups are those of the organization. */
export interface GroupReport extends Quality {
  readonly range: DayRange;
  readonly column: string;
  readonly unit: Unit;
  /** The highest amount first; equal ones by name. */
  readonly groups: readonly GroupUse[];
}

/** The reports of all columns of a group file; without a file, there are none. */
export interface GroupReports extends Quality {
  readonly columns: readonly GroupReport[];
}

/** Builds the reports of all columns; each load of accounts serves all of them. */
export async function groupReports(
  data: AnalyticsData,
  range: DayRange,
  groups: Groups | undefined,
  { before = previousRange(range), ...options }: LoadOptions & Compared = {},
): Promise<GroupReports> {
  const loads = accountLoads(data, options);
  const columns: GroupReport[] = [];
  for (const column of groups?.columns ?? [])
    columns.push(await reportOf(data, range, { groups: groups!, column, loads, before }));
  return { ...qualityOf(...columns), columns };
}

/** Builds the report with a request per hundred people, and further ones for the days between moves. */
export async function groupReport(
  data: AnalyticsData,
  range: DayRange,
  groups: Groups,
  column: string,
  options: LoadOptions = {},
): Promise<GroupReport> {
  return reportOf(data, range, { groups, column, loads: accountLoads(data, options) });
}

interface ReportParts extends Compared {
  readonly groups: Groups;
  readonly column: string;
  readonly loads: AccountLoads;
}

/** With `before`, the spending of that period is compared. */
async function reportOf(
  data: AnalyticsData,
  range: DayRange,
  { groups, column, loads, before: compared }: ReportParts,
): Promise<GroupReport> {
  const costsIn = (days: DayRange): Promise<Grouped<CostRow>> => groupRows(groups, column, days, loads.cost, accountOf);
  const [activity, cost, earlier] = await Promise.all([
    groupRows(groups, column, range, loads.activity, identityOf),
    costsIn(range),
    compared && loadBefore(data, range, costsIn, compared),
  ]);
  const costs = cost.rows.map(({ row }) => row);
  const unit = unitOf(costs);
  const byGroup = new Map<string, { readonly active: ActivityRow[]; readonly costs: CostRow[] }>();
  const of = (group: string): { readonly active: ActivityRow[]; readonly costs: CostRow[] } => {
    const known = byGroup.get(group) ?? { active: [], costs: [] };
    byGroup.set(group, known);
    return known;
  };
  for (const { row, group } of activity.rows) of(group).active.push(row);
  for (const { row, group } of cost.rows) of(group).costs.push(row);
  const before = earlier && amountsOf(earlier, unit);
  for (const group of before?.keys() ?? []) of(group);
  const sums = [...byGroup].map(([name, rows]): GroupUse => {
    const [people, amount] = [distinctPeople(rows.active), sumOf(rows.costs, MEASURE_OF[unit])];
    const perPerson = people === 0 ? undefined : amount / BigInt(people);
    const metrics = sumMetrics(rows.active.map((row) => row.metrics));
    return { name, people, amount, perPerson, metrics, before: before && (before.get(name) ?? 0n) };
  });
  return {
    ...qualityOf(activity, cost),
    range,
    column,
    unit,
    groups: sums.sort(compareGroups),
  };
}

/** The highest amount first; equal ones by name. */
export function compareGroups(a: Pick<GroupUse, 'name' | 'amount'>, b: Pick<GroupUse, 'name' | 'amount'>): number {
  if (a.amount === b.amount) return a.name < b.name ? -1 : 1;
  return a.amount > b.amount ? -1 : 1;
}

/** Loads the rows of accounts over a range of days. */
export type Load<Row> = (range: DayRange) => Promise<Loaded<Row>>;

interface AccountLoads {
  readonly activity: Load<ActivityRow>;
  readonly cost: Load<CostRow>;
}

function accountLoads(data: AnalyticsData, options: LoadOptions & CostFilter): AccountLoads {
  return {
    activity: oncePerRange((days) => data.activity(days, options)),
    cost: oncePerRange((days) => data.cost(days, ['COST_ANALYTICS_GROUP_BY_USER'], options)),
  };
}

/** Loads each range once. */
export function oncePerRange<Row>(load: Load<Row>): Load<Row> {
  const loads = new Map<string, Promise<Loaded<Row>>>();
  return (range) => {
    const key = `${range.first} ${range.last}`;
    const loading = loads.get(key) ?? load(range);
    loads.set(key, loading);
    return loading;
  };
}

/** The cost of each account by group. That of deleted accounts and bots is in no group. */
export async function groupedCost(
  data: AnalyticsData,
  range: DayRange,
  groups: Groups,
  column: string,
  options: LoadOptions & CostFilter = {},
): Promise<Grouped<CostRow>> {
  return groupRows(groups, column, range, accountLoads(data, options).cost, accountOf);
}

/** The spending of each group. */
function amountsOf(rows: readonly GroupedRow<CostRow>[], unit: Unit): Map<string, Decimal> {
  const amounts = new Map<string, Decimal>();
  for (const { row, group } of rows) amounts.set(group, (amounts.get(group) ?? 0n) + sumOf([row], MEASURE_OF[unit]));
  return amounts;
}

/** The account of a row; undefined for bots and deleted accounts. */
export function accountOf({ group_by_values: { user_info: info } }: CostRow): Identity | undefined {
  const isNamed = info?.user_email !== undefined || info?.service_account_name !== undefined;
  return isNamed ? identityOf(info) : undefined;
}

/** The name of a group. That of a person, such as a manager, is shown or hidden as those of accounts are. */
export function nameOfGroup(name: string, nameOf: (key: string, name: string) => string): string {
  return name.includes('@') ? nameOf(identityKey({ kind: 'user_email', name }), name) : name;
}

/** `Cost center` of `cost_center` */
export function titleOfColumn(column: string): string {
  return column.charAt(0).toUpperCase() + column.slice(1).replaceAll('_', ' ');
}

/** The column of a group's spending. */
export function spendingColumn(unit: Unit): Column {
  return { name: MEASURE_OF[unit], title: unit === 'usd' ? 'Cost' : 'Credits', kind: unit };
}

/** Each group with its people, use and spending. */
export function groupTable({ groups, column, unit }: GroupReport): Table {
  const spending = spendingColumn(unit);
  const isCompared = groups.some(({ before }) => before !== undefined);
  return {
    columns: [
      text(column, titleOfColumn(column)),
      count('people', 'People'),
      ...USE,
      spending,
      { name: `${spending.name}_per_person`, title: 'A person', kind: unit },
      ...(isCompared ? [{ name: `${spending.name}_before`, title: 'Before', kind: unit }] : []),
    ],
    rows: groups.map((one) => [
      one.name,
      one.people,
      ...use(one.metrics),
      one.amount,
      roundedPrice(one.perPerson),
      ...(isCompared ? [one.before] : []),
    ]),
  };
}

/** The cost of each group, as that of a dimension of the service. */
export function groupedCostTable(rows: readonly GroupedRow<CostRow>[], column: string): Table {
  const groupOf = new Map(rows.map(({ row, group }) => [row as object, group]));
  const points = rows.map(({ row }) => row);
  return costsBy(
    points,
    (point) => ({ key: groupOf.get(point)!, name: groupOf.get(point)! }),
    text(column, titleOfColumn(column)),
  );
}
