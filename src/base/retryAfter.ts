/**
 * The delay of a `Retry-After` header in milliseconds from `now`, given as seconds or a date (RFC 9110, section
 * 10.2.3); `undefined` if it is neither, or missing.
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
