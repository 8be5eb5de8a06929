import { formatCount } from '../../base/format.ts';
import { SextantError } from '../../base/errors.ts';
import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import type { RequestedLimit } from '../budgets/preview.ts';
import { foldCase, identityKey, identityNamed, identityOf, identityOfKey, type Identity } from '../identity.ts';
import { costBy } from '../insights/amounts.ts';
import { ORGANIZATION, type LimitedGroup } from '../insights/budgets.ts';
import { ACCOUNT_DAYS } from '../reports/monthSpending.ts';
import { MEASURE_OF, unitOf } from '../reports/unit.ts';
import { describeGroup } from './groupLimits.ts';
import { isPattern, type Groups } from './groups.ts';

/** How a limit is divided: into equal parts, or as the members spent in the last six weeks. */
export type Spread = 'equal' | 'use';

/**
 * Divides a limit by weights into whole parts of 1 at the least, whose sum is the limit. What is left after rounding down
 * goes to the largest remainders, and of equal ones to the first. Without any weight, the parts are equal.
 */
export function divideLimit(limit: bigint, weights: readonly bigint[]): bigint[] {
  const count = BigInt(weights.length);
  if (count === 0n || limit < count) throw new RangeError(`${limit} cannot be divided into ${count} parts`);
  const sum = weights.reduce((all, one) => all + one, 0n);
  const [shares, whole] = sum === 0n ? [weights.map(() => 1n), count] : [weights, sum];
  const rest = limit - count;
  const parts = shares.map((share) => 1n + (rest * share) / whole);
  const left = Number(limit - parts.reduce((all, one) => all + one, 0n));
  const remainder = (i: number): bigint => (rest * shares[i]!) % whole;
  const order = parts.map((_, i) => i).sort((a, b) => (remainder(a) === remainder(b) ? a - b : remainder(a) > remainder(b) ? -1 : 1)); // oxfmt-ignore
  for (const i of order.slice(0, left)) parts[i]!++;
  return parts;
}

/**
 * The limits of the members of a group today, which together are `limit`: a request for the preview. Members are the
 * accounts that the group file names, that spent in the last six weeks, or that have an override. Throws `NoMembers`.
 */
export async function spreadLimit(
  data: AnalyticsData,
  groups: Groups | undefined,
  { of, limit, by }: { readonly of: LimitedGroup; readonly limit: bigint; readonly by: Spread },
  options: LoadOptions = {},
): Promise<RequestedLimit[]> {
  const past = { first: data.newestDay - ACCOUNT_DAYS + 1, last: data.newestDay };
  const [cost, overrides] = await Promise.all([
    data.cost(past, ['COST_ANALYTICS_GROUP_BY_USER'], options),
    data.budgets(options),
  ]);
  for (const { offline, missing } of [cost, overrides]) if (offline && missing.length > 0) throw offline;
  const spent = costBy(cost.rows, 'user', MEASURE_OF[unitOf(cost.rows)]);
  const accounts = new Map<string, Identity>();
  for (const identity of [
    ...spent.flatMap(({ key, name }) => identityOfKey(key, name) ?? []),
    ...overrides.rows.map(identityOf),
    ...(groups?.rows ?? []).flatMap(({ account }) => (isPattern(account) ? [] : [identityNamed(account)])),
  ])
    if (!accounts.has(identityKey(identity))) accounts.set(identityKey(identity), identity);
  const isMember = (one: Identity): boolean =>
    of === ORGANIZATION || groups?.groupOf(one, of.column, data.today) === of.group;
  const members = [...accounts.values()]
    .filter(isMember)
    .sort((a, b) => (foldCase(a.name) < foldCase(b.name) ? -1 : 1));
  if (members.length === 0)
    throw new SextantError('NoMembers', `${describeGroup(of)} has no members today. Check the group file.`);
  if (limit < BigInt(members.length))
    throw new SextantError('BadLimit', `The limit is too small for ${formatCount(members.length)} members: 1 is the least for each.`); // oxfmt-ignore
  const amounts = new Map(spent.map(({ key, amount }) => [key, amount > 0n ? amount : 0n]));
  const weights = members.map((one) => (by === 'equal' ? 1n : (amounts.get(identityKey(one)) ?? 0n)));
  const parts = divideLimit(limit, weights);
  return members.map((identity, i) => ({ identity, limit: String(parts[i]) }));
}
