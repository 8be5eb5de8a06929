/** A longer delay is a mistake of the service, and makes messages with years. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * The delay of a `Retry-After` header in milliseconds from `now`, given as seconds or a date (RFC 9110, section
 * 10.2.3), a day at the most; `undefined` if it is neither, or missing.
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return !Number.isNaN(ms) ? Math.min(Math.max(0, ms), LONGEST_MS) : undefined;
}
