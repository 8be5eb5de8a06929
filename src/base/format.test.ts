import assert from 'node:assert/strict';
import { formatBytes, formatThings } from './format.ts';

describe('a formatted number', () => {
  it('of bytes is in bytes below a kilobyte, then in decimal units', () => {
    const sizes = [0, 7, 999, 1000, 312_400, 4_200_000, 1_230_000_000];
    assert.deepEqual(sizes.map(formatBytes), ['0 B', '7 B', '999 B', '1 kB', '312 kB', '4.2 MB', '1.23 GB']);
  });

  it('of things is in the singular for one', () => {
    const people = [0, 1, 1234].map((count) => formatThings(count, 'person', 'people'));
    assert.deepEqual(people, ['0 people', '1 person', '1,234 people']);
    assert.equal(formatThings(2, 'row'), '2 rows');
  });
});
