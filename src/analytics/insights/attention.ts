import { parseDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { SextantError } from '../../base/errors.ts';
import { wholeAmount } from './amounts.ts';
import { levelOf, type BudgetStatus, type GroupStatus, type Level, type LimitedGroup } from './budgets.ts';
import type { Presence } from './presence.ts';
import type { UnusualSpending } from './unusual.ts';

/** One thing that needs the attention of a team lead. */
export type AttentionItem =
  | { readonly kind: 'data'; readonly error: SextantError; readonly asOf: string | undefined }
  /** The limit of a group that the group file does not have. */
  | { readonly kind: 'unknown'; readonly of: LimitedGroup }
  | OverItem
  /** Subjects over their limit besides those that have an item of their own. */
  | { readonly kind: 'moreOver'; readonly of: Subjects; readonly count: number; readonly amount: Decimal }
  | { readonly kind: 'unusual'; readonly spending: UnusualSpending; readonly amount: Decimal }
  /** `projected` are groups alone: one heavy day projects many accounts over their limits. */
  | { readonly kind: 'near' | 'projected'; readonly status: BudgetStatus | GroupStatus }
  | { readonly kind: 'moreNear'; readonly of: Subjects; readonly count: number }
  | { readonly kind: 'stopped'; readonly people: readonly Presence[] }
  | { readonly kind: 'never'; readonly people: readonly Presence[] };

/** What has limits; the organization is among the groups. */
export type Subjects = 'accounts' | 'groups';

interface OverItem {
  readonly kind: 'over';
  readonly status: BudgetStatus | GroupStatus;
  readonly amount: Decimal;
}

/** The known parts; a part that is undefined is not known yet, or cannot be. */
export interface AttentionParts {
  readonly failed: readonly { readonly error: SextantError; readonly asOf: string | undefined }[];
  /** Limits of groups that the group file does not have. */
  readonly unknown: readonly { readonly of: LimitedGroup }[] | undefined;
  /** Limits of accounts, and of groups and the organization. */
  readonly statuses: readonly BudgetStatus[] | undefined;
  readonly groups: readonly GroupStatus[] | undefined;
  readonly unusual: readonly UnusualSpending[] | undefined;
  readonly people: readonly Presence[] | undefined;
}

/** Number of accounts, and of groups, over or near their limit with an item of their own. */
const NAMED = { over: 3, near: 2 };

/**
 * What needs attention: first failures and limits of unknown groups, which make all else doubtful; then what costs money,
 * by its amount: groups and accounts over their limit, with the others below the largest, and unusual spending; then groups
 * and accounts near their limit, and people who stopped.
 */
export function attentionItems(parts: AttentionParts): AttentionItem[] {
  const { failed, unknown = [], statuses = [], groups = [], unusual = [], people = [] } = parts;
  const over = { groups: overItems(groups), accounts: overItems(statuses) };
  const costly: Extract<AttentionItem, { readonly amount: Decimal }>[] = [
    ...over.groups.slice(0, NAMED.over),
    ...over.accounts.slice(0, NAMED.over),
    ...withoutExplained(unusual).map((spending) => ({ kind: 'unusual', spending, amount: spending.excess }) as const),
  ];
  costly.sort(byAmount);
  for (const [of, all] of Object.entries(over) as [Subjects, OverItem[]][]) {
    const more = all.slice(NAMED.over);
    if (more.length === 0) continue;
    // Below those that they are more than.
    const last = costly.indexOf(all[NAMED.over - 1]!);
    costly.splice(last + 1, 0, { kind: 'moreOver', of, count: more.length, amount: sumOf(more) });
  }
  const of = (kind: Presence['kind']): readonly Presence[] => people.filter((one) => one.kind === kind);
  const [stopped, never] = [of('stopped'), of('never')];
  return [
    ...differentErrors(failed),
    ...unknown.map(({ of }) => ({ kind: 'unknown', of }) as const),
    ...costly,
    ...nearItems(groups, 'groups', ['near', 'crossing']),
    ...nearItems(statuses, 'accounts', ['near']),
    ...(stopped.length > 0 ? [{ kind: 'stopped', people: stopped } as const] : []),
    ...(never.length > 0 ? [{ kind: 'never', people: never } as const] : []),
  ];
}

function byAmount(a: { readonly amount: Decimal }, b: { readonly amount: Decimal }): number {
  return a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1;
}

/** Those over their limit, by the amount. */
function overItems(statuses: readonly (BudgetStatus | GroupStatus)[]): OverItem[] {
  return statuses
    .filter((status) => levelOf(status) === 'over')
    .map((status) => ({ kind: 'over', status, amount: status.spent - wholeAmount(status.limit) }) as const)
    .sort(byAmount);
}

/** The first of those at the levels, and the number of the others. */
function nearItems(
  statuses: readonly (BudgetStatus | GroupStatus)[],
  of: Subjects,
  levels: readonly Level[],
): AttentionItem[] {
  const near = statuses.filter((status) => levels.includes(levelOf(status)));
  const more = near.length - NAMED.near;
  return [
    ...near
      .slice(0, NAMED.near)
      .map((status) => ({ kind: levelOf(status) === 'near' ? 'near' : 'projected', status }) as const),
    ...(more > 0 ? [{ kind: 'moreNear', of, count: more } as const] : []),
  ];
}

function sumOf(items: readonly { readonly amount: Decimal }[]): Decimal {
  return items.reduce((sum, { amount }) => sum + amount, 0n);
}

/** One item for each message: a service that fails does so for all reports. */
function differentErrors(failed: AttentionParts['failed']): AttentionItem[] {
  const byMessage = new Map(failed.map((one) => [one.error.message, one]));
  return [...byMessage.values()].map((one) => ({ kind: 'data', ...one }));
}

/** Leaves out days, models and products whose excess is at least half that of accounts on the same days. */
export function withoutExplained(unusual: readonly UnusualSpending[]): readonly UnusualSpending[] {
  const accounts = unusual.filter(({ subject }) => subject === 'account');
  return unusual.filter((one) => {
    if (one.subject === 'account') return true;
    const explained = accounts.filter((account) => overlaps(account, one));
    return explained.reduce((sum, { excess }) => sum + excess, 0n) * 2n < one.excess;
  });
}

function overlaps(a: UnusualSpending, b: UnusualSpending): boolean {
  return parseDay(a.since)! <= parseDay(b.until)! && parseDay(b.since)! <= parseDay(a.until)!;
}
