import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countFolders } from './outerFolders.ts';

/** The outermost two folders of a path, by its parts. */
function folderOf(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 2).join('/');
}

describe('countFolders', () => {
  it('counts the paths below each two outermost folders, in any order of the paths', () => {
    const part = fc.constantFrom('a', 'b', 'ab', 'a.c', 'ü');
    const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 30 }), fc.boolean(), (all, isSorted) => {
        const paths = isSorted ? all.toSorted() : all;
        const ends = paths.map((_, i) => paths.slice(0, i + 1).join('').length);
        const counts = countFolders(paths.join(''), [0, ...ends]);
        const expected = new Map<string, number>();
        for (const one of paths) {
          const name = folderOf(one);
          expected.set(name, (expected.get(name) ?? 0) + 1);
        }
        assert.deepEqual(counts, expected);
      }),
    );
  });
});
