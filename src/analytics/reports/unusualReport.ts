import { formatDay } from '../../base/day.ts';
import { isCancelled } from '../../base/errors.ts';
import type { AnalyticsData, CostRow, Loaded, LoadOptions } from '../client/analyticsData.ts';
import { daysOf } from '../dateRules.ts';
import { identityOf, identityOfKey, type Identity } from '../identity.ts';
import { costBy, type Dimension } from '../insights/amounts.ts';
import type { Share } from '../insights/compare.ts';
import { onDays, seriesBy, withRest, type DaySeries } from '../insights/series.ts';
import { unusualSpending, type UnusualSpending } from '../insights/unusual.ts';
import { daysOfCompared, identitiesOf, lastDays, LEAST, RECENT_DAYS, recentSpending } from './comparedAccounts.ts';
import type { RecentSpending } from './comparedAccounts.ts';
import { ACCOUNT_DAYS } from './monthSpending.ts';
import { qualityOf, type Quality } from './report.ts';
import { MEASURE_OF, type Unit } from './unit.ts';

/** Unusual spending of the last days. */
export interface UnusualReport extends Quality {
  readonly unit: Unit;
  /** The largest excess first. */
  readonly found: readonly UnusualSpending[];
  /** Number of accounts that were checked. */
  readonly accounts: number;
}

const DELETED = '\0';
/** Rows of cost-analytics in one request. */
const ROWS_OF_PAGE = 1000;
/** Weeks that the last week of a bot is compared with. */
const WEEKS_BEFORE = ACCOUNT_DAYS / RECENT_DAYS - 1;

/**
 * Compares the last week with the weeks before: the organization, its models and products by the days of the other reports,
 * and the accounts that spent much, in two to four requests for up to a thousand accounts.
 */
export async function unusualReport({ now: data }: AnalyticsData, options: LoadOptions = {}): Promise<UnusualReport> {
  const [recent, limited] = await Promise.all([recentSpending(data, options), limitedAccounts(data, options)]);
  const { whole, week, unit, ofOrganization } = recent;
  const accounts = recent.accounts.filter(({ key }) => key !== DELETED);
  const parts =
    accounts.length * ACCOUNT_DAYS <= ROWS_OF_PAGE
      ? [await daysOfAll(data, recent, options)]
      : await Promise.all([
          daysOfAccounts(data, recent, accounts, limited, options),
          daysOfBots(data, recent, accounts, options),
        ]);
  const last = data.newestDay;
  const series = (dimension: Dimension): DaySeries[] => {
    const days = daysOf({ first: last - ofOrganization.length + 1, last }).map(formatDay);
    return seriesBy(whole.rows, dimension, MEASURE_OF[unit], days, Number.POSITIVE_INFINITY);
  };
  const found = unusualSpending(
    {
      last,
      whole: ofOrganization,
      accounts: parts.flatMap((part) => part.series),
      accountCount: accounts.length,
      resources: series('resource'),
      products: series('product'),
    },
    { from: last - RECENT_DAYS + 1, least: LEAST[unit] },
  );
  return {
    ...qualityOf(whole, week, ...parts.flatMap(({ loaded }) => loaded)),
    unit,
    found,
    accounts: accounts.length,
  };
}

/** Days of some accounts, and the answers that they are from. */
interface AccountDays {
  readonly series: readonly DaySeries[];
  readonly loaded: readonly Loaded<CostRow>[];
}

/** The accounts with a limit; without an answer, none: their days are loaded along for the report of limits alone. */
async function limitedAccounts(data: AnalyticsData, options: LoadOptions): Promise<Identity[]> {
  try {
    return (await data.budgets(options)).rows.map(identityOf);
  } catch (error) {
    if (isCancelled(error)) throw error;
    return [];
  }
}

/** Loads the days of all accounts, bots too. */
async function daysOfAll(data: AnalyticsData, { unit }: RecentSpending, options: LoadOptions): Promise<AccountDays> {
  const range = lastDays(data, ACCOUNT_DAYS);
  const daily = await data.cost(range, ['COST_ANALYTICS_GROUP_BY_USER'], { ...options, daily: true });
  return { series: seriesOf(data, daily, unit), loaded: [daily] };
}

