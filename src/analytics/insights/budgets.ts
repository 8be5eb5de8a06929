import { dayOf, firstOfMonth, firstOfNextMonth, formatDay, startOfDay, type Day } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { BudgetOverride } from '../contract.ts';
import { daysOf } from '../dateRules.ts';
import { identityKey, identityOf, type Identity } from '../identity.ts';
import { wholeAmount } from './amounts.ts';
import type { Share } from './compare.ts';

/** Number of days of a month below which no projection is possible. */
export const FEWEST_DAYS = 3;
const DAY_MS = 86_400_000;

/** Pace of a month, by the consumption up to a moment. */
export interface Pace {
  /** `2026-11` */
  readonly month: string;
  readonly spent: Decimal;
  /** Days of the month up to the moment. */
  readonly daysElapsed: number;
  readonly daysInMonth: number;
  /** Projection to the end of the month, rounded down; from three days on. */
  readonly projected: Decimal | undefined;
}

/** `asOf` is the end of the counted time, in milliseconds since 1970; for finished days, the end of the last. */
export function pace(spent: Decimal, asOf: number): Pace {
  const { start, end } = monthOf(asOf);
  const elapsed = BigInt(Math.floor(asOf - start));
  const daysElapsed = (asOf - start) / DAY_MS;
  return {
    month: monthName(asOf),
    spent,
    daysElapsed,
    daysInMonth: (end - start) / DAY_MS,
    projected: daysElapsed < FEWEST_DAYS ? undefined : (spent * BigInt(end - start)) / elapsed,
  };
}

/** The month that ends at or contains a moment: its very first moment belongs to the previous month. */
function monthOf(asOf: number): { readonly start: number; readonly end: number } {
  const day = dayOf(asOf - 1);
  return { start: startOfDay(firstOfMonth(day)), end: startOfDay(firstOfNextMonth(day)) };
}

function monthName(asOf: number): string {
  return formatDay(dayOf(asOf - 1)).slice(0, 7);
}

/** Consumption of a month, day by day, with its projection. */
export interface BurnDown {
  /** All days of the month, `2026-11-01` and on. */
  readonly days: readonly string[];
  /** Consumption up to the end of each day; undefined for days not known yet. */
  readonly spent: readonly (Decimal | undefined)[];
  /** Projection from the last known day to the end of the month; from three days on. */
  readonly projected: readonly (Decimal | undefined)[];
  readonly pace: Pace;
}

/** `spent` is by day, in any order. `last` is the newest complete day. */
export function burnDown(spent: readonly Share[], last: Day): BurnDown {
  const first = firstOfMonth(last);
  const days = daysOf({ first, last: firstOfNextMonth(last) - 1 });
  const amountOn = new Map(spent.map(({ key, amount }) => [key, amount]));
  let sum = 0n;
  const known = days.map((day) => (day > last ? undefined : (sum += amountOn.get(formatDay(day)) ?? 0n)));
  const so = pace(sum, startOfDay(last + 1));
  const elapsed = BigInt(last - first + 1);
  const projected = days.map((day) =>
    so.projected === undefined || day < last ? undefined : (sum * BigInt(day - first + 1)) / elapsed,
  );
  return { days: days.map(formatDay), spent: known, projected, pace: so };
}

/** Budget status of one person. */
export interface BudgetStatus {
  readonly identity: Identity;
  readonly key: string;
  readonly limit: bigint;
  readonly spent: Decimal;
  /** Share of the limit: 1 is all of it. */
  readonly used: number;
  readonly projected: Decimal | undefined;
  /**
   * The day of this month on which the limit is projected to be reached; the last counted day if it is reached already.
   */
  readonly crossesOn: Day | undefined;
}

/** Budget status of all with an override, the largest used share first. `consumption` is that of the month. */
export function budgetStatuses(
  overrides: readonly BudgetOverride[],
  consumption: readonly Share[],
  asOf: number,
): BudgetStatus[] {
  const spentBy = new Map(consumption.map(({ key, amount }) => [key, amount]));
  const all = overrides.map((override) => {
    const identity = identityOf(override);
    const key = identityKey(identity);
    const limit = BigInt(override.config.limit);
    const spent = spentBy.get(key) ?? 0n;
    const { projected } = pace(spent, asOf);
    return {
      identity,
      key,
      limit,
      spent,
      used: usedOf(spent, limit),
      projected,
      crossesOn: crossing(spent, limit, asOf),
    };
  });
  return all.sort((a, b) => b.used - a.used || (a.key < b.key ? -1 : 1));
}

/** Used share from which a limit is near. */
export const NEAR = 0.9;

/** Whether the limit is reached, or is projected to be. */
export type Level = 'over' | 'near' | 'crossing' | 'within';

export function levelOf({ used, crossesOn }: Pick<BudgetStatus, 'used' | 'crossesOn'>): Level {
  if (used >= 1) return 'over';
  return used >= NEAR ? 'near' : crossesOn === undefined ? 'within' : 'crossing';
}

/** The number of people at each level. */
export function countLevels(statuses: readonly BudgetStatus[]): Readonly<Record<Level, number>> {
  const counts = { over: 0, near: 0, crossing: 0, within: 0 };
  for (const status of statuses) counts[levelOf(status)]++;
  return counts;
}

/** The sum of all limits. */
export function sumOfLimits(statuses: readonly Pick<BudgetStatus, 'limit'>[]): bigint {
  return statuses.reduce((sum, { limit }) => sum + limit, 0n);
}

/** Used share, rounded down to a thousandth of a percent, so that a share of 1 means that the limit is reached. */
function usedOf(spent: Decimal, limit: bigint): number {
  return Number((spent * 100_000n) / wholeAmount(limit)) / 100_000;
}

/**
 * The day on which the limit is reached at the month's pace, if before its end. For a limit already reached, only that
 * fact is known.
 */
function crossing(spent: Decimal, limit: bigint, asOf: number): Day | undefined {
  const { start, end } = monthOf(asOf);
  if (spent >= wholeAmount(limit)) return dayOf(asOf - 1);
  if (spent <= 0n || asOf - start < FEWEST_DAYS * DAY_MS) return undefined;
  const moment = start + Number((wholeAmount(limit) * BigInt(Math.floor(asOf - start))) / spent);
  return moment < end ? dayOf(moment) : undefined;
}

/** A limit near exhaustion. */
export interface Alert {
  readonly status: BudgetStatus;
  /** The highest threshold reached, as a share of 1. */
  readonly threshold: number;
}

/** The highest threshold already shown, by subject and month. */
export type NotifiedAlert = Readonly<Record<string, number>>;

/** The alerts due now: each threshold once for each subject and month. Also returns the new record of shown ones. */
export function dueAlerts(
  statuses: readonly BudgetStatus[],
  thresholds: readonly number[],
  notified: NotifiedAlert,
  asOf: number,
): { readonly alerts: readonly Alert[]; readonly notified: NotifiedAlert } {
  const month = monthName(asOf);
  // Past months are removed. A window that still counts the last day of the previous month keeps the new month.
  const next = Object.fromEntries(Object.entries(notified).filter(([key]) => key.slice(0, month.length) >= month));
  const alerts: Alert[] = [];
  for (const status of statuses) {
    const threshold = Math.max(0, ...thresholds.filter((one) => status.used >= one));
    const key = `${month} ${status.key}`;
    if (threshold <= (next[key] ?? 0)) continue;
    alerts.push({ status, threshold });
    next[key] = threshold;
  }
  return { alerts, notified: next };
}
