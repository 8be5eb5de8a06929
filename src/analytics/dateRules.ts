import { addYears, formatDay, parseDay, type Day } from '../base/day.ts';
import { LIMITS, messages, REPEATED, type RangeRules } from './contract.ts';
import { invalidArgument } from './errors.ts';

/** An inclusive range of days. */
export interface DayRange {
  readonly first: Day;
  readonly last: Day;
}

/** The days of a range; empty if it ends before it begins. */
export function daysOf({ first, last }: DayRange): Day[] {
  const days: Day[] = [];
  for (let day = first; day <= last; day++) days.push(day);
  return days;
}

/**
 * The days of a request's `start_date` and `end_date`, of any type in the request, after defaults and clamping. Throws
 * `InvalidArgument` with the message of the first broken rule. The order is that of the parameters: all rules of
 * `start_date`, all of `end_date`, then those of both.
 *
 * Ranges of metrics end yesterday at the latest (section 4.1); those of credits today (4.9); those of cost yesterday,
 * and have both dates or none (4.10).
 */
export function resolveRange(rules: RangeRules, start: unknown, end: unknown, today: Day): DayRange {
  const newest = rules === 'credits' ? today : today - 1;
  const oldest = oldestDay(today);
  const first = isAbsent(start) ? undefined : readDay('start_date', start);
  if (rules === 'cost' && isAbsent(start) !== isAbsent(end)) {
    if (!isAbsent(end)) readDay('end_date', end);
    throw invalidArgument(messages.bothDates);
  }
  if (first !== undefined && first < oldest) throw invalidArgument(messages.tooOld('start_date'));
  if (isAbsent(end)) {
    if (first === undefined) return { first: today - LIMITS.defaultRangeDays, last: today - 1 };
    if (first > newest) throw invalidArgument(messages.tooLate('start_date', rules === 'credits'));
    return { first, last: Math.min(first + LIMITS.defaultRangeDays - 1, newest) };
  }
  const last = readDay('end_date', end);
  if (last < oldest) throw invalidArgument(messages.tooOld('end_date'));
  if (last > newest) throw invalidArgument(messages.tooLate('end_date', rules === 'credits'));
  if (first === undefined) return { first: Math.max(last - LIMITS.defaultRangeDays + 1, oldest), last };
  if (first > last) throw invalidArgument(messages.startAfterEnd);
  if (last - first + 1 > LIMITS.maxRangeDays) throw invalidArgument(messages.rangeTooLong);
  return { first, last };
}

/** The day of a request's `date` (spec 4.2). Throws `InvalidArgument`. */
export function resolveDay(date: unknown, today: Day): Day {
  if (isAbsent(date)) return today - 1;
  const day = readDay('date', date);
  if (day < oldestDay(today)) throw invalidArgument(messages.tooOld('date'));
  if (day >= today) throw invalidArgument(messages.tooLate('date', false));
  return day;
}

/** The first allowed day: the same date two years ago is still allowed. */
export function oldestDay(today: Day): Day {
  return addYears(today, -LIMITS.lookbackYears);
}

export function describeRange({ first, last }: DayRange): {
  readonly effective_start_date: string;
  readonly effective_end_date: string;
} {
  return { effective_start_date: formatDay(first), effective_end_date: formatDay(last) };
}

/** Whether a value is absent; null in a JSON body counts as absent. */
function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function readDay(field: string, value: unknown): Day {
  if (value === REPEATED) throw invalidArgument(messages.repeated(field));
  if (typeof value !== 'string') throw invalidArgument(messages.notADateText(field));
  const day = parseDay(value);
  if (day === undefined) throw invalidArgument(messages.notADate(field));
  return day;
}
