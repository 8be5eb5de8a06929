import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { inOrder } from './inOrder.ts';

describe('inOrder', () => {
  it('sorts like Array.sort, with pauses', () => {
    const numbers = fc.array(fc.integer({ min: 1, max: 9_999 }), { minLength: 1_900, maxLength: 9_000, size: 'max' });
    fc.assert(
      fc.property(numbers, (items) => {
        const steps = [...inOrder(items, (a, b) => a - b)];
        assert.deepEqual(
          steps.filter((step) => step !== undefined),
          items.toSorted((a, b) => a - b),
        );
        assert.equal(steps.length - items.length, Math.floor(items.length / 2_000));
      }),
      { numRuns: times(10) },
    );
  });
});
