import { dayOf, firstOfMonth, firstOfNextMonth, formatDay, startOfDay, type Day } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { BudgetOverride } from '../contract.ts';
import { daysOf } from '../dateRules.ts';
import { identityKey, type Identity } from '../identity.ts';
import { wholeAmount } from './amounts.ts';
import type { Share } from './compare.ts';
import { identityOf } from './people.ts';

/** Fewer days of a month say nothing of the rest of it. */
export const FEWEST_DAYS = 3;
const DAY_MS = 86_400_000;

/** How a month goes, by what was used up to a moment. */
export interface Pace {
  /** `2026-11` */
  readonly month: string;
  readonly spent: Decimal;
  /** Of the month, up to the moment, in days. */
  readonly daysElapsed: number;
  readonly daysInMonth: number;
  /** What the month comes to if it goes on like this, rounded down; from three days on. */
  readonly projected: Decimal | undefined;
}

/** `asOf`: up to when `spent` counts, in milliseconds since 1970; for days that are over, the end of the last. */
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

/** The month to which a moment's past belongs: its very first moment ends the month before. */
function monthOf(asOf: number): { readonly start: number; readonly end: number } {
  const day = dayOf(asOf - 1);
  return { start: startOfDay(firstOfMonth(day)), end: startOfDay(firstOfNextMonth(day)) };
}

function monthName(asOf: number): string {
  return formatDay(dayOf(asOf - 1)).slice(0, 7);
}

/** How a month was spent, day by day, and where it leads. */
export interface BurnDown {
  /** All days of the month, `2026-11-01` and on. */
  readonly days: readonly string[];
  /** What was spent up to the end of each day; nothing for days of which nobody knows yet. */
  readonly spent: readonly (Decimal | undefined)[];
  /** From the last known day to the end of the month, if it goes on as it did; from three days on. */
  readonly projected: readonly (Decimal | undefined)[];
  readonly pace: Pace;
}

/** `spent`: by day, in any order. `last`: the newest day of which all is known. */
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

/** How one person stands to their limit. */
export interface Standing {
  readonly identity: Identity;
  readonly key: string;
  readonly limit: bigint;
  readonly spent: Decimal;
  /** Of the limit: 1 is all of it. */
  readonly used: number;
  readonly projected: Decimal | undefined;
  /** The day on which the limit is or was reached: the first of the month where nobody knows better; none this month. */
  readonly crossesOn: Day | undefined;
}

/** How everybody with a limit of their own stands, who used the largest part of it first. `consumption` is that of the month. */
export function standings(
  overrides: readonly BudgetOverride[],
  consumption: readonly Share[],
  asOf: number,
): Standing[] {
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

/** From which part of a limit on one is near it. */
export const NEAR = 0.9;

/** Whether the limit is reached, or will be. */
export type Level = 'over' | 'near' | 'crossing' | 'within';

export function levelOf({ used, crossesOn }: Pick<Standing, 'used' | 'crossesOn'>): Level {
  if (used >= 1) return 'over';
  return used >= NEAR ? 'near' : crossesOn === undefined ? 'within' : 'crossing';
}

/** How many are at each level. */
export function countLevels(standings: readonly Standing[]): Readonly<Record<Level, number>> {
  const counts = { over: 0, near: 0, crossing: 0, within: 0 };
  for (const standing of standings) counts[levelOf(standing)]++;
  return counts;
}

/** All limits together. */
export function sumOfLimits(standings: readonly Pick<Standing, 'limit'>[]): bigint {
  return standings.reduce((sum, { limit }) => sum + limit, 0n);
}

/** To a thousandth of a percent, rounded down, so that nobody is at the limit who is not. */
function usedOf(spent: Decimal, limit: bigint): number {
  return Number((spent * 100_000n) / wholeAmount(limit)) / 100_000;
}

/** When the limit is reached at the month's pace, if before its end. Of the past nothing is known but that it was. */
function crossing(spent: Decimal, limit: bigint, asOf: number): Day | undefined {
  const { start, end } = monthOf(asOf);
  if (spent >= wholeAmount(limit)) return dayOf(asOf - 1);
  if (spent <= 0n || asOf - start < FEWEST_DAYS * DAY_MS) return undefined;
  const moment = start + Number((wholeAmount(limit) * BigInt(Math.floor(asOf - start))) / spent);
  return moment < end ? dayOf(moment) : undefined;
}

/** A limit that somebody came near to. */
export interface Alert {
  readonly standing: Standing;
  /** The highest threshold that was reached, of 1. */
  readonly threshold: number;
}

/** What was told, by subject and month: the highest threshold. */
export type Told = Readonly<Record<string, number>>;

/** What is to be told now: each threshold once for each subject and month. Gives back what was told then. */
export function dueAlerts(
  standings: readonly Standing[],
  thresholds: readonly number[],
  told: Told,
  asOf: number,
): { readonly alerts: readonly Alert[]; readonly told: Told } {
  const month = monthName(asOf);
  // Months that are over are forgotten. One that began may be news to who counts the last day of the one before.
  const next = Object.fromEntries(Object.entries(told).filter(([key]) => key.slice(0, month.length) >= month));
  const alerts: Alert[] = [];
  for (const standing of standings) {
    const threshold = Math.max(0, ...thresholds.filter((one) => standing.used >= one));
    const key = `${month} ${standing.key}`;
    if (threshold <= (next[key] ?? 0)) continue;
    alerts.push({ standing, threshold });
    next[key] = threshold;
  }
  return { alerts, told: next };
}
