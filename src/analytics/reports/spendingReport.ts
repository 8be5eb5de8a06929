import type { AnalyticsData, CostRow, LoadOptions } from '../client/analyticsData.ts';
import { daysOf, type DayRange } from '../dateRules.ts';
import { identityKey, identityOf, type Identity } from '../identity.ts';
import { costBy } from '../insights/amounts.ts';
import type { BurnDown } from '../insights/budgets.ts';
import { formatDay } from '../../base/day.ts';
import { seriesBy, type DaySeries } from '../insights/series.ts';
import { MEASURE_OF, unitOf, type Unit } from './unit.ts';
import { ACCOUNT_DAYS, historyOf, monthOf, openDays } from './monthSpending.ts';
import { qualityOf, type Quality } from './report.ts';

/** Spending of each person. */
export interface SpendingReport extends Quality {
  readonly range: DayRange;
  readonly unit: Unit;
  /** By account, over the range. */
  readonly points: readonly CostRow[];
  /** The same of those people, day by day. */
  readonly daily: readonly CostRow[];
  /** The people with the highest spending, day by day, the largest first. */
  readonly topPeople: readonly (DaySeries & { readonly identity: Identity })[];
}

/** Number of people with a daily breakdown. */
export const TOP_PEOPLE = 25;

/**
 * Builds the report with a request per thousand people, and one for the top people. In credits, if the plan has them.
 */
export async function spendingReport(
  data: AnalyticsData,
  range: DayRange,
  options: LoadOptions = {},
): Promise<SpendingReport> {
  const total = await data.cost(range, ['COST_ANALYTICS_GROUP_BY_USER'], options);
  const unit = unitOf(total.rows);
  const measure = MEASURE_OF[unit];
  const identities = new Map<string, Identity>();
  for (const {
    group_by_values: { user_info: info },
  } of total.rows)
    if (info?.user_email !== undefined || info?.service_account_name !== undefined) {
      const identity = identityOf(info);
      identities.set(identityKey(identity), identity);
    }
  const most = costBy(total.rows, 'user', measure)
    .filter(({ key, amount }) => identities.has(key) && amount > 0n)
    .slice(0, TOP_PEOPLE);
  const base = { range, unit, points: total.rows };
  if (most.length === 0) return { ...qualityOf(total), ...base, daily: [], topPeople: [] };
  const people = most.map(({ key }) => identities.get(key)!);
  const daily = await data.cost(range, ['COST_ANALYTICS_GROUP_BY_USER'], { ...options, daily: true, people });
  const days = daysOf(range).map(formatDay);
  const series = seriesBy(daily.rows, 'user', measure, days, TOP_PEOPLE);
  return {
    ...qualityOf(total, daily),
    ...base,
    daily: daily.rows,
    topPeople: series.flatMap((one) => {
      const identity = identities.get(one.key);
      return identity ? [{ ...one, identity }] : [];
    }),
  };
}

/** Joint spending of some people: in the range by resource and day, and in this month. */
export interface PeopleSpending extends Quality {
  readonly range: DayRange;
  readonly unit: Unit;
  readonly points: readonly CostRow[];
  readonly burnDown: BurnDown;
}

/** Sends three requests, one of which is shared by all reports. `people` must not be empty: the service would take that for all people. */
export async function peopleSpending(
  data: AnalyticsData,
  range: DayRange,
  people: readonly [Identity, ...Identity[]],
  unit: Unit,
  options: LoadOptions = {},
): Promise<PeopleSpending> {
  // As for limits, the month is this one, whatever the range.
  const past = { first: data.newestDay - ACCOUNT_DAYS + 1, last: data.newestDay };
  const of = { ...options, daily: true, people };
  const [cost, days, open] = await Promise.all([
    data.cost(range, ['COST_ANALYTICS_GROUP_BY_RESOURCE'], of),
    data.cost(past, [], of),
    openDays(data, unit, options),
  ]);
  const keys = new Set(people.map(identityKey));
  const own = open.spent.filter(({ key }) => keys.has(key));
  const burn = monthOf(historyOf({ rows: days.rows, known: past }, MEASURE_OF[unit]), own, open.countedUntil);
  return { ...qualityOf(cost, days, ...open.loaded), range, unit, points: cost.rows, burnDown: burn };
}

/** Cost by expert, day by day. */
export interface ExpertReport extends Quality {
  readonly points: readonly CostRow[];
}

export async function expertReport(
  data: AnalyticsData,
  range: DayRange,
  options: LoadOptions = {},
): Promise<ExpertReport> {
  const cost = await data.cost(range, ['COST_ANALYTICS_GROUP_BY_EXPERT'], { ...options, daily: true });
  return { ...qualityOf(cost), points: cost.rows };
}
