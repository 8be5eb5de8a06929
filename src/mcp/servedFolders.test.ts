import assert from 'node:assert/strict';
import { shownFolders } from './servedFolders.ts';

describe('the names of served folders', () => {
  const prefixesOf = (...roots: readonly string[]): string[] =>
    shownFolders(roots.map((root) => ({ root }))).map(({ prefix }) => prefix);

  it('are missing for a single folder, and else as short as distinguishes them', () => {
    assert.deepEqual(prefixesOf('/code/shop'), ['']);
    assert.deepEqual(prefixesOf('/code/shop', '/code/bank'), ['shop/', 'bank/']);
    assert.deepEqual(prefixesOf('/a/shop', '/b/shop', '/b/bank'), ['a/shop/', 'b/shop/', 'bank/']);
    assert.deepEqual(prefixesOf('/a/x/shop', '/b/x/shop', '/b/y/shop'), ['a/x/shop/', 'b/x/shop/', 'y/shop/']);
  });
});
