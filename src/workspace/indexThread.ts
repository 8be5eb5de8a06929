import { parentPort } from 'node:worker_threads';
import { SextantError } from '../base/errors.ts';
import { forwardingLogger } from '../base/log.ts';
import { serve } from '../base/rpc.ts';
import { workerChannel } from '../base/workerChannel.ts';
import { SegmentThreads } from '../engine/index/segmentThreads.ts';
import { DEFAULT_BUDGET, Governor, threadsWithin } from './governor.ts';
import { thisMachine } from './machine.ts';
import { FolderIndexer } from './folderIndexer.ts';
import type { IndexEvents, IndexMethods } from './indexProtocol.ts';

/* The entry of the thread in which folders are scanned, read, analysed and written to their indexes. */

if (!parentPort) throw new Error('This module is the entry of a worker thread.');

const logger = forwardingLogger((level, message) => emit('log', { level, message }));
const governor = new Governor(thisMachine());
let threads: SegmentThreads | undefined;
const keepers = new Map<string, FolderIndexer>();

function keeperOf(root: string): FolderIndexer {
  const keeper = keepers.get(root);
  if (!keeper) throw new SextantError('FolderNotOpen', `The folder ${root} is not open.`);
  return keeper;
}

const emit = serve<IndexMethods, IndexEvents>(workerChannel(parentPort), {
  open(options) {
    if (keepers.has(options.root)) return;
    governor.budget = options.budget ?? DEFAULT_BUDGET;
    threads ??= new SegmentThreads({ logger, count: threadsWithin(governor.budget.memoryBytes) });
    const keeper = new FolderIndexer(options, {
      logger,
      threads,
      governor,
      now: Date.now,
      onStatus: (status) => emit('status', status),
      onUnwatched: () => emit('unwatched', { root: options.root }),
    });
    keepers.set(options.root, keeper);
    keeper.start();
  },
  async close({ root }) {
    const keeper = keepers.get(root);
    keepers.delete(root);
    await keeper?.close();
  },
  hint: ({ root, paths }) => keeperOf(root).hint(paths),
  reconcile: ({ root }) => keeperOf(root).reconcile(),
  pause: () => governor.pause(),
  resume: () => governor.resume(),
  verify: ({ root }) => keeperOf(root).verify(),
  rebuild: ({ root }) => keeperOf(root).rebuild(),
  skipped: ({ root }) => keeperOf(root).skipped(),
});
