import type { FileState } from './scan.ts';

/**
 * Commits are small at first, so that searches find something soon. Later ones are larger, since each writes and merges
 * segments, and a search reads every segment. A crash loses a few seconds of work.
 */
const FIRST_BATCH_FILES = 500;
const SECOND_BATCH_BYTES = 48 << 20;
const LARGEST_BATCH_BYTES = 256 << 20;

/** Files of one commit. */
export interface FileBatch {
  readonly changed: readonly [string, FileState][];
  readonly deleted: readonly string[];
}

/** Cuts changes into batches of at most `limit()` bytes. The first is small, so that searches find something within 2 s. */
export function* fileBatches(
  changed: readonly [string, FileState][],
  deleted: readonly string[],
  limit: () => number,
): Generator<FileBatch> {
  let from = 0;
  let maxBytes = Math.min(SECOND_BATCH_BYTES, limit());
  do {
    const maxFiles = from === 0 ? FIRST_BATCH_FILES : changed.length;
    let to = from;
    for (let bytes = 0; to < changed.length && to - from < maxFiles && bytes < maxBytes; to++)
      bytes += changed[to]![1].size;
    if (from > 0) maxBytes = Math.min(maxBytes * 2, LARGEST_BATCH_BYTES, limit());
    if (to > from || deleted.length > 0) yield { changed: changed.slice(from, to), deleted: from === 0 ? deleted : [] };
    from = to;
  } while (from < changed.length);
}
