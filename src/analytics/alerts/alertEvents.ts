import { createHash } from 'node:crypto';
import { dayOf, formatDay, type Day } from '../../base/day.ts';
import { formatDecimal } from '../../base/decimal.ts';
import type { GroupBudgetReport } from '../groups/groupBudgets.ts';
import type { Groups } from '../groups/groups.ts';
import { identityKey, identityOfKey, type Identity } from '../identity.ts';
import { withoutExplained } from '../insights/attention.ts';
import { levelOf, ORGANIZATION, type BudgetStatus, type GroupStatus, type Level } from '../insights/budgets.ts';
import type { Presence } from '../insights/presence.ts';
import type { SpendingSubject, UnusualSpending } from '../insights/unusual.ts';
import { describeAttention, describeStatus, describeUnusual, nameOfSubject } from '../reports/attentionTexts.ts';
import type { BudgetReport } from '../reports/budgetReport.ts';
import type { PresenceReport } from '../reports/presenceReport.ts';
import type { UnusualReport } from '../reports/unusualReport.ts';
import type { Unit } from '../reports/unit.ts';

/** What is alerted about: limits that are reached, near, or projected to be reached; unusual spending; unused seats. */
export const ALERT_KINDS = ['over', 'near', 'projected', 'unusual', 'stopped'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export interface AlertSubject {
  readonly type: 'account' | 'group' | 'organization' | 'resource' | 'product';
  /** Empty for the organization. */
  readonly name: string;
  /** The column of a group, such as `team`. */
  readonly column?: string;
}

/** Something that happened once to one subject. */
export interface AlertEvent {
  /** Equal for the same event, whenever and wherever it is found; a hash. */
  readonly key: string;
  readonly kind: AlertKind;
  readonly subject: AlertSubject;
  /** The month of a limit, the first day of unusual spending, the last active day of an account that stopped. */
  readonly period: string;
  readonly text: string;
  /** The groups of an account by column. */
  readonly groups: Readonly<Record<string, string>>;
  /** Amounts as exact text; shares as numbers. */
  readonly figures: Readonly<Record<string, string | number>>;
}

/** The reports that alerts are found in. */
export interface AlertReports {
  readonly budgets: BudgetReport | undefined;
  /** Limits of groups and of the organization, which are kept locally. */
  readonly groupBudgets: GroupBudgetReport | undefined;
  readonly unusual: UnusualReport | undefined;
  readonly presence: PresenceReport | undefined;
  readonly groups: Groups | undefined;
}

const KIND_OF_LEVEL: Readonly<Record<Level, AlertKind | undefined>> = {
  over: 'over',
  near: 'near',
  crossing: 'projected',
  within: undefined,
};

/** What is to be reported now, by the figures of the reports: limits first, by used share. A report that is unknown has none. */
export function alertEvents(reports: AlertReports, today: Day): AlertEvent[] {
  const { budgets, groupBudgets, unusual, presence, groups } = reports;
  const unit = unusual?.unit ?? budgets?.unit ?? 'credits';
  const groupsOf = (identity: Identity | undefined): Readonly<Record<string, string>> =>
    groups && identity ? groupValues(groups, identity, today) : {};
  return [
    ...[groupBudgets, budgets].flatMap((report) => (report ? limitEvents(report, groupsOf) : [])),
    ...(unusual ? withoutExplained(unusual.found).map((one) => unusualEvent(one, unit, groupsOf)) : []),
    ...(presence?.presence?.people ?? []).filter(hasStopped).map((one) => stoppedEvent(one, unit, groupsOf)),
  ];
}

type GroupsOf = (identity: Identity | undefined) => Readonly<Record<string, string>>;

function groupValues(groups: Groups, identity: Identity, today: Day): Readonly<Record<string, string>> {
  const named = groups.columns.map((column) => [column, groups.groupOf(identity, column, today)] as const);
  return Object.fromEntries(named.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function limitEvents(
  { statuses, unit, countedUntil }: BudgetReport | GroupBudgetReport,
  groupsOf: GroupsOf,
): AlertEvent[] {
  const period = formatDay(dayOf(countedUntil - 1)).slice(0, 7);
  return statuses.flatMap((status): AlertEvent[] => {
    const kind = KIND_OF_LEVEL[levelOf(status)];
    if (kind === undefined) return [];
    const subject = subjectOf(status);
    const { key, limit, spent, used, projected, crossesOn } = status;
    return [
      {
        ...{ key: keyOf(kind, subject, key, period), kind, subject, period },
        text: describeStatus(
          nameOfSubject(status, (_, name) => name),
          status,
          unit,
        ),
        groups: groupsOf('identity' in status ? status.identity : undefined),
        figures: {
          unit,
          limit: String(limit),
          consumed: formatDecimal(spent),
          used,
          ...(projected !== undefined && { projected: formatDecimal(projected) }),
          ...(crossesOn !== undefined && { crosses_on: formatDay(crossesOn) }),
        },
      },
    ];
  });
}

function subjectOf(status: BudgetStatus | GroupStatus): AlertSubject {
  if ('identity' in status) return { type: 'account', name: status.identity.name };
  const { of } = status;
  return of === ORGANIZATION
    ? { type: 'organization', name: '' }
    : { type: 'group', name: of.group, column: of.column };
}

const TYPE_OF: Readonly<Record<SpendingSubject, AlertSubject['type']>> = {
  day: 'organization',
  account: 'account',
  resource: 'resource',
  product: 'product',
};

function unusualEvent(spending: UnusualSpending, unit: Unit, groupsOf: GroupsOf): AlertEvent {
  const { name, key, since, until, days, amount, usual, excess } = spending;
  const subject: AlertSubject = { type: TYPE_OF[spending.subject], name };
  return {
    ...{ key: keyOf('unusual', subject, key, since), kind: 'unusual', subject, period: since },
    text: describeUnusual(spending, unit, (_, one) => one),
    groups: subject.type === 'account' ? groupsOf(identityOfKey(key, name)) : {},
    figures: {
      unit,
      until,
      days,
      amount: formatDecimal(amount),
      usual: formatDecimal(usual),
      excess: formatDecimal(excess),
    },
  };
}

function hasStopped({ kind }: Presence): boolean {
  return kind === 'stopped';
}

function stoppedEvent(person: Presence, unit: Unit, groupsOf: GroupsOf): AlertEvent {
  const { identity, activeDays, lastActive = '' } = person;
  const subject: AlertSubject = { type: 'account', name: identity.name };
  return {
    ...{ key: keyOf('stopped', subject, identityKey(identity), lastActive) },
    ...{ kind: 'stopped', subject, period: lastActive },
    text: describeAttention({ kind: 'stopped', people: [person] }, unit, (_, name) => name),
    groups: groupsOf(identity),
    figures: { last_active: lastActive, active_days: activeDays },
  };
}

function keyOf(kind: AlertKind, { type, column = '' }: AlertSubject, key: string, period: string): string {
  return createHash('sha256').update([kind, type, column, key, period].join('\0')).digest('hex').slice(0, 24);
}
