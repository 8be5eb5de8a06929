import { firstOfMonth, startOfDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import { RESOURCE_OF_PLAN } from '../contract.ts';
import { identityOfKey, type Identity } from '../identity.ts';
import { costBy, creditsBy } from '../insights/amounts.ts';
import { budgetStatuses, type BudgetStatus } from '../insights/budgets.ts';
import type { Share } from '../insights/compare.ts';
import type { Unit } from './costReport.ts';
import { qualityOf, type Quality } from './report.ts';

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
  /** Accounts with consumption and without an override, the most first; empty if no account has an override. */
  readonly others: readonly Unlimited[];
  /** The end of the counted time, in milliseconds since 1970. */
  readonly countedUntil: number;
}

/**
 * The overrides, and the consumption of their accounts this month. Credits count up to the last refresh of today,
 * dollars up to the newest finished day, as the service has no later ones. Throws the error of an unreachable service
 * if either is unknown.
 */
export async function budgetReport(data: AnalyticsData, options?: LoadOptions): Promise<BudgetReport> {
  const overrides = await data.budgets(options);
  // Unknown must not look like no override or no consumption.
  if (overrides.offline && overrides.missing.length > 0) throw overrides.offline;
  const isUsd = overrides.rows.some(({ resource }) => resource === RESOURCE_OF_PLAN.usd);
  const unit: Unit = isUsd ? 'usd' : 'credits';
  const last = isUsd ? data.newestDay : data.today;
  const month = { first: firstOfMonth(data.today), last };
  // On the first of a month there are no dollars of it yet; without overrides there are no accounts to query.
  if (overrides.rows.length === 0 || month.first > month.last)
    return {
      ...qualityOf(overrides),
      unit,
      statuses: budgetStatuses(overrides.rows, [], startOfDay(month.first + 1)),
      others: [],
      countedUntil: startOfDay(month.first),
    };
  const [used, consumption] = isUsd ? await dollars(data, month, options) : await credits(data, month, options);
  if (used.offline && used.missing.length > 0) throw used.offline;
  const end = startOfDay(last + 1);
  const asOf = used.asOf === undefined ? end : Date.parse(used.asOf);
  // Of an unfinished day, only the consumption before the last refresh is known.
  const countedUntil = Math.max(Math.min(end, asOf), startOfDay(month.first) + 1);
  const own = budgetStatuses(overrides.rows, consumption, countedUntil);
  const limited = new Set(own.map(({ key }) => key));
  return {
    ...qualityOf(overrides, used),
    unit,
    statuses: own,
    others: consumption.flatMap(({ key, name, amount: spent }) => {
      const identity = limited.has(key) ? undefined : identityOfKey(key, name);
      return identity ? [{ identity, spent }] : [];
    }),
    countedUntil,
  };
}

type Month = Parameters<AnalyticsData['credits']>[0];
type Used = readonly [Awaited<ReturnType<AnalyticsData['cost' | 'credits']>>, readonly Share[]];

async function credits(data: AnalyticsData, month: Month, options: LoadOptions | undefined): Promise<Used> {
  const used = await data.credits(month, {}, options);
  return [used, creditsBy(used.rows, 'user')];
}

async function dollars(data: AnalyticsData, month: Month, options: LoadOptions | undefined): Promise<Used> {
  const used = await data.cost(month, ['COST_ANALYTICS_GROUP_BY_USER'], options);
  return [used, costBy(used.rows, 'user', 'billed_amount_usd')];
}
