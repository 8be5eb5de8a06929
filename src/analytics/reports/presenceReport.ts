import { parseDay } from '../../base/day.ts';
import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import type { Identity } from '../identity.ts';
import { PRESENCE_DAYS, presenceOf, type ActiveDay, type PresenceSummary } from '../insights/presence.ts';
import { qualityOf, type Quality } from './report.ts';

/** Who is active now, was before, or never. */
export interface PresenceReport extends Quality {
  /** Undefined if a day is unknown, or if there are too many people to ask for each day. */
  readonly presence: PresenceSummary | undefined;
  readonly isTooLarge: boolean;
}

/** Active people a day above which their days take more than some minutes of requests. */
const MOST_ACTIVE = 2_000;

/** Loads the accounts of each of thirty days: a request per day and 250 people, and later only for new days. */
export async function presenceReport(
  data: AnalyticsData,
  options: LoadOptions = {},
  roster: readonly Identity[] = [],
): Promise<PresenceReport> {
  const last = data.newestDay;
  const range = { first: last - PRESENCE_DAYS + 1, last };
  const counts = await data.dailyActive(range, options);
  const busiest = Math.max(0, ...counts.rows.map(({ user_count }) => user_count));
  if (busiest > MOST_ACTIVE) return { ...qualityOf(counts), presence: undefined, isTooLarge: true };
  const active = await data.activeAccounts(range, options);
  const byDay = new Map<number, ActiveDay['accounts'][number][]>();
  for (let day = range.first; day <= last; day++) byDay.set(day, []);
  for (const row of active.rows) byDay.get(parseDay(row.date) ?? 0)?.push(row);
  const days = [...byDay].map(([day, accounts]) => ({ day, accounts }));
  const presence = active.missing.length > 0 ? undefined : presenceOf(days, last, roster);
  return { ...qualityOf(counts, active), presence, isTooLarge: false };
}
