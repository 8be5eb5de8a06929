import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TopK } from './topK.ts';

describe('TopK', () => {
  it('keeps what sorting by score, and then by tie, would keep, in any order of adding', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 20 }));
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 12 }), fc.boolean(), (scores, capacity, isReversed) => {
        const top = new TopK(capacity, (item) => -item);
        const items = [...scores.keys()];
        for (const item of isReversed ? items.toReversed() : items) top.add(item, scores[item]!);
        const expected = items.sort((a, b) => scores[b]! - scores[a]! || b - a).slice(0, capacity);
        assert.deepEqual(
          [...top.items()].sort((a, b) => a - b),
          expected.sort((a, b) => a - b),
        );
      }),
    );
  });
});
