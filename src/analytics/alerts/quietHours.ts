/** Hours of each day in which nothing is sent; over midnight if `from` is after `to`. */
export interface QuietHours {
  /** `20:00` */
  readonly from: string;
  readonly to: string;
  /** IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Parses `20:00-07:00`; undefined for other texts, and for no time at all. */
export function parseHours(text: string): { readonly from: string; readonly to: string } | undefined {
  const [, from, to] = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text.trim()) ?? [];
  return from === undefined || to === undefined || from === to ? undefined : { from, to };
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * The first moment from `at` that is not quiet; `at` itself if it is not, or without quiet hours. Found minute by minute
 * on the clock of the zone, so that a change to summer time needs no rule.
 */
export function afterQuiet(at: number, hours: QuietHours | undefined): number {
  if (hours === undefined) return at;
  const { from, to, timeZone } = hours;
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const isQuiet = (moment: number): boolean => {
    const time = clock.format(moment);
    return from < to ? time >= from && time < to : time >= from || time < to;
  };
  if (!isQuiet(at)) return at;
  const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  for (let more = 1; more <= 2 * DAY_MINUTES; more++)
    if (!isQuiet(minute + more * MINUTE_MS)) return minute + more * MINUTE_MS;
  return at;
}
