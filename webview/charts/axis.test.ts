import assert from 'node:assert/strict';
import { tickText } from './axis.ts';

describe('texts at an axis', () => {
  it('differ for different values, also of fractions', () => {
    const texts = (values: readonly number[]): string[] => values.map((value) => tickText(value, 'usd'));
    assert.deepEqual(texts([0, 0.002, 0.004, 0.006]), ['$0', '$0.002', '$0.004', '$0.006']);
    assert.deepEqual(texts([0, 0.25, 0.5, 0.75, 1, 1.25]), ['$0', '$0.25', '$0.5', '$0.75', '$1', '$1.25']);
    assert.deepEqual(texts([0.1 + 0.2, 25, 1200, 2500]), ['$0.3', '$25', '$1.2K', '$2.5K']);
    assert.equal(tickText(0.25, 'share'), '25%');
  });
});
