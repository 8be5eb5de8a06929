/* What the calls of a context take and return. */

/** A file to index. */
export interface File {
  /** Path, not normalized. */
  path: string;
  contents: string;
}

/** Progress of adding files or waiting for them. */
export interface IndexingProgress {
  readonly stage: 'uploading' | 'indexing';
  /** Number of uploaded files, of the `total` that the service lacked. */
  readonly uploaded: number;
  readonly indexed: number;
  readonly total: number;
  /** The last uploaded file. */
  readonly currentFile?: string;
  /** UTF-8 bytes of contents. */
  readonly bytesUploaded?: number;
  readonly startedAt: Date;
}

/** Whether to wait until added files are indexed, and a callback for progress. */
export interface AddToIndexOptions {
  /** Whether to wait until uploaded files can be found; true by default. */
  readonly waitForIndexing?: boolean | undefined;
  /** Milliseconds to wait; ten minutes by default. */
  readonly timeout?: number | undefined;
  /** Called after each upload and after each check for indexed files. */
  readonly onProgress?: ((progress: IndexingProgress) => void) | undefined;
  /** Cancels the call: before the files are in the context it stays as it was, later only the wait ends. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of adding files. */
export interface IndexingResult {
  /** Paths of files that the service did not have. */
  newlyUploaded: string[];
  /** Paths of files that were in the context unchanged, or that the service had. */
  alreadyUploaded: string[];
}

/** Length of the text that a search returns. */
export interface ContextSearchOptions {
  /** The longest text, in UTF-16 units: 20,000 by default, 80,000 at the most. */
  readonly maxOutputLength?: number | undefined;
  /** Cancels the search. */
  readonly signal?: AbortSignal | undefined;
}

/** Form of the exported state. */
export interface ExportOptions {
  /** `full` by default; `search-only` without the paths of the files. */
  readonly mode?: 'full' | 'search-only' | undefined;
}
