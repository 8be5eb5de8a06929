import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Fifo } from './fifo.ts';

describe('a fifo', () => {
  it('returns the same as an array, for any sequence of operations', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3000, max: 3000 }), { maxLength: 8 }), (steps) => {
        const fifo = new Fifo<number>();
        const array: number[] = [];
        let next = 0;
        for (const step of steps) {
          for (let i = 0; i < step; i++) {
            fifo.add(next);
            array.push(next++);
          }
          for (let i = 0; i > step; i--) assert.equal(fifo.take(), array.shift());
          assert.equal(fifo.size, array.length);
        }
      }),
    );
  });
});
