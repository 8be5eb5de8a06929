import assert from 'node:assert/strict';
import fc from 'fast-check';
import { KEY_LIFETIME_MS, keyHash, SeenKeys } from './seenKeys.ts';

const HOUR = 3_600_000;

describe('seen keys', () => {
  it('are distinguished by webhook and key', () => {
    assert.notEqual(keyHash('a', 'bc'), keyHash('ab', 'c'));
    assert.ok(Number.isSafeInteger(keyHash('w', 'k')) && keyHash('w', 'k') > 0);
  });

  it('lead to their newest event for 24 hours, and at most one hour more', () => {
    const step = fc.record({ key: fc.integer({ min: 1, max: 20 }), waitMs: fc.integer({ min: 0, max: 5 * HOUR }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const keys = new SeenKeys(1_000);
        const seen = new Map<number, { event: number; at: number }>();
        let now = 0;
        for (const [i, { key, waitMs }] of steps.entries()) {
          now += waitMs;
          const [found, last] = [keys.find(key, now), seen.get(key)];
          if (last && last.at > now - KEY_LIFETIME_MS) assert.equal(found, last.event);
          if (!last || last.at <= now - KEY_LIFETIME_MS - HOUR) assert.equal(found, undefined);
          keys.add(key, i + 1, now);
          seen.set(key, { event: i + 1, at: now });
        }
      }),
    );
  });

  it('are forgotten earlier if there are too many, except the last ones', () => {
    const keys = new SeenKeys(1_000);
    for (let i = 1; i <= 10_000; i++) keys.add(i, i, i);
    const known = Array.from({ length: 10_000 }, (_, i) => keys.find(i + 1, 10_000) !== undefined);
    assert.ok(known.slice(-1_000).every((one) => one));
    assert.ok(known.filter((one) => one).length <= 1_300);
  });

  it('take memory for the keys that are known, whatever the number that came', () => {
    const keys = new SeenKeys(50_000);
    for (let i = 1; i <= 400_000; i++) keys.add(keyHash('w', `${i}`), i, i);
    assert.ok(keys.bytes <= 32 * 50_000 * 1.25, `${keys.bytes}`);
  });
});
