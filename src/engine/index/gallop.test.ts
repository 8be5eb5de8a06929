import assert from 'node:assert/strict';
import fc from 'fast-check';
import { gallop } from './gallop.ts';

describe('gallop', () => {
  it('agrees with a linear search', () => {
    const values = fc.array(fc.nat(60), { maxLength: 40 }).map((list) => Uint32Array.from(list).sort());
    fc.assert(
      fc.property(values, fc.nat(40), fc.nat(40), fc.nat(61), (list, one, other, value) => {
        const from = Math.min(one, other, list.length);
        const to = Math.min(Math.max(one, other), list.length);
        let expected = from;
        while (expected < to && list[expected]! < value) expected++;
        assert.equal(gallop(list, from, to, value), expected);
      }),
    );
  });
});
