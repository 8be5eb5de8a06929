import { isWeekend, type Day } from '../../base/day.ts';

/** Modified z-score beyond which a value is unusual. */
const THRESHOLD = 3.5;
/** Number of days of a kind below which nothing is unusual. */
const FEWEST = 5;
/** Factors that make deviations of a normal distribution comparable with its standard deviation. */
const OF_MEDIAN = 0.6745;
const OF_MEAN = 1.253314;

export interface DayValue {
  readonly day: Day;
  readonly value: number;
}

/**
 * The days with an unusual value among days of their kind, working days or week-ends. Measured by the median and the
 * median absolute deviation, which one large day does not move. If more than half of the days are equal, that deviation
 * is 0, and the mean absolute deviation replaces it. After B. Iglewicz and D. Hoaglin, "How to Detect and Handle
 * Outliers" (1993).
 */
export function anomalousDays(days: readonly DayValue[]): DayValue[] {
  const found = [false, true].flatMap((weekend) => outliers(days.filter(({ day }) => isWeekend(day) === weekend)));
  return found.sort((a, b) => a.day - b.day);
}

function outliers(days: readonly DayValue[]): DayValue[] {
  if (days.length < FEWEST) return [];
  const middle = median(days.map(({ value }) => value));
  const deviations = days.map(({ value }) => Math.abs(value - middle));
  const spread = median(deviations) / OF_MEDIAN || mean(deviations) * OF_MEAN;
  return spread === 0 ? [] : days.filter(({ value }) => Math.abs(value - middle) / spread > THRESHOLD);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
