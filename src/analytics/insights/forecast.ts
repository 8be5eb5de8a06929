import { dayOf, firstOfMonth, firstOfNextMonth, formatDay, isWeekend, startOfDay, type Day } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import { classifyDays, quantileOf, WARM_UP_DAYS } from './unusual.ts';

/** Days with data below which no forecast is possible. */
export const FEWEST_DAYS = 3;
/** Days that an expectation looks back: each weekday eight times. */
const BASELINE_DAYS = 56;
const WEEK = 7;
/** Unusual days of the last week from which the month is expected to go on like that week. */
const SHIFTED_DAYS = 3;
/** Past forecasts that a band needs. */
const FEWEST_ERRORS = 5;
/** The share of past errors that the band leaves out at either end. */
const TAIL = 0.1;
/** The same weekday of the last year. */
const YEAR = 364;
/** The range of a season, in percent: a larger deviation of one year says little about the next. */
const SEASON = { least: 50n, most: 150n };
const DAY_MS = 86_400_000n;

/** Finished days of spending, one after the other. */
interface Days {
  readonly first: Day;
  readonly amounts: readonly Decimal[];
}

/** Finished days of spending, up to the newest one. */
export interface History extends Days {
  /** The days around those of a year ago, where the others do not reach back so far. */
  readonly lastYear?: Days | undefined;
}

/** Spending of a month, and what it is expected to be at the end. */
export interface Forecast {
  /** `2026-11` */
  readonly month: string;
  /** Spending so far. */
  readonly spent: Decimal;
  /** Days of the month up to the moment, in tenths. */
  readonly daysElapsed: number;
  readonly daysInMonth: number;
  /** The whole month, as expected; undefined with less than three days of data. */
  readonly projected: Decimal | undefined;
  /** Expected spending up to the end of each day to come; empty without a projection. */
  readonly toCome: readonly Decimal[];
  /** The range that held at least four months out of five, by the errors of past forecasts; undefined with too few. */
  readonly band: { readonly low: Decimal; readonly high: Decimal } | undefined;
  /** The whole month if each day is like the same weekday of the last seven days. */
  readonly asLastWeek: Decimal | undefined;
  /** All of the month before; undefined if there is no spending before its second day, or a day is not known yet. */
  readonly lastMonth: Decimal | undefined;
  /** Whether the last week is so unusual that the expectation follows it. */
  readonly isShifted: boolean;
}

/**
 * Forecasts a month from the spending so far and the finished days before `countedUntil`, in milliseconds since 1970.
 * Each day to come is expected to have the mean of its weekday in the last eight weeks, without unusual days; of today,
 * the part that is left. With days of last year, half of what the same days of last year deviated from their
 * own forecast is added: holidays. If the last week is unusual on three days, the month goes on like that week instead.
 * The band is that of the errors which the same forecast made of the past, and holds a month that goes on as before such a week. All amounts are rounded down.
 */
export function forecastMonth(spent: Decimal, countedUntil: number, history: History): Forecast {
  const day = dayOf(countedUntil - 1);
  const [first, end] = [firstOfMonth(day), firstOfNextMonth(day)];
  const known = withoutLead(history);
  const base = {
    month: formatDay(day).slice(0, 7),
    spent,
    daysElapsed: Math.round(((countedUntil - startOfDay(first)) / Number(DAY_MS)) * 10) / 10,
    daysInMonth: end - first,
    lastMonth: sumOfDays(known, firstOfMonth(first - 1), first),
  };
  if (known.amounts.length < FEWEST_DAYS)
    return { ...base, projected: undefined, toCome: [], band: undefined, asLastWeek: undefined, isShifted: false };
  const rest: Rest = { next: dayOf(countedUntil), end, leftOfNext: restOfDay(countedUntil) };
  const isUnusual = unusualDaysOf(known);
  const count = known.amounts.length;
  const week = restLike(lastWeek(known, count), rest);
  const isShifted = isShiftedAt(isUnusual, count);
  const lastYear = history.lastYear && withoutLead(history.lastYear);
  const ofLastYear = lastYear && { days: lastYear, isUnusual: unusualDaysOf(lastYear) };
  const season = isShifted ? 100n : seasonOf(ofLastYear ?? { days: known, isUnusual }, rest);
  const toCome = daysLike(expectation(known, isUnusual, count), rest).map((sum) => spent + (sum * season) / 100n);
  const usual = (toCome.at(-1) ?? spent) - spent;
  const horizon = end - rest.next;
  const judged: [JudgedDays, ...JudgedDays[]] = [{ days: known, isUnusual }, ...(ofLastYear ? [ofLastYear] : [])];
  const errors = horizon === 0 ? undefined : pastErrors(judged, horizon);
  // What is unusual may end on any day.
  const asBefore = isShifted ? restLike(weekdayMeans(known, isUnusual, count), rest) : usual;
  return {
    ...base,
    projected: spent + usual,
    toCome,
    asLastWeek: spent + week,
    isShifted,
    band: horizon === 0 ? { low: spent, high: spent } : errors && bandOf(spent, [usual, week, asBefore], usual, errors),
  };
}

