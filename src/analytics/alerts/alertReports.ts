import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import type { Groups } from '../groups/groups.ts';
import { budgetReport } from '../reports/budgetReport.ts';
import { presenceReport } from '../reports/presenceReport.ts';
import { qualityOf, type Quality } from '../reports/report.ts';
import { unusualReport } from '../reports/unusualReport.ts';
import type { AlertReports } from './alertEvents.ts';

/** Loads what `sextant usage --attention` lists. Throws the error of an unreachable service if the cache lacks limits. */
export async function alertReports(
  data: AnalyticsData,
  groups: Groups | undefined,
  options: LoadOptions = {},
): Promise<AlertReports & Quality & { readonly isTooLarge: boolean }> {
  const [budgets, unusual, presence] = await Promise.all([
    budgetReport(data, options),
    unusualReport(data, options),
    presenceReport(data, options),
  ]);
  return {
    ...qualityOf(budgets, unusual, presence),
    ...{ budgets, unusual, presence, groups, isTooLarge: presence.isTooLarge },
  };
}
