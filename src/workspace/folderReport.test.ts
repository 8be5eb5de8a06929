import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { documentsOf, freshDocuments, openIndex } from '../../test/workspace/support.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, indexFolderOf } from './folderOptions.ts';
import { compareWithFolder } from './folderReport.ts';

describe('compareWithFolder', () => {
  const folder = temporaryFolder();

  async function update(root: string, stateFolder: string): Promise<void> {
    const index = openIndex(root, stateFolder);
    await index.reconcile();
    await index.close();
  }

  async function counts(root: string, stateFolder: string): Promise<number[]> {
    const options = { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
    const { added, changed, removed } = await compareWithFolder(options);
    return [added, changed, removed];
  }

  it('reports a restored index as behind, although the catalog is newer', async () => {
    const [root, state, backup] = [folder(), folder(), folder()];
    writeFiles(root, { 'a.ts': 'const lantern = 1;', 'b.ts': 'const harbour = 1;', 'gone.ts': 'const grove = 1;' });
    await update(root, state);
    cpSync(indexFolderOf(state), backup, { recursive: true });
    writeFiles(root, { 'b.ts': 'const harbour = 22;', 'c.ts': 'const fjord = 1;' });
    rmSync(join(root, 'gone.ts'));
    await update(root, state);
    assert.deepEqual(await counts(root, state), [0, 0, 0]);
    rmSync(indexFolderOf(state), { recursive: true });
    cpSync(backup, indexFolderOf(state), { recursive: true });
    assert.deepEqual(await counts(root, state), [1, 1, 1]);
    await update(root, state);
    assert.deepEqual(await counts(root, state), [0, 0, 0]);
    assert.deepEqual(documentsOf(state), await freshDocuments(root, folder()));
  });

  it('reports an index newer than the catalog as up to date, and a missing index as behind', async () => {
    const [root, state] = [folder(), folder()];
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    await update(root, state);
    const catalog = join(state, 'files.json');
    const kept = join(folder(), 'files.json');
    cpSync(catalog, kept);
    writeFiles(root, { 'a.ts': 'const lantern = 22;', 'b.ts': 'const harbour = 1;' });
    await update(root, state);
    cpSync(kept, catalog);
    assert.deepEqual(await counts(root, state), [0, 0, 0]);
    rmSync(catalog);
    assert.deepEqual(await counts(root, state), [0, 0, 0]);
    cpSync(kept, catalog);
    rmSync(indexFolderOf(state), { recursive: true });
    assert.deepEqual(await counts(root, state), [2, 0, 0]);
  });
});
