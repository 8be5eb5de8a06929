import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PaceMeter, type IndexingPace } from './pace.ts';

describe('PaceMeter', () => {
  function meter(): { step: (ms: number, done: number, total?: number) => IndexingPace | undefined; end: () => void } {
    let now = 0;
    const pace = new PaceMeter(() => now);
    return {
      step: (ms, done, total = 10_000) => {
        now += ms;
        return pace.update({ kind: 'indexing', done, total });
      },
      end: () => void pace.update({ kind: 'ready' }),
    };
  }

  it('reports files per second and the time left after one second', () => {
    const { step } = meter();
    assert.equal(step(0, 0), undefined);
    assert.equal(step(500, 1000), undefined);
    assert.deepEqual(step(500, 2000), { filesPerSecond: 2000, secondsLeft: 4 });
  });

  it('follows a change of pace', () => {
    const { step } = meter();
    step(0, 0);
    step(10_000, 1000);
    for (let i = 1; i <= 20; i++) step(1000, 1000 + i * 400);
    assert.deepEqual(step(1000, 9400), { filesPerSecond: 400, secondsLeft: 1.5 });
  });

  it('evens out a pause while a batch is written', () => {
    const { step } = meter();
    step(0, 0);
    step(4000, 4000);
    assert.deepEqual(step(4000, 4000), { filesPerSecond: 500, secondsLeft: 12 });
  });

  it('starts again with another round', () => {
    const { step, end } = meter();
    step(0, 0);
    step(2000, 5000);
    end();
    assert.equal(step(1000, 10, 50), undefined);
    step(1000, 20, 50);
    assert.equal(step(1000, 0, 80), undefined);
    assert.deepEqual(step(2000, 40, 80), { filesPerSecond: 20, secondsLeft: 2 });
  });

  it('never reports an invalid time', () => {
    const steps = fc.array(fc.tuple(fc.nat(5000), fc.nat(500)), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (all) => {
        const { step } = meter();
        let done = 0;
        for (const [ms, read] of all) {
          done += read;
          const pace = step(ms, done, 20_000);
          if (!pace) continue;
          assert.ok(Number.isFinite(pace.secondsLeft) && pace.secondsLeft >= 0, JSON.stringify(pace));
          assert.ok(Number.isFinite(pace.filesPerSecond) && pace.filesPerSecond > 0, JSON.stringify(pace));
        }
      }),
    );
  });
});
