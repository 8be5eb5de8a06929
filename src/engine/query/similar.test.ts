import assert from 'node:assert/strict';
import fc from 'fast-check';
import { editDistance } from './similar.ts';

describe('editDistance', () => {
  const cases: readonly (readonly [string, string, number])[] = [
    ['path', 'path', 0],
    ['pth', 'path', 1],
    ['paht', 'path', 1],
    ['paths', 'path', 1],
    ['math', 'path', 1],
    ['', 'path', 4],
    ['golang', 'lang', 2],
  ];
  for (const [a, b, distance] of cases) {
    it(`of "${a}" and "${b}" is ${distance}`, () => assert.equal(editDistance(a, b), distance));
  }

  it('is not computed for words whose lengths differ too much', () => {
    assert.equal(editDistance('path'.repeat(1e6), 'path', 2), Infinity);
    assert.equal(editDistance('paths', 'path', 1), 1);
  });

  it('is 0 for equal words only, the same both ways, and at most the longer length', () => {
    const word = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', 'c') });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        assert.equal(distance === 0, a === b);
        assert.equal(distance, editDistance(b, a));
        assert.ok(distance <= Math.max(a.length, b.length) && distance >= Math.abs(a.length - b.length));
      }),
    );
  });
});
