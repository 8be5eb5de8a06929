import { dayOf, firstOfMonth, firstOfNextMonth, formatDay, type Day } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { BudgetOverride } from '../contract.ts';
import { daysOf } from '../dateRules.ts';
import { identityKey, identityOf, type Identity } from '../identity.ts';
import { wholeAmount } from './amounts.ts';
import type { Share } from './compare.ts';
import { evenHistory, forecastMonth, type Forecast, type History } from './forecast.ts';

/** Consumption of a month, day by day, with its projection. */
export interface BurnDown {
  /** All days of the month, `2026-11-01` and on. */
  readonly days: readonly string[];
  /** Consumption up to the end of each day; undefined for days not known yet. */
  readonly spent: readonly (Decimal | undefined)[];
  /** Projection from the last finished day to the end of the month. */
  readonly projected: readonly (Decimal | undefined)[];
  readonly pace: Forecast;
}

/** The month of a forecast, day by day, with its past in `history`. */
export function burnDown(forecast: Forecast, countedUntil: number, history: History): BurnDown {
  const first = firstOfMonth(dayOf(countedUntil - 1));
  const days = daysOf({ first, last: firstOfNextMonth(first) - 1 });
  const next = dayOf(countedUntil);
  let sum = 0n;
  const spent = days.map((day) => (day < next ? (sum += history.amounts[day - history.first] ?? 0n) : undefined));
  // Of an unfinished day, there is what is known.
  const isOpen = next < first + days.length && forecast.spent !== sum;
  if (isOpen) spent[next - first] = forecast.spent;
  const isProjected = forecast.projected !== undefined;
  const projected = days.map((day) => (day < next ? undefined : forecast.toCome[day - next]));
  if (isProjected && next > first) projected[next - first - 1] = sum;
  return { days: days.map(formatDay), spent, projected, pace: forecast };
}

/** Consumption of a limit this month, with its projection. */
export interface LimitStatus {
  /** Equal for equal subjects. */
  readonly key: string;
  readonly limit: bigint;
  readonly spent: Decimal;
  /** Share of the limit: 1 is all of it. */
  readonly used: number;
  readonly projected: Decimal | undefined;
  /** The upper edge of the projection's band; undefined with too little of a past. */
  readonly high: Decimal | undefined;
  /**
   * The day of this month on which the limit was reached or is projected to be. Without a daily past, the last counted
   * day stands for a limit that is reached.
   */
  readonly crossesOn: Day | undefined;
}

/** Budget status of one account. */
export interface BudgetStatus extends LimitStatus {
  readonly identity: Identity;
}

/** The organization as the subject of a limit. */
export const ORGANIZATION = 'organization';

/** A group of a column of the group file, or the whole organization. */
export type LimitedGroup = { readonly column: string; readonly group: string } | typeof ORGANIZATION;

/** Budget status of a group, or of the organization. */
export interface GroupStatus extends LimitStatus {
  readonly of: LimitedGroup;
}

/** The status of a limit. Without a history, the days of the month so far count as even. */
export function limitStatus(
  { key, limit, spent }: Pick<LimitStatus, 'key' | 'limit' | 'spent'>,
  countedUntil: number,
  history?: History,
): LimitStatus {
  const forecast = forecastMonth(spent, countedUntil, history ?? evenHistory(spent, countedUntil));
  return {
    key,
    limit,
    spent,
    used: usedOf(spent, limit),
    projected: forecast.projected,
    high: forecast.band?.high,
    crossesOn: crossing(forecast, wholeAmount(limit), countedUntil, history),
  };
}

/** The largest used share first. */
export function byUse(a: LimitStatus, b: LimitStatus): number {
  return b.used - a.used || (a.key < b.key ? -1 : 1);
}

/**
 * Budget status of all with an override, the largest used share first. `consumption` is that of the month; `histories`
 * have the finished days of accounts, by key.
 */
export function budgetStatuses(
  overrides: readonly BudgetOverride[],
  consumption: readonly Share[],
  countedUntil: number,
  histories: ReadonlyMap<string, History> = new Map(),
): BudgetStatus[] {
  const spentBy = new Map(consumption.map(({ key, amount }) => [key, amount]));
  const all = overrides.map((override): BudgetStatus => {
    const identity = identityOf(override);
    const key = identityKey(identity);
    const limit = BigInt(override.config.limit);
    const spent = spentBy.get(key) ?? 0n;
    return { identity, ...limitStatus({ key, limit, spent }, countedUntil, histories.get(key)) };
  });
  return all.sort(byUse);
}

/** Used share from which a limit is near. */
export const NEAR = 0.9;

/** Whether the limit is reached, or is projected to be. */
export type Level = 'over' | 'near' | 'crossing' | 'within';

export function levelOf({ used, crossesOn }: Pick<LimitStatus, 'used' | 'crossesOn'>): Level {
  if (used >= 1) return 'over';
  return used >= NEAR ? 'near' : crossesOn === undefined ? 'within' : 'crossing';
}

/** The number of subjects at each level. */
export function countLevels(statuses: readonly LimitStatus[]): Readonly<Record<Level, number>> {
  const counts = { over: 0, near: 0, crossing: 0, within: 0 };
  for (const status of statuses) counts[levelOf(status)]++;
  return counts;
}

/** Used share, rounded down to a thousandth of a percent, so that a share of 1 means that the limit is reached. */
export function usedOf(spent: Decimal, limit: bigint): number {
  return Number((spent * 100_000n) / wholeAmount(limit)) / 100_000;
}

/** The day on which a limit was reached, or is expected to be. */
function crossing(
  { spent, toCome }: Forecast,
  limit: Decimal,
  countedUntil: number,
  history: History | undefined,
): Day | undefined {
  const last = dayOf(countedUntil - 1);
  if (spent < limit) {
    const at = toCome.findIndex((sum) => sum > limit);
    return at < 0 ? undefined : dayOf(countedUntil) + at;
  }
  if (!history) return last;
  let sum = 0n;
  const days = daysOf({ first: firstOfMonth(last), last: Math.min(last, history.first + history.amounts.length - 1) });
  return days.find((day) => (sum += history.amounts[day - history.first] ?? 0n) >= limit) ?? last;
}

function monthName(asOf: number): string {
  return formatDay(dayOf(asOf - 1)).slice(0, 7);
}

/** A limit near exhaustion. */
export interface Alert<S extends LimitStatus = LimitStatus> {
  readonly status: S;
  /** The highest threshold reached, as a share of 1. */
  readonly threshold: number;
}

/** The highest threshold already shown, by subject and month. */
export type NotifiedAlert = Readonly<Record<string, number>>;

/** The alerts due now: each threshold once for each subject and month. Also returns the new record of shown ones. */
export function dueAlerts<S extends LimitStatus>(
  statuses: readonly S[],
  thresholds: readonly number[],
  notified: NotifiedAlert,
  asOf: number,
): { readonly alerts: readonly Alert<S>[]; readonly notified: NotifiedAlert } {
  const month = monthName(asOf);
  // Past months are removed. A window that still counts the last day of the previous month keeps the new month.
  const next = Object.fromEntries(Object.entries(notified).filter(([key]) => key.slice(0, month.length) >= month));
  const alerts: Alert<S>[] = [];
  for (const status of statuses) {
    const threshold = Math.max(0, ...thresholds.filter((one) => status.used >= one));
    const key = `${month} ${status.key}`;
    if (threshold <= (next[key] ?? 0)) continue;
    alerts.push({ status, threshold });
    next[key] = threshold;
  }
  return { alerts, notified: next };
}
