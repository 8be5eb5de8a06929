import assert from 'node:assert/strict';
import { SextantError } from '../base/errors.ts';
import { readState, toState } from './state.ts';

const isInvalid = (error: unknown): boolean => error instanceof SextantError && error.code === 'InvalidState';

describe('the exported state of a context', () => {
  const full = {
    mode: 'full',
    checkpointId: 'c',
    addedBlobs: ['n2'],
    deletedBlobs: ['n0'],
    blobs: [
      ['n1', 'a.ts'],
      ['n2', 'b.ts', 'client'],
    ],
  };

  it('is read and written in both forms', () => {
    const { files, isSearchOnly } = readState(full);
    assert.equal(isSearchOnly, false);
    assert.deepEqual(toState(files, 'full'), full);
    const { blobs: _, ...rest } = full;
    const searchOnly = { ...rest, mode: 'search-only' };
    assert.deepEqual(toState(files, 'search-only'), searchOnly);
    const again = readState(searchOnly);
    assert.equal(again.isSearchOnly, true);
    assert.deepEqual(toState(again.files, 'search-only'), searchOnly);
  });

  it('is a full one without a mode', () => {
    const { mode: _, ...old } = full;
    assert.deepEqual(toState(readState(old).files, 'full'), full);
    const empty = { addedBlobs: [], deletedBlobs: [], blobs: [] };
    assert.deepEqual(toState(readState(empty).files, 'full'), { mode: 'full', ...empty });
  });

  it('drops names without a file, and deleted files', () => {
    const { files } = readState({
      ...full,
      addedBlobs: ['n2', 'orphan'],
      blobs: [...full.blobs, ['n0', 'half-replaced.ts']],
    });
    assert.deepEqual(toState(files, 'full'), full);
  });

  it('is refused if it is something else', () => {
    for (const bad of [
      null,
      [],
      'text',
      {},
      { ...full, mode: 'partial' },
      { ...full, blobs: undefined },
      { ...full, blobs: [['n1']] },
      { ...full, blobs: [[1, 'a.ts']] },
      { ...full, addedBlobs: 'n2' },
      { ...full, deletedBlobs: ['n2'] },
    ])
      assert.throws(() => readState(bad), isInvalid, JSON.stringify(bad));
  });
});
