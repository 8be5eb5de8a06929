import { parseDay } from '../../base/day.ts';
import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import { daysOf } from '../dateRules.ts';
import type { Identity } from '../identity.ts';
import {
  PRESENCE_DAYS,
  presenceOf,
  presenceOfSums,
  SILENT_DAYS,
  type ActiveDay,
  type Presence,
  type PresenceSummary,
} from '../insights/presence.ts';
import { MOST_ACTIVE, qualityOf, type Quality } from './report.ts';

/** Who is active now, was before, or never. */
export interface PresenceReport extends Quality {
  /** Undefined if a day is unknown, or if there are too many people to ask for each day. */
  readonly presence: PresenceSummary | undefined;
  readonly isTooLarge: boolean;
  /** Who stopped, before each day is known. */
  readonly early?: readonly Presence[];
}

/** Unknown days from which sums are requested first: they take a request per hundred people, and no wait. */
const MANY_DAYS = 8;

/**
 * Loads the accounts of each of thirty days: a request per day and 250 people, and later only for new days. `onEarly`
 * receives a report of two sums of them before, as thirty requests take longer than a person waits.
 */
export async function presenceReport(
  data: AnalyticsData,
  options: LoadOptions = {},
  roster: readonly Identity[] = [],
  onEarly?: (report: PresenceReport) => void,
): Promise<PresenceReport> {
  const members = data.now;
  const last = data.newestDay;
  const range = { first: last - PRESENCE_DAYS + 1, last };
  const counts = await data.whole.dailyActive(range, options);
  const busiest = Math.max(0, ...counts.rows.map(({ user_count }) => user_count));
  if (busiest > MOST_ACTIVE) return { ...qualityOf(counts), presence: undefined, isTooLarge: true };
  if (onEarly && !options.cachedOnly) {
    const { missing } = await members.activeAccounts(range, { ...options, cachedOnly: true });
    if (missing.flatMap(daysOf).length >= MANY_DAYS) onEarly(await earlyReport(members, options, roster));
  }
  const active = await members.activeAccounts(range, options);
  const byDay = new Map<number, ActiveDay['accounts'][number][]>();
  for (let day = range.first; day <= last; day++) byDay.set(day, []);
  for (const row of active.rows) byDay.get(parseDay(row.date) ?? 0)?.push(row);
  const days = [...byDay].map(([day, accounts]) => ({ day, accounts }));
  const presence = active.missing.length > 0 ? undefined : presenceOf(days, last, roster);
  return { ...qualityOf(counts, active), presence, isTooLarge: false };
}

/** Who stopped, by sums of the silent days and of those before. */
async function earlyReport(
  data: AnalyticsData,
  options: LoadOptions,
  roster: readonly Identity[],
): Promise<PresenceReport> {
  const last = data.newestDay;
  const silent = { first: last - SILENT_DAYS + 1, last };
  const urgent = { ...options, isBackground: undefined };
  const [before, recent] = await Promise.all([
    data.activity({ first: last - PRESENCE_DAYS + 1, last: silent.first - 1 }, urgent),
    data.activity(silent, urgent),
  ]);
  const quality = qualityOf(before, recent);
  const base = { ...quality, presence: undefined, isTooLarge: false };
  return quality.missing.length > 0 ? base : { ...base, early: presenceOfSums(before.rows, recent.rows, roster) };
}
