import { firstOfMonth, firstOfNextMonth } from '../../base/day.ts';
import type { DayRange } from '../dateRules.ts';
import type { Decimal } from '../../base/decimal.ts';

/** The previous period: the same number of days, just before. */
export function previousRange({ first, last }: DayRange): DayRange {
  return { first: first - (last - first + 1), last: first - 1 };
}

/**
 * The same days of the month before, of a range from the first of a month: the 1st to the 20th with the 1st to the
 * 20th, and a whole month with a whole one.
 */
export function sameDaysBefore({ first, last }: DayRange): DayRange {
  const month = firstOfMonth(first - 1);
  const isWhole = last === firstOfNextMonth(first) - 1;
  return { first: month, last: isWhole ? first - 1 : Math.min(month + last - first, first - 1) };
}

/** Growth as a share of the earlier value: 0.25 is a quarter more. `undefined` if that was 0. */
export function growth(now: number, before: number): number | undefined {
  return before === 0 ? undefined : (now - before) / before;
}

/** Growth of an amount, to a hundredth of a percent. */
export function growthOfAmount(now: Decimal, before: Decimal): number | undefined {
  return shareOfAmount(now - before, before);
}

/** A part as a share of the whole, from 0 to 1, to a hundredth of a percent; `undefined` for a whole of 0. */
export function shareOfAmount(part: Decimal, whole: Decimal): number | undefined {
  return whole === 0n ? undefined : Number((part * 10_000n) / whole) / 10_000;
}

/** A named amount. */
export interface Share {
  /** Equal for equal subjects. */
  readonly key: string;
  readonly name: string;
  readonly amount: Decimal;
}

/** Sums by key, the largest first; equal ones by name. */
export function shares(items: Iterable<Share>): Share[] {
  const sums = new Map<string, Share>();
  for (const item of items) {
    const known = sums.get(item.key);
    sums.set(item.key, known ? { ...known, amount: known.amount + item.amount } : item);
  }
  return [...sums.values()].sort(byAmount);
}

function byAmount(a: Share, b: Share): number {
  if (a.amount !== b.amount) return a.amount > b.amount ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** The first `n`, and the sum of all others. */
export function top(sorted: readonly Share[], n: number): { readonly top: readonly Share[]; readonly others: Decimal } {
  return { top: sorted.slice(0, n), others: total(sorted.slice(n)) };
}

export function total(items: readonly Share[]): Decimal {
  return items.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Amounts of one subject in two periods. */
export interface Mover {
  readonly key: string;
  readonly name: string;
  readonly now: Decimal;
  readonly before: Decimal;
}

/** The largest changes, up or down, without unchanged subjects. */
export function movers(now: readonly Share[], before: readonly Share[], n: number): Mover[] {
  const all = new Map<string, Mover>();
  for (const { key, name, amount } of now) all.set(key, { key, name, now: amount, before: 0n });
  for (const { key, name, amount } of before) all.set(key, { name, now: 0n, ...all.get(key), key, before: amount });
  const size = (mover: Mover): Decimal =>
    mover.now > mover.before ? mover.now - mover.before : mover.before - mover.now;
  const changed = [...all.values()].filter((mover) => size(mover) > 0n);
  return changed
    .sort((a, b) => (size(a) !== size(b) ? (size(a) > size(b) ? -1 : 1) : a.name < b.name ? -1 : 1))
    .slice(0, n);
}
