import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileAtomicSync } from '../base/atomicFile.ts';
import { explainWriteError } from '../base/errors.ts';
import { silentLogger, type Logger } from '../base/log.ts';
import { documentId } from '../engine/documentId.ts';
import { uploadBatches, type UploadBlob } from '../wire/batches.ts';
import { outputLength, promptOf, WIRE_LIMITS } from '../wire/contract.ts';
import { BlobTooLargeError } from '../wire/errors.ts';
import type { Answerer, ContextBackend } from './backend.ts';
import { contextErrors } from './errors.ts';
import { FileSet, type TrackedFile } from './fileSet.ts';
import { openService, stderrLogger, type ServiceEdges, type ServiceOptions } from './service.ts';
import {
  readState,
  toState,
  type DirectContextState,
  type FullContextState,
  type ImportedState,
  type SearchOnlyContextState,
} from './state.ts';

/** A file to be indexed. */
export interface File {
  /** Used as it is: nothing is normalized. */
  readonly path: string;
  readonly contents: string;
}

/** Where a context keeps its files, and who answers. */
export interface DirectContextOptions extends ServiceOptions {
  /** Tells on the standard error what is done. */
  readonly debug?: boolean | undefined;
  /** `http`, the default, is a service; `embedded` an index in this process, without credentials and network. */
  readonly backend?: 'http' | 'embedded' | undefined;
  /** Where the embedded index is kept; without it, it goes when the context is closed. One process at a time. */
  readonly folder?: string | undefined;
  /** Answers {@link DirectContext.searchAndAsk} of an embedded context. */
  readonly answer?: Answerer | undefined;
}

/** What tests replace. @internal */
export interface ContextEdges extends ServiceEdges {
  readonly logger?: Logger;
  /** The first wait between two looks whether files are indexed. */
  readonly pollMs?: number;
  readonly backend?: ContextBackend;
}

/** How far adding, or waiting, is. */
export interface IndexingProgress {
  readonly stage: 'uploading' | 'indexing';
  /** Files so far, of the `total` that the service lacked. */
  readonly uploaded: number;
  readonly indexed: number;
  readonly total: number;
  /** The last file that was uploaded. */
  readonly currentFile?: string;
  /** UTF-8 bytes of contents. */
  readonly bytesUploaded?: number;
  readonly startedAt: Date;
}

/** Whether to wait for what is added, and who is told how far it is. */
export interface AddToIndexOptions {
  /** Whether to wait until what was uploaded can be found; by default it is waited for. */
  readonly waitForIndexing?: boolean | undefined;
  /** Milliseconds to wait for that; ten minutes by default. */
  readonly timeout?: number | undefined;
  /** Is told after each upload, and at each look whether all can be found. */
  readonly onProgress?: ((progress: IndexingProgress) => void) | undefined;
}

/** What became of the files that were added. */
export interface IndexingResult {
  /** Paths of files that the service did not have. */
  readonly newlyUploaded: readonly string[];
  /** Paths of files that were in the context as they are, or that the service had. */
  readonly alreadyUploaded: readonly string[];
}

/** How long the text may be that a search gives. */
export interface SearchOptions {
  /** The longest text, in UTF-16 units: 20,000 by default, 80,000 at the most. */
  readonly maxOutputLength?: number | undefined;
}

/** Which form of the state is exported. */
export interface ExportOptions {
  /** `full` by default; `search-only` without the paths of the files. */
  readonly mode?: 'full' | 'search-only' | undefined;
}

const TIMEOUT_MS = 600_000;
/** Between two looks: doubled from the first to the second, and the third after a minute. */
const POLL_MS = 100;
const LATER_POLL_MS = 3_000;
const LAST_POLL_MS = 10_000;
const LATE_MS = 60_000;

/**
 * An index of files that the program gives, to search and to ask.
 *
 * Adding, removing, clearing take place one after the other, in the order of the calls; each is done whole or leaves the
 * context as it was, and may then be repeated. A search sees what was done when it began. What a context knows can be
 * exported and imported, so that nothing is uploaded twice.
 */
