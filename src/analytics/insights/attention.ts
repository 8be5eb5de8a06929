import { parseDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { SextantError } from '../../base/errors.ts';
import { wholeAmount } from './amounts.ts';
import { levelOf, type BudgetStatus } from './budgets.ts';
import type { Presence } from './presence.ts';
import type { UnusualSpending } from './unusual.ts';

/** One thing that needs the attention of a team lead. */
export type AttentionItem =
  | { readonly kind: 'data'; readonly error: SextantError; readonly asOf: string | undefined }
  | { readonly kind: 'over'; readonly status: BudgetStatus; readonly amount: Decimal }
  /** Accounts over their limit besides those that have an item of their own. */
  | { readonly kind: 'moreOver'; readonly count: number; readonly amount: Decimal }
  | { readonly kind: 'unusual'; readonly spending: UnusualSpending; readonly amount: Decimal }
  | { readonly kind: 'near'; readonly status: BudgetStatus }
  | { readonly kind: 'moreNear'; readonly count: number }
  | { readonly kind: 'stopped'; readonly people: readonly Presence[] }
  | { readonly kind: 'never'; readonly people: readonly Presence[] };

/** The known parts; a part that is undefined is not known yet, or cannot be. */
export interface AttentionParts {
  readonly failed: readonly { readonly error: SextantError; readonly asOf: string | undefined }[];
  readonly statuses: readonly BudgetStatus[] | undefined;
  readonly unusual: readonly UnusualSpending[] | undefined;
  readonly people: readonly Presence[] | undefined;
}

/** Number of accounts over or near their limit with an item of their own. */
const NAMED = { over: 3, near: 2 };

/**
 * What needs attention: first failures, which make all else doubtful; then what costs money, by its amount: accounts
 * over their limit, with the others below the largest, and unusual spending; then accounts near their limit, and people who
 * stopped.
 */
export function attentionItems({ failed, statuses = [], unusual = [], people = [] }: AttentionParts): AttentionItem[] {
  const over = statuses
    .filter((status) => levelOf(status) === 'over')
    .map((status) => ({ kind: 'over', status, amount: status.spent - wholeAmount(status.limit) }) as const)
    .sort((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1));
  const moreOver = over.slice(NAMED.over);
  const near = statuses.filter((status) => levelOf(status) === 'near');
  const costly: Extract<AttentionItem, { readonly amount: Decimal }>[] = [
    ...over.slice(0, NAMED.over),
    ...withoutExplained(unusual).map((spending) => ({ kind: 'unusual', spending, amount: spending.excess }) as const),
  ];
  costly.sort((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1));
  // Below those that they are more than.
  if (moreOver.length > 0)
    costly.splice(costly.findLastIndex(({ kind }) => kind === 'over') + 1, 0, {
      ...{ kind: 'moreOver', count: moreOver.length, amount: sumOf(moreOver) },
    });
  const moreNear = near.length - NAMED.near;
  const of = (kind: Presence['kind']): readonly Presence[] => people.filter((one) => one.kind === kind);
  const [stopped, never] = [of('stopped'), of('never')];
  return [
    ...differentErrors(failed),
    ...costly,
    ...near.slice(0, NAMED.near).map((status) => ({ kind: 'near', status }) as const),
    ...(moreNear > 0 ? [{ kind: 'moreNear', count: moreNear } as const] : []),
    ...(stopped.length > 0 ? [{ kind: 'stopped', people: stopped } as const] : []),
    ...(never.length > 0 ? [{ kind: 'never', people: never } as const] : []),
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
