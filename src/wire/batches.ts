import { WIRE_LIMITS } from './contract.ts';

/** A file on its way to the service. */
export interface UploadBlob {
  /** The name as the client computes it. */
  readonly name: string;
  readonly path: string;
  readonly content: string;
  /** UTF-8 bytes of the content. */
  readonly size: number;
}

/** Cuts uploads into requests, each as full as possible, in the given order (section 4.2). */
export function* uploadBatches<T extends Pick<UploadBlob, 'size'>>(blobs: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const blob of blobs) {
    if (batch.length === WIRE_LIMITS.maxBlobsPerUpload || bytes + blob.size > WIRE_LIMITS.maxUploadBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(blob);
    bytes += blob.size;
  }
  if (batch.length > 0) yield batch;
}

/** Cuts a list into pieces of at most `size`. */
export function* slices<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
