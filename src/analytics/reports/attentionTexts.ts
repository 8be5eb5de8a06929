import * as l10n from '@vscode/l10n';
import { formatDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import { formatCount } from '../../base/format.ts';
import { isUnlimited } from '../budgets/limit.ts';
import { describeGroup } from '../groups/groupLimits.ts';
import { nameOfGroup, titleOfColumn } from '../groups/groupReport.ts';
import { identityOfKey, type Identity } from '../identity.ts';
import { wholeAmount } from '../insights/amounts.ts';
import type { AttentionItem } from '../insights/attention.ts';
import {
  levelOf,
  ORGANIZATION,
  type BudgetStatus,
  type GroupStatus,
  type LimitedGroup,
  type LimitStatus,
} from '../insights/budgets.ts';
import type { Presence } from '../insights/presence.ts';
import type { UnusualSpending } from '../insights/unusual.ts';
import type { Unit } from './costReport.ts';
import { describeMoment } from './report.ts';
import { formatCell, formatShare } from './table.ts';

/* Sentences about what needs attention, for the page, the side bar and the command. */

/** Shows the name of an account or hides it; `key` tells bots from people. */
export type NameOf = (key: string, name: string) => string;

/** Largest number of people named in a sentence. */
const NAMED = 3;

/** One sentence with the amount. */
export function describeAttention(item: AttentionItem, unit: Unit, nameOf: NameOf): string {
  const amount = (value: Decimal): string => describeAmount(value, unit);
  switch (item.kind) {
    case 'data':
      return item.asOf === undefined
        ? l10n.t('Figures are missing: {0}', item.error.message)
        : l10n.t('{0} The figures are from {1}.', item.error.message, describeMoment(item.asOf));
    case 'unknown':
      return describeUnknown(item.of, nameOf);
    case 'over':
    case 'near':
    case 'projected':
      return describeStatus(nameOfSubject(item.status, nameOf), item.status, unit);
    case 'moreOver':
      // Groups of several columns share accounts: their amounts have no sum.
      if (item.of === 'groups')
        return item.count === 1
          ? l10n.t('1 more group is over its limit')
          : l10n.t('{0} more groups are over their limits', formatCount(item.count));
      return item.count === 1
        ? l10n.t('1 more account is over its limit, by {0}', amount(item.amount))
        : l10n.t(
            '{0} more accounts are over their limits, by {1} together',
            formatCount(item.count),
            amount(item.amount),
          );
    case 'moreNear':
      if (item.of === 'groups')
        return item.count === 1
          ? l10n.t('1 more group is near its limit, or projected to reach it')
          : l10n.t('{0} more groups are near their limits, or projected to reach them', formatCount(item.count));
      return item.count === 1
        ? l10n.t('1 more account is near its limit')
        : l10n.t('{0} more accounts are near their limits', formatCount(item.count));
    case 'unusual':
      return describeUnusual(item.spending, unit, nameOf);
    case 'stopped':
      return item.people.length === 1
        ? l10n.t('1 person was active and stopped: {0}', describePeople(item.people, nameOf))
        : l10n.t(
            '{0} people were active and stopped: {1}',
            formatCount(item.people.length),
            describePeople(item.people, nameOf),
          );
    case 'never':
      return item.people.length === 1
        ? l10n.t('1 on the roster was not active in 30 days: {0}', describePeople(item.people, nameOf))
        : l10n.t(
            '{0} on the roster were not active in 30 days: {1}',
            formatCount(item.people.length),
            describePeople(item.people, nameOf),
          );
  }
}

/** `lea@example.com`, `Team Search` or `The organization` */
export function nameOfSubject(status: BudgetStatus | GroupStatus, nameOf: NameOf): string {
  if (!('of' in status)) return nameOf(status.key, status.identity.name);
  if (status.of === ORGANIZATION) return l10n.t('The organization');
  return `${titleOfColumn(status.of.column)} ${nameOfGroup(status.of.group, nameOf)}`;
}

/** Explains a limit of a group that the group file does not have. */
export function describeUnknown(of: LimitedGroup, nameOf: NameOf): string {
  const named = of === ORGANIZATION ? of : { ...of, group: nameOfGroup(of.group, nameOf) };
  return l10n.t('No row of the group file has {0}, so the use of its limit is unknown', describeGroup(named));
}

/** The status of a budget that is over, near or projected over its limit. */
export function describeStatus(
  name: string,
  status: Pick<BudgetStatus, 'limit' | 'spent' | 'used' | 'crossesOn'>,
  unit: Unit,
): string {
  const { limit, spent, used, crossesOn } = status;
  const all = wholeAmount(limit);
  const over = describeAmount(spent - all, unit);
  const [left, of] = [describeAmount(all - spent, unit), describeAmount(all, unit)];
  switch (levelOf(status)) {
    case 'over':
      return l10n.t('{0} is {1} over the limit of {2} ({3} used)', name, over, of, formatShare(used));
    case 'near':
      return l10n.t('{0} has {1} left of the limit ({2} used)', name, left, formatShare(used));
    case 'crossing': {
      const day = crossesOn === undefined ? '' : formatDay(crossesOn);
      return l10n.t('{0} is projected to reach the limit of {1} on {2} ({3} used)', name, of, day, formatShare(used));
    }
    case 'within':
      return l10n.t('{0} has {1} left of the limit ({2} used)', name, left, formatShare(used));
  }
}

/** `lea@example.com spent 24,500 credits more than usual since 2026-11-16 (25,000 in 5 days)` */
export function describeUnusual(spending: UnusualSpending, unit: Unit, nameOf: NameOf): string {
  const { subject, key, name, since, until, days, amount, excess } = spending;
  const more = describeAmount(excess, unit);
  const all = describeAmount(amount, unit);
  const who = {
    day: l10n.t('All accounts together'),
    account: nameOf(key, name),
    resource: name,
    product: name,
  }[subject];
  return days === 1
    ? l10n.t('{0} spent {1} more than usual on {2} ({3} on that day)', who, more, until, all)
    : l10n.t('{0} spent {1} more than usual since {2} ({3} in {4} days)', who, more, since, all, days);
}

function describePeople(people: readonly Presence[], nameOf: NameOf): string {
  const named = people.slice(0, NAMED).map(({ key, identity, lastActive }) => {
    const name = nameOf(key, identity.name);
    return lastActive === undefined ? name : l10n.t('{0} (last active {1})', name, lastActive);
  });
  const more = people.length - named.length;
  return [...named, ...(more > 0 ? [l10n.t('{0} more', formatCount(more))] : [])].join(', ');
}

/** What was looked at, as far as it is known. */
export interface LookedAt {
  readonly limits: number | undefined;
  readonly accounts: number | undefined;
  readonly people: number | undefined;
  /** The last day of the figures. */
  readonly last: string;
}

/** `Looked at: 12 limits, the spending of 300 accounts, the activity of 290 people, up to 2026-11-20.` */
export function describeLookedAt({ limits, accounts, people, last }: LookedAt): string {
  const parts = [
    ...(limits === undefined ? [] : [limits === 1 ? l10n.t('1 limit') : l10n.t('{0} limits', formatCount(limits))]),
    ...(accounts === undefined
      ? []
      : [
          accounts === 1
            ? l10n.t('the spending of 1 account')
            : l10n.t('the spending of {0} accounts', formatCount(accounts)),
        ]),
    ...(people === undefined
      ? []
      : [
          people === 1 ? l10n.t('the activity of 1 person') : l10n.t('the activity of {0} people', formatCount(people)),
        ]),
  ];
  return parts.length === 0 ? '' : l10n.t('Looked at: {0}, up to {1}.', parts.join(', '), last);
}

export function allIsWell(): string {
  return l10n.t('All is well: nothing needs attention.');
}

/** `29,207 credits`, `$1,204.50` */
export function describeAmount(amount: Decimal, unit: Unit): string {
  const text = formatCell(amount, { kind: unit });
  if (unit === 'usd') return text;
  return text === '1' ? l10n.t('1 credit') : l10n.t('{0} credits', text);
}

/** `18.3 % of 5,000 credits`, `unlimited` */
export function describeUse({ used, limit }: Pick<LimitStatus, 'used' | 'limit'>, unit: Unit): string {
  return isUnlimited(String(limit))
    ? l10n.t('unlimited')
    : l10n.t('{0} of {1}', formatShare(used), describeAmount(wholeAmount(limit), unit));
}

/** The account of an item, if it is about one. */
export function accountOf(item: AttentionItem): Identity | undefined {
  if ('status' in item) return 'identity' in item.status ? item.status.identity : undefined;
  if (item.kind !== 'unusual' || item.spending.subject !== 'account') return undefined;
  return identityOfKey(item.spending.key, item.spending.name);
}

/** The tab of the dashboard that shows more of an item. */
export function tabOfAttention(
  { kind }: AttentionItem,
  unit: Unit,
): 'overview' | 'people' | 'credits' | 'cost' | 'budgets' {
  switch (kind) {
    case 'unknown':
    case 'over':
    case 'moreOver':
    case 'near':
    case 'projected':
    case 'moreNear':
      return 'budgets';
    case 'unusual':
      return unit === 'usd' ? 'cost' : 'credits';
    case 'stopped':
    case 'never':
      return 'people';
    case 'data':
      return 'overview';
  }
}
