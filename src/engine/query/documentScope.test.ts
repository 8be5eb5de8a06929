import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Engine } from '../engine.ts';
import { DocumentScope, DocumentSet } from './documentScope.ts';

describe('a scope of documents', () => {
  const folder = temporaryFolder();

  it('contains documents that are in its set or added, and not deleted, in each segment and after a merge', async () => {
    const engine = Engine.open(folder());
    const ids: string[] = [];
    for (let segment = 0; segment < 3; segment++) {
      const add = Array.from({ length: 40 }, (_, i) => {
        const path = `src/${segment}-${i}.ts`;
        const content = Buffer.from('export const nightingale = 1;\n');
        return { id: documentId(path, content), path, content };
      });
      ids.push(...add.map(({ id }) => id));
      await engine.apply({ add });
    }
    const some = fc.uniqueArray(fc.constantFrom(...ids, 'f'.repeat(64)), { maxLength: 80 });
    const sets = new Map<string, DocumentSet>();
    const property = fc.asyncProperty(some, some, some, async (base, added, deleted) => {
      // Reused, as the set of a checkpoint is.
      const key = base.slice(0, 2).join();
      const set = sets.get(key) ?? new DocumentSet(new Set(base));
      sets.set(key, set);
      const wanted = ids.filter((id) => (set.ids.has(id) || added.includes(id)) && !deleted.includes(id));
      const within = new DocumentScope(set, new Set(added), new Set(deleted));
      const found = await engine.search('nightingale', { within, limit: 1000 });
      assert.deepEqual(found.map(({ id }) => id).sort(), wanted.sort());
      const plain = { has: (id: string) => within.has(id) };
      assert.deepEqual(await engine.search('nightingale', { within: plain, limit: 1000 }), found);
    });
    await fc.assert(property, { numRuns: runs(60) });
    await engine.settle();
    await fc.assert(property, { numRuns: runs(30) });
    await engine.close();
  });
});
