import { startOfDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { AnalyticsData, CostFilter, CostRow, Loaded, LoadOptions } from '../client/analyticsData.ts';
import type { DayRange } from '../dateRules.ts';
import { costBy, sumOf } from '../insights/amounts.ts';
import type { BurnDown } from '../insights/budgets.ts';
import { growthOfAmount, movers, total as totalOf, type Mover, type Share } from '../insights/compare.ts';
import type { Forecast } from '../insights/forecast.ts';
import {
  amountPerUse,
  changeOfCost,
  unitCostOf,
  unitCosts,
  type CostChange,
  type UnitCost,
} from '../insights/unitCost.ts';
import { finishedDays, historyOf, monthOf, openDays } from './monthSpending.ts';
import { countKnown, loadBefore, qualityOf, type Compared, type Quality } from './report.ts';
import { MEASURE_OF, unitOf, type Unit } from './unit.ts';
import type { UsageReport } from './usageReport.ts';

export { MEASURE_OF, type Unit };

/** Spending of the organization. */
export interface CostReport extends Quality {
  readonly range: DayRange;
  readonly unit: Unit;
  /** Number of known days in the range: the figures below cover those. */
  readonly daysKnown: number;
  /** Undefined if no day is known. */
  readonly total: Decimal | undefined;
  /** The amount of the previous period; undefined if it or a day of the range is unknown. */
  readonly before: Decimal | undefined;
  /** Growth since the previous period. */
  readonly growth: number | undefined;
  readonly byProduct: readonly Share[];
  readonly byResource: readonly Share[];
  readonly byKey: readonly Share[];
  /** In the order of the days, without those that have no cost. */
  readonly byDay: readonly Share[];
  /** Resources with the largest changes since the previous period. */
  readonly movers: readonly Mover[];
  /** Tokens, price and parts of the cost: of all together, and of each model and machine. */
  readonly whole: Omit<UnitCost, 'key' | 'name'>;
  readonly byModel: readonly UnitCost[];
  /** Causes of the change since the previous period; undefined if some of its days are unknown. */
  readonly change: CostChange | undefined;
  /**
   * The month of the range's last day, up to that day or up to the last day before an unknown one; of a range up to the
   * newest day, this month with what is known of today. Undefined if its first day is unknown.
   */
  readonly month: Forecast | undefined;
  /** The end of the time that the month counts, in milliseconds since 1970. */
  readonly countedUntil: number | undefined;
  /** The same month, day by day. */
  readonly burnDown: BurnDown | undefined;
  /** The source points: by product, resource and kind of key, day by day. */
  readonly points: readonly CostRow[];
}

export interface CostOptions {
  readonly unit?: Unit | undefined;
  /** The part of the spending to report, if not all. */
  readonly of?: CostFilter | undefined;
}

/** Number of changes worth reporting. */
const MOVERS = 5;

/**
 * Builds the report in a few requests, for any number of people. On a plan with credits its unit is credits, unless the
 * caller requests dollars. A report of a part has no month.
 */
export async function costReport(
  data: AnalyticsData,
  range: DayRange,
  { before: period, of, ...options }: LoadOptions & Compared & CostOptions = {},
): Promise<CostReport> {
  const costOf = (days: DayRange): Promise<Loaded<CostRow>> => data.organizationCost(days, { ...options, ...of });
  const [cost, before, finished] = await Promise.all([
    costOf(range),
    loadBefore(data, range, costOf, period),
    of ? undefined : finishedDays(data, range.last, options),
  ]);
  const unit = options.unit ?? (await unitOfPlan(data, [...cost.rows, ...(finished?.rows ?? [])], options));
  const measure = MEASURE_OF[unit];
  const daysKnown = countKnown(range, cost);
  const total = daysKnown === 0 ? undefined : sumOf(cost.rows, measure);
  const byResource = costBy(cost.rows, 'resource', measure);
  const byModel = unitCosts(cost.rows, 'resource', measure);
  const known = finished?.known;
  const isCurrent = known?.last === range.last && range.last >= data.newestDay;
  const open = isCurrent ? await openDays(data, unit, options) : undefined;
  const history = known && historyOf({ ...finished, known }, measure);
  const countedUntil = open?.countedUntil ?? (known && startOfDay(known.last + 1));
  const burn = history && countedUntil !== undefined ? monthOf(history, open?.spent ?? [], countedUntil) : undefined;
  const isWhole = cost.missing.length === 0;
  const amountBefore = isWhole && before ? sumOf(before, measure) : undefined;
  return {
    ...qualityOf(cost, ...(finished ? [finished.month] : [])),
    range,
    unit,
    daysKnown,
    total,
    before: amountBefore,
    growth: total !== undefined && amountBefore !== undefined ? growthOfAmount(total, amountBefore) : undefined,
    byProduct: costBy(cost.rows, 'product', measure),
    byResource,
    byKey: costBy(cost.rows, 'byok', measure),
    byDay: costBy(cost.rows, 'day', measure).sort((a, b) => (a.key < b.key ? -1 : 1)),
    movers: isWhole && before ? movers(byResource, costBy(before, 'resource', measure), MOVERS) : [],
    whole: unitCostOf(cost.rows, measure),
    byModel,
    change: isWhole && before ? changeOfCost(unitCosts(before, 'resource', measure), byModel) : undefined,
    month: burn?.pace,
    countedUntil,
    burnDown: burn,
    points: cost.rows,
  };
}

/** Cost of a person, a message and an accepted line; undefined if days are unknown. `people` are different active accounts. */
export function costPerUse(
  { metrics, days }: Pick<UsageReport, 'metrics' | 'days'>,
  { total, daysKnown }: Pick<CostReport, 'total' | 'daysKnown'>,
  people: number | undefined,
): ReturnType<typeof amountPerUse> | undefined {
  if (!metrics || total === undefined || daysKnown < days.length) return undefined;
  return amountPerUse(total, { people, messages: metrics.total_messages, lines: metrics.completions_lines_of_code });
}

/** The unit of the organization: without any cost so far, that of today's consumption. */
async function unitOfPlan(data: AnalyticsData, rows: readonly CostRow[], options: LoadOptions): Promise<Unit> {
  const unit = unitOf(rows);
  if (unit === 'credits' || sumOf(rows, MEASURE_OF.usd) > 0n) return unit;
  const { spent } = await openDays(data, 'credits', options);
  return totalOf(spent) > 0n ? 'credits' : 'usd';
}
