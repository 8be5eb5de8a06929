/**
 * The delay of a `Retry-After` header in milliseconds, given as seconds or a date; `undefined` if it is neither, or
 * missing.
 */
export function retryAfterMs(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
