import { firstOfMonth } from '../../base/day.ts';
import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import { groupBudgetReport, type GroupBudgetReport } from '../groups/groupBudgets.ts';
import type { GroupLimit } from '../groups/groupLimits.ts';
import type { Groups } from '../groups/groups.ts';
import type { Share } from '../insights/compare.ts';
import type { AttentionItem } from '../insights/attention.ts';
import { attentionOf } from './attention.ts';
import { budgetReport, monthConsumption, type BudgetReport } from './budgetReport.ts';
import { costReport, type CostReport } from './costReport.ts';
import { presenceReport, type PresenceReport } from './presenceReport.ts';
import { qualityOf, type Quality } from './report.ts';
import { unusualReport } from './unusualReport.ts';

/** The figures behind the metrics. */
export interface MetricsReport extends Quality {
  /** Cost of the finished days of this month; before there is one, of the last day of the previous month. */
  readonly cost: CostReport;
  /** Whether a day of this month is finished. */
  readonly isBegun: boolean;
  /** Consumption of each account this month, in the unit of the cost: the most first. */
  readonly accounts: readonly Share[];
  readonly budgets: BudgetReport;
  /** Active accounts of the newest day; undefined if it is unknown. */
  readonly active: number | undefined;
  /** Limits of groups and of the organization. */
  readonly groupBudgets: GroupBudgetReport;
  readonly presence: PresenceReport;
  readonly attention: readonly AttentionItem[];
}

/** The limits of groups, and the file of their members. */
export interface LimitedGroups {
  readonly limits?: readonly GroupLimit[];
  readonly groups?: Groups | undefined;
}

/**
 * Loads this month, budgets and what needs attention: the requests of `sextant usage --attention` and `cost`. Throws the
 * error of an unreachable service if the cache lacks limits or consumption.
 */
export async function metricsReport(
  data: AnalyticsData,
  { limits = [], groups, ...options }: LoadOptions & LimitedGroups = {},
): Promise<MetricsReport> {
  const last = data.newestDay;
  const month = firstOfMonth(data.today);
  const [cost, daily, budgets, groupBudgets, unusual, presence] = await Promise.all([
    costReport(data, { first: Math.min(month, last), last }, options),
    data.dailyActive({ first: last, last }, options),
    budgetReport(data, options),
    groupBudgetReport(data, limits, groups, options),
    unusualReport(data, options),
    presenceReport(data, options),
  ]);
  // Without a limit, the report of budgets does not know the plan. Where it does, the answers are cached by now.
  const used = await monthConsumption(data, cost.unit, options);
  const { items } = attentionOf({ budgets, groupBudgets, unusual, presence }, [], last);
  return {
    ...qualityOf(cost, daily, budgets, ...(limits.length > 0 ? [groupBudgets] : []), unusual, presence, ...used.loaded),
    cost,
    isBegun: last >= month,
    accounts: used.spent,
    budgets,
    groupBudgets,
    active: daily.missing.length > 0 ? undefined : (daily.rows[0]?.user_count ?? 0),
    presence,
    attention: items,
  };
}
