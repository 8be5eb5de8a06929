import type { Day } from '../../base/day.ts';
import { escapeRegExp } from '../../base/regExp.ts';
import type { DayRange } from '../dateRules.ts';
import { foldCase, identityKey, type Identity } from '../identity.ts';

/** A row of a group file: the values of the accounts that it names, on the days that it is valid. */
export interface GroupRow {
  /** Its line in the file, from 1. */
  readonly line: number;
  /** A name, or a pattern with `*` for any characters. */
  readonly account: string;
  /** By column; without empty cells. */
  readonly values: Readonly<Record<string, string>>;
  /** First and last valid day; without one, since ever and for ever. */
  readonly first: Day | undefined;
  readonly last: Day | undefined;
}

/** Name of the group of those without one. */
export const UNMAPPED = 'unmapped';

/**
 * The groups of accounts by columns, such as team and cost centre, on each day. Of the rows that are valid on a day and
 * have a value in the column, the first that names the account counts, and else the first whose pattern matches.
 */
export class Groups {
  /** Columns with groups, in the order of the file. */
  readonly columns: readonly string[];
  readonly rows: readonly GroupRow[];
  readonly #named = new Map<string, GroupRow[]>();
  readonly #patterns: { readonly row: GroupRow; readonly pattern: RegExp }[] = [];
  /** The rows of an account, by its key. */
  readonly #rowsOf = new Map<string, readonly GroupRow[]>();

  constructor(columns: readonly string[], rows: readonly GroupRow[]) {
    this.columns = columns;
    this.rows = rows;
    for (const row of rows) {
      if (isPattern(row.account)) this.#patterns.push({ row, pattern: patternOf(row.account) });
      else {
        const key = foldCase(row.account);
        this.#named.set(key, [...(this.#named.get(key) ?? []), row]);
      }
    }
  }

  /** Whether a row has the group. */
  has({ column, group }: { readonly column: string; readonly group: string }): boolean {
    return this.rows.some(({ values }) => values[column] === group);
  }

  /** The group of an account on a day; undefined if it has none. */
  groupOf(identity: Identity, column: string, day: Day): string | undefined {
    return this.#of(identity).find((row) => isValid(row, day) && row.values[column] !== undefined)?.values[column];
  }

  /** The first days in `range` on which the account has another group than the day before. */
  movesOf(identity: Identity, column: string, { first, last }: DayRange): Day[] {
    const rows = this.#of(identity);
    if (rows.every((row) => row.first === undefined && row.last === undefined)) return [];
    const edges = rows.flatMap((row) => [row.first, row.last === undefined ? undefined : row.last + 1]);
    const days = [...new Set(edges)].filter((day) => day !== undefined && day > first && day <= last) as Day[];
    const hasMoved = (day: Day): boolean =>
      this.groupOf(identity, column, day) !== this.groupOf(identity, column, day - 1);
    return days.filter(hasMoved).sort((a, b) => a - b);
  }

  #of(identity: Identity): readonly GroupRow[] {
    const key = identityKey(identity);
    const known = this.#rowsOf.get(key);
    if (known) return known;
    // A service account's name has a case, so the exact spelling is preferred.
    const named = this.#named.get(foldCase(identity.name)) ?? [];
    const own = identity.kind === 'user_email' ? named : named.filter(({ account }) => account === identity.name);
    const rows = [...own, ...this.#patterns.filter((one) => one.pattern.test(identity.name)).map(({ row }) => row)];
    this.#rowsOf.set(key, rows);
    return rows;
  }
}

export function isPattern(account: string): boolean {
  return account.includes('*');
}

function patternOf(account: string): RegExp {
  return new RegExp(`^${account.split(/\*+/).map(escapeRegExp).join('.*')}$`, 'isu');
}

/** Whether a row counts on a day. */
export function isValid({ first, last }: Pick<GroupRow, 'first' | 'last'>, day: Day): boolean {
  return day >= (first ?? Number.NEGATIVE_INFINITY) && day <= (last ?? Number.POSITIVE_INFINITY);
}
