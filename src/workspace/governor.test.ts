import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DEFAULT_BUDGET, Governor, threadsWithin, type Budget, type Timer } from './governor.ts';
import type { Machine } from './machine.ts';

const { signal } = new AbortController();
const MAINS: Machine = { isOnBattery: () => false, freeMemory: () => undefined };
const BATTERY: Machine = { ...MAINS, isOnBattery: () => true };

/** A clock that advances only by work and sleep. */
class Day implements Timer {
  slept = 0;
  #now = 0;

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number): Promise<void> {
    this.slept += milliseconds;
    this.#now += milliseconds;
    return Promise.resolve();
  }

  work(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** Works in steps of the given milliseconds, and returns their share of the time in percent. */
async function shareOf(steps: readonly number[], machine: Machine, budget: Budget): Promise<number> {
  const day = new Day();
  const governor = new Governor(machine, budget, 0, day);
  governor.begin();
  for (const step of steps) {
    day.work(step);
    await governor.next(signal);
  }
  return (100 * (day.now() - day.slept)) / day.now();
}

describe('Governor', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 50 });

  it('works no larger share of the time than the budget allows', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 5, max: 100 }), async (work, cpuPercent) => {
        const share = await shareOf(work, MAINS, { ...DEFAULT_BUDGET, cpuPercent });
        assert.ok(Math.abs(share - cpuPercent) < 1e-6, `${share} % of ${cpuPercent} %`);
      }),
    );
  });

  it('does not sleep for the time between two works', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ max: 100_000, min: 0 }), async (work, idle) => {
        const day = new Day();
        const governor = new Governor(MAINS, DEFAULT_BUDGET, 0, day);
        for (const step of work) {
          day.work(idle);
          governor.begin();
          day.work(step);
          await governor.next(signal);
        }
        assert.equal(
          day.slept,
          work.reduce((sum, step) => sum + step, 0),
        );
      }),
    );
  });

  it('works less on battery, unless the budget allows full speed', async () => {
    const work = Array.from({ length: 100 }, () => 10);
    const shareOn = async (machine: Machine, onBattery: Budget['onBattery'], cpuPercent = 100): Promise<number> =>
      Math.round(await shareOf(work, machine, { ...DEFAULT_BUDGET, onBattery, cpuPercent }));
    assert.equal(await shareOn(BATTERY, 'reduced'), 30);
    assert.equal(await shareOn(BATTERY, 'reduced', 10), 10);
    assert.equal(await shareOn(BATTERY, 'full'), 100);
    assert.equal(await shareOn(MAINS, 'reduced'), 100);
  });

  it('does not count a wait as work', async () => {
    const day = new Day();
    let free = 0;
    const machine = { ...MAINS, freeMemory: () => free };
    const governor = new Governor(machine, { ...DEFAULT_BUDGET, cpuPercent: 50 }, 1, day);
    await governor.next(signal);
    const waits: string[] = [];
    await governor.whenAllowed(signal, (reason) => {
      waits.push(reason);
      if (waits.length === 3) free = 2;
    });
    assert.deepEqual(waits, ['memory', 'memory', 'memory']);
    const before = day.slept;
    await governor.next(signal);
    assert.equal(day.slept, before);
  });

  it('ends a sleep when it is cancelled or resumed', async () => {
    const governor = new Governor(MAINS);
    governor.pause();
    const waited = governor.whenAllowed(signal, (reason) => {
      assert.equal(reason, 'user');
      setImmediate(() => governor.resume());
    });
    await waited;
    governor.pause();
    const stop = new AbortController();
    const stopped = governor.whenAllowed(stop.signal, () => setImmediate(() => stop.abort()));
    await assert.rejects(stopped, { code: 'Cancelled' });
  });

  it('limits commits and threads to the free memory', () => {
    const roomy = new Governor({ ...MAINS, freeMemory: () => 64 << 20 });
    assert.equal(roomy.batchBytes, 8 << 20);
    assert.equal(new Governor({ ...MAINS, freeMemory: () => 0 }).batchBytes, 4 << 20);
    assert.equal(new Governor(MAINS, { ...DEFAULT_BUDGET, memoryBytes: 80 << 20 }).batchBytes, 20 << 20);
    assert.equal(threadsWithin(0), 0);
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 31 }), (bytes) => {
        const threads = threadsWithin(bytes);
        assert.ok(threads >= 0 && threads <= 3 && (threads === 0 || (256 << 20) + threads * (160 << 20) <= bytes));
      }),
    );
  });
});
