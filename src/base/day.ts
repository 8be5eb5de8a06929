/**
 * A calendar day in UTC as the number of days since 1970-01-01. Days are compared, counted and added as numbers and
 * written as `YYYY-MM-DD`, so that neither local time nor `Date` can interfere.
 */
export type Day = number;

const MS_PER_DAY = 86_400_000;
const FIRST = -719_528; // 0000-01-01
const LAST = 2_932_896; // 9999-12-31
/** Range of cached texts: a page of results formats the same days again and again. */
const REMEMBERED = { first: 14_610, count: 16_000 }; // 2010-01-01, to 2053
/** Allocated in full length: a sparse array becomes a hash table, which is slower than formatting the day. */
const remembered = new Array<string | undefined>(REMEMBERED.count);

/** Parses `YYYY-MM-DD`; `undefined` for another form or a day that does not exist. */
export function parseDay(text: string): Day | undefined {
  if (text.length !== 10) return undefined;
  // A character that is no digit gives another text, or none.
  const day = fromCalendar(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10));
  return day >= FIRST && day <= LAST && formatDay(day) === text ? day : undefined;
}

/** Formats a day as `YYYY-MM-DD`. Throws a `RangeError` outside of the years 0000 to 9999. */
export function formatDay(day: Day): string {
  const place = day - REMEMBERED.first;
  return place >= 0 && place < REMEMBERED.count ? (remembered[place] ??= write(day)) : write(day);
}

/** The day in UTC of a moment in milliseconds since 1970. */
export function dayOf(ms: number): Day {
  return Math.floor(ms / MS_PER_DAY);
}

/** The first moment of a day in UTC, in milliseconds since 1970. */
export function startOfDay(day: Day): number {
  return day * MS_PER_DAY;
}

/** The same date in another year; 29 February becomes 28 February where there is none. */
export function addYears(day: Day, years: number): Day {
  const { year, month, date } = toCalendar(day);
  const same = fromCalendar(year + years, month, date);
  return toCalendar(same).month === month ? same : same - 1;
}

/** The first day of the month of `day`. */
export function firstOfMonth(day: Day): Day {
  return day - toCalendar(day).date + 1;
}

/** The first day of the month after that of `day`. */
export function firstOfNextMonth(day: Day): Day {
  const { year, month } = toCalendar(day);
  return month === 12 ? fromCalendar(year + 1, 1, 1) : fromCalendar(year, month + 1, 1);
}

/** Whether a day is a Saturday or Sunday. 1970-01-01 was a Thursday. */
export function isWeekend(day: Day): boolean {
  return (((day + 3) % 7) + 7) % 7 >= 5;
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + text.charCodeAt(i) - 48;
  return value;
}

function write(day: Day): string {
  if (!(day >= FIRST && day <= LAST)) throw new RangeError(`Day ${day} is not in the years 0000 to 9999.`);
  const { year, month, date } = toCalendar(day);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
}

/* Days to and from the proleptic Gregorian calendar by counting from 1 March of the year 0 in eras of 400 years
   (146,097 days). So the leap day is the last of a year. After H. Hinnant, "chrono-Compatible Low-Level Date
   Algorithms". */

function fromCalendar(year: number, month: number, date: number): Day {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function toCalendar(day: Day): { readonly year: number; readonly month: number; readonly date: number } {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    date: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}
