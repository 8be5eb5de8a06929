import { firstOfMonth } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { AnalyticsData, CostRow, LoadOptions } from '../client/analyticsData.ts';
import type { DayRange } from '../dateRules.ts';
import { costBy, sumOf, type Measure } from '../insights/amounts.ts';
import { burnDown, type BurnDown, type Pace } from '../insights/budgets.ts';
import { growthOfAmount, movers, type Mover, type Share } from '../insights/compare.ts';
import { loadBefore, qualityOf, type Quality } from './report.ts';

/** What is paid in: dollars, or credits where the plan has them. */
export type Unit = 'usd' | 'credits';

export const MEASURE_OF: Readonly<Record<Unit, Measure>> = {
  usd: 'billed_amount_usd',
  credits: 'credits_consumed',
};

/** What the organization spent. */
export interface CostReport extends Quality {
  readonly range: DayRange;
  readonly unit: Unit;
  readonly total: Decimal;
  /** By how much it grew since as many days before. */
  readonly growth: number | undefined;
  readonly byProduct: readonly Share[];
  readonly byResource: readonly Share[];
  readonly byKey: readonly Share[];
  /** In the order of the days; those without cost are left out. */
  readonly byDay: readonly Share[];
  /** Resources that changed most since as many days before. */
  readonly movers: readonly Mover[];
  /** The month of the range's last day, up to that day. */
  readonly month: Pace;
  /** The same, day by day. */
  readonly burnDown: BurnDown;
  /** The points that it is made of: by product, resource and kind of key, day by day. */
  readonly points: readonly CostRow[];
}

/** How many changes are worth telling. */
const MOVERS = 5;

/** Some requests, however many people there are. On a plan with credits it is in credits, unless dollars are asked for. */
export async function costReport(
  data: AnalyticsData,
  range: DayRange,
  options: LoadOptions & { readonly unit?: Unit | undefined } = {},
): Promise<CostReport> {
  const groups = [
    'COST_ANALYTICS_GROUP_BY_PRODUCT',
    'COST_ANALYTICS_GROUP_BY_RESOURCE',
    'COST_ANALYTICS_GROUP_BY_BYOK_STATUS',
  ] as const;
  const monthSoFar = { first: firstOfMonth(range.last), last: range.last };
  const [cost, before, month] = await Promise.all([
    data.cost(range, groups, { ...options, daily: true }),
    loadBefore(data, range, (days) =>
      data.cost(days, ['COST_ANALYTICS_GROUP_BY_RESOURCE'], { ...options, daily: true }),
    ),
    data.cost(monthSoFar, [], { ...options, daily: true }),
  ]);
  const unit = options.unit ?? (sumOf(cost.rows, 'credits_consumed') > 0n ? 'credits' : 'usd');
  const measure = MEASURE_OF[unit];
  const total = sumOf(cost.rows, measure);
  const byResource = costBy(cost.rows, 'resource', measure);
  const burn = burnDown(costBy(month.rows, 'day', measure), range.last);
  return {
    ...qualityOf(cost, month),
    range,
    unit,
    total,
    growth: growthOfAmount(total, sumOf(before ?? [], measure)),
    byProduct: costBy(cost.rows, 'product', measure),
    byResource,
    byKey: costBy(cost.rows, 'byok', measure),
    byDay: costBy(cost.rows, 'day', measure).sort((a, b) => (a.key < b.key ? -1 : 1)),
    movers: before ? movers(byResource, costBy(before, 'resource', measure), MOVERS) : [],
    month: burn.pace,
    burnDown: burn,
    points: cost.rows,
  };
}
