import assert from 'node:assert/strict';
import { join } from 'node:path';
import { buildIndex } from '../../test/support/indexedFolder.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { silentLogger } from '../base/log.ts';
import { explain } from './explain.ts';
import { FolderIndex } from './folderIndex.ts';
import { MAX_FILE_BYTES, type FolderOptions } from './folderOptions.ts';
import { foldersWithin, ModelTools } from './modelTools.ts';
import { Searcher } from './searcher.ts';

describe('Tools for models in several folders', () => {
  const folder = temporaryFolder();
  const signal = new AbortController().signal;
  let folders: FolderOptions[] = [];
  let searcher: Searcher;
  let tools: ModelTools;

  beforeEach(async () => {
    const above = folder();
    folders = ['shop', 'bank'].map((name) => ({
      root: join(above, name),
      stateFolder: folder(),
      exclude: [],
      maxFileBytes: MAX_FILE_BYTES,
    }));
    for (const one of folders) {
      writeFiles(one.root, { 'src/a.ts': 'export function lantern() {}\n', 'src/b.ts': 'lantern();\n' });
      await buildIndex(one);
    }
    searcher = new Searcher();
    const optionsOf = (root: string): FolderOptions => folders.find((one) => one.root === root)!;
    tools = new ModelTools({
      folders: () => folders.map(({ root }, i) => ({ root, prefix: ['shop/', 'bank/'][i]! })),
      search: (request, signal) => searcher.search({ ...request, folders: foldersWithin(folders, request) }, signal),
      usages: (request, signal) => searcher.usages({ ...request, folders: foldersWithin(folders, request) }, signal),
      read: (root, path) => Promise.resolve(searcher.read(optionsOf(root), path)),
      explain: ({ root, path }) => explain({ folder: optionsOf(root), path }),
    });
  });
  afterEach(() => searcher.close());

  const usedIn = async (input: { path?: string }): Promise<string[]> => {
    const found = (await tools.findUsages({ name: 'lantern', ...input }, signal)) as {
      readonly total: number;
      readonly leftOut?: number;
      readonly usages: readonly { readonly path: string }[];
    };
    assert.equal(found.total, found.usages.length + (found.leftOut ?? 0));
    return found.usages.map(({ path }) => path).sort();
  };
  const listed = async (path?: string): Promise<object> => {
    const found = (await tools.listFiles(path === undefined ? {} : { path }, signal)) as { readonly files: object };
    return found.files;
  };

  it('restrict a path to its own folder', async () => {
    assert.deepEqual(await usedIn({}), ['bank/src/a.ts', 'bank/src/b.ts', 'shop/src/a.ts', 'shop/src/b.ts']);
    assert.deepEqual(await usedIn({ path: 'bank/src' }), ['bank/src/a.ts', 'bank/src/b.ts']);
    assert.deepEqual(await usedIn({ path: join(folders[0]!.root, 'src/b.ts') }), ['shop/src/b.ts']);
    assert.deepEqual(await listed('bank'), ['bank/src/a.ts', 'bank/src/b.ts']);
    assert.deepEqual(await listed(`${folders[0]!.root}/src/b*`), ['shop/src/b.ts']);
    assert.equal(((await listed()) as readonly string[]).length, 4);
  });

  it('find usages of a name that is a common word', async () => {
    const [shop] = folders;
    writeFiles(shop!.root, { 'src/c.ts': 'export const on = { with: 1 };\non.with = 2;\n' });
    const index = FolderIndex.open(shop!, { logger: silentLogger, now: Date.now, onStatus: () => undefined });
    await index.reconcile();
    await index.close();
    for (const name of ['with', 'on', 'on.with']) {
      const found = (await tools.findUsages({ name }, signal)) as { readonly usages: readonly object[] };
      assert.equal(found.usages.length, name === 'on.with' ? 1 : 2, name);
    }
  });

  it('show no usage in a file that is ignored since it was indexed', async () => {
    writeFiles(folders[0]!.root, { '.sextantignore': 'src/b.ts\n' });
    assert.deepEqual(await usedIn({ path: 'shop' }), ['shop/src/a.ts']);
  });

  it('refuse an address that is no path', async () => {
    await assert.rejects(tools.read({ path: 'file://elsewhere/a.ts', startLine: 1, endLine: 1 }), { code: 'NotShown' });
  });
});
