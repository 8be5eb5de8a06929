import type { UploadBlob } from '../wire/batches.ts';
import type { Missing, Scope } from '../wire/scope.ts';

/** What a context is kept by: a service that is reached over HTTP, or an index in this process. */
export interface ContextBackend {
  findMissing(names: readonly string[]): Promise<Missing>;
  /** Uploads what goes into one request. Gives the names that count from now on, in the order of the blobs. */
  upload(blobs: readonly UploadBlob[]): Promise<readonly string[]>;
  /** The id of a set that never changes. */
  checkpoint(scope: Scope): Promise<string>;
  retrieve(query: string, scope: Scope, maxOutputLength?: number): Promise<string>;
  ask(prompt: string): Promise<string>;
  close(): Promise<void>;
}

/** Answers a question: the prompt has what was found, and then the question. */
export type Answerer = (prompt: string) => Promise<string>;
