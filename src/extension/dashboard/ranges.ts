import { resolveRange, oldestDay, type DayRange } from '../../analytics/dateRules.ts';
import { sameDaysBefore } from '../../analytics/insights/compare.ts';
import { firstOfMonth, parseDay, type Day } from '../../base/day.ts';
import type { Choices } from '../../protocol/dashboardView.ts';

/**
 * Returns the days of a choice. `newest` is the newest finished day; its month is the current month. Throws
 * `InvalidArgument` with the service's message for a typed range that the service would refuse.
 */
export function chosenRange(
  { preset, first, last }: Pick<Choices, 'preset' | 'first' | 'last'>,
  newest: Day,
  today: Day,
): DayRange {
  switch (preset) {
    case '7d':
      return { first: newest - 6, last: newest };
    case '28d':
      return { first: newest - 27, last: newest };
    case '90d':
      return { first: newest - 89, last: newest };
    case 'month':
      return { first: firstOfMonth(newest), last: newest };
    case 'lastMonth': {
      const end = firstOfMonth(newest) - 1;
      return { first: firstOfMonth(end), last: end };
    }
    case 'custom':
      return resolveRange('metrics', first === '' ? undefined : first, last === '' ? undefined : last, today);
  }
}

/**
 * The period to compare the days with, unless it is the one just before: for a month the same days of the month before,
 * and for typed days as many from a typed one.
 */
export function comparedRange(
  { preset, before = '' }: Pick<Choices, 'preset' | 'before'>,
  range: DayRange,
  newest: Day,
): DayRange | undefined {
  if (preset === 'month' || preset === 'lastMonth') return sameDaysBefore(range);
  const first = preset === 'custom' ? parseDay(before) : undefined;
  if (first === undefined) return undefined;
  const last = first + range.last - range.first;
  // Days to come have no figures.
  return last > newest ? undefined : { first, last };
}

/** The days with figures. */
export function possibleRange(newest: Day, today: Day): DayRange {
  return { first: oldestDay(today), last: newest };
}
