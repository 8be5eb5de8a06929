import { firstOfMonth, formatDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { AnalyticsData, Loaded, LoadOptions } from '../client/analyticsData.ts';
import type { LimitUse } from '../budgets/effect.ts';
import { RESOURCE_OF_PLAN } from '../contract.ts';
import { identityKey, identityOfKey, type Identity } from '../identity.ts';
import { daysOf, type DayRange } from '../dateRules.ts';
import { costBy, creditsBy, sumOf, type Measure } from '../insights/amounts.ts';
import { budgetStatuses, type BudgetStatus } from '../insights/budgets.ts';
import { shares, type Share } from '../insights/compare.ts';
import type { History } from '../insights/forecast.ts';
import { seriesBy } from '../insights/series.ts';
import { daysOfCompared, identitiesOf, lastDays, MOST_LIMITS, recentSpending } from './comparedAccounts.ts';
import { ACCOUNT_DAYS, openDays } from './monthSpending.ts';
import { qualityOf, type Quality } from './report.ts';
import { MEASURE_OF, unitOf, type Unit } from './unit.ts';

/** An account under the plan's default, and its consumption this month. */
export interface Unlimited {
  readonly identity: Identity;
  readonly spent: Decimal;
}

/** Budget status this month of all with an override, and the consumption of those without one. */
export interface BudgetReport extends Quality {
  readonly unit: Unit;
  /** The largest used share first. */
  readonly statuses: readonly BudgetStatus[];
  /** Accounts with consumption and without an override, the most first. */
  readonly others: readonly Unlimited[];
  /** The end of the counted time, in milliseconds since 1970. */
  readonly countedUntil: number;
}

/**
 * The overrides, and the consumption of their accounts this month: finished days, and with credits what is known of
 * today. Throws the error of an unreachable service
 * if either is unknown.
 */
export async function budgetReport({ now: data }: AnalyticsData, options?: LoadOptions): Promise<BudgetReport> {
  const overrides = await data.budgets(options);
  // Unknown must not look like no override or no consumption.
  if (overrides.offline && overrides.missing.length > 0) throw overrides.offline;
  const [first] = overrides.rows;
  const isUsd = first ? first.resource === RESOURCE_OF_PLAN.usd : await isBilledInDollars(data, options);
  const unit: Unit = isUsd ? 'usd' : 'credits';
  const { spent: consumption, countedUntil, loaded: used } = await monthConsumption(data, unit, options);
  const measure = MEASURE_OF[unit];
  const histories = await historiesOf(
    data,
    budgetStatuses(overrides.rows, consumption, countedUntil),
    measure,
    options,
  );
  const own = budgetStatuses(overrides.rows, consumption, countedUntil, histories);
  const limited = new Set(own.map(({ key }) => key));
  return {
    ...qualityOf(overrides, ...used),
    unit,
    statuses: own,
    others: consumption.flatMap(({ key, name, amount: spent }) => {
      const identity = limited.has(key) ? undefined : identityOfKey(key, name);
      return identity ? [{ identity, spent }] : [];
    }),
    countedUntil,
  };
}

/** Whether the last weeks cost dollars and no credits: without an override, only this shows the plan. */
async function isBilledInDollars(data: AnalyticsData, options: LoadOptions | undefined): Promise<boolean> {
  const { rows } = await data.organizationCost(lastDays(data, ACCOUNT_DAYS), options);
  return unitOf(rows) === 'usd' && sumOf(rows, MEASURE_OF.usd) > 0n;
}

/** The consumption and the limits, for the preview of a change. */
export function limitUse({ statuses, others }: BudgetReport): LimitUse {
  const consumption = new Map([...statuses, ...others].map(({ identity, spent }) => [identityKey(identity), spent]));
  return { consumption, limits: statuses };
}

/** Consumption of each account this month. */
export interface MonthConsumption {
  readonly spent: readonly Share[];
  /** The end of the counted time, in milliseconds since 1970. */
  readonly countedUntil: number;
  readonly loaded: readonly Loaded<unknown>[];
}

/** Loads the consumption of each account this month. Throws the error of an unreachable service if a day is unknown. */
export async function monthConsumption(
  data: AnalyticsData,
  unit: Unit,
  options?: LoadOptions,
): Promise<MonthConsumption> {
  const days = { first: firstOfMonth(data.today), last: data.newestDay };
  const [open, finished] = await Promise.all([
    openDays(data, unit, options),
    days.last >= days.first ? finishedConsumption(data, days, unit, options) : undefined,
  ]);
  const loaded = [...(finished ? [finished.loaded] : []), ...open.loaded];
  for (const { offline, missing } of loaded) if (offline && missing.length > 0) throw offline;
  return { spent: shares([...(finished?.spent ?? []), ...open.spent]), countedUntil: open.countedUntil, loaded };
}

/** Consumption of each account on finished days: a limit of credits is measured by credit-usage-by-user. */
async function finishedConsumption(
  data: AnalyticsData,
  days: DayRange,
  unit: Unit,
  options: LoadOptions | undefined,
): Promise<{ readonly loaded: Loaded<unknown>; readonly spent: readonly Share[] }> {
  if (unit === 'credits') {
    const loaded = await data.credits(days, {}, options);
    return { loaded, spent: creditsBy(loaded.rows, 'user') };
  }
  const loaded = await data.cost(days, ['COST_ANALYTICS_GROUP_BY_USER'], options);
  return { loaded, spent: costBy(loaded.rows, 'user', MEASURE_OF.usd) };
}

/** The finished days of the accounts with the most used limits; empty if they are not known. */
async function historiesOf(
  data: AnalyticsData,
  statuses: readonly BudgetStatus[],
  measure: Measure,
  options: LoadOptions | undefined,
): Promise<ReadonlyMap<string, History>> {
  // A request without people would be for all of them.
  if (statuses.length === 0) return new Map();
  const limited = statuses.map(({ identity }) => identity);
  const daily = await (limited.length > MOST_LIMITS
    ? daysOfCompared(data, limited.slice(0, MOST_LIMITS), [], options)
    : daysOfCompared(data, limited, await materialSpenders(data, options), options));
  if (daily.missing.length > 0) return new Map();
  const range = lastDays(data, ACCOUNT_DAYS);
  const days = daysOf(range).map(formatDay);
  const series = seriesBy(daily.rows, 'user', measure, days, Number.POSITIVE_INFINITY);
  return new Map(series.map(({ key, amounts }) => [key, { first: range.first, amounts }]));
}

async function materialSpenders(data: AnalyticsData, options: LoadOptions | undefined): Promise<Identity[]> {
  const { accounts, materialIn } = await recentSpending(data, options);
  return identitiesOf(materialIn(accounts));
}
