import { formatDay } from '../../base/day.ts';
import type { AnalyticsData, CostRow, Loaded, LoadOptions } from '../client/analyticsData.ts';
import { daysOf, type DayRange } from '../dateRules.ts';
import { identityKey, identityOfKey, type Identity } from '../identity.ts';
import { costBy, wholeAmount, type Dimension, type Measure } from '../insights/amounts.ts';
import type { Share } from '../insights/compare.ts';
import { onDays, seriesBy, type DaySeries } from '../insights/series.ts';
import { materialAccounts, unusualSpending, usualWorkingDay, type UnusualSpending } from '../insights/unusual.ts';
import { MEASURE_OF, unitOf, type Unit } from './unit.ts';
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
/** Smallest excess worth a report: five dollars, or as many credits as these cost about. */
const LEAST: Readonly<Record<Unit, bigint>> = { usd: wholeAmount(5), credits: wholeAmount(500) };
const DELETED = '\0';

/**
 * Compares the last week with the weeks before, in a request per thousand accounts and one or two for the days of those
 * that spent much. The days of the organization are those of the other reports.
 */
export async function unusualReport(data: AnalyticsData, options: LoadOptions = {}): Promise<UnusualReport> {
  const last = data.newestDay;
  const range = (days: number): DayRange => ({ first: last - days + 1, last });
  const [whole, week] = await Promise.all([
    data.organizationCost(range(WHOLE_DAYS), options),
    data.cost(range(RECENT_DAYS), ['COST_ANALYTICS_GROUP_BY_USER'], options),
  ]);
  const unit = unitOf(whole.rows);
  const measure = MEASURE_OF[unit];
  const days = (count: number): string[] => daysOf(range(count)).map(formatDay);
  const recent = costBy(week.rows, 'user', measure).filter(({ amount, key }) => amount > 0n && key !== DELETED);
  const ofOrganization = onDays(costBy(whole.rows, 'day', measure), days(WHOLE_DAYS));
  const usualDay = usualWorkingDay(ofOrganization, last);
  const materialIn: MaterialIn = (shares) => materialAccounts(shares, usualDay, LEAST[unit]);
  const accounts = await daysOfAccounts(data, recent, measure, materialIn, options);
  const series = (rows: readonly CostRow[], dimension: Dimension, count: number): DaySeries[] =>
    seriesBy(rows, dimension, measure, days(count), Number.POSITIVE_INFINITY);
  const found = unusualSpending(
    {
      last,
      whole: ofOrganization,
      accounts: series(accounts?.rows ?? [], 'user', ACCOUNT_DAYS).filter(({ key }) => key !== DELETED),
      accountCount: recent.length,
      resources: series(whole.rows, 'resource', WHOLE_DAYS),
      products: series(whole.rows, 'product', WHOLE_DAYS),
    },
    { from: last - RECENT_DAYS + 1, least: LEAST[unit] },
  );
  return {
    ...qualityOf(whole, week, ...(accounts ? [accounts] : [])),
    unit,
    found,
    accounts: recent.length,
  };
}

/** Accounts of an organization above which the days of all take too many requests: those of bots are then left out. */
const MANY_ACCOUNTS = 500;
/** Weeks that the last week of a bot is compared with. */
const WEEKS_BEFORE = 5;

/** Those of some accounts that spent enough to be unusual. */
type MaterialIn = (shares: readonly Share[]) => readonly Share[];

/** Loads the days of the material accounts; of all, if these are half of them or a bot grew, as no filter names a bot. */
async function daysOfAccounts(
  data: AnalyticsData,
  recent: readonly Share[],
  measure: Measure,
  materialIn: MaterialIn,
  options: LoadOptions,
): Promise<Loaded<CostRow> | undefined> {
  const accounts = materialIn(recent);
  const people = identitiesOf(accounts);
  const bots = accounts.filter(({ key, name }) => identityOfKey(key, name) === undefined);
  const areMost = accounts.length * 2 >= recent.length;
  const areAll =
    recent.length <= MANY_ACCOUNTS && (areMost || (await hasGrown(data, bots, measure, materialIn, options)));
  // A filter without people would be for all of them.
  if (people.length === 0 && !areAll) return undefined;
  const of = areAll ? {} : { people };
  const range = { first: data.newestDay - ACCOUNT_DAYS + 1, last: data.newestDay };
  return data.cost(range, ['COST_ANALYTICS_GROUP_BY_USER'], { ...options, ...of, daily: true });
}

/** Whether the last week of a bot grew by the smallest excess: of the others, no day was that unusual. */
async function hasGrown(
  data: AnalyticsData,
  bots: readonly Share[],
  measure: Measure,
  materialIn: MaterialIn,
  options: LoadOptions,
): Promise<boolean> {
  if (bots.length === 0) return false;
  const last = data.newestDay - RECENT_DAYS;
  const days = { first: last - WEEKS_BEFORE * RECENT_DAYS + 1, last };
  const past = await data.cost(days, ['COST_ANALYTICS_GROUP_BY_USER'], options);
  const before = new Map(costBy(past.rows, 'user', measure).map(({ key, amount }) => [key, amount]));
  const growth = bots.map((bot) => ({
    ...bot,
    amount: bot.amount - (before.get(bot.key) ?? 0n) / BigInt(WEEKS_BEFORE),
  }));
  return materialIn(growth).length > 0;
}

function identitiesOf(shares: readonly Share[]): Identity[] {
  const found = shares.map(({ key, name }) => identityOfKey(key, name)).filter((identity) => identity !== undefined);
  // The same set is the same request, whatever its order.
  return found.sort((a, b) => (identityKey(a) < identityKey(b) ? -1 : 1));
}
