import type { UploadBlob } from '../wire/batches.ts';
import type { FileSet } from './fileSet.ts';
import type { Missing, BlobScope } from '../wire/scope.ts';

/** Stores and searches the files of a context: a service over HTTP, or an index in this process. */
export interface ContextBackend {
  findMissing(names: readonly string[]): Promise<Missing>;
  /** Uploads the blobs of one request. Returns their valid names, in the order of the blobs. */
  upload(blobs: readonly UploadBlob[]): Promise<readonly string[]>;
  /** The id of a set that never changes. */
  checkpoint(scope: BlobScope): Promise<string>;
  retrieve(query: string, scope: BlobScope, maxOutputLength?: number): Promise<string>;
  ask(prompt: string): Promise<string>;
  /** The files of the context, if the backend stores that set. */
  readonly kept?: KeptFiles | undefined;
  /** Names of blobs found damaged and not uploaded since, if the backend knows them. */
  readonly lost?: ReadonlySet<string> | undefined;
  close(): Promise<void>;
}

/** The set of a context's files that outlives the process. */
export interface KeptFiles {
  readonly files: FileSet;
  /** Resolves when the set is on the disk. */
  save(files: FileSet): Promise<void>;
}

/** Answers a prompt, which has the search result and then the question. */
export type Answerer = (prompt: string) => Promise<string>;

/** Stores files and sets of them for any number of contexts: in a folder, or on a cluster. */
export interface BlobStore {
  /** Counts as a use, since a client then relies on the blobs found. */
  findMissing(names: readonly string[]): Missing | Promise<Missing>;
  /** Returns the names, in the order of the blobs; these can be searched then. */
  upload(blobs: readonly Pick<UploadBlob, 'path' | 'content'>[]): Promise<readonly string[]>;
  /** The id of a set, equal for equal sets. Throws `CheckpointNotFound`. */
  checkpoint(scope: BlobScope): Promise<string>;
  /** What of a set answers a query, as text. Throws `CheckpointNotFound`. */
  retrieve(
    query: string,
    scope: BlobScope,
    maxOutputLength?: number | null,
    /** Rejects with `Cancelled` when it aborts. */
    signal?: AbortSignal,
  ): Promise<string>;
  close(): Promise<void>;
}
