import { formatDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { AnalyticsData, CostRow, Loaded, LoadOptions } from '../client/analyticsData.ts';
import { daysOf, type DayRange } from '../dateRules.ts';
import { identityKey, identityOfKey, type Identity } from '../identity.ts';
import { costBy, wholeAmount } from '../insights/amounts.ts';
import type { Share } from '../insights/compare.ts';
import { onDays } from '../insights/series.ts';
import { materialAccounts, usualWorkingDay } from '../insights/unusual.ts';
import { ACCOUNT_DAYS } from './monthSpending.ts';
import { MEASURE_OF, unitOf, type Unit } from './unit.ts';

/** Days of the organization that the last week is compared with. */
const WHOLE_DAYS = 84;
/** Only what happened in the last week is news. */
export const RECENT_DAYS = 7;
/** Smallest excess worth a report: five dollars, or as many credits as these cost about. */
export const LEAST: Readonly<Record<Unit, bigint>> = { usd: wholeAmount(5), credits: wholeAmount(500) };
/** Accounts that are compared day by day because they have a limit: the most used limits, which alone are near. */
export const MOST_LIMITS = 200;

/** Spending of the last week by account, and that of the organization, which says what is much. */
export interface RecentSpending {
  readonly whole: Loaded<CostRow>;
  readonly week: Loaded<CostRow>;
  readonly unit: Unit;
  /** Spending of the organization on each of the compared days. */
  readonly ofOrganization: readonly Decimal[];
  /** Accounts with spending in the last week, the largest first; deleted accounts are one of them. */
  readonly accounts: readonly Share[];
  /** Those of some accounts that spent enough in a week to be unusual. */
  readonly materialIn: (accounts: readonly Share[]) => Share[];
}

export async function recentSpending(data: AnalyticsData, options: LoadOptions = {}): Promise<RecentSpending> {
  const { newestDay: last } = data;
  const [whole, week] = await Promise.all([
    data.organizationCost(lastDays(data, WHOLE_DAYS), options),
    data.cost(lastDays(data, RECENT_DAYS), ['COST_ANALYTICS_GROUP_BY_USER'], options),
  ]);
  const unit = unitOf(whole.rows);
  const measure = MEASURE_OF[unit];
  const days = daysOf(lastDays(data, WHOLE_DAYS)).map(formatDay);
  const ofOrganization = onDays(costBy(whole.rows, 'day', measure), days);
  const usualDay = usualWorkingDay(ofOrganization, last);
  const accounts = costBy(week.rows, 'user', measure).filter(({ amount }) => amount > 0n);
  const materialIn = (some: readonly Share[]): Share[] => materialAccounts(some, usualDay, LEAST[unit]);
  return { whole, week, unit, ofOrganization, accounts, materialIn };
}

/**
 * Loads the days of the accounts that are compared one by one: those with a limit, unless they are too many, and those that
 * spent much in the last week. Limits and unusual spending share this query, as each request may be one too many.
 */
export function daysOfCompared(
  data: AnalyticsData,
  limited: readonly Identity[],
  spenders: readonly Identity[],
  options: LoadOptions = {},
): Promise<Loaded<CostRow>> {
  const people = new Map(
    [...spenders, ...(limited.length > MOST_LIMITS ? [] : limited)].map((one) => [identityKey(one), one]),
  );
  // The same set is the same request, whatever its order.
  const sorted = [...people].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  return data.cost(lastDays(data, ACCOUNT_DAYS), ['COST_ANALYTICS_GROUP_BY_USER'], {
    ...options,
    daily: true,
    people: sorted,
  });
}

export function lastDays({ newestDay: last }: Pick<AnalyticsData, 'newestDay'>, count: number): DayRange {
  return { first: last - count + 1, last };
}

/** The people and service accounts of some shares. */
export function identitiesOf(shares: readonly Share[]): Identity[] {
  return shares.flatMap(({ key, name }) => identityOfKey(key, name) ?? []);
}
