import assert from 'node:assert/strict';
import { silentLogger } from '../../src/base/log.ts';
import { EngineReader } from '../../src/engine/engine.ts';
import { FolderIndex, type FolderDependencies } from '../../src/workspace/folderIndex.ts';
import {
  DEFAULT_EXCLUDE,
  MAX_FILE_BYTES,
  indexFolderOf,
  type FolderOptions,
} from '../../src/workspace/folderOptions.ts';
import { Searcher } from '../../src/workspace/searcher.ts';

/** A time so old that no file counts as still being written. */
const LATER = (): number => Date.now() + 60_000;

export function openIndex(
  root: string,
  stateFolder: string,
  options: Partial<FolderOptions> = {},
  edges: Partial<FolderDependencies> = {},
): FolderIndex {
  return FolderIndex.open(
    { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES, ...options },
    { logger: silentLogger, now: LATER, onStatus: () => undefined, ...edges },
  );
}

/** The paths of a search's results, in order. */
export async function find(root: string, stateFolder: string, query: string, limit = 100): Promise<string[]> {
  const searcher = new Searcher();
  try {
    const { results } = await searcher.search({ folders: [{ root, stateFolder }], query, limit });
    return results.map(({ path }) => path).sort();
  } finally {
    searcher.close();
  }
}

/** The documents of an index by path. They are named by path and content, so two indexes with the same ones are equal. */
export function documentsOf(stateFolder: string): ReadonlyMap<string, string> {
  const reader = new EngineReader(indexFolderOf(stateFolder));
  const documents = new Map<string, string>();
  for (const segment of reader.segments) {
    for (let document = 0; document < segment.reader.documents; document++) {
      if (segment.isDeleted(document)) continue;
      const path = segment.reader.pathOf(document);
      assert.ok(!documents.has(path), `${path} is in the index twice`);
      documents.set(path, Buffer.from(segment.reader.idOf(document)).toString('hex'));
    }
  }
  reader.close();
  return new Map([...documents].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The documents of a new index of the folder, built in an empty state folder. */
export async function freshDocuments(root: string, emptyFolder: string): Promise<ReadonlyMap<string, string>> {
  const index = openIndex(root, emptyFolder);
  await index.reconcile();
  await index.close();
  return documentsOf(emptyFolder);
}
