import assert from 'node:assert/strict';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Engine, EngineReader, type EngineDocument } from '../engine.ts';
import { SegmentMaker } from './segmentMaker.ts';
import { SegmentThreads } from './segmentThreads.ts';

function document(path: string, text: string): EngineDocument {
  const content = Buffer.from(text);
  return { id: documentId(path, content), path, content };
}

describe('Segments of threads', () => {
  const folder = temporaryFolder();
  const threads = new SegmentThreads({ count: 1 });
  // As much as starts threads.
  const large = document('large.txt', 'lantern harbour\n'.repeat(800_000));
  after(() => threads.close());

  it('are part of the index like any other: known to the manifest, searched, merged', async () => {
    const state = folder();
    const engine = Engine.open(state, { threads });
    const small = Array.from({ length: 40 }, (_, i) => document(`f${i}.ts`, `export const grove${i} = 1; // fjord`));
    await engine.apply({ add: [large, ...small] });
    assert.equal(threads.areReady, true);
    assert.deepEqual(await engine.verify(), []);
    for (let i = 0; i < 8; i++) await engine.apply({ add: [document(`g${i}.ts`, 'fjord')], remove: [small[i]!.id] });
    await engine.settle();
    await engine.close();
    const reader = new EngineReader(state);
    assert.deepEqual(reader.damage, []);
    assert.equal((await reader.search('fjord', { limit: 100 })).length, 40);
    assert.equal((await reader.search('lantern'))[0]?.path, 'large.txt');
    reader.close();
  });

  it('that cannot be written fail with the code of the system', async () => {
    const pathOf = (): string => join(folder(), 'missing', 'segment.sxs');
    const maker = new SegmentMaker({ reserve: () => 1, pathOf }, threads);
    maker.add({ id: large.id, path: large.path, text: large.content });
    await assert.rejects(maker.finish(), { code: 'ENOENT' });
    await maker.abandon();
    assert.equal(threads.areReady, true);
  });
});
