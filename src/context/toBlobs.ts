import { TimeSlice } from '../base/timeSlice.ts';
import { documentId } from '../engine/documentId.ts';
import type { UploadBlob } from '../wire/batches.ts';
import { WIRE_LIMITS } from '../wire/contract.ts';
import { BlobTooLargeError } from '../wire/errors.ts';
import { contextErrors } from './errors.ts';

/** An unchecked file from the calling program. */
interface GivenFile {
  readonly path: unknown;
  readonly contents: unknown;
}

/** Hashes files to add; of equal paths the last counts. Throws {@link BlobTooLargeError} and `InvalidArgument`. */
export async function toBlobs(files: readonly (GivenFile | null | undefined)[]): Promise<UploadBlob[]> {
  const blobs = new Map<string, UploadBlob>();
  const slice = new TimeSlice();
  for (const file of files) {
    const { path, contents } = file ?? { path: undefined, contents: undefined };
    if (typeof path !== 'string' || typeof contents !== 'string')
      throw contextErrors.badFiles('Each file needs a path and contents, both strings.');
    const bytes = Buffer.from(contents);
    const size = bytes.length;
    if (size > WIRE_LIMITS.maxBlobBytes) throw new BlobTooLargeError(path, size, WIRE_LIMITS.maxBlobBytes);
    blobs.set(path, { path, content: contents, size, name: documentId(path, bytes) });
    if (slice.isOver) await slice.next();
  }
  return [...blobs.values()];
}
