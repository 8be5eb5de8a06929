import { messages } from '../../analytics/contract.ts';
import { parseDay } from '../../base/day.ts';
import { httpErrors } from '../http/errors.ts';

/** Parses an ISO 8601 time or day to milliseconds since 1970. Throws `InvalidArgument`. */
export function readMoment(text: string, name = 'now'): number {
  const isIso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  // Date.parse reads 30 February as 2 March.
  const ms = isIso && parseDay(text.slice(0, 10)) !== undefined ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw httpErrors.badRequest(messages.mustBe(name, 'an ISO 8601 moment, such as 2026-11-21T01:00:00Z'));
  return ms;
}

/** Whether a clock can be set to a time: two years before it must exist, and years have four digits. */
export function isMoment(ms: number): boolean {
  return ms >= Date.UTC(1970, 0, 1) && ms < Date.UTC(9999, 0, 1);
}

/** Throws `InvalidArgument` unless a clock can be set to the time. */
export function checkMoment(ms: number, name = 'now'): number {
  if (!isMoment(ms)) throw httpErrors.badRequest(messages.mustBe(name, 'in the years 1970 to 9998'));
  return ms;
}
