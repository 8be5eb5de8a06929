import assert from 'node:assert/strict';
import { requests } from './contract.ts';

const NAME = 'a'.repeat(64);

function firstProblem(request: keyof typeof requests, body: unknown): string | undefined {
  return requests[request].safeParse(body).error?.issues[0]?.message;
}

describe('requests of the index and search protocol', () => {
  it('are refused with the first wrong item of a list', () => {
    for (const [names, message] of [
      [[NAME, 5], 'a blob name must be a string'],
      [['b'], 'a blob name must be 64 lower-case hexadecimal digits'],
      [{}, 'added_blobs must be an array of blob names'],
      [[], undefined],
    ] as const)
      assert.equal(firstProblem('checkpointBlobs', { blobs: { added_blobs: names } }), message);
    const blob = { path: 'a', content: '', blob_name: null, more: 1 };
    assert.equal(firstProblem('batchUpload', { blobs: [blob] }), undefined);
    assert.equal(firstProblem('batchUpload', { blobs: [blob, { path: 'a' }] }), 'content must be a string');
    assert.equal(firstProblem('findMissing', {}), 'mem_object_names must be an array');
    assert.equal(firstProblem('chatStream', { nodes: {} }), 'nodes must be an array');
    assert.equal(firstProblem('chatStream', { nodes: [{ text_node: 5 }] }), 'text_node must be an object');
    assert.deepEqual(requests.checkpointBlobs.parse({ blobs: {} }).blobs.added_blobs, []);
  });

  it('are refused equally fast with a million of them', () => {
    const list = new Array<unknown>(1_000_000).fill(0);
    assert.equal(firstProblem('batchUpload', { blobs: list }), 'a blob must be an object');
    assert.equal(firstProblem('findMissing', { mem_object_names: list }), 'a name must be a string');
    const blobs = { deleted_blobs: list };
    assert.equal(firstProblem('checkpointBlobs', { blobs }), 'a blob name must be a string');
    assert.equal(firstProblem('chatStream', { nodes: list }), 'a node must be an object');
  });
});