/** The sum of the days from `from` up to `end`, without `end`; undefined if one of them is not known. */
function sumOfDays({ first, amounts }: Days, from: Day, end: Day): Decimal | undefined {
  if (amounts.length === 0 || first > from || first + amounts.length < end) return undefined;
  return amounts.slice(from - first, end - first).reduce((sum, amount) => sum + amount, 0n);
}

/** An even past of a month, where only its sum is known. */
export function evenHistory(spent: Decimal, countedUntil: number): History {
  const first = firstOfMonth(dayOf(countedUntil - 1));
  const elapsed = BigInt(Math.max(1, Math.floor(countedUntil - startOfDay(first))));
  const days = Math.floor((countedUntil - startOfDay(first)) / Number(DAY_MS));
  return { first, amounts: Array.from({ length: days }, () => (spent * DAY_MS) / elapsed) };
}

/** Days, and whether each is unusual. */
interface JudgedDays {
  readonly days: Days;
  readonly isUnusual: readonly boolean[];
}

/** The part of a month that is to come. */
interface Rest {
  readonly next: Day;
  /** The first day of the next month. */
  readonly end: Day;
  /** Milliseconds that are left of `next`. */
  readonly leftOfNext: bigint;
}

function restOfDay(moment: number): bigint {
  return BigInt(Math.ceil(startOfDay(dayOf(moment) + 1) - moment));
}

/** The sums up to each of the days to come, each of an amount of its weekday. */
function daysLike(ofWeekday: (day: Day) => Decimal, { next, end, leftOfNext }: Rest): Decimal[] {
  const sums: Decimal[] = [];
  let sum = 0n;
  for (let day = next; day < end; day++) {
    sum += day === next ? (ofWeekday(day) * leftOfNext) / DAY_MS : ofWeekday(day);
    sums.push(sum);
  }
  return sums;
}

function restLike(ofWeekday: (day: Day) => Decimal, rest: Rest): Decimal {
  return daysLike(ofWeekday, rest).at(-1) ?? 0n;
}

/** Days before the first spending belong to no baseline: there was no account or no organization yet. */
function withoutLead({ first, amounts }: Days): Days {
  const lead = amounts.findIndex((amount) => amount !== 0n);
  return lead <= 0
    ? { first, amounts: lead < 0 ? [] : amounts }
    : { first: first + lead, amounts: amounts.slice(lead) };
}

/** Whether each day is unusual. That depends on earlier days only, so the past of a day is a part of the whole. */
function unusualDaysOf({ first, amounts }: Days): boolean[] {
  const verdicts = classifyDays(amounts, { first, alarmsFrom: first + WARM_UP_DAYS, byWeekday: false });
  return verdicts.map((verdict) => verdict.isUnusual);
}

/** The expected amount of a day after the first `known` days. */
function expectation(history: Days, isUnusual: readonly boolean[], known: number): (day: Day) => Decimal {
  return isShiftedAt(isUnusual, known) ? lastWeek(history, known) : weekdayMeans(history, isUnusual, known);
}

function isShiftedAt(isUnusual: readonly boolean[], known: number): boolean {
  return isUnusual.slice(Math.max(0, known - WEEK), known).filter(Boolean).length >= SHIFTED_DAYS;
}

