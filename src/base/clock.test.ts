import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AdjustableClock, formatTime } from './clock.ts';

describe('an adjustable clock', () => {
  it('runs with its source, from where it was set', () => {
    let time = 1000;
    const clock = new AdjustableClock({ now: () => time });
    assert.equal(clock.now(), 1000);
    clock.set(50_000);
    time += 7;
    assert.equal(clock.now(), 50_007);
    clock.advance(-50_000);
    assert.equal(clock.now(), 7);
  });

  it('is frozen exactly at the wanted time, though time passes meanwhile', () => {
    let time = 1000;
    const clock = new AdjustableClock({ now: () => time++ });
    clock.freeze(50_000);
    assert.deepEqual([clock.now(), clock.now(), clock.isFrozen], [50_000, 50_000, true]);
    clock.freeze(7);
    assert.equal(clock.now(), 7);
  });

  it('shows the time set last, after any history', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), ms: fc.nat(1e6) }),
      fc.record({ kind: fc.constantFrom('advance' as const, 'pass' as const), ms: fc.integer({ min: 0, max: 1e6 }) }),
      fc.record({ kind: fc.constantFrom('freeze' as const, 'run' as const), ms: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let source = 0;
        let [expected, frozen] = [0, false];
        const clock = new AdjustableClock({ now: () => source });
        for (const { kind, ms } of steps) {
          if (kind === 'set') {
            clock.set(ms);
            expected = ms;
          } else if (kind === 'advance') {
            clock.advance(ms);
            expected += ms;
          } else if (kind === 'freeze') {
            clock.freeze();
            frozen = true;
          } else if (kind === 'run') {
            clock.run();
            frozen = false;
          } else {
            source += ms;
            if (!frozen) expected += ms;
          }
          assert.deepEqual([clock.now(), clock.isFrozen], [expected, frozen]);
        }
      }),
    );
  });

  it('is written in whole seconds of UTC, rounded down', () => {
    assert.equal(formatTime(0), '1970-01-01T00:00:00Z');
    assert.equal(formatTime(1_999), '1970-01-01T00:00:01Z');
    assert.equal(formatTime(-1), '1969-12-31T23:59:59Z');
  });
});
