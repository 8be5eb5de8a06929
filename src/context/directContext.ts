import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileAtomicSync } from '../base/atomicFile.ts';
import { explainWriteError, isWriteError, SextantError, systemCode, throwIfCancelled } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { abortable } from '../base/abortable.ts';
import {
  absolutePath,
  checkCallOptions,
  checkChoice,
  checkFunction,
  checkList,
  checkObject,
  checkText,
} from '../base/given.ts';
import { silentLogger, type Logger } from '../base/log.ts';
import { uploadBatches, type UploadBlob } from '../wire/batches.ts';
import { outputLength, promptOf } from '../wire/contract.ts';
import { APIError } from '../wire/errors.ts';
import type { Answerer, ContextBackend } from './backend.ts';
import type {
  AddToIndexOptions,
  ContextSearchOptions,
  ExportOptions,
  File,
  IndexingProgress,
  IndexingResult,
} from './calls.ts';
import { contextErrors } from './errors.ts';
import { toBlobs } from './toBlobs.ts';
import { FileSet, trackedNames, type TrackedFile } from './fileSet.ts';
import { openService, stderrLogger, type ServiceDependencies, type ServiceOptions } from './service.ts';
import {
  readState,
  toState,
  type ReadonlyContextState,
  type FullContextState,
  type ImportedState,
  type SearchOnlyContextState,
} from './state.ts';

/** Storage of a context's files, and the model that answers. */
export interface DirectContextOptions extends ServiceOptions {
  /** Logs to the standard error. */
  readonly debug?: boolean | undefined;
  /** `http`, the default, uses a service; `embedded` an index in this process, without credentials and network. */
  readonly backend?: 'http' | 'embedded' | undefined;
  /**
   * Folder of the embedded index and the set of files: a new or empty folder, or that of an earlier context, whose files are in
   * the context from the start. Without a folder, all files are removed when the context is closed or the program ends. Only
   * one process can use it at a time.
   */
  readonly folder?: string | undefined;
  /** Answers {@link DirectContext.searchAndAsk} of an embedded context. */
  readonly answer?: Answerer | undefined;
}

/** Dependencies that tests replace. @internal */
export interface ContextDependencies extends ServiceDependencies {
  readonly logger?: Logger;
  /** The first pause between two checks for indexed files, in milliseconds. */
  readonly pollMs?: number;
  readonly backend?: ContextBackend;
}

const TIMEOUT_MS = 600_000;
/** Pause between two checks: doubled from POLL_MS up to the next, and the third after a minute. */
const POLL_MS = 100;
const LATER_POLL_MS = 3_000;
const LAST_POLL_MS = 10_000;
const LATE_MS = 60_000;
/** A distributed service may briefly not know a blob that it acknowledged; after this time the blob is missing. */
const UNKNOWN_MS = 5_000;

/**
 * An index of files from the calling program, to search and to ask.
 *
 * Adding, removing and clearing happen one after the other, in the order of the calls. Each succeeds or leaves the context
 * unchanged, and may then be repeated. A search sees all changes made before it began. The state of a context can be exported
 * and imported, so that no file is uploaded twice.
 */
