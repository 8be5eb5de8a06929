import { firstOfMonth, parseDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { AnalyticsData, Loaded, LoadOptions } from '../client/analyticsData.ts';
import type { DayRange } from '../dateRules.ts';
import { identityKey, identityOfKey, type Identity } from '../identity.ts';
import { costBy, creditsBy } from '../insights/amounts.ts';
import { byUse, limitStatus, ORGANIZATION, type GroupStatus } from '../insights/budgets.ts';
import { shares, total, type Share } from '../insights/compare.ts';
import type { History } from '../insights/forecast.ts';
import { ACCOUNT_DAYS, finishedDays, historyOf, openDays, type OpenDays } from '../reports/monthSpending.ts';
import { qualityOf, type Quality } from '../reports/report.ts';
import type { Table } from '../reports/table.ts';
import { limitCells, limitColumns, text } from '../reports/tables.ts';
import { MEASURE_OF, unitOf, type Unit } from '../reports/unit.ts';
import { describeGroup, groupFields, type GroupLimit } from './groupLimits.ts';
import type { ChosenGroup } from './groupData.ts';
import { oncePerRange, type Load } from './groupReport.ts';
import { UNMAPPED, type Groups } from './groups.ts';
import { groupRows } from './memberDays.ts';

/** Budget status this month of groups and of the organization. */
export interface GroupBudgetReport extends Quality {
  readonly unit: Unit;
  /** The largest used share first. */
  readonly statuses: readonly GroupStatus[];
  /** Limits of groups that the group file does not have. */
  readonly unknown: readonly GroupLimit[];
  /** The end of the counted time, in milliseconds since 1970. */
  readonly countedUntil: number;
}

/** Groups with a daily past: the most used limits, as each takes a request. */
const MOST_HISTORIES = 25;

/**
 * The limits of groups, and their consumption this month: that of finished days by cost-analytics, and with credits what
 * is known of today, so that the groups of a column together have the spending of the organization. Each day counts in
 * the group of that day. Throws the error of an unreachable service if a day is unknown.
 */
export async function groupBudgetReport(
  data: AnalyticsData,
  limits: readonly GroupLimit[],
  groups: Groups | undefined,
  options: LoadOptions = {},
): Promise<GroupBudgetReport> {
  const isKnown = ({ of }: GroupLimit): boolean =>
    of === ORGANIZATION || (groups !== undefined && (isUnmapped(of, groups) || groups.has(of)));
  const unknown = limits.filter((one) => !isKnown(one));
  const wanted = limits.filter(isKnown);
  if (wanted.length === 0) return { ...qualityOf(), unit: 'credits', statuses: [], unknown, countedUntil: 0 };
  const month = await loadMonth(data, options);
  const columns = new Set(wanted.flatMap(({ of }) => (of === ORGANIZATION ? [] : [of.column])));
  const spent = new Map<string, Decimal>([[ORGANIZATION, total(month.all.rows)]]);
  const qualities: Quality[] = [month.quality];
  for (const column of columns) {
    const grouped = await groupRows(groups!, column, month.range, month.load, identityOfShare);
    for (const { row, group } of grouped.rows) {
      const key = describeGroup({ column, group });
      spent.set(key, (spent.get(key) ?? 0n) + row.amount);
    }
    qualities.push({ ...grouped });
  }
  const statusOf = ({ of, limit }: GroupLimit, history?: History): GroupStatus => {
    const key = describeGroup(of);
    return {
      of,
      ...limitStatus({ key, limit: BigInt(limit), spent: spent.get(key) ?? 0n }, month.countedUntil, history),
    };
  };
  const first = wanted.map((one) => statusOf(one)).sort(byUse);
  const past = await historiesOf(data, first.slice(0, MOST_HISTORIES), groups, { ...options, unit: month.unit });
  const statuses = wanted.map((one) => statusOf(one, past.get(describeGroup(one.of)))).sort(byUse);
  return { ...qualityOf(...qualities), unit: month.unit, statuses, unknown, countedUntil: month.countedUntil };
}

function isUnmapped({ column, group }: ChosenGroup, { columns }: Groups): boolean {
  return group === UNMAPPED && columns.includes(column);
}

interface Month {
  readonly unit: Unit;
  readonly range: DayRange;
  /** Spending of each account, deleted ones and bots included, over days of the month. */
  readonly load: Load<Share>;
  /** That of the whole month so far. */
  readonly all: Loaded<Share>;
  readonly countedUntil: number;
  readonly quality: Quality;
}

/** Spending of this month by account, whose sum is that of the organization. */
async function loadMonth(data: AnalyticsData, options: LoadOptions): Promise<Month> {
  const unit = await unitOfMonth(data, options);
  const open = await openDays(data, unit, options);
  const first = firstOfMonth(data.today);
  const range = { first, last: Math.max(first, data.newestDay, data.today) };
  const load = oncePerRange((days: DayRange) => spendingIn(data, days, { ...options, unit, open }));
  const all = await load(range);
  for (const { offline, missing } of [all, ...open.loaded]) if (offline && missing.length > 0) throw offline;
  return { unit, range, load, all, countedUntil: open.countedUntil, quality: qualityOf(all, ...open.loaded) };
}

/** The unit of the last weeks: a month may have no figures yet. */
async function unitOfMonth(data: AnalyticsData, options: LoadOptions): Promise<Unit> {
  return unitOf((await data.cost(pastOf(data), ['COST_ANALYTICS_GROUP_BY_USER'], options)).rows);
}

function pastOf({ newestDay }: AnalyticsData): DayRange {
  return { first: newestDay - ACCOUNT_DAYS + 1, last: newestDay };
}

async function spendingIn(
  data: AnalyticsData,
  { first, last }: DayRange,
  { unit, open, ...options }: LoadOptions & { readonly unit: Unit; readonly open: OpenDays },
): Promise<Loaded<Share>> {
  const finished = { first, last: Math.min(last, data.newestDay) };
  const cost = finished.last < first ? undefined : await data.cost(finished, ['COST_ANALYTICS_GROUP_BY_USER'], options);
  const today = open.rows.filter(({ date }) => {
    const day = parseDay(date ?? '');
    return day !== undefined && day >= first && day <= last;
  });
  const { asOf, missing, offline } = qualityOf(...(cost ? [cost] : []));
  const rows = shares([...costBy(cost?.rows ?? [], 'user', MEASURE_OF[unit]), ...creditsBy(today, 'user')]);
  return { rows, asOf, missing, ...(offline && { offline }) };
}

function identityOfShare({ key, name }: Share): Identity | undefined {
  return identityOfKey(key, name);
}

/**
 * Finished days for projections, by group: those of the accounts that are in the group today, as they will spend the rest
 * of the month. Empty if they are not known.
 */
async function historiesOf(
  data: AnalyticsData,
  statuses: readonly GroupStatus[],
  groups: Groups | undefined,
  { unit, ...options }: LoadOptions & { readonly unit: Unit },
): Promise<ReadonlyMap<string, History>> {
  const past = pastOf(data);
  const measure = MEASURE_OF[unit];
  const accounts = costBy(
    (await data.cost(past, ['COST_ANALYTICS_GROUP_BY_USER'], options)).rows,
    'user',
    measure,
  ).flatMap((share) => identityOfShare(share) ?? []);
  const all = await Promise.all(
    statuses.map(async ({ of, key }): Promise<readonly [string, History] | undefined> => {
      if (of === ORGANIZATION) {
        const { known, ...days } = await finishedDays(data, data.newestDay, options);
        return known && [key, historyOf({ ...days, known }, measure)];
      }
      const people = accounts
        .filter((one) => groups?.groupOf(one, of.column, data.today) === of.group)
        .sort((a, b) => (identityKey(a) < identityKey(b) ? -1 : 1));
      // A request without people would be for all of them.
      if (people.length === 0) return undefined;
      const days = await data.cost(past, [], { ...options, daily: true, people });
      return days.missing.length > 0 ? undefined : [key, historyOf({ rows: days.rows, known: past }, measure)];
    }),
  );
  return new Map(all.filter((one) => one !== undefined));
}

/** Each limit of a group and its status. */
export function groupBudgetTable({ statuses, unit }: GroupBudgetReport): Table {
  return {
    columns: [text('column', 'Column'), text('group', 'Group'), ...limitColumns(unit)],
    rows: statuses.map(({ of, ...status }) => [groupFields(of).column, groupFields(of).group, ...limitCells(status)]),
  };
}