export class DirectContext implements AsyncDisposable {
  readonly #backend: ContextBackend;
  readonly #isSearchOnly: boolean;
  readonly #logger: Logger;
  readonly #pollMs: number;
  #files: FileSet;
  #last: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  private constructor(backend: ContextBackend, { files, isSearchOnly }: ImportedState, logger: Logger, pollMs: number) {
    this.#backend = backend;
    this.#files = files;
    this.#isSearchOnly = isSearchOnly;
    this.#logger = logger;
    this.#pollMs = pollMs;
  }

  /**
   * An empty context. Key and address of the service are, each for itself, those of the options, else those of the session in
   * `SEXTANT_SESSION_AUTH`, else `SEXTANT_API_TOKEN` and `SEXTANT_API_URL`, else those in `~/.sextant/session.json`. Throws
   * `API key is required` and `API URL is required`; of an embedded one `StoreBusy`, `DiskFull`, `ReadOnly`.
   */
  static async create(options: DirectContextOptions = {}): Promise<DirectContext> {
    return DirectContext.createWith({}, options);
  }

  /** With what tests replace. @internal */
  static async createWith(edges: ContextEdges, options: DirectContextOptions = {}): Promise<DirectContext> {
    return DirectContext.#open({ files: FileSet.EMPTY, isSearchOnly: false }, options, edges);
  }

  /** The context that a state was exported from. Throws `InvalidState`, and as {@link create} does. */
  static async import(state: DirectContextState, options: DirectContextOptions = {}): Promise<DirectContext> {
    return DirectContext.#open(readState(state), options);
  }

  /** The same from a file. Throws the system's error where it cannot be read. */
  static async importFromFile(file: string, options: DirectContextOptions = {}): Promise<DirectContext> {
    const text = await readFile(file, 'utf8');
    let state: unknown;
    try {
      state = JSON.parse(text);
    } catch (error) {
      throw contextErrors.badState(`${file} is not JSON`, error);
    }
    return DirectContext.#open(readState(state), options);
  }

  static async #open(
    state: ImportedState,
    options: DirectContextOptions,
    edges: ContextEdges = {},
  ): Promise<DirectContext> {
    const logger = edges.logger ?? (options.debug ? stderrLogger() : silentLogger);
    const backend = edges.backend ?? (await openBackend(options, edges, logger));
    return new DirectContext(backend, state, logger, edges.pollMs ?? POLL_MS);
  }

  /**
   * Adds files; one with a path that is there replaces that. Only what the service lacks is uploaded; of a path given twice
   * the last counts. Throws {@link BlobTooLargeError} before anything is sent, {@link APIError}, and `Indexing timeout`, after
   * which the files are in the context, but may not be found yet.
   */
  async addToIndex(files: readonly File[], options: AddToIndexOptions = {}): Promise<IndexingResult> {
    const blobs = toBlobs(files);
    const startedAt = new Date();
    const { result, names } = await this.#inTurn(() => this.#add(blobs, options, startedAt));
    if (options.waitForIndexing ?? true) await this.#wait(names, options.timeout, options.onProgress, startedAt);
    return result;
  }

  /** Removes files by path; paths that are not there are passed over. Throws {@link APIError}. */
  async removeFromIndex(paths: readonly string[]): Promise<void> {
    await this.#inTurn(async () => {
      this.#needFiles('removeFromIndex');
      this.#files = await this.#settled(this.#files.without(paths));
    });
  }

  /** Removes all files. */
  async clearIndex(): Promise<void> {
    await this.#inTurn(() => {
      this.#needFiles('clearIndex');
      this.#files = FileSet.EMPTY;
    });
  }

  /** The paths of the files. */
  getIndexedPaths(): string[] {
    this.#needFiles('getIndexedPaths');
    return [...this.#files.files.keys()];
  }

  /** Waits until all files can be found; ten minutes by default. Throws `Indexing timeout` and {@link APIError}. */
  async waitForIndexing(timeout?: number, onProgress?: (progress: IndexingProgress) => void): Promise<void> {
    await this.#last;
    this.#needOpen();
    this.#needFiles('waitForIndexing');
    await this.#wait(
      Array.from(this.#files.files.values(), ({ name }) => name),
      timeout,
      onProgress,
      new Date(),
    );
  }

  /**
   * What of the files answers a query in plain words, as text for a prompt: paths, line numbers, code. Does not wait for
   * indexing. Throws `Index not initialized` where there are no files, and {@link APIError}.
   */
  async search(query: string, { maxOutputLength }: SearchOptions = {}): Promise<string> {
    this.#needOpen();
    const { files, added, checkpointId, scope } = this.#files;
    const isEmpty = this.#isSearchOnly ? checkpointId === undefined && added.size === 0 : files.size === 0;
    if (isEmpty) throw contextErrors.notInitialized();
    const length = maxOutputLength === undefined ? undefined : outputLength(maxOutputLength);
    return this.#backend.retrieve(query, scope, length);
  }

  /** Searches, and asks a model with what was found. The prompt is the query where it is missing. Throws as {@link search} does. */
  async searchAndAsk(searchQuery: string, prompt: string = searchQuery): Promise<string> {
    const found = await this.search(searchQuery);
    return this.#backend.ask(promptOf(found, prompt));
  }

  /** What the context knows, as plain JSON; `search-only` without the paths. */
  export(options: ExportOptions & { readonly mode: 'search-only' }): SearchOnlyContextState;
  export(options?: { readonly mode?: 'full' | undefined }): FullContextState;
  export(options?: ExportOptions): FullContextState | SearchOnlyContextState;
  export({ mode = 'full' }: ExportOptions = {}): FullContextState | SearchOnlyContextState {
    if (mode === 'full') this.#needFiles('export');
    return toState(this.#files, mode);
  }

  /** Writes that to a file, which has the old or the new state whatever happens. Throws `DiskFull`, `ReadOnly`. */
  // eslint-disable-next-line @typescript-eslint/require-await
  async exportToFile(file: string, options?: ExportOptions): Promise<void> {
    const text = `${JSON.stringify(this.export(options), undefined, 2)}\n`;
    try {
      writeFileAtomicSync(file, text);
    } catch (error) {
      throw explainWriteError(error, file);
    }
  }

  /** Waits for what is under way, and frees the connections or the embedded index. */
  close(): Promise<void> {
    return (this.#closing ??= this.#last.then(() => this.#backend.close()));
  }

  /** Closes it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #add(
    blobs: readonly UploadBlob[],
    { onProgress }: AddToIndexOptions,
    startedAt: Date,
  ): Promise<{ readonly result: IndexingResult; readonly names: readonly string[] }> {
    this.#needFiles('addToIndex');
    const changed = blobs.filter(({ path, name }) => this.#files.files.get(path)?.clientName !== name);
    if (changed.length === 0)
      return { result: { newlyUploaded: [], alreadyUploaded: blobs.map(({ path }) => path) }, names: [] };
    const { unknown, nonindexed } = await this.#backend.findMissing(changed.map(({ name }) => name));
    const lacking = new Set([...unknown, ...nonindexed]);
    const missing = changed.filter(({ name }) => lacking.has(name));
    const tracked = new Map<string, TrackedFile>(changed.map(({ path, name }) => [path, { name, clientName: name }]));
    let uploaded = 0;
    let bytesUploaded = 0;
    for (const batch of uploadBatches(missing)) {
      const names = await this.#backend.upload(batch);
      for (const [i, { path, name, size }] of batch.entries()) {
        tracked.set(path, { name: names[i] ?? name, clientName: name });
        bytesUploaded += size;
      }
      uploaded += batch.length;
      this.#logger.debug(`${uploaded} of ${missing.length} files are uploaded`);
      const currentFile = batch.at(-1)!.path;
      const total = missing.length;
      onProgress?.({ stage: 'uploading', uploaded, indexed: 0, total, currentFile, bytesUploaded, startedAt });
    }
    this.#files = await this.#settled(this.#files.with(tracked));
    const newlyUploaded = missing.map(({ path }) => path);
    const isNew = new Set(newlyUploaded);
    const alreadyUploaded = blobs.map(({ path }) => path).filter((path) => !isNew.has(path));
    return { result: { newlyUploaded, alreadyUploaded }, names: newlyUploaded.map((path) => tracked.get(path)!.name) };
  }

  /** The same files, at a checkpoint if one is due. */
  async #settled(files: FileSet): Promise<FileSet> {
    return files.isCheckpointDue ? files.at(await this.#backend.checkpoint(files.scope)) : files;
  }

  async #wait(
    names: readonly string[],
    timeout = TIMEOUT_MS,
    onProgress: AddToIndexOptions['onProgress'],
    startedAt: Date,
  ): Promise<void> {
    const total = names.length;
    const began = performance.now();
    let waiting = [...names];
    for (let pollMs = this.#pollMs; waiting.length > 0; pollMs = Math.min(pollMs * 2, LATER_POLL_MS)) {
      const { unknown, nonindexed } = await this.#backend.findMissing(waiting);
      if (unknown.length > 0) this.#logger.debug(`${unknown.length} files are unknown to the service`);
      waiting = [...new Set([...unknown, ...nonindexed])];
      onProgress?.({ stage: 'indexing', uploaded: total, indexed: total - waiting.length, total, startedAt });
      if (waiting.length === 0) return;
      const elapsed = performance.now() - began;
      if (elapsed >= timeout) throw contextErrors.indexingTimeout(timeout, waiting.length);
      // The last look is when the time is over, not before and not long after.
      await sleep(Math.min(elapsed < LATE_MS ? pollMs : LAST_POLL_MS, timeout - elapsed));
      this.#needOpen();
    }
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      this.#needOpen();
      return work();
    });
    // The next in turn does not care how this one ends; its caller does.
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #needOpen(): void {
    if (this.#closing) throw contextErrors.closed();
  }

  #needFiles(operation: string): void {
    if (this.#isSearchOnly) throw contextErrors.searchOnly(operation);
  }
}

async function openBackend(
  options: DirectContextOptions,
  edges: ContextEdges,
  logger: Logger,
): Promise<ContextBackend> {
  if (options.backend === 'embedded') {
    // The engine is not needed where a service does the work.
    const { EmbeddedBackend } = await import('./embeddedBackend.ts');
    return EmbeddedBackend.open(options.folder, options.answer, { logger });
  }
  return openService(options, edges, logger);
}

/** The files to be added, each path once. Throws {@link BlobTooLargeError} and `InvalidArgument`. */
function toBlobs(files: readonly File[]): UploadBlob[] {
  const blobs = new Map<string, UploadBlob>();
  for (const { path, contents } of files as readonly { readonly path: unknown; readonly contents: unknown }[]) {
    if (typeof path !== 'string' || typeof contents !== 'string')
      throw contextErrors.badFiles('Each file needs a path and contents, both strings.');
    const bytes = Buffer.from(contents);
    const size = bytes.length;
    if (size > WIRE_LIMITS.maxBlobBytes) throw new BlobTooLargeError(path, size, WIRE_LIMITS.maxBlobBytes);
    blobs.set(path, { path, content: contents, size, name: documentId(path, bytes) });
  }
  return [...blobs.values()];
}
