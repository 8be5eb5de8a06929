import { messages } from '../../analytics/contract.ts';
import { parseDay } from '../../base/day.ts';
import { httpErrors } from '../http/errors.ts';

/** Milliseconds since 1970 of an ISO 8601 moment or day. Throws `InvalidArgument`. */
export function readMoment(text: string, name = 'now'): number {
  const isIso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  // Date.parse takes 30 February for 2 March.
  const ms = isIso && parseDay(text.slice(0, 10)) !== undefined ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw httpErrors.badRequest(messages.mustBe(name, 'an ISO 8601 moment, such as 2026-11-21T01:00:00Z'));
  return ms;
}

/** To what a clock can be set: within these years there are two years before, and every date has four digits. */
export function isMoment(ms: number): boolean {
  return ms >= Date.UTC(1970, 0, 1) && ms < Date.UTC(9999, 0, 1);
}

/** Throws `InvalidArgument` where a clock cannot be set to it. */
export function checkMoment(ms: number, name = 'now'): number {
  if (!isMoment(ms)) throw httpErrors.badRequest(messages.mustBe(name, 'in the years 1970 to 9998'));
  return ms;
}
