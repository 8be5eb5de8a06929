import type { Decimal } from '../../base/decimal.ts';
import { amountOf, costBy, nameIn, type CostPoint, type Dimension, type Measure } from './amounts.ts';
import { top, type Share } from './compare.ts';

/** Amounts of one subject on each day. */
export interface DaySeries {
  readonly key: string;
  readonly name: string;
  /** Amounts in the order of the days. */
  readonly amounts: readonly Decimal[];
}

export const OTHERS = '\0others';

/**
 * The `n` largest of a dimension, each day by day, and last the sum of all others, if there are any. The sum of every
 * day is the whole. The points have to be daily and grouped by the dimension.
 */
export function seriesBy(
  points: readonly CostPoint[],
  dimension: Dimension,
  measure: Measure,
  days: readonly string[],
  n: number,
): DaySeries[] {
  const all = costBy(points, dimension, measure).filter(({ amount }) => amount !== 0n);
  // A single subject under "others" is shown by its name.
  const named = all.length <= n + 1 ? all : top(all, n).top;
  const column = new Map(days.map((day, i) => [day, i]));
  const rows = new Map<string, Decimal[]>();
  const rowOf = (key: string): Decimal[] => {
    const row = rows.get(key) ?? days.map(() => 0n);
    rows.set(key, row);
    return row;
  };
  const keys = new Set(named.map(({ key }) => key));
  for (const point of points) {
    const i = column.get(point.start_date);
    if (i === undefined) continue;
    const { key } = nameIn(point, dimension);
    const row = rowOf(keys.has(key) ? key : OTHERS);
    row[i] = row[i]! + amountOf(point.cost_metrics[measure]);
  }
  const series = named.map(({ key, name }) => ({ key, name, amounts: rowOf(key) }));
  return named.length === all.length ? series : [...series, { key: OTHERS, name: '', amounts: rowOf(OTHERS) }];
}

/** A subject and its division into parts. */
export interface Split extends Share {
  /** Amounts in the order in which the parts were named. */
  readonly parts: readonly Decimal[];
}

/** Points with the organization's own keys. The points have to be grouped by kind of key. */
export function onOwnKeys<P extends CostPoint>(points: readonly P[]): P[] {
  return points.filter((point) => point.group_by_values.byok_status === 'COST_ANALYTICS_BYOK_STATUS_BYOK');
}

/** The amount of each subject of a dimension, the largest first, divided into own keys and the service's. */
export function splitByKeys(points: readonly CostPoint[], dimension: Dimension, measure: Measure): Split[] {
  const own = costBy(onOwnKeys(points), dimension, measure);
  const ownOf = new Map(own.map(({ key, amount }) => [key, amount]));
  return costBy(points, dimension, measure).map((share) => {
    const ofOwn = ownOf.get(share.key) ?? 0n;
    return { ...share, parts: [share.amount - ofOwn, ofOwn] };
  });
}

/** Series and, last, the rest of the whole of each day, unless there is no rest. */
export function withRest(series: readonly DaySeries[], whole: readonly Decimal[]): readonly DaySeries[] {
  const rest = whole.map((amount, i) => series.reduce((left, { amounts }) => left - amounts[i]!, amount));
  return rest.every((amount) => amount === 0n) ? series : [...series, { key: OTHERS, name: '', amounts: rest }];
}

/** The amount of each day, in the order of `days`. */
export function onDays(byDay: readonly Share[], days: readonly string[]): Decimal[] {
  const amountOn = new Map(byDay.map(({ key, amount }) => [key, amount]));
  return days.map((day) => amountOn.get(day) ?? 0n);
}

export function sumOfDays({ amounts }: Pick<DaySeries, 'amounts'>): Decimal {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
