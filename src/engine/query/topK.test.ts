import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TopK } from './topK.ts';

describe('TopK', () => {
  it('keeps what sorting would keep', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 1, max: 12 }), (scores, capacity) => {
        const top = new TopK(capacity);
        for (const [item, score] of scores.entries()) top.add(item, score);
        const kept = top.items().map((item) => scores[item]!);
        const expected = [...scores].sort((a, b) => b - a).slice(0, capacity);
        assert.deepEqual(
          kept.sort((a, b) => b - a),
          expected,
        );
        assert.equal(new Set(top.items()).size, top.items().length);
      }),
    );
  });
});
