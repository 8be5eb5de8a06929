import { SextantError } from '../base/errors.ts';
import { forwardingLogger } from '../base/log.ts';
import { serve } from '../base/rpc.ts';
import { parentChannel } from '../base/worker.ts';
import { SegmentThreads } from '../engine/index/segmentThreads.ts';
import { DEFAULT_BUDGET, Governor, threadsWithin } from './governor.ts';
import { thisMachine } from './thisMachine.ts';
import { FolderIndexer } from './folderIndexer.ts';
import type { IndexEvents, IndexMethods } from './indexProtocol.ts';
import type { Skip } from './skip.ts';

/* The entry of the indexing process: it scans folders, reads and analyses their files, and writes their indexes. */

const logger = forwardingLogger((level, message) => emit('log', { level, message }));
const governor = new Governor(thisMachine());
let threads: SegmentThreads | undefined;
const indexers = new Map<string, FolderIndexer>();
/** Folders that are being closed. One of them that is opened again starts when its index is free. */
const closing = new Map<string, Promise<unknown>>();

function indexerOf(root: string): FolderIndexer {
  const indexer = indexers.get(root);
  if (!indexer) throw new SextantError('FolderNotOpen', `The folder ${root} is not open.`);
  return indexer;
}

const emit = serve<IndexMethods, IndexEvents>(parentChannel(), {
  open(options) {
    if (indexers.has(options.root)) return;
    governor.budget = options.budget ?? DEFAULT_BUDGET;
    threads ??= new SegmentThreads({ logger, count: threadsWithin(governor.budget.memoryBytes) });
    const indexer = new FolderIndexer(options, {
      logger,
      threads,
      governor,
      now: Date.now,
      onStatus: (status) => emit('status', status),
      onUnwatched: () => emit('unwatched', { root: options.root }),
    });
    indexers.set(options.root, indexer);
    const before = closing.get(options.root);
    if (before) void before.then(() => indexer.start());
    else indexer.start();
  },
  async close({ root }) {
    const closed = Promise.allSettled([closing.get(root), indexers.get(root)?.close()]);
    indexers.delete(root);
    closing.set(root, closed);
    const [, own] = await closed;
    if (closing.get(root) === closed) closing.delete(root);
    if (own.status === 'rejected') throw own.reason;
  },
  hint: ({ root, paths }) => indexerOf(root).hint(paths),
  async reconcile({ root }) {
    await closing.get(root);
    await indexerOf(root).reconcile();
  },
  async refresh({ root }) {
    const { index } = indexerOf(root);
    await index?.scanTimes();
    return index !== undefined;
  },
  pause: () => governor.pause(),
  resume: () => governor.resume(),
  verify: ({ root }) => indexerOf(root).verify(),
  async rebuild({ root }) {
    await closing.get(root);
    await indexerOf(root).rebuild();
  },
  skipped: ({ root }) => indexerOf(root).index?.skipped() ?? new Map<string, Skip>(),
});
