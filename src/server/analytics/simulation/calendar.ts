import { formatDay, parseDay, type Day } from '../../../base/day.ts';

/** What is usual, in {@link busyness}. */
export const USUAL = 4096;

/** From Thursday on, as 1970-01-01 was. */
const WEEK = [3950, 3400, 330, 260, 3850, 4096, 4096];
const HOLIDAYS = new Set(['01-01', '05-01', '12-24', '12-25', '12-26', '12-31']);

/** Days between two generations of models. */
const GENERATION_DAYS = 240;
const FIRST_GENERATION = parseDay('2020-01-01')!;
const EXCITEMENT_DAYS = 14;

/** The probability that an account works on a day, in parts of {@link USUAL}. */
export function busyness(day: Day): number {
  const date = formatDay(day).slice(5);
  const workday = WEEK[((day % 7) + 7) % 7]!;
  if (HOLIDAYS.has(date)) return Math.min(workday, 240);
  // Between the years, and in the weeks when half of the office is at the sea.
  if (date > '12-26' || date < '01-04') return workday >> 2;
  if (date > '08-01' && date < '08-16') return (workday * 3) >> 2;
  const sinceLaunch = (((day - FIRST_GENERATION) % GENERATION_DAYS) + GENERATION_DAYS) % GENERATION_DAYS;
  return sinceLaunch < EXCITEMENT_DAYS ? workday + (workday >> 4) : workday;
}

/** The generation of models that an account uses which changes to a new one `delay` days after its launch; counts from 1. */
export function generationOn(day: Day, delay: number): number {
  return Math.max(1, Math.floor((day - delay - FIRST_GENERATION) / GENERATION_DAYS) + 1);
}
