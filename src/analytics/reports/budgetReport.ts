import { firstOfMonth, startOfDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import { RESOURCE_OF_PLAN } from '../contract.ts';
import { identityOfKey, type Identity } from '../identity.ts';
import { costBy, creditsBy } from '../insights/amounts.ts';
import { standings, type Standing } from '../insights/budgets.ts';
import type { Share } from '../insights/compare.ts';
import type { Unit } from './costReport.ts';
import { qualityOf, type Quality } from './report.ts';

/** Somebody for whom the plan's default holds, and what they used this month. */
export interface Unlimited {
  readonly identity: Identity;
  readonly spent: Decimal;
}

/** How everybody with a limit of their own stands in this month, and who used something without one. */
export interface BudgetReport extends Quality {
  readonly unit: Unit;
  /** Who used the largest part of their limit first. */
  readonly standings: readonly Standing[];
  /** Who used something and has no limit of their own, the most first; nobody where nobody has one. */
  readonly others: readonly Unlimited[];
  /** Up to when consumption counts, in milliseconds since 1970. */
  readonly countedUntil: number;
}

/**
 * The overrides, and what their people used this month: credits up to the last refresh of today, dollars up to the newest finished
 * day, as that is what the service has. Throws why the service cannot be asked where one of the two is not known.
 */
export async function budgetReport(data: AnalyticsData, options?: LoadOptions): Promise<BudgetReport> {
  const overrides = await data.budgets(options);
  // What is not known is not that nobody has a limit, or has used none of it.
  if (overrides.offline && overrides.missing.length > 0) throw overrides.offline;
  const isUsd = overrides.rows.some(({ resource }) => resource === RESOURCE_OF_PLAN.usd);
  const unit: Unit = isUsd ? 'usd' : 'credits';
  const last = isUsd ? data.newestDay : data.today;
  const month = { first: firstOfMonth(data.today), last };
  // On the first of a month there are no dollars of it yet, and nobody to ask for without overrides.
  if (overrides.rows.length === 0 || month.first > month.last)
    return {
      ...qualityOf(overrides),
      unit,
      standings: standings(overrides.rows, [], startOfDay(month.first + 1)),
      others: [],
      countedUntil: startOfDay(month.first),
    };
  const [used, consumption] = isUsd ? await dollars(data, month, options) : await credits(data, month, options);
  if (used.offline && used.missing.length > 0) throw used.offline;
  const end = startOfDay(last + 1);
  const asOf = used.asOf === undefined ? end : Date.parse(used.asOf);
  // Of a day that is not over only what was used before the last refresh is known.
  const countedUntil = Math.max(Math.min(end, asOf), startOfDay(month.first) + 1);
  const own = standings(overrides.rows, consumption, countedUntil);
  const limited = new Set(own.map(({ key }) => key));
  return {
    ...qualityOf(overrides, used),
    unit,
    standings: own,
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
