import type { FaultRule } from './faultRules.ts';

export interface Scenario {
  readonly description: string;
  readonly rules?: readonly FaultRule[];
  /** Age of credits in milliseconds. */
  readonly creditsLagMs?: number;
  /** The clock goes to ten minutes before the end of the month. */
  readonly monthEnd?: true;
  /** A crowd of new people came yesterday or just before. */
  readonly flood?: true;
}

const API = '/analytics/*';

/** Sets of injected faults by name. One is in force at a time. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'rate-limited': {
    description: 'every third request is answered 429',
    rules: [{ path: API, every: 3, status: 429, retryAfter: 1 }],
  },
  flaky: {
    description: 'one request in ten fails with 500, some answers break off, some connections are reset',
    rules: [
      { path: API, probability: 0.1, seed: 1, status: 500 },
      { path: API, probability: 0.03, seed: 2, truncate: true },
      { path: API, probability: 0.03, seed: 3, reset: true },
    ],
  },
  slow: {
    description: 'answers take 0.8 seconds in the median and sometimes many, and some come in drips',
    rules: [
      { path: API, probability: 0.05, seed: 4, drip: { bytesPerSecond: 2000 } },
      { path: API, seed: 5, latency: { medianMs: 800, sigma: 0.8 } },
    ],
  },
  outage: { description: 'every request is answered 503', rules: [{ path: API, status: 503, retryAfter: 30 }] },
  'token-revoked': { description: 'every token is refused with 401', rules: [{ path: API, status: 401 }] },
  'stale-credits': { description: 'credits are as of 26 hours ago', creditsLagMs: 26 * 3_600_000 },
  'month-end': { description: 'the clock is ten minutes before the end of the month', monthEnd: true },
  'new-user-flood': { description: 'a crowd of new people has come; simulated organizations only', flood: true },
};
