import type { Loaded } from '../client/analyticsData.ts';
import type { Day } from '../../base/day.ts';
import type { DayRange } from '../dateRules.ts';
import { identityKey, type Identity } from '../identity.ts';
import { qualityOf, type Quality } from '../reports/report.ts';
import { UNMAPPED, type Groups } from './groups.ts';

/** A row with the group of its account on its days. */
export interface GroupedRow<Row> {
  readonly row: Row;
  readonly group: string;
}

/** Rows with their groups. */
export interface Grouped<Row> extends Quality {
  readonly rows: readonly GroupedRow<Row>[];
}

/**
 * Gives each row of a sum over `range` its group. Accounts that moved in the range have a row for each period between
 * moves; the sums of those are loaded, in a request or more for each period, only if an active account moved.
 *
 * @param load Loads the rows of a range, each of one account.
 * @param identity The account of a row; undefined for those without, such as deleted accounts.
 */
export async function groupRows<Row>(
  groups: Pick<Groups, 'groupOf' | 'movesOf'>,
  column: string,
  range: DayRange,
  load: (range: DayRange) => Promise<Loaded<Row>>,
  identity: (row: Row) => Identity | undefined,
): Promise<Grouped<Row>> {
  const whole = await load(range);
  const at = (row: Row, day: Day): GroupedRow<Row> => {
    const account = identity(row);
    return { row, group: (account && groups.groupOf(account, column, day)) ?? UNMAPPED };
  };
  const moves = new Set<Day>();
  const movers = new Set<string>();
  for (const row of whole.rows) {
    const account = identity(row);
    const days = account ? groups.movesOf(account, column, range) : [];
    if (days.length > 0) movers.add(identityKey(account!));
    for (const day of days) moves.add(day);
  }
  const hasMoved = (row: Row): boolean => {
    const account = identity(row);
    return account !== undefined && movers.has(identityKey(account));
  };
  const rows = whole.rows.filter((row) => !hasMoved(row)).map((row) => at(row, range.first));
  if (movers.size === 0) return { rows, ...qualityOf(whole) };
  const starts = [range.first, ...[...moves].sort((a, b) => a - b)];
  const periods = starts.map((first, i) => ({ first, last: (starts[i + 1] ?? range.last + 1) - 1 }));
  const parts = await Promise.all(periods.map(async (period) => ({ period, loaded: await load(period) })));
  for (const { period, loaded } of parts)
    rows.push(...loaded.rows.filter(hasMoved).map((row) => at(row, period.first)));
  return { rows, ...qualityOf(whole, ...parts.map(({ loaded }) => loaded)) };
}
