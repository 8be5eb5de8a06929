import type { AnalyticsData, CostRow, LoadOptions } from '../client/analyticsData.ts';
import type { DayRange } from '../dateRules.ts';
import { sumOf } from '../insights/amounts.ts';
import { qualityOf, type Quality } from '../reports/report.ts';
import { MEASURE_OF, unitOf } from '../reports/unit.ts';
import { groupBy } from '../../base/collections.ts';
import { GroupData } from './groupData.ts';
import { groupedCost } from './groupReport.ts';
import type { Groups } from './groups.ts';
import type { GroupedRow } from './memberDays.ts';

/** Spending by group, and that of the groups with the most by day. */
export interface GroupDays extends Quality {
  /** Undefined without a group file. */
  readonly column: string | undefined;
  /** Of each account, with its group. */
  readonly points: readonly GroupedRow<CostRow>[];
  /** The most spending first. */
  readonly days: readonly { readonly group: string; readonly rows: readonly CostRow[] }[];
}

/** Groups with days: each takes a request, and a chart shows no more. */
const MOST = 6;

/** Builds the report for a column, or else the first. */
export async function groupDays(
  data: AnalyticsData,
  range: DayRange,
  groups: Groups | undefined,
  chosen: string | undefined,
  options: LoadOptions = {},
): Promise<GroupDays> {
  const column = groups?.columns.find((one) => one === chosen) ?? groups?.columns[0];
  if (!groups || column === undefined) return { ...qualityOf(), column: undefined, points: [], days: [] };
  const { rows: points, ...quality } = await groupedCost(data, range, groups, column, options);
  const measure = MEASURE_OF[unitOf(points.map(({ row }) => row))];
  const sums = [...groupBy(points, ({ group }) => group)]
    .map(([group, own]) => ({
      group,
      amount: sumOf(
        own.map(({ row }) => row),
        measure,
      ),
    })) // oxfmt-ignore
    .filter(({ amount }) => amount > 0n)
    .sort((a, b) => (a.amount === b.amount ? (a.group < b.group ? -1 : 1) : a.amount > b.amount ? -1 : 1));
  const loads = sums.slice(0, MOST).map(async ({ group }) => {
    const loaded = await new GroupData(data, groups, { column, group }).cost(range, [], { ...options, daily: true });
    return { group, loaded };
  });
  const days = await Promise.all(loads);
  return {
    ...qualityOf(quality, ...days.map(({ loaded }) => loaded)),
    column,
    points,
    days: days.map(({ group, loaded }) => ({ group, rows: loaded.rows })),
  };
}