export class DirectContext implements AsyncDisposable {
  readonly #backend: ContextBackend;
  readonly #isSearchOnly: boolean;
  readonly #logger: Logger;
  readonly #pollMs: number;
  #files: FileSet;
  /** Names from an imported state, which the backend may lack: checked before the first use. */
  readonly #doubtful: Set<string>;
  #checking: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  private constructor(backend: ContextBackend, { files, isSearchOnly }: ImportedState, logger: Logger, pollMs: number) {
    this.#backend = backend;
    this.#files = files;
    this.#isSearchOnly = isSearchOnly;
    this.#logger = logger;
    this.#pollMs = pollMs;
    this.#doubtful = new Set(isSearchOnly ? files.added : trackedNames(files.files));
  }

  /**
   * Creates an empty context, or with `folder` one with the files there. Key and address of the service come separately from the
   * options, else from the session in `SEXTANT_SESSION_AUTH`, else from `SEXTANT_API_TOKEN` and `SEXTANT_API_URL`, else from
   * `~/.sextant/session.json`. Throws `API key is required` and `API URL is required`, `InvalidApiKey` and `InvalidApiUrl`; an
   * embedded one `StoreBusy`, `FolderNotOurs`, `DiskFull`, `ReadOnly`.
   */
  static async create(options: DirectContextOptions = {}): Promise<DirectContext> {
    return DirectContext.createWith({}, options);
  }

  /** {@link create} for tests. @internal */
  static async createWith(edges: ContextDependencies, options: DirectContextOptions = {}): Promise<DirectContext> {
    return DirectContext.#open(undefined, options, edges);
  }

  /**
   * Restores a context from an exported state, which replaces the set of files in `folder`. The first use checks whether the
   * service has the files. Throws `InvalidState`, and as {@link create} does.
   */
  static async import(state: ReadonlyContextState, options: DirectContextOptions = {}): Promise<DirectContext> {
    return DirectContext.#open(readState(state), options);
  }

  /** {@link import} for tests. @internal */
  static async importWith(edges: ContextDependencies, state: ReadonlyContextState): Promise<DirectContext> {
    return DirectContext.#open(readState(state), {}, edges);
  }

  /** Imports a state from a file. Throws `NoStateFile` if it is missing, and the system's error if it is unreadable. */
  static async importFromFile(file: string, options: DirectContextOptions = {}): Promise<DirectContext> {
    const path = absolutePath(file, 'file');
    let state: unknown;
    try {
      state = parseJson(await readFile(path, 'utf8'));
    } catch (error) {
      if (error instanceof SyntaxError) throw contextErrors.badState(`${file} is not JSON`, error);
      throw ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(systemCode(error) ?? '')
        ? contextErrors.noStateFile(file, error)
        : error;
    }
    return DirectContext.#open(readState(state), options);
  }

  static async #open(
    imported: ImportedState | undefined,
    options: DirectContextOptions,
    edges: ContextDependencies = {},
  ): Promise<DirectContext> {
    checkObject(options);
    checkChoice(options.backend, 'backend', ['http', 'embedded']);
    checkFunction(options.answer, 'answer');
    const logger = edges.logger ?? (options.debug ? stderrLogger() : silentLogger);
    const backend = edges.backend ?? (await openBackend(options, edges, logger));
    const state = imported ?? { files: backend.kept?.files ?? FileSet.EMPTY, isSearchOnly: false };
    try {
      if (imported && !imported.isSearchOnly) await backend.kept?.save(imported.files);
    } catch (error) {
      // The context can be searched; the next change saves it.
      if (!isWriteError(error)) {
        await backend.close();
        throw error;
      }
      logger.warn((error as SextantError).message);
    }
    return new DirectContext(backend, state, logger, edges.pollMs ?? POLL_MS);
  }

  /**
   * Adds files, and replaces those with an equal path. Uploads only files that the service lacks; of a path given twice the last
   * counts. Throws `BlobTooLargeError` before anything is sent, {@link APIError}, and `Indexing timeout`, after which the files
   * are in the context, but may not be found yet. Rejects with `Cancelled` when the signal aborts.
   */
  async addToIndex(files: readonly Readonly<File>[], options: AddToIndexOptions = {}): Promise<IndexingResult> {
    const startedAt = new Date();
    checkList(files, 'files');
    checkCallOptions(options);
    const given = [...files];
    const { signal } = options;
    throwIfCancelled(signal);
    const work = async () => this.#add(await abortable(toBlobs(given), signal), options, startedAt);
    const { result, names } = await this.#inTurn(work, signal);
    if (options.waitForIndexing ?? true) await this.#wait(names, options, startedAt);
    return result;
  }

  /** Removes files by path; ignores unknown paths. Throws {@link APIError}. */
  async removeFromIndex(paths: readonly string[]): Promise<void> {
    checkList(paths, 'paths');
    const given = [...paths];
    for (const path of given) checkText(path, 'path');
    await this.#inTurn(async () => {
      this.#needFiles('removeFromIndex');
      await this.#change(await this.#settled(this.#files.without(given)));
    });
  }

  /** Removes all files. */
  async clearIndex(): Promise<void> {
    await this.#inTurn(async () => {
      this.#needFiles('clearIndex');
      await this.#change(FileSet.EMPTY);
    });
  }

  /** The paths of the files. */
  getIndexedPaths(): string[] {
    this.#needFiles('getIndexedPaths');
    return [...this.#files.files.keys()];
  }

  /**
   * Waits until all files can be found; ten minutes by default. Throws `Indexing timeout`, `FilesMissing` if the service
   * lacks some, and {@link APIError}. Rejects with `Cancelled` when the signal aborts.
   */
  async waitForIndexing(
    timeout?: number,
    onProgress?: (progress: IndexingProgress) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    checkCallOptions({ timeout, onProgress, signal });
    await abortable(this.#last, signal);
    this.#needOpen();
    this.#needFiles('waitForIndexing');
    await this.#wait([...trackedNames(this.#files.files)], { timeout, onProgress, signal }, new Date());
  }

  /**
   * Finds code for a query in plain words, and returns text for a prompt: paths, line numbers, code. Does not wait for indexing.
   * Throws `Index not initialized` without files, `FilesMissing` if the service lacks files of an imported state, and
   * {@link APIError}. Rejects with `Cancelled` when the signal aborts.
   */
  async search(query: string, options: ContextSearchOptions = {}): Promise<string> {
    checkText(query, 'query');
    checkCallOptions(options);
    const { maxOutputLength, signal } = options;
    throwIfCancelled(signal);
    return abortable(this.#search(query, maxOutputLength), signal);
  }

  async #search(query: string, maxOutputLength: number | undefined): Promise<string> {
    this.#needOpen();
    const files = this.#files;
    const isEmpty = this.#isSearchOnly
      ? files.checkpointId === undefined && files.added.size === 0
      : files.files.size === 0;
    if (isEmpty) throw contextErrors.notInitialized();
    const length = maxOutputLength === undefined ? undefined : outputLength(maxOutputLength);
    await this.#needPresent(files);
    try {
      const text = await this.#backend.retrieve(query, files.scope, length);
      // The search may have found damaged files.
      await this.#needPresent(files);
      return text;
    } catch (error) {
      if (!isCheckpointMissing(error)) throw error;
      if (this.#isSearchOnly) throw contextErrors.searchOnlyMissing('the files', error);
      return this.#backend.retrieve(query, (await this.#withNewCheckpoint(files)).scope, length);
    }
  }

  /** Searches, and asks a model with the result. The prompt is the query by default. Throws as {@link search} does. */
  async searchAndAsk(
    searchQuery: string,
    prompt: string = searchQuery,
    { signal }: Pick<ContextSearchOptions, 'signal'> = {},
  ): Promise<string> {
    checkText(searchQuery, 'searchQuery');
    checkText(prompt, 'prompt');
    const found = await this.search(searchQuery, { signal });
    return abortable(this.#backend.ask(promptOf(found, prompt)), signal);
  }

  /** Exports the state as plain JSON; `search-only` without the paths. */
  export(options: ExportOptions & { readonly mode: 'search-only' }): SearchOnlyContextState;
  export(options?: { readonly mode?: 'full' | undefined }): FullContextState;
  export(options?: ExportOptions): FullContextState | SearchOnlyContextState;
  export(options: ExportOptions = {}): FullContextState | SearchOnlyContextState {
    checkObject(options);
    const { mode = 'full' } = options;
    checkChoice(mode, 'mode', ['full', 'search-only']);
    if (mode === 'full') this.#needFiles('export');
    return toState(this.#files, mode);
  }

  /**
   * Exports the state to a file, which always holds the old or the new state. Throws `DiskFull`, `ReadOnly`, `NotAFolder`
   * if the folder of the file is missing, and `IsAFolder` if the file is a folder.
   */
  // eslint-disable-next-line @typescript-eslint/require-await
  async exportToFile(file: string, options?: ExportOptions): Promise<void> {
    const path = absolutePath(file, 'file');
    const text = `${JSON.stringify(this.export(options), undefined, 2)}\n`;
    try {
      writeFileAtomicSync(path, text);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? ''))
        throw contextErrors.noFolder(file, dirname(resolve(file)), error);
      if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw contextErrors.isFolder(file, error);
      throw explainWriteError(error, file);
    }
  }

  /** Waits for calls under way, and frees the connections or the embedded index. */
  close(): Promise<void> {
    return (this.#closing ??= this.#last.then(() => this.#backend.close()));
  }

  /** Closes the context. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #add(
    blobs: readonly UploadBlob[],
    { onProgress, signal }: AddToIndexOptions,
    startedAt: Date,
  ): Promise<{ readonly result: IndexingResult; readonly names: readonly string[] }> {
    this.#needFiles('addToIndex');
    for (const name of this.#backend.lost ?? []) this.#doubtful.add(name);
    const known = this.#files.files;
    const isSame = ({ path, name }: UploadBlob): boolean => known.get(path)?.clientName === name;
    const isDoubtful = ({ path }: UploadBlob): boolean => this.#doubtful.has(known.get(path)!.name);
    const changed = blobs.filter((blob) => !isSame(blob) || isDoubtful(blob));
    if (changed.length === 0)
      return { result: { newlyUploaded: [], alreadyUploaded: blobs.map(({ path }) => path) }, names: [] };
    const tracked = new Map<string, TrackedFile>(
      changed.map((blob) => [
        blob.path,
        isSame(blob) ? known.get(blob.path)! : { name: blob.name, clientName: blob.name },
      ]),
    );
    const asked = Array.from(tracked.values(), ({ name }) => name);
    const { unknown, nonindexed } = await abortable(this.#backend.findMissing(asked), signal);
    const lacking = new Set([...unknown, ...nonindexed]);
    const missing = changed.filter(({ path }) => lacking.has(tracked.get(path)!.name));
    let uploaded = 0;
    let bytesUploaded = 0;
    for (const batch of uploadBatches(missing)) {
      throwIfCancelled(signal);
      const names = await abortable(this.#backend.upload(batch), signal);
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
    throwIfCancelled(signal);
    await this.#change(await abortable(this.#settled(this.#files.with(tracked)), signal));
    for (const name of asked) this.#doubtful.delete(name);
    const newlyUploaded = missing.map(({ path }) => path);
    const isNew = new Set(newlyUploaded);
    const alreadyUploaded = blobs.map(({ path }) => path).filter((path) => !isNew.has(path));
    return { result: { newlyUploaded, alreadyUploaded }, names: newlyUploaded.map((path) => tracked.get(path)!.name) };
  }

  /** Creates a checkpoint of the files if one is due. */
  async #settled(files: FileSet): Promise<FileSet> {
    if (!files.isCheckpointDue) return files;
    try {
      return files.at(await this.#backend.checkpoint(files.scope));
    } catch (error) {
      if (files.checkpointId === undefined || !isCheckpointMissing(error)) throw error;
      return this.#settled(files.withoutCheckpoint());
    }
  }

  async #change(files: FileSet): Promise<void> {
    await this.#backend.kept?.save(files);
    this.#files = files;
  }

  /** Throws `FilesMissing` if the backend lacks some of the files. Sends no request once all were found. */
  async #needPresent(files: FileSet): Promise<void> {
    for (const name of this.#backend.lost ?? []) this.#doubtful.add(name);
    if (this.#doubtful.size === 0) return;
    await (this.#checking ??= this.#checkDoubtful().finally(() => (this.#checking = undefined)));
    this.#checkMissing(files, this.#doubtful);
  }

  async #checkDoubtful(): Promise<void> {
    const current = this.#isSearchOnly ? this.#files.added : trackedNames(this.#files.files);
    for (const name of this.#doubtful) if (!current.has(name)) this.#doubtful.delete(name);
    const asked = [...this.#doubtful];
    if (asked.length > 0) this.#settleDoubts(asked, (await this.#backend.findMissing(asked)).unknown);
  }

  #settleDoubts(asked: readonly string[], unknown: readonly string[]): void {
    const missing = new Set(unknown);
    for (const name of asked) if (!missing.has(name)) this.#doubtful.delete(name);
  }

  /** Throws `FilesMissing` if some of the files are among the missing ones. */
  #checkMissing(files: FileSet, missing: ReadonlySet<string>): void {
    if (this.#isSearchOnly) {
      const count = [...files.added].filter((name) => missing.has(name)).length;
      if (count > 0) throw contextErrors.searchOnlyMissing(`${count} of the files`);
      return;
    }
    const paths = [...files.files].flatMap(([path, { name }]) => (missing.has(name) ? [path] : []));
    if (paths.length > 0) throw contextErrors.filesMissing(paths.length, files.files.size, paths[0]!);
  }

  /** Creates the checkpoint again that a service lacks. Throws `FilesMissing` if the service also lacks files. */
  async #withNewCheckpoint(files: FileSet): Promise<FileSet> {
    for (const name of trackedNames(files.files)) this.#doubtful.add(name);
    await this.#needPresent(files);
    return this.#inTurn(async () => {
      const current = this.#files;
      if (current.checkpointId === files.checkpointId)
        await this.#change(await this.#settled(current.withoutCheckpoint()));
      return current === files ? this.#files : files.withoutCheckpoint();
    });
  }

  async #wait(
    names: readonly string[],
    { timeout = TIMEOUT_MS, onProgress, signal }: AddToIndexOptions,
    startedAt: Date,
  ): Promise<void> {
    const total = names.length;
    const began = performance.now();
    let waiting = [...names];
    let knownAt = 0;
    for (let pollMs = this.#pollMs; waiting.length > 0; pollMs = Math.min(pollMs * 2, LATER_POLL_MS)) {
      const { unknown, nonindexed } = await abortable(this.#backend.findMissing(waiting), signal);
      const isDoubtful = unknown.some((name) => this.#doubtful.has(name));
      this.#settleDoubts(waiting, unknown);
      if (isDoubtful) this.#checkMissing(this.#files, new Set(unknown));
      if (unknown.length > 0) this.#logger.debug(`${unknown.length} files are unknown to the service`);
      waiting = [...new Set([...unknown, ...nonindexed])];
      onProgress?.({ stage: 'indexing', uploaded: total, indexed: total - waiting.length, total, startedAt });
      if (waiting.length === 0) return;
      const elapsed = performance.now() - began;
      if (unknown.length === 0) knownAt = elapsed;
      if (elapsed >= timeout || elapsed - knownAt >= UNKNOWN_MS) this.#checkMissing(this.#files, new Set(unknown));
      if (elapsed >= timeout) throw contextErrors.indexingTimeout(timeout, waiting.length);
      // The last check is at the end of the time limit.
      await abortable(sleep(Math.min(elapsed < LATE_MS ? pollMs : LAST_POLL_MS, timeout - elapsed)), signal);
      this.#needOpen();
    }
  }

  #inTurn<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    // Here, since close() waits for the calls before it.
    this.#needOpen();
    const turn = abortable(this.#last, signal).then(work);
    // The caller handles the error, and the next change runs. A cancelled turn ends before its predecessor.
    // Without their results, which would be kept in a chain.
    this.#last = Promise.allSettled([this.#last, turn]).then(() => undefined);
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
  edges: ContextDependencies,
  logger: Logger,
): Promise<ContextBackend> {
  if (options.backend === 'embedded') {
    // A context with a service does not need the engine.
    const { EmbeddedBackend } = await import('./embeddedBackend.ts');
    const folder = options.folder === undefined ? undefined : absolutePath(options.folder, 'folder');
    return EmbeddedBackend.open(folder, options.answer, { logger });
  }
  return openService(options, edges, logger);
}

/** Whether the service or the embedded index lacks the checkpoint of a set. */
function isCheckpointMissing(error: unknown): boolean {
  const code = error instanceof APIError ? error.serviceCode : error instanceof SextantError ? error.code : undefined;
  return code === 'CheckpointNotFound';
}
