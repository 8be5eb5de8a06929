import { TimeSlice } from '../base/timeSlice.ts';
import { toUtf8 } from '../engine/analyze/text.ts';
import { WIRE_LIMITS } from '../wire/contract.ts';
import { FileReader } from '../workspace/fileReader.ts';
import type { FolderOptions } from '../workspace/folderOptions.ts';
import { FolderTree } from '../workspace/folderTree.ts';
import type { FileState } from '../workspace/scan.ts';
import { SkipRules } from '../workspace/skip.ts';
import type { NewVersion, WireClient } from '../wire/wireClient.ts';
import type { WireRepository } from '../wire/repositories.ts';
import type { File } from './calls.ts';
import { DirectContext } from './directContext.ts';
import { contextErrors } from './errors.ts';

/** Text that is read before it is sent. */
const BATCH_BYTES = 16 << 20;
const BATCH_FILES = 2_000;

export interface PushProgress {
  readonly done: number;
  readonly total: number;
  readonly uploaded: number;
}

export interface PushResult {
  readonly repository: WireRepository;
  /** Number of files that the service did not have. */
  readonly uploaded: number;
  /** Number of files that are left out by the rules of an index. */
  readonly leftOut: number;
  /** Files and folders that could not be read. */
  readonly unreadable: readonly string[];
}

/**
 * Pushes a folder to a service as a repository: the files that an index of the folder would have. Uploads those that the service
 * lacks, and then moves the name. A push that was interrupted changed nothing that a search sees, and the next one continues
 * from there. Throws `NothingToPush`, {@link APIError} and `Cancelled`.
 */
export async function pushFolder(
  folder: FolderOptions,
  version: Omit<NewVersion, 'blobs'>,
  client: WireClient,
  onProgress: (progress: PushProgress) => void,
  signal: AbortSignal,
): Promise<PushResult> {
  const skips = new SkipRules(folder);
  const slice = new TimeSlice(signal);
  const tree = { root: folder.root, excluded: folder, skips, now: Date.now, isChanged: () => true };
  const {
    found: { changed },
    tree: { skipped },
  } = await FolderTree.scanAll(tree, slice);
  const unreadable = [...skipped].flatMap(([path, { reason }]) => (reason === 'unreadable' ? [path] : []));
  const context = await DirectContext.createWith({ backend: client });
  const total = changed.size;
  let done = 0;
  let uploaded = 0;
  let pushed = 0;
  for await (const batch of batchesOf(changed, new FileReader(folder, skips), slice, unreadable)) {
    const { newlyUploaded } = await context.addToIndex(batch.files, { signal });
    done += batch.read;
    uploaded += newlyUploaded.length;
    pushed += batch.files.length;
    onProgress({ done, total, uploaded });
  }
  if (pushed === 0) throw contextErrors.nothingToPush(folder.root);
  const { checkpointId, addedBlobs, deletedBlobs } = context.export({ mode: 'search-only' });
  const blobs = { checkpointId, added: addedBlobs, deleted: deletedBlobs };
  const repository = await client.putRepository({ ...version, blobs });
  return { repository, uploaded, leftOut: total - pushed, unreadable };
}

/** Reads files in batches; those that an index would leave out are counted alone, those that cannot be read are added to a list. */
async function* batchesOf(
  found: ReadonlyMap<string, FileState>,
  reader: FileReader,
  slice: TimeSlice,
  unreadable: string[],
): AsyncGenerator<{ readonly files: readonly File[]; readonly read: number }> {
  let files: File[] = [];
  let bytes = 0;
  let read = 0;
  for (const [path, state] of found) {
    if (slice.isOver) await slice.next();
    const { document, record } = reader.read(path, state, Date.now());
    if ('skip' in record && record.skip.reason === 'unreadable') unreadable.push(path);
    read++;
    const text = document && toUtf8(document.content);
    // The text of a file in another encoding may be larger than the file.
    if (text && text.length <= WIRE_LIMITS.maxBlobBytes) {
      files.push({ path, contents: Buffer.from(text).toString() });
      bytes += text.length;
    }
    if (bytes < BATCH_BYTES && files.length < BATCH_FILES) continue;
    yield { files, read };
    files = [];
    bytes = 0;
    read = 0;
  }
  if (read > 0) yield { files, read };
}