function seriesOf(data: AnalyticsData, daily: Loaded<CostRow>, unit: Unit): DaySeries[] {
  const days = daysOf(lastDays(data, ACCOUNT_DAYS)).map(formatDay);
  const series = seriesBy(daily.rows, 'user', MEASURE_OF[unit], days, Number.POSITIVE_INFINITY);
  return series.filter(({ key }) => key !== DELETED);
}

/** Loads the days of the people and service accounts that spent much. */
async function daysOfAccounts(
  data: AnalyticsData,
  { unit, materialIn }: RecentSpending,
  accounts: readonly Share[],
  limited: readonly Identity[],
  options: LoadOptions,
): Promise<AccountDays> {
  const material = materialIn(accounts);
  const people = identitiesOf(material);
  // A filter without people would be for all of them.
  if (people.length === 0) return { series: [], loaded: [] };
  const daily = await daysOfCompared(data, limited, people, options);
  const keys = new Set(material.map(({ key }) => key));
  return { series: seriesOf(data, daily, unit).filter(({ key }) => keys.has(key)), loaded: [daily] };
}

/**
 * The days of bots, whom no filter of the service can name: those of all accounts less those of all people and service
 * accounts, so that all bots together take one request, and the pages of all accounts are not needed. They are loaded only if
 * the last week of a bot grew by the smallest excess: of the others, no day was that unusual.
 */
async function daysOfBots(
  data: AnalyticsData,
  { whole, week, unit, materialIn }: RecentSpending,
  accounts: readonly Share[],
  options: LoadOptions,
): Promise<AccountDays> {
  const measure = MEASURE_OF[unit];
  const bots = materialIn(accounts).filter(({ key, name }) => identityOfKey(key, name) === undefined);
  // The names of more accounts are in many pages.
  if (bots.length === 0 || accounts.length > ROWS_OF_PAGE) return { series: [], loaded: [] };
  const last = data.newestDay - RECENT_DAYS;
  const weeks = { first: last - WEEKS_BEFORE * RECENT_DAYS + 1, last };
  const past = await data.cost(weeks, ['COST_ANALYTICS_GROUP_BY_USER'], options);
  const before = new Map(costBy(past.rows, 'user', measure).map(({ key, amount }) => [key, amount]));
  const growth = bots.map((bot) => ({
    ...bot,
    amount: bot.amount - (before.get(bot.key) ?? 0n) / BigInt(WEEKS_BEFORE),
  }));
  const grown = materialIn(growth);
  const all = costBy([...week.rows, ...past.rows], 'user', measure).filter(({ amount }) => amount > 0n);
  const [bot] = grown;
  if (!bot || past.missing.length > 0) return { series: [], loaded: [past] };
  const people = identitiesOf(all);
  const range = lastDays(data, ACCOUNT_DAYS);
  // A filter without people would be for all accounts.
  const ofPeople = people.length === 0 ? undefined : await data.cost(range, [], { ...options, people, daily: true });
  const loaded = [past, ...(ofPeople ? [ofPeople] : [])];
  if ([whole, ...loaded].some(({ missing }) => missing.length > 0)) return { series: [], loaded };
  const days = daysOf(range).map(formatDay);
  const on = (rows: readonly CostRow[]): DaySeries['amounts'] => onDays(costBy(rows, 'day', measure), days);
  const named = { key: '', name: '', amounts: on(ofPeople?.rows ?? []) };
  const rest = withRest([named], on(whole.rows)).slice(1);
  const name = nameOfBots(
    grown,
    all.filter(({ key, name }) => identityOfKey(key, name) === undefined),
  );
  return { series: rest.map(({ amounts }) => ({ key: bot.key, name, amounts })), loaded };
}

/** `Review Bot`, `Review Bot (with 2 other bots and deleted accounts)`: `grown`, and all that are counted with them. */
function nameOfBots(grown: readonly Share[], all: readonly Share[]): string {
  const keys = new Set(grown.map(({ key }) => key));
  const others = all.filter(({ key }) => !keys.has(key) && key !== DELETED).length;
  const parts = [
    ...(others === 0 ? [] : [`${others} other bot${others === 1 ? '' : 's'}`]),
    ...(all.some(({ key }) => key === DELETED) ? ['deleted accounts'] : []),
  ];
  const names = grown.map(({ name }) => name).join(', ');
  return parts.length === 0 ? names : `${names} (with ${parts.join(' and ')})`;
}