/**
 * Half of the deviation of the same days a year ago from their forecast, in percent of it; 100 without such a past. Half
 * is best in backtests (npm run bench:insights): the rest of a deviation is chance.
 */
function seasonOf({ days, isUnusual }: JudgedDays, { next, end }: Rest): bigint {
  const known = next - YEAR - days.first;
  const isKnown = known >= BASELINE_DAYS && known + end - next <= days.amounts.length;
  if (!isKnown || next >= end) return 100n;
  const past = { next: next - YEAR, end: end - YEAR, leftOfNext: DAY_MS };
  const forecast = restLike(expectation(days, isUnusual, known), past);
  if (forecast <= 0n) return 100n;
  const actual = days.amounts.slice(known, known + end - next).reduce((sum, amount) => sum + amount, 0n);
  const percent = 50n + (actual * 50n) / forecast;
  return percent < SEASON.least ? SEASON.least : percent > SEASON.most ? SEASON.most : percent;
}

/** The amount of the same weekday in the last seven of the known days; in a shorter history, the mean of all. */
function lastWeek({ first, amounts }: Days, known: number): (day: Day) => Decimal {
  if (known < WEEK) return weekdayMeans({ first, amounts }, [], known);
  return (day) => amounts[known - 1 - modulo(first + known - 1 - day, WEEK)]!;
}

/** The mean of a weekday in the last eight weeks; where there is none, of working days or week-ends, or of all. */
function weekdayMeans({ first, amounts }: Days, isUnusual: readonly boolean[], known: number): (day: Day) => Decimal {
  const sums = Array.from({ length: WEEK + 3 }, () => ({ sum: 0n, count: 0n }));
  const placesOf = (day: Day): number[] => [modulo(day, WEEK), WEEK + Number(isWeekend(day)), WEEK + 2];
  for (let i = Math.max(0, known - BASELINE_DAYS); i < known; i++) {
    if (isUnusual[i]) continue;
    for (const place of placesOf(first + i)) {
      sums[place]!.sum += amounts[i]!;
      sums[place]!.count++;
    }
  }
  return (day) => {
    const place = placesOf(day).find((one) => sums[one]!.count > 0n);
    return place === undefined ? 0n : sums[place]!.sum / sums[place]!.count;
  };
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/**
 * What followed each past day, divided by its forecast, over as many days as are to come; over fewer, if the days known
 * last are few. Undefined with too few of them.
 */
function pastErrors(all: readonly [JudgedDays, ...JudgedDays[]], horizon: number): number[] | undefined {
  const ahead = Math.min(horizon, Math.floor((all[0].days.amounts.length - WARM_UP_DAYS) / 2));
  const ratios: number[] = [];
  for (const { days, isUnusual } of all)
    for (let known = WARM_UP_DAYS; ahead > 0 && known + ahead <= days.amounts.length; known++) {
      const next = days.first + known;
      const forecast = restLike(expectation(days, isUnusual, known), { next, end: next + ahead, leftOfNext: DAY_MS });
      const actual = days.amounts.slice(known, known + ahead).reduce((sum, amount) => sum + amount, 0n);
      if (forecast > 0n) ratios.push(Number((actual * 10_000n) / forecast) / 10_000);
    }
  if (ratios.length < FEWEST_ERRORS) return undefined;
  // Forecasts of overlapping days err alike: a few independent ones know less of the tails.
  const widening = 1 + 1 / Math.sqrt(ratios.length / ahead);
  return ratios.map((ratio) => Math.max(0, 1 + (ratio - 1) * widening));
}

/** The band of a forecast; it holds the other possible forecasts, too. */
function bandOf(
  spent: Decimal,
  forecasts: readonly Decimal[],
  usual: Decimal,
  errors: readonly number[],
): { readonly low: Decimal; readonly high: Decimal } {
  const scaled = (share: number): Decimal =>
    (usual * BigInt(Math.round(quantileOf(errors, share)! * 10_000))) / 10_000n;
  const possible = [...forecasts, scaled(TAIL), scaled(1 - TAIL)];
  const least = possible.reduce((a, b) => (a < b ? a : b));
  const most = possible.reduce((a, b) => (a > b ? a : b));
  return { low: spent + least, high: spent + most };
}
