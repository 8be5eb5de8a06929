import type { DayRange } from '../dateRules.ts';
import type { Decimal } from '../../base/decimal.ts';

/** As many days, just before. */
export function previousRange({ first, last }: DayRange): DayRange {
  return { first: first - (last - first + 1), last: first - 1 };
}

/** By how much something grew, as a share of what it was: 0.25 is a quarter more. `undefined` where it was nothing. */
export function growth(now: number, before: number): number | undefined {
  return before === 0 ? undefined : (now - before) / before;
}

/** The same for amounts, to a hundredth of a percent. */
export function growthOfAmount(now: Decimal, before: Decimal): number | undefined {
  return shareOfAmount(now - before, before);
}

/** Which part of the whole something is, from 0 to 1, to a hundredth of a percent; `undefined` of nothing. */
export function shareOfAmount(part: Decimal, whole: Decimal): number | undefined {
  return whole === 0n ? undefined : Number((part * 10_000n) / whole) / 10_000;
}

/** Something by name and what it amounts to. */
export interface Share {
  /** Equal for equal things. */
  readonly key: string;
  readonly name: string;
  readonly amount: Decimal;
}

/** Adds up by key, the largest first; of equal ones by name. */
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

/** The first `n`, and what all others come to. */
export function top(sorted: readonly Share[], n: number): { readonly top: readonly Share[]; readonly others: Decimal } {
  return { top: sorted.slice(0, n), others: total(sorted.slice(n)) };
}

export function total(items: readonly Share[]): Decimal {
  return items.reduce((sum, { amount }) => sum + amount, 0n);
}

/** What something came to in two periods. */
export interface Mover {
  readonly key: string;
  readonly name: string;
  readonly now: Decimal;
  readonly before: Decimal;
}

/** What changed most, up or down; what did not change is none. */
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
