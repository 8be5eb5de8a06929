import { SextantError } from '../base/errors.ts';
import { SegmentThreads } from '../engine/index/segmentThreads.ts';
import { FolderIndex } from '../workspace/folderIndex.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, type FolderOptions } from '../workspace/folderOptions.ts';
import type { FolderStatus } from '../workspace/status.ts';
import { logTo, ProgressLine, type Terminal } from './terminal.ts';

export function folderOptions(root: string, stateFolder: string): FolderOptions {
  return { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
}

/**
 * Brings a folder's index up to date, with progress on a terminal. Returns the status afterwards, or who keeps the index
 * if that is another process: then it is up to date without us. With `verify` the index is looked through for damage
 * instead, and repaired; with `settle` it is merged as well, which takes seconds after many changes and makes searches
 * faster.
 */
export async function updateIndex(
  options: FolderOptions,
  terminal: Terminal,
  { verify = false, settle = false } = {},
): Promise<{ readonly status: FolderStatus } | { readonly busy: string }> {
  const progress = new ProgressLine(terminal.stderr);
  const logger = logTo(terminal.stderr);
  const threads = new SegmentThreads({ logger });
  let index: FolderIndex;
  try {
    index = FolderIndex.open(options, {
      logger,
      threads,
      now: Date.now,
      onStatus: (status) => progress.show(describe(status)),
    });
  } catch (error) {
    if (error instanceof SextantError && error.code === 'IndexBusy') return { busy: error.message };
    throw error;
  }
  try {
    if (verify) await index.verify(terminal.signal);
    else await index.reconcile(terminal.signal);
    if (settle) await index.settle(terminal.signal);
    return { status: index.status() };
  } finally {
    await index.close();
    await threads.close();
    progress.clear();
  }
}

function describe({ state }: FolderStatus): string {
  if (state.kind !== 'indexing') return 'Looking for files …';
  const percent = Math.floor((100 * state.done) / Math.max(1, state.total));
  return `Indexing … ${state.done} of ${state.total} files (${percent} %)`;
}
