import type { Day } from '../../base/day.ts';
import { identityOfKey, type Identity } from '../identity.ts';
import { countLevels } from '../insights/budgets.ts';
import { countPresence } from '../insights/presence.ts';
import type { BudgetReport } from '../reports/budgetReport.ts';
import type { PresenceReport } from '../reports/presenceReport.ts';
import type { ReportStore } from '../reports/reportStore.ts';
import type { Table } from '../reports/table.ts';
import { count, text } from '../reports/tables.ts';
import type { UnusualReport } from '../reports/unusualReport.ts';
import { groupBy } from '../../base/collections.ts';
import { titleOfColumn } from './groupReport.ts';
import { UNMAPPED, type Groups } from './groups.ts';

/** Numbers of accounts of a group that need attention. */
export interface GroupAttention {
  readonly name: string;
  readonly over: number;
  /** Near their limit, or projected over it. */
  readonly near: number;
  /** Accounts with unusual spending. */
  readonly unusual: number;
  readonly stopped: number;
  readonly never: number;
}

/** The reports that are known so far. */
export interface AttentionReports {
  readonly budgets: Pick<BudgetReport, 'statuses'> | undefined;
  readonly unusual: Pick<UnusualReport, 'found'> | undefined;
  readonly presence: Pick<PresenceReport, 'presence' | 'early'> | undefined;
}

/**
 * The accounts that need attention, each in its group of a day: the most first, equal ones by name. All groups together have
 * those of the organization.
 */
export function attentionByGroup(
  { budgets, unusual, presence }: AttentionReports,
  groups: Groups,
  column: string,
  day: Day,
): GroupAttention[] {
  const groupOf = (identity: Identity | undefined): string =>
    (identity && groups.groupOf(identity, column, day)) ?? UNMAPPED;
  const limits = groupBy(budgets?.statuses ?? [], ({ identity }) => groupOf(identity));
  const accounts = (unusual?.found ?? []).filter(({ subject }) => subject === 'account');
  const keys = new Map(accounts.map(({ key, name }) => [key, groupOf(identityOfKey(key, name))]));
  const spending = groupBy(keys, ([, group]) => group);
  const people = groupBy(presence?.presence?.people ?? presence?.early ?? [], ({ identity }) => groupOf(identity));
  const names = new Set([...limits.keys(), ...spending.keys(), ...people.keys()]);
  return [...names]
    .map((name): GroupAttention => {
      const { over, near, crossing } = countLevels(limits.get(name) ?? []);
      const { stopped, never } = countPresence(people.get(name) ?? []);
      return { name, over, near: near + crossing, unusual: spending.get(name)?.length ?? 0, stopped, never };
    })
    .filter((one) => sumOf(one) > 0)
    .sort((a, b) => sumOf(b) - sumOf(a) || (a.name < b.name ? -1 : 1));
}

/** As {@link attentionByGroup}, today, from the reports of an account that are loaded; empty without a group file. */
export function groupAttentionIn(store: Pick<ReportStore, 'report' | 'data'>, column: string): GroupAttention[] {
  const groups = store.report('mapping')?.groups;
  const [budgets, unusual, presence] = [store.report('budgets'), store.report('unusual'), store.report('presence')];
  return groups ? attentionByGroup({ budgets, unusual, presence }, groups, column, store.data.today) : [];
}

function sumOf({ over, near, unusual, stopped, never }: GroupAttention): number {
  return over + near + unusual + stopped + never;
}

/** Each group with its accounts that need attention. */
export function attentionTable(found: readonly GroupAttention[], column: string): Table {
  return {
    columns: [
      text(column, titleOfColumn(column)),
      count('over', 'Over'),
      count('near', 'Near'),
      count('unusual', 'Unusual'),
      count('stopped', 'Stopped'),
      count('never', 'Never active'),
    ],
    rows: found.map(({ name, over, near, unusual, stopped, never }) => [name, over, near, unusual, stopped, never]),
  };
}
