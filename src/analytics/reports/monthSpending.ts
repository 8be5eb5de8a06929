import { dayOf, firstOfMonth, formatDay, startOfDay, type Day } from '../../base/day.ts';
import type { AnalyticsData, CostRow, CreditRow, Loaded, LoadOptions } from '../client/analyticsData.ts';
import { LIMITS } from '../contract.ts';
import { daysOf, oldestDay, type DayRange } from '../dateRules.ts';
import { costBy, creditsBy, type Measure } from '../insights/amounts.ts';
import { burnDown, type BurnDown } from '../insights/budgets.ts';
import { total, type Share } from '../insights/compare.ts';
import { forecastMonth, type History } from '../insights/forecast.ts';
import { onDays } from '../insights/series.ts';
import type { Unit } from './unit.ts';

/**
 * The spending of this month has one definition, for the organization and for each account: that of finished days by
 * cost-analytics, and on a plan with credits that of unfinished days by credit-usage-by-user, up to its last refresh.
 */
export interface OpenDays {
  /** Spending of unfinished days of this month, by account. */
  readonly spent: readonly Share[];
  /** The same by account and day; without any on a plan in dollars. */
  readonly rows: readonly CreditRow[];
  /** The end of the counted time, in milliseconds since 1970: within this month. */
  readonly countedUntil: number;
  /** The answer, if one was needed. */
  readonly loaded: readonly Loaded<unknown>[];
}

/** Loads the unfinished days of this month. */
export async function openDays(data: AnalyticsData, unit: Unit, options?: LoadOptions): Promise<OpenDays> {
  const month = firstOfMonth(data.today);
  const finished = startOfDay(data.newestDay + 1);
  const within = (moment: number): number => Math.max(startOfDay(month) + 1, moment);
  if (unit === 'usd') return { spent: [], rows: [], countedUntil: within(finished), loaded: [] };
  const range = { first: Math.max(month, data.newestDay + 1), last: data.today };
  const used = await data.credits(range, { date: true }, options);
  const isKnown = used.missing.length === 0;
  const asOf = isKnown && used.asOf !== undefined ? Date.parse(used.asOf) : finished;
  const countedUntil = within(Math.min(Math.max(finished, asOf), startOfDay(data.today + 1)));
  const rows = isKnown ? used.rows : [];
  return { spent: creditsBy(rows, 'user'), rows, countedUntil, loaded: [used] };
}

/**
 * Finished days of the organization, in four requests: with those of other reports a year and the eight weeks before, as
 * holidays come once a year.
 */
const EARLIER_DAYS = 4 * LIMITS.maxRangeDays;
/** Days after which the bound of the earlier days moves. */
const BOUND_DAYS = 30;
/** Finished days of accounts: six weeks, and so all of a month. */
export const ACCOUNT_DAYS = 42;

/** Finished days of the organization, without gaps. */
export interface KnownDays {
  readonly rows: readonly CostRow[];
  /** The days without a gap up to the newest known one of the month; undefined if its first day is unknown. */
  readonly known: DayRange | undefined;
  /** The answer for the last days, with its gaps in the month only. */
  readonly month: Loaded<unknown>;
}

/** Loads the finished days up to `last`. Days before a gap are left out, as a gap would look like days without spending. */
export async function finishedDays(data: AnalyticsData, last: Day, options: LoadOptions): Promise<KnownDays> {
  // Days of other reports, which are known already, and earlier ones in few rows. A bound that moves once a month needs
  // few days in both.
  const oldest = oldestDay(data.today);
  const bound = Math.max(oldest, Math.ceil((last - LIMITS.maxRangeDays + 1) / BOUND_DAYS) * BOUND_DAYS);
  const first = Math.max(oldest, bound - EARLIER_DAYS);
  const ranges: DayRange[] = [];
  for (let end = bound - 1; end >= first; end -= LIMITS.maxRangeDays)
    ranges.push({ first: Math.max(first, end - LIMITS.maxRangeDays + 1), last: end });
  const parts = await Promise.all([
    data.organizationCost({ first: bound, last }, options),
    ...ranges.map((range) => data.cost(range, [], { ...options, daily: true })),
  ]);
  const month = firstOfMonth(last);
  const missing = parts.flatMap((part) => part.missing);
  const ofMonth = missing
    .filter((range) => range.last >= month)
    .map((range) => ({ ...range, first: Math.max(range.first, month) }));
  const end = Math.min(last, ...ofMonth.map((range) => range.first - 1));
  const gap = Math.max(first - 1, ...missing.map((range) => range.last).filter((day) => day < end));
  return {
    rows: parts.flatMap(({ rows }) => rows),
    known: end < month && ofMonth.length > 0 ? undefined : { first: gap + 1, last: end },
    month: { ...parts[0], missing: ofMonth },
  };
}

/** The finished days as a history of one measure. */
export function historyOf(rows: readonly CostRow[], known: DayRange, measure: Measure): History {
  return { first: known.first, amounts: onDays(costBy(rows, 'day', measure), daysOf(known).map(formatDay)) };
}

/** The month up to a moment: finished days, and the unfinished ones. */
export function monthOf(history: History, open: readonly Share[], countedUntil: number): BurnDown {
  const month = firstOfMonth(dayOf(countedUntil - 1));
  const finished = history.amounts.slice(Math.max(0, month - history.first));
  const spent = finished.reduce((sum, amount) => sum + amount, total(open));
  return burnDown(forecastMonth(spent, countedUntil, history), countedUntil, history);
}
