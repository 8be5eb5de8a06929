import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { RATE_LIMITS, type RateGroup } from '../../analytics/contract.ts';
import { HttpError } from '../http/errors.ts';
import { RateLimiter } from './rateLimiter.ts';

const BURST = { 'credit-usage-by-user': 10, 'cost-analytics': 10, analytics: 20 };
const PER_SECOND = { 'credit-usage-by-user': 0.5, 'cost-analytics': 0.5, analytics: 1 };
const GROUPS = Object.keys(BURST) as RateGroup[];

/** Section 8 read literally, in whole units: a request costs 60,000, a minute gives as many times that as is allowed. */
class Naive {
  readonly #callers = new Map<string, { units: number; at: number; until: number }>();

  /** Seconds to wait, or 0. */
  ask(caller: string, group: RateGroup, now: number): number {
    const key = JSON.stringify([caller, group]);
    const state = this.#callers.get(key) ?? { units: BURST[group] * 60_000, at: now, until: 0 };
    this.#callers.set(key, state);
    state.units = Math.min(BURST[group] * 60_000, state.units + (now - state.at) * PER_SECOND[group] * 60);
    state.at = now;
    if (now < state.until) return Math.ceil((state.until - now) / 1000);
    if (state.units < 60_000) {
      state.until = now + 10_000;
      return 10;
    }
    state.units -= 60_000;
    return 0;
  }
}

describe('the rate limits', () => {
  it('are those of the specification', () => {
    for (const group of GROUPS)
      assert.deepEqual(RATE_LIMITS[group], { burst: BURST[group], perMinute: PER_SECOND[group] * 60 });
    assert.deepEqual(Object.keys(RATE_LIMITS).sort(), [...GROUPS].sort());
  });

  it('admit and refuse what a bucket in whole numbers would, for any callers at any times', () => {
    const step = fc.record({
      caller: fc.constantFrom('ada', 'bob'),
      group: fc.constantFrom(...GROUPS),
      wait: fc.oneof(
        { weight: 40, arbitrary: fc.integer({ min: 0, max: 80 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 60_000 }) },
      ),
    });
    let [admitted, refused] = [0, 0];
    fc.assert(
      fc.property(fc.array(step, { minLength: 40, maxLength: 250, size: 'max' }), (steps) => {
        let now = 1_000_000;
        const limiter = new RateLimiter({ now: () => now });
        const naive = new Naive();
        for (const { caller, group, wait } of steps) {
          now += wait;
          const expected = naive.ask(caller, group, now);
          const actual = secondsToWait(() => limiter.admit(caller, group, RATE_LIMITS[group]));
          assert.equal(actual, expected);
          if (expected === 0) admitted++;
          else refused++;
        }
      }),
      { numRuns: times(200) },
    );
    assert.ok(admitted > 1000 && refused > 1000, `${admitted} admitted, ${refused} refused`);
  });

  it('do not block a caller for long after the clock is set back', () => {
    let now = 1_000_000;
    const limiter = new RateLimiter({ now: () => now });
    for (let i = 0; i < 10; i++)
      assert.equal(
        secondsToWait(() => limiter.admit('ada', 'cost-analytics', RATE_LIMITS['cost-analytics'])),
        0,
      );
    assert.equal(
      secondsToWait(() => limiter.admit('ada', 'cost-analytics', RATE_LIMITS['cost-analytics'])),
      10,
    );
    now -= 500_000;
    assert.equal(
      secondsToWait(() => limiter.admit('ada', 'cost-analytics', RATE_LIMITS['cost-analytics'])),
      10,
      'no credit for it either',
    );
    now += 10_000;
    assert.equal(
      secondsToWait(() => limiter.admit('ada', 'cost-analytics', RATE_LIMITS['cost-analytics'])),
      0,
    );
  });

  it('hold before 1970 too', () => {
    new RateLimiter({ now: () => -1 }).admit('a', 'analytics', RATE_LIMITS.analytics);
  });
});

function secondsToWait(admit: () => void): number {
  try {
    admit();
    return 0;
  } catch (error) {
    assert.ok(error instanceof HttpError && error.code === 'ResourceExhausted');
    return Number(error.headers['Retry-After']);
  }
}
