import type { UploadBlob } from '../wire/batches.ts';
import type { FileSet } from './fileSet.ts';
import type { Missing, BlobScope } from '../wire/scope.ts';

/** What a context is kept by: a service that is reached over HTTP, or an index in this process. */
export interface ContextBackend {
  findMissing(names: readonly string[]): Promise<Missing>;
  /** Uploads what goes into one request. Gives the names that count from now on, in the order of the blobs. */
  upload(blobs: readonly UploadBlob[]): Promise<readonly string[]>;
  /** The id of a set that never changes. */
  checkpoint(scope: BlobScope): Promise<string>;
  retrieve(query: string, scope: BlobScope, maxOutputLength?: number): Promise<string>;
  ask(prompt: string): Promise<string>;
  /** The files of the context, where the backend keeps them as well. */
  readonly kept?: KeptFiles | undefined;
  /** Names of blobs that were found damaged and have not been uploaded since, where the backend knows. */
  readonly lost?: ReadonlySet<string> | undefined;
  close(): Promise<void>;
}

/** The set of a context's files that outlives the process. */
export interface KeptFiles {
  readonly files: FileSet;
  /** On the disk when it resolves. */
  save(files: FileSet): Promise<void>;
}

/** Answers a question: the prompt has what was found, and then the question. */
export type Answerer = (prompt: string) => Promise<string>;
