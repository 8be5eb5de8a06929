import { groupBy } from '../../base/collections.ts';
import type { Day } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import { isUnlimited } from '../budgets/limit.ts';
import { wholeAmount } from '../insights/amounts.ts';
import { countLevels, type BudgetStatus } from '../insights/budgets.ts';
import type { BudgetReport } from '../reports/budgetReport.ts';
import type { Cell, Column, Table } from '../reports/table.ts';
import { count, text } from '../reports/tables.ts';
import { titleOfColumn } from './groupReport.ts';
import { UNMAPPED, type Groups } from './groups.ts';

/** The groups of an account on a day, in the order of the columns. */
export function groupCells(groups: Groups | undefined, { identity }: Pick<BudgetStatus, 'identity'>, day: Day): Cell[] {
  return (groups?.columns ?? []).map((column) => groups!.groupOf(identity, column, day) ?? UNMAPPED);
}

/** A column for each of the group file: a terminal shows the first. */
export function groupColumnsOf(groups: Groups | undefined): Column[] {
  return (groups?.columns ?? []).map((name, i) => ({
    ...text(name, titleOfColumn(name)),
    ...(i > 0 && { isDetail: true as const }),
  }));
}

/** The limits of accounts by their group on a day: sums over the groups are those of all limits, without unlimited ones. */
export function limitsByGroupTable(
  { statuses, unit }: Pick<BudgetReport, 'statuses' | 'unit'>,
  groups: Groups,
  column: string,
  day: Day,
): Table {
  const byGroup = groupBy(statuses, ({ identity }) => groups.groupOf(identity, column, day) ?? UNMAPPED);
  const rows = [...byGroup].map(([group, own]) => {
    const limited = own.filter(({ limit }) => !isUnlimited(String(limit)));
    const sum = (amount: (status: BudgetStatus) => Decimal): Decimal =>
      limited.reduce((all, status) => all + amount(status), 0n);
    const { over, near, crossing } = countLevels(own);
    const consumed = sum(({ spent }) => spent);
    return { group, own, limit: sum(({ limit }) => wholeAmount(limit)), consumed, levels: [over, near, crossing] };
  });
  rows.sort((a, b) => (a.consumed === b.consumed ? (a.group < b.group ? -1 : 1) : a.consumed > b.consumed ? -1 : 1));
  return {
    columns: [
      text(column, titleOfColumn(column)),
      count('accounts', 'Accounts'),
      { name: 'consumed', title: 'Consumed', kind: unit },
      { name: 'limit', title: 'Limit', kind: unit },
      count('over', 'Over'),
      count('near', 'Near'),
      count('crossing', 'Projected over'),
    ],
    rows: rows.map(({ group, own, consumed, limit, levels }) => [group, own.length, consumed, limit, ...levels]),
  };
}
