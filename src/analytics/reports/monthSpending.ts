import { dayOf, firstOfMonth, firstOfNextMonth, formatDay, startOfDay, type Day } from '../../base/day.ts';
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

/** The most finished days of the organization in many rows, as other reports need them. */
const NEAR_DAYS = 83;
/** Days after which the bound between those and earlier ones moves. */
const BOUND_DAYS = 14;
/** A year, as whole weeks, and the weeks from which a forecast of then begins. */
const YEAR_BEFORE = 364;
const WEEKS_BEFORE_THAT = 56;
/** Finished days of accounts: six weeks, and so all of a month. */
export const ACCOUNT_DAYS = 42;

/** Finished days of the organization, without gaps. */
export interface KnownDays {
  readonly rows: readonly CostRow[];
  /** The days without a gap up to the newest known one of the month; undefined if its first day is unknown. */
  readonly known: DayRange | undefined;
  /** The days around those of a year ago; undefined with a gap. */
  readonly lastYear: DayRange | undefined;
  /** The answer for the last days, with its gaps in the month only. */
  readonly month: Loaded<unknown>;
}

/**
 * Loads the finished days up to `last`, in three requests: about five months, and for holidays, which come once a year,
 * the month of a year ago with the weeks before it. Days before a gap are left out, as a gap would look like days without
 * spending.
 */
export async function finishedDays(data: AnalyticsData, last: Day, options: LoadOptions): Promise<KnownDays> {
  const oldest = oldestDay(data.today);
  const bound = Math.max(oldest, Math.ceil((last - NEAR_DAYS + 1) / BOUND_DAYS) * BOUND_DAYS);
  const first = Math.max(oldest, bound - LIMITS.maxRangeDays);
  const daily = (range: DayRange): Promise<Loaded<CostRow>> => data.cost(range, [], { ...options, daily: true });
  // The month of the next day, which on the last day is another one.
  const current = firstOfMonth(last + 1);
  const lastYear = {
    first: Math.max(oldest, current - YEAR_BEFORE - WEEKS_BEFORE_THAT),
    last: firstOfNextMonth(current) - 1 - YEAR_BEFORE,
  };
  const [near, ofLastYear, earlier] = await Promise.all([
    data.organizationCost({ first: bound, last }, options),
    lastYear.first <= lastYear.last ? daily(lastYear) : undefined,
    first < bound ? daily({ first, last: bound - 1 }) : undefined,
  ]);
  const month = firstOfMonth(last);
  const missing = [...near.missing, ...(earlier?.missing ?? [])];
  const ofMonth = missing
    .filter((range) => range.last >= month)
    .map((range) => ({ ...range, first: Math.max(range.first, month) }));
  const end = Math.min(last, ...ofMonth.map((range) => range.first - 1));
  const gap = Math.max(first - 1, ...missing.map((range) => range.last).filter((day) => day < end));
  return {
    rows: [near, earlier, ofLastYear].flatMap((part) => part?.rows ?? []),
    known: end < month && ofMonth.length > 0 ? undefined : { first: gap + 1, last: end },
    lastYear: ofLastYear?.missing.length === 0 ? lastYear : undefined,
    month: { ...near, missing: ofMonth },
  };
}

/** The finished days as a history of one measure. */
export function historyOf(
  {
    rows,
    known,
    lastYear,
  }: { readonly known: DayRange } & Pick<KnownDays, 'rows'> & Partial<Pick<KnownDays, 'lastYear'>>,
  measure: Measure,
): History {
  const byDay = costBy(rows, 'day', measure);
  const on = (range: DayRange): History => ({
    first: range.first,
    amounts: onDays(byDay, daysOf(range).map(formatDay)),
  });
  return { ...on(known), ...(lastYear && { lastYear: on(lastYear) }) };
}

/** The month up to a moment: finished days, and the unfinished ones. */
export function monthOf(history: History, open: readonly Share[], countedUntil: number): BurnDown {
  const month = firstOfMonth(dayOf(countedUntil - 1));
  const finished = history.amounts.slice(Math.max(0, month - history.first));
  const spent = finished.reduce((sum, amount) => sum + amount, total(open));
  return burnDown(forecastMonth(spent, countedUntil, history), countedUntil, history);
}
