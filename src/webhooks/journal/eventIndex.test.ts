import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { EVENT_STATUSES } from '../event.ts';
import { EventIndex } from './eventIndex.ts';

const NOON = Date.UTC(2026, 10, 21, 12);

/** Adds an event that came at `number` milliseconds after noon, by a clock that may be adjusted. */
function add(index: EventIndex, number: number, webhook = 'w', adjustedMs = 0): void {
  const cameAt = NOON + number;
  const head = { time: cameAt + adjustedMs, cameAt, status: 0, webhook, key: 0, event: 0, bodyBytes: number % 7 };
  index.add(number, head, { segment: 1 + (number >> 10), offset: number * 10, length: 10 });
}

describe('the index of events', () => {
  it('returns what was added and changed, in the order of numbers, while the oldest are dropped', () => {
    const step = fc.oneof(
      fc.record({ add: fc.integer({ min: 1, max: 6000 }), adjustedMs: fc.constantFrom(0, 0, 5) }),
      fc.record({ drop: fc.integer({ min: 1, max: 6000 }) }),
      fc.record({ state: fc.nat({ max: 20_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const index = new EventIndex();
        const model = new Map<number, { time: number; status: number; offset: number | undefined }>();
        let next = 1;
        for (const one of steps) {
          if ('add' in one)
            for (let i = 0; i < one.add; i++, next += 2) {
              add(index, next, `w${next % 3}`, one.adjustedMs);
              model.set(next, { time: NOON + next + one.adjustedMs, status: 0, offset: undefined });
            }
          else if ('drop' in one)
            for (const number of [...model.keys()].slice(0, one.drop)) {
              index.dropOldest();
              model.delete(number);
            }
          else {
            index.setState(one.state, 3, { segment: 9, offset: one.state, length: 1 });
            const known = model.get(one.state);
            if (known) Object.assign(known, { status: 3, offset: one.state });
          }
        }
        assert.equal(index.size, model.size);
        const newest = [...model.keys()].reverse();
        assert.deepEqual([...index.newest({})], newest);
        assert.deepEqual(
          [...index.newest({ webhook: 'w1', status: 'received' })],
          newest.filter((number) => number % 3 === 1 && model.get(number)!.status === 0),
        );
        for (const number of [...newest.slice(0, 50), ...newest.slice(-50)]) {
          const row = index.rowOf(number)!;
          const { time, status, offset } = model.get(number)!;
          assert.deepEqual(
            [index.timeAt(row), index.cameAt(row), index.webhookAt(row), index.bodyBytesAt(row)],
            [time, NOON + number, `w${number % 3}`, number % 7],
          );
          assert.deepEqual(
            [index.statusAt(row), index.statePlaceAt(row)?.offset, index.placeAt(row).offset],
            [EVENT_STATUSES[status], offset, number * 10],
          );
        }
        assert.equal(index.rowOf(0), undefined);
        assert.equal(index.rowOf(next), undefined);
      }),
      { numRuns: times(20) },
    );
  });

  it('takes memory for the events that are kept, whatever the number that came', () => {
    const index = new EventIndex();
    const most = 10_000;
    for (let number = 1; number <= 100_000; number++) {
      add(index, number);
      index.setState(number, 3, { segment: 1, offset: number, length: 1 });
      if (index.size > most) index.dropOldest();
    }
    assert.equal(index.size, most);
    // Two blocks may be half empty.
    assert.ok(index.bytes <= 50 * (most + 2 * 4096), `${index.bytes}`);
  });
});
