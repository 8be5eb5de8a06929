import { formatDay, parseDay } from '../../base/day.ts';
import type { AnalyticsData, ActivityRow, LoadOptions } from '../client/analyticsData.ts';
import type { Metrics } from '../contract.ts';
import type { DayRange } from '../dateRules.ts';
import { anomalousDays } from '../insights/anomalies.ts';
import { growth } from '../insights/compare.ts';
import { acceptance, distinctPeople, meanActive, sumMetrics, type Acceptance } from '../insights/people.ts';
import { loadBefore, qualityOf, type Quality } from './report.ts';

/** How an organization uses the product. */
export interface UsageReport extends Quality {
  readonly range: DayRange;
  /** The organization's days, all of them; without metrics where nothing was done. */
  readonly days: readonly { readonly date: string; readonly active: number; readonly metrics: Metrics | undefined }[];
  readonly latest: { readonly date: string; readonly active: number } | undefined;
  readonly meanActive: number | undefined;
  readonly metrics: Metrics;
  readonly acceptance: Acceptance;
  /** By how much it grew since as many days before: the mean of active people, and messages. */
  readonly growth: { readonly meanActive: number | undefined; readonly messages: number | undefined };
  /** Active people of as many days before, in their order; nothing where not all of those are known. */
  readonly before: readonly number[] | undefined;
  /** Days with far more or fewer people than is usual on such days. */
  readonly unusual: readonly string[];
}

/** Two or four requests, however many people there are: with the days before, where those may be asked for. */
export async function usageReport(data: AnalyticsData, range: DayRange, options?: LoadOptions): Promise<UsageReport> {
  const [active, usage, activeBefore, usageBefore] = await Promise.all([
    data.dailyActive(range, options),
    data.dailyUsage(range, options),
    loadBefore(data, range, (before) => data.dailyActive(before, options)),
    loadBefore(data, range, (before) => data.dailyUsage(before, options)),
  ]);
  const metricsOf = new Map(usage.rows.map(({ date, metrics }) => [date, metrics]));
  const days = active.rows
    .map(({ date, user_count }) => ({ date, active: user_count, metrics: metricsOf.get(date) }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  const metrics = sumMetrics(metricsOf.values());
  const metricsBefore = sumMetrics((usageBefore ?? []).map(({ metrics }) => metrics));
  const [mean, meanBefore] = [meanActive(active.rows), meanActive(activeBefore ?? [])];
  const unusual = anomalousDays(days.map(({ date, active }) => ({ day: parseDay(date) ?? 0, value: active })));
  const last = days.at(-1);
  return {
    ...qualityOf(active, usage),
    range,
    days,
    latest: last && { date: last.date, active: last.active },
    meanActive: mean,
    metrics,
    acceptance: acceptance(metrics),
    growth: {
      meanActive: growth(mean ?? 0, meanBefore ?? 0),
      messages: growth(metrics.total_messages, metricsBefore.total_messages),
    },
    before: activeBefore && [...activeBefore].sort((a, b) => (a.date < b.date ? -1 : 1)).map((row) => row.user_count),
    unusual: unusual.map(({ day }) => formatDay(day)),
  };
}

/** Who used it. */
export interface PeopleReport extends Quality {
  readonly range: DayRange;
  readonly people: readonly ActivityRow[];
  /** Different people over the range, never the sum of days. */
  readonly distinct: number;
}

/** A request for a hundred people. */
export async function peopleReport(data: AnalyticsData, range: DayRange, options?: LoadOptions): Promise<PeopleReport> {
  const activity = await data.activity(range, options);
  return { ...qualityOf(activity), range, people: activity.rows, distinct: distinctPeople(activity.rows) };
}
