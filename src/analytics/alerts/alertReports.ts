import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import { groupBudgetReport } from '../groups/groupBudgets.ts';
import type { GroupLimit } from '../groups/groupLimits.ts';
import type { Groups } from '../groups/groups.ts';
import { budgetReport } from '../reports/budgetReport.ts';
import { presenceReport } from '../reports/presenceReport.ts';
import { qualityOf, type Quality } from '../reports/report.ts';
import { unusualReport } from '../reports/unusualReport.ts';
import type { AlertReports } from './alertEvents.ts';

/** Loads what `sextant usage --attention` lists, and the status of `limits`. Throws the error of an unreachable service if the cache lacks limits. */
export async function alertReports(
  data: AnalyticsData,
  groups: Groups | undefined,
  limits: readonly GroupLimit[],
  options: LoadOptions = {},
): Promise<AlertReports & Quality & { readonly isTooLarge: boolean }> {
  const [budgets, groupBudgets, unusual, presence] = await Promise.all([
    budgetReport(data, options),
    groupBudgetReport(data, limits, groups, options),
    unusualReport(data, options),
    presenceReport(data, options),
  ]);
  return {
    ...qualityOf(budgets, groupBudgets, unusual, presence),
    ...{ budgets, groupBudgets, unusual, presence, groups, isTooLarge: presence.isTooLarge },
  };
}
