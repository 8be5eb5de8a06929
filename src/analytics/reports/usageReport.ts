import { formatDay, parseDay } from '../../base/day.ts';
import { isCancelled } from '../../base/errors.ts';
import type { ActivityRow, AnalyticsData, Coming, LoadOptions } from '../client/analyticsData.ts';
import type { Metrics } from '../contract.ts';
import { daysOf, type DayRange } from '../dateRules.ts';
import { anomalousDays } from '../insights/anomalies.ts';
import { growth } from '../insights/compare.ts';
import { acceptance, distinctPeople, meanActive, sumMetrics, type Acceptance } from '../insights/people.ts';
import { countKnown, isMissing, loadBefore, qualityOf, type Quality } from './report.ts';

/** How an organization uses the product. */
export interface UsageReport extends Quality {
  readonly range: DayRange;
  /** All days of the range; nothing of what is not known of one. */
  readonly days: readonly UsageDay[];
  /** Of how many of them it is known how many were active, and what they did: the figures below are of those. */
  readonly daysKnown: { readonly active: number; readonly metrics: number };
  /** The newest that is known. */
  readonly latest: { readonly date: string; readonly active: number } | undefined;
  readonly meanActive: number | undefined;
  /** Nothing where no day is known, which is not the same as zeros. */
  readonly metrics: Metrics | undefined;
  readonly acceptance: Acceptance;
  /** By how much it grew since as many days before: the mean of active people, and messages. */
  readonly growth: { readonly meanActive: number | undefined; readonly messages: number | undefined };
  /** Active people of as many days before, in their order; nothing where not all of those are known. */
  readonly before: readonly number[] | undefined;
  /** Days with far more or fewer people than is usual on such days. */
  readonly unusual: readonly string[];
}

export interface UsageDay {
  readonly date: string;
  readonly active: number | undefined;
  readonly metrics: Metrics | undefined;
}

/** Two or four requests, however many people there are: with the days before, where those may be asked for. */
export async function usageReport(data: AnalyticsData, range: DayRange, options?: LoadOptions): Promise<UsageReport> {
  const [active, usage, activeBefore, usageBefore] = await Promise.all([
    data.dailyActive(range, options),
    data.dailyUsage(range, options),
    loadBefore(data, range, (before) => data.dailyActive(before, options)),
    loadBefore(data, range, (before) => data.dailyUsage(before, options)),
  ]);
  const activeOn = new Map(active.rows.map(({ date, user_count }) => [date, user_count]));
  const metricsOf = new Map(usage.rows.map(({ date, metrics }) => [date, metrics]));
  // The service leaves out days on which nothing was done.
  const nothing = sumMetrics([]);
  const days = daysOf(range).map((day): UsageDay => {
    const date = formatDay(day);
    return {
      date,
      active: isMissing(day, active.missing) ? undefined : (activeOn.get(date) ?? 0),
      metrics: isMissing(day, usage.missing) ? undefined : (metricsOf.get(date) ?? nothing),
    };
  });
  const daysKnown = { active: countKnown(range, active), metrics: countKnown(range, usage) };
  const metrics = daysKnown.metrics === 0 ? undefined : sumMetrics(metricsOf.values());
  const mean = meanActive(active.rows);
  // Of some days less was done than of all of those before.
  const isWhole = active.missing.length === 0 && usage.missing.length === 0;
  const [meanBefore, metricsBefore] = [meanActive(activeBefore ?? []), sumMetrics((usageBefore ?? []).map((row) => row.metrics))]; // prettier-ignore
  const known = days.flatMap(({ date, active }) => (active === undefined ? [] : [{ date, active }]));
  const unusual = anomalousDays(known.map(({ date, active }) => ({ day: parseDay(date) ?? 0, value: active })));
  return {
    ...qualityOf(active, usage),
    range,
    days,
    daysKnown,
    latest: known.at(-1),
    meanActive: mean,
    metrics,
    acceptance: acceptance(metrics ?? nothing),
    growth: {
      meanActive: isWhole ? growth(mean ?? 0, meanBefore ?? 0) : undefined,
      messages: isWhole ? growth(metrics?.total_messages ?? 0, metricsBefore.total_messages) : undefined,
    },
    before: activeBefore && [...activeBefore].sort((a, b) => (a.date < b.date ? -1 : 1)).map((row) => row.user_count),
    unusual: unusual.map(({ day }) => formatDay(day)),
  };
}

/** Who used it. */
export interface PeopleReport extends Quality {
  readonly range: DayRange;
  /** Everybody, or those who came so far. */
  readonly people: readonly ActivityRow[];
  /** Different people over the range, never the sum of days; nothing while not all of them are there. */
  readonly distinct: number | undefined;
}

/** A request for a hundred people. */
export async function peopleReport(
  data: AnalyticsData,
  range: DayRange,
  options?: LoadOptions & Coming<ActivityRow>,
): Promise<PeopleReport> {
  const activity = await data.activity(range, options);
  const isWhole = activity.missing.length === 0;
  const distinct = isWhole ? distinctPeople(activity.rows) : undefined;
  return { ...qualityOf(activity), range, people: activity.rows, distinct };
}

/**
 * The same, and tells of each page: ten thousand people are a hundred requests, which take a minute and a half. Gives who came also
 * when it is cancelled or the service is gone; whoever loads them again goes on there.
 */
export async function loadPeople(
  data: AnalyticsData,
  range: DayRange,
  options: LoadOptions,
  onChange: (report: PeopleReport) => void,
): Promise<PeopleReport> {
  let soFar: PeopleReport = {
    range,
    people: [],
    distinct: undefined,
    asOf: undefined,
    offline: undefined,
    missing: [],
  };
  const onRows = (rows: readonly ActivityRow[], asOf: string): void => {
    soFar = { ...soFar, people: [...rows], asOf };
    onChange(soFar);
  };
  try {
    const report = await peopleReport(data, range, { ...options, onRows });
    // It is not days that are missing of those who came.
    const isPart = report.distinct === undefined && soFar.people.length > 0;
    return isPart ? { ...soFar, offline: report.offline } : report;
  } catch (error) {
    if (!isCancelled(error)) throw error;
    return soFar;
  }
}
