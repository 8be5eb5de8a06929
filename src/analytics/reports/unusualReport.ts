import { formatDay } from '../../base/day.ts';
import type { AnalyticsData, CostRow, LoadOptions } from '../client/analyticsData.ts';
import { daysOf, type DayRange } from '../dateRules.ts';
import { identityKey, identityOfKey, type Identity } from '../identity.ts';
import { costBy, sumOf, wholeAmount, type Dimension } from '../insights/amounts.ts';
import { onDays, seriesBy, type DaySeries } from '../insights/series.ts';
import { unusualSpending, type UnusualSpending } from '../insights/unusual.ts';
import { MEASURE_OF, type Unit } from './costReport.ts';
import { qualityOf, type Quality } from './report.ts';

/** Unusual spending of the last days. */
export interface UnusualReport extends Quality {
  readonly unit: Unit;
  /** The largest excess first. */
  readonly found: readonly UnusualSpending[];
  /** Number of accounts that were checked. */
  readonly accounts: number;
}

/** Days that models and products are compared over, and accounts. */
const WHOLE_DAYS = 84;
const ACCOUNT_DAYS = 42;
/** Only what happened in the last week is news. */
const RECENT_DAYS = 7;
/** Accounts with a daily comparison: those with the highest spending of the last week, which hold every costly one. */
const MOST_ACCOUNTS = 500;
/** Smallest excess worth a report: five dollars, or as many credits as these cost about. */
const LEAST: Readonly<Record<Unit, bigint>> = { usd: wholeAmount(5), credits: wholeAmount(500) };
const DELETED = '\0';

/**
 * Compares the last week with the weeks before, in about ten requests for 300 people; of finished days, only new ones
 * are fetched again.
 */
export async function unusualReport(data: AnalyticsData, options: LoadOptions = {}): Promise<UnusualReport> {
  const last = data.newestDay;
  const range = (days: number): DayRange => ({ first: last - days + 1, last });
  const groups = ['COST_ANALYTICS_GROUP_BY_PRODUCT', 'COST_ANALYTICS_GROUP_BY_RESOURCE'] as const;
  const [whole, week] = await Promise.all([
    data.cost(range(WHOLE_DAYS), groups, { ...options, daily: true }),
    data.cost(range(RECENT_DAYS), ['COST_ANALYTICS_GROUP_BY_USER'], options),
  ]);
  const unit: Unit = sumOf(whole.rows, 'credits_consumed') > 0n ? 'credits' : 'usd';
  const measure = MEASURE_OF[unit];
  const recent = costBy(week.rows, 'user', measure).filter(({ amount, key }) => amount > 0n && key !== DELETED);
  const isLarge = recent.length > MOST_ACCOUNTS;
  // Without a filter, the days of one request are those of the next.
  const people = isLarge ? { people: identitiesOf(recent.slice(0, MOST_ACCOUNTS)) } : {};
  const accounts = await data.cost(range(ACCOUNT_DAYS), ['COST_ANALYTICS_GROUP_BY_USER'], {
    ...options,
    ...people,
    daily: true,
  });
  const days = (count: number): string[] => daysOf(range(count)).map(formatDay);
  const series = (rows: readonly CostRow[], dimension: Dimension, count: number): DaySeries[] =>
    seriesBy(rows, dimension, measure, days(count), Number.POSITIVE_INFINITY);
  const found = unusualSpending(
    {
      last,
      whole: onDays(costBy(whole.rows, 'day', measure), days(WHOLE_DAYS)),
      accounts: series(accounts.rows, 'user', ACCOUNT_DAYS).filter(({ key }) => key !== DELETED),
      resources: series(whole.rows, 'resource', WHOLE_DAYS),
      products: series(whole.rows, 'product', WHOLE_DAYS),
    },
    { from: last - RECENT_DAYS + 1, least: LEAST[unit] },
  );
  return {
    ...qualityOf(whole, week, accounts),
    unit,
    found,
    accounts: Math.min(MOST_ACCOUNTS, recent.length),
  };
}

function identitiesOf(shares: readonly { readonly key: string; readonly name: string }[]): Identity[] {
  const found = shares.map(({ key, name }) => identityOfKey(key, name)).filter((identity) => identity !== undefined);
  // The same set is the same request, whatever its order.
  return found.sort((a, b) => (identityKey(a) < identityKey(b) ? -1 : 1));
}
