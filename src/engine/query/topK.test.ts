import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TopK } from './topK.ts';

describe('TopK', () => {
  it('keeps what sorting by score, and then by tie, would keep of the items in a state, in any order of adding', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 20 }));
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 12 }), fc.boolean(), (scores, capacity, isReversed) => {
        const top = new TopK(capacity, (item) => -item);
        const items = [...scores.keys()].filter((item) => item % 3 !== 0);
        const states = Uint8Array.from(scores, (_, item) => (item % 3 === 0 ? 1 : 2));
        const middle = scores.length >> 1;
        const parts = [
          [0, middle],
          [middle, scores.length],
        ] as const;
        for (const [from, to] of isReversed ? parts.toReversed() : parts)
          top.addAll(Float32Array.from(scores.slice(from, to)), states.slice(from, to), 2, from);
        const expected = items.sort((a, b) => scores[b]! - scores[a]! || b - a).slice(0, capacity);
        assert.deepEqual(
          [...top.items()].sort((a, b) => a - b),
          expected.sort((a, b) => a - b),
        );
      }),
    );
  });
});
