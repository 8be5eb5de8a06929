import { silentLogger } from '../../src/base/log.ts';
import { FolderIndex } from '../../src/workspace/folderIndex.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, type FolderOptions } from '../../src/workspace/folderOptions.ts';
import { Searcher } from '../../src/workspace/searcher.ts';
import { temporaryFolder } from './temporary.ts';

/** Builds the index of a folder. */
export async function buildIndex(options: FolderOptions): Promise<void> {
  const index = FolderIndex.open(options, { logger: silentLogger, now: Date.now, onStatus: () => undefined });
  await index.reconcile();
  await index.close();
}

/** A function that builds the index of a folder and opens a searcher, which is closed after the tests. */
export function indexedFolder(): (root: string) => Promise<{ options: FolderOptions; searcher: Searcher }> {
  const searchers: Searcher[] = [];
  after(() => {
    for (const searcher of searchers) searcher.close();
  });
  const stateFolder = temporaryFolder();
  return async (root) => {
    const options = { root, stateFolder: stateFolder(), exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
    await buildIndex(options);
    const searcher = new Searcher();
    searchers.push(searcher);
    return { options, searcher };
  };
}
