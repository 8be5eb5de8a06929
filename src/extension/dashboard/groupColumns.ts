import { titleOfColumn } from '../../analytics/groups/groupReport.ts';
import { UNMAPPED, type Groups } from '../../analytics/groups/groups.ts';
import type { Day } from '../../base/day.ts';
import type { AccountNames } from '../analytics/accountNames.ts';
import type { ListColumn, SourceRow } from './rowList.ts';

/* The groups of accounts in lists of people and limits. */

/** A column for each of the group file: lists show the first, and exports have all. */
export function groupColumns(groups: Groups | undefined): ListColumn[] {
  return (groups?.columns ?? []).map((name, i) => ({
    ...{ name, title: titleOfColumn(name), kind: 'text', about: '' },
    ...(i > 0 && { isDetail: true }),
  }));
}

/** Adds the groups of each account on a day. */
export function withGroups(
  rows: readonly SourceRow[],
  groups: Groups | undefined,
  day: Day,
  names: AccountNames,
): readonly SourceRow[] {
  if (!groups) return rows;
  return rows.map((row) => {
    const { identity } = row;
    const own = groups.columns.map((column) =>
      names.ofGroup((identity && groups.groupOf(identity, column, day)) ?? UNMAPPED),
    );
    return { ...row, cells: [...row.cells, ...own], groups: own };
  });
}
