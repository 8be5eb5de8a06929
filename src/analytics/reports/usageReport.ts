import { formatDay, parseDay } from '../../base/day.ts';
import { isCancelled } from '../../base/errors.ts';
import type { ActivityRow, AnalyticsData, Coming, DauRow, LoadOptions } from '../client/analyticsData.ts';
import type { Metrics } from '../contract.ts';
import { daysOf, type DayRange } from '../dateRules.ts';
import { anomalousDays } from '../insights/anomalies.ts';
import { growth } from '../insights/compare.ts';
import { acceptance, distinctPeople, meanActive, sumMetrics, type Acceptance } from '../insights/people.ts';
import { countKnown, isMissing, loadBefore, qualityOf, type Compared, type Quality } from './report.ts';

/** Usage of the product by an organization. */
export interface UsageReport extends Quality {
  readonly range: DayRange;
  /** All days of the range, with undefined for unknown values. */
  readonly days: readonly UsageDay[];
  /** Number of days with known active people, and with known activity: the figures below cover those. */
  readonly daysKnown: { readonly active: number; readonly metrics: number };
  /** The newest known day. */
  readonly latest: { readonly date: string; readonly active: number } | undefined;
  readonly meanActive: number | undefined;
  /** Undefined if no day is known, which differs from zeros. */
  readonly metrics: Metrics | undefined;
  readonly acceptance: Acceptance;
  /** Growth since the previous period: the mean of active people, and messages. */
  readonly growth: { readonly meanActive: number | undefined; readonly messages: number | undefined };
  /** Active people of the previous period, in order of its days; undefined if one of them is unknown. */
  readonly before: readonly number[] | undefined;
  /** Days with unusually many or few people for their kind. */
  readonly unusual: readonly string[];
  /** Whether metrics are known by day: those of a group are not. */
  readonly isDaily: boolean;
}

export interface UsageDay {
  readonly date: string;
  readonly active: number | undefined;
  readonly metrics: Metrics | undefined;
}

/**
 * Builds the report in two requests for any number of people, or in four with the previous period, if the service has
 * it.
 */
export async function usageReport(
  data: AnalyticsData,
  range: DayRange,
  { before: period, ...options }: LoadOptions & Compared = {},
): Promise<UsageReport> {
  const [active, usage, activeBefore, usageBefore] = await Promise.all([
    data.dailyActive(range, options),
    data.dailyUsage(range, options),
    // Those of a group take a request for each day.
    data === data.whole ? loadBefore(data, range, (before) => data.dailyActive(before, options), period) : undefined,
    loadBefore(
      data,
      range,
      async (before) => {
        const usage = await data.dailyUsage(before, options);
        return { rows: [usage], missing: usage.missing };
      },
      period,
    ),
  ]);
  const activeOn = new Map(active.rows.map(({ date, user_count }) => [date, user_count]));
  const { together } = usage;
  const metricsOf = new Map(usage.rows.map(({ date, metrics }) => [date, metrics]));
  const isActiveByDay = !together || active.rows.length > 0;
  // The service omits days without activity.
  const nothing = sumMetrics([]);
  const days = daysOf(range).map((day): UsageDay => {
    const date = formatDay(day);
    return {
      date,
      active: isMissing(day, active.missing) || !isActiveByDay ? undefined : (activeOn.get(date) ?? 0),
      metrics: isMissing(day, usage.missing) || together ? undefined : (metricsOf.get(date) ?? nothing),
    };
  });
  const daysKnown = {
    active: isActiveByDay ? countKnown(range, active) : 0,
    metrics: countKnown(range, usage),
  };
  const metrics = daysKnown.metrics === 0 ? undefined : metricsIn(usage);
  const mean = meanIn(range, usage, active.rows);
  // Partly known days would look like a decrease.
  const isWhole = active.missing.length === 0 && usage.missing.length === 0;
  const [ofBefore] = usageBefore ?? [];
  const meanBefore = ofBefore && meanIn(range, ofBefore, activeBefore ?? []);
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
      messages: isWhole
        ? growth(metrics?.total_messages ?? 0, ofBefore ? metricsIn(ofBefore).total_messages : 0)
        : undefined,
    },
    before: activeBefore && [...activeBefore].sort((a, b) => (a.date < b.date ? -1 : 1)).map((row) => row.user_count),
    unusual: unusual.map(({ day }) => formatDay(day)),
    isDaily: !together,
  };
}

type Usage = Awaited<ReturnType<AnalyticsData['dailyUsage']>>;

function metricsIn({ rows, together }: Usage): Metrics {
  return together?.metrics ?? sumMetrics(rows.map(({ metrics }) => metrics));
}

/** The mean of active people a day. Both periods of a comparison have as many days. */
function meanIn(range: DayRange, { together }: Usage, active: readonly DauRow[]): number | undefined {
  return together ? together.activeDays / daysOf(range).length : meanActive(active);
}

/** Users of the product. */
export interface PeopleReport extends Quality {
  readonly range: DayRange;
  /** All people, or those loaded so far. */
  readonly people: readonly ActivityRow[];
  /** Different people over the range, never the sum of days; undefined until all are loaded. */
  readonly distinct: number | undefined;
}

/** Sends one request per hundred people. */
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
 * Loads the people report, and reports each page: ten thousand people are a hundred requests, which take a minute and a
 * half. Returns the people so far when cancelled or when the service is unreachable; the next load resumes there.
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
    // The loaded people lack no days.
    const isPart = report.distinct === undefined && soFar.people.length > 0;
    return isPart ? { ...soFar, offline: report.offline } : report;
  } catch (error) {
    if (!isCancelled(error)) throw error;
    return soFar;
  }
}
