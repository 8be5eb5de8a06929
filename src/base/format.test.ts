import assert from 'node:assert/strict';
import { formatBytes } from './format.ts';

describe('a formatted size', () => {
  it('is in bytes below a kilobyte, then in decimal units', () => {
    const sizes = [0, 7, 999, 1000, 312_400, 4_200_000, 1_230_000_000];
    assert.deepEqual(sizes.map(formatBytes), ['0 B', '7 B', '999 B', '1 kB', '312 kB', '4.2 MB', '1.23 GB']);
  });
});
