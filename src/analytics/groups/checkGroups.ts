import type { Day } from '../../base/day.ts';
import { foldCase, identityNamed, type Identity } from '../identity.ts';
import { isPattern, isValid, type GroupRow, type Groups } from './groups.ts';

/** What is doubtful in a group file. */
export interface GroupCheck {
  /** Rows that name an account which the organization does not have. */
  readonly unknown: readonly GroupRow[];
  /** Rows with the same account on the same days as an earlier row, which counts in the columns of both. */
  readonly double: readonly { readonly row: GroupRow; readonly earlier: GroupRow }[];
  /** Known accounts without a group in a column on the day. */
  readonly unmapped: readonly { readonly identity: Identity; readonly column: string }[];
}

/** Compares a group file with the known accounts, on `day`. */
export function checkGroups(groups: Groups, accounts: readonly Identity[], day: Day): GroupCheck {
  const known = new Set(accounts.map(({ name }) => foldCase(name)));
  return {
    unknown: groups.rows.filter(({ account }) => !isPattern(account) && !known.has(foldCase(account))),
    double: doubleRows(groups),
    unmapped: groups.columns.flatMap((column) =>
      accounts.flatMap((identity) =>
        groups.groupOf(identity, column, day) === undefined ? [{ identity, column }] : [],
      ),
    ),
  };
}

function doubleRows({ rows }: Groups): GroupCheck['double'] {
  const byName = new Map<string, GroupRow[]>();
  const double: { readonly row: GroupRow; readonly earlier: GroupRow }[] = [];
  for (const row of rows) {
    const { kind } = identityNamed(row.account);
    const key = kind === 'user_email' ? foldCase(row.account) : row.account;
    const before = byName.get(key) ?? [];
    const earlier = before.find((one) => overlaps(one, row));
    if (earlier) double.push({ row, earlier });
    byName.set(key, [...before, row]);
  }
  return double;
}

/** Whether two rows say something of the same column on the same day. */
function overlaps(a: GroupRow, b: GroupRow): boolean {
  if (!Object.keys(a.values).some((column) => column in b.values)) return false;
  // Two ranges have a day in common if one begins in the other.
  return isValid(a, b.first ?? -Infinity) || isValid(b, a.first ?? -Infinity);
}
