import { formatCount } from '../../base/format.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { Plan } from '../contract.ts';
import { identityKey } from '../identity.ts';
import { wholeAmount } from '../insights/amounts.ts';
import { formatLimit, NO_LIMIT, sumOfLimits, type Limit } from './limit.ts';
import { changesOf, type Preview } from './preview.ts';

/** The known consumption of the month, and the current limits of the organization. */
export interface LimitUse {
  /** By the key of the account. */
  readonly consumption: ReadonlyMap<string, Decimal>;
  readonly limits: readonly { readonly key: string; readonly limit: bigint }[];
}

/** The effect of a preview on people, before it is applied. */
export interface PreviewEffect {
  /** Accounts whose consumption of the month reaches the new limit, and did not reach the current one. */
  readonly newlyOver: number;
  /** All accounts over their limit, before and after. */
  readonly over: BeforeAfter<number>;
  /** Sum of all limits, without unlimited ones. */
  readonly sum: BeforeAfter<bigint>;
  readonly unlimited: BeforeAfter<number>;
}

interface BeforeAfter<T> {
  readonly before: T;
  readonly after: T;
}

/** Computes the effect of the changes on all limits of the organization. */
export function effectOf(preview: Preview, { consumption, limits }: LimitUse): PreviewEffect {
  const before = new Map(limits.map(({ key, limit }) => [key, String(limit)]));
  // The preview has read the limits later.
  for (const { identity, before: limit } of preview.rows) before.set(identityKey(identity), limit);
  const after = new Map(before);
  const changes = changesOf(preview);
  for (const { identity, after: limit } of changes) after.set(identityKey(identity), limit);
  const isOver = (key: string, limit: Limit = NO_LIMIT): boolean => isReached(consumption.get(key) ?? 0n, limit);
  const countOver = (all: ReadonlyMap<string, Limit>): number => [...all].filter((one) => isOver(...one)).length;
  const [earlier, later] = [sumOfLimits(before.values()), sumOfLimits(after.values())];
  const keys = changes.map(({ identity }) => identityKey(identity));
  return {
    newlyOver: keys.filter((key) => isOver(key, after.get(key)) && !isOver(key, before.get(key))).length,
    over: { before: countOver(before), after: countOver(after) },
    sum: { before: earlier.sum, after: later.sum },
    unlimited: { before: earlier.unlimited, after: later.unlimited },
  };
}

/** Whether an amount reaches a limit. */
export function isReached(spent: Decimal, limit: Limit): boolean {
  return limit !== NO_LIMIT && spent >= wholeAmount(BigInt(limit));
}

/** `43 accounts would be over at once (over now: 2, then: 45). All limits together: 1,200,000 → 900,000 credits` */
export function describeEffect({ newlyOver, over, sum, unlimited }: PreviewEffect, unit: Plan): string {
  const who = newlyOver === 1 ? '1 account' : newlyOver === 0 ? 'No account' : `${formatCount(newlyOver)} accounts`;
  const credits = unit === 'credits' ? ' credits' : '';
  const all = (limits: bigint, without: number, name: string): string =>
    [
      ...(limits > 0n || without === 0 ? [`${formatLimit(String(limits), unit)}${name}`] : []),
      ...(without > 0 ? [`${formatCount(without)} unlimited`] : []),
    ].join(' and ');
  return [
    `${who} would be over at once (over now: ${formatCount(over.before)}, then: ${formatCount(over.after)})`,
    `All limits together: ${all(sum.before, unlimited.before, '')} → ${all(sum.after, unlimited.after, credits)}`,
  ].join('. ');
}
