import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import { slices, uploadBatches } from './batches.ts';
import { WIRE_LIMITS } from './contract.ts';

describe('uploads', () => {
  it('are cut into requests within the limits, each as full as it can be, in order', () => {
    const { maxBlobBytes, maxBlobsPerUpload, maxUploadBytes } = WIRE_LIMITS;
    const size = fc.oneof(fc.constant(0), fc.nat(5000), fc.integer({ min: maxBlobBytes - 2, max: maxBlobBytes }));
    fc.assert(
      fc.property(fc.array(size, { size: 'max', maxLength: 3000 }), (sizes) => {
        const batches = [...uploadBatches(sizes.map((size) => ({ size })))];
        assert.deepEqual(
          batches.flat().map((blob) => blob.size),
          sizes,
        );
        const bytesOf = (batch: readonly { readonly size: number }[]): number =>
          batch.reduce((sum, blob) => sum + blob.size, 0);
        for (const [i, batch] of batches.entries()) {
          assert.ok(batch.length > 0 && batch.length <= maxBlobsPerUpload && bytesOf(batch) <= maxUploadBytes);
          const next = batches[i + 1]?.[0];
          if (next) assert.ok(batch.length === maxBlobsPerUpload || bytesOf(batch) + next.size > maxUploadBytes);
        }
      }),
      { numRuns: times(50) },
    );
  });

  it('lists are cut into pieces', () => {
    assert.deepEqual([...slices([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]]);
    assert.deepEqual([...slices([], 2)], []);
  });
});
