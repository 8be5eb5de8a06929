import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RoaringBitmap32 } from 'roaring-wasm';
import { times } from '../../../test/support/runs.ts';
import { decodeRoaring, encodeRoaring, unionOf } from './roaring.ts';

describe('sets of numbers as Roaring bitmaps', () => {
  const numbers = fc
    .tuple(
      fc.uniqueArray(fc.nat(0xffff_ffff), { maxLength: 200 }),
      fc.nat(0xffff_0000),
      fc.integer({ min: 0, max: 20_000 }),
    )
    .map(([single, from, length]) => {
      const all = new Set([
        ...single,
        ...Array.from({ length }, (_, i) => from + 2 * i).filter((n) => n <= 0xffff_ffff),
      ]);
      return Uint32Array.from(all).sort();
    });

  it('are read by another library, and back', () => {
    fc.assert(
      fc.property(numbers, (set) => {
        const bytes = encodeRoaring(set);
        const other = RoaringBitmap32.deserialize(bytes, 'portable');
        assert.equal(other.size, set.length);
        assert.deepEqual(other.toUint32Array(), set);
        other.dispose();
        assert.deepEqual(decodeRoaring(bytes), set);
      }),
    );
  });

  it('are united', () => {
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 5 }), (sets) => {
        const expected = new Set(sets.flatMap((one) => [...one]));
        assert.deepEqual(unionOf(sets), Uint32Array.from(expected).sort());
      }),
      { numRuns: times(20) },
    );
  });

  it('of another format are refused', () => {
    assert.throws(() => decodeRoaring(Buffer.alloc(16)), /not in the format/);
  });
});
