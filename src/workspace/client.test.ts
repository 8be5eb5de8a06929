import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { until } from '../../test/support/until.ts';
import { silentLogger } from '../base/log.ts';
import { WorkspaceClient } from './client.ts';
import type { FolderState } from './status.ts';

describe('the client of a workspace', () => {
  const temporary = temporaryFolder();

  it('restarts the indexing thread after many files, without a gap or a report', async () => {
    const [root, stateFolder] = [temporary(), join(temporary(), 'state')];
    writeFiles(
      root,
      Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`f${i}.ts`, `export const lantern${i} = ${i};\n`])),
    );
    const kinds: FolderState['kind'][] = [];
    let renewals = 0;
    const client = new WorkspaceClient({
      indexThread: new URL('./indexThread.ts', import.meta.url),
      searchThread: new URL('./searchThread.ts', import.meta.url),
      logger: {
        ...silentLogger,
        debug: (message) => void (renewals += message.includes('to free its memory') ? 1 : 0),
      },
      onStatus: ({ state }) => void kinds.push(state.kind),
      onUnwatched: () => undefined,
      renewal: { files: 8, quietMs: 100 },
    });
    const folder = { root, stateFolder, exclude: [], maxFileBytes: 1 << 20 };
    const paths = async (query: string): Promise<string[]> =>
      (await client.search({ folders: [folder], query, limit: 20 })).results.map(({ path }) => path);
    try {
      client.open(folder);
      await until('the thread is started again', () => renewals === 1);
      const first = kinds.length;
      writeFiles(root, { 'late.ts': 'export const harbour = 1;\n' });
      rmSync(join(root, 'f3.ts'));
      // Waits for the new thread.
      await (await client.indexing()).call('reconcile', { root });
      assert.deepEqual(await paths('harbour'), ['late.ts']);
      assert.deepEqual(
        (await paths('lantern')).sort(),
        [0, 1, 2, 4, 5, 6, 7].map((i) => `f${i}.ts`),
      );
      assert.equal(kinds.slice(first).includes('scanning'), false);
    } finally {
      await client.dispose();
    }
  });
});
