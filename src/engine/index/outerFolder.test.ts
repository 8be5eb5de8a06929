import assert from 'node:assert/strict';
import { outerFolder } from './outerFolder.ts';

describe('outerFolder', () => {
  it('is the two outermost folders, or as many as there are', () => {
    assert.equal(outerFolder('packages/core/src/a.ts'), 'packages/core');
    assert.equal(outerFolder('packages/core/a.ts'), 'packages/core');
    assert.equal(outerFolder('src/a.ts'), 'src');
    assert.equal(outerFolder('a.ts'), '');
  });
});
