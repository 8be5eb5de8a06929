import { SextantError, describeError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { RestartingWorker } from '../base/restartingWorker.ts';
import type { RpcCaller } from '../base/rpc.ts';
import { startProcess } from '../base/worker.ts';
import type { FolderOptions } from './folderOptions.ts';
import type { FolderMethods, IndexEvents, IndexMethods, SearchMethods } from './indexProtocol.ts';
import type { SearchRequest, SearchResponse, UnsavedText } from './searcher.ts';
import type { FolderStatus } from './status.ts';

export interface ClientOptions {
  /** The bundled entries of the indexing process and the searching thread. */
  readonly indexProcess: URL;
  readonly searchThread: URL;
  readonly logger: Logger;
  readonly onStatus: (status: FolderStatus) => void;
  /** Called for a folder that is too large for the indexing process to watch; see {@link WorkspaceClient.hint}. */
  readonly onUnwatched: (root: string) => void;
  /** When to restart the indexing process to free its memory; see {@link RENEWAL}. */
  readonly renewal?: Renewal;
  /** Milliseconds after which a process that does not close its folders is ended; {@link CLOSE_MS} by default. */
  readonly closeMs?: number;
}

/** A restart after `files` were read, and all folders were up to date for `quietMs` milliseconds. */
export interface Renewal {
  readonly files: number;
  readonly quietMs: number;
}

/**
 * V8 keeps memory after many changes: 20,000 of them left 176 MB more, and a forced collection, smaller young generations
 * and malloc's settings returned hardly any of it. Opening the indexes again takes 0.2 s and a scan; no content is read.
 */
const RENEWAL: Renewal = { files: 5_000, quietMs: 10_000 };
/** A process may be stopped, or wait for a disk that does not answer. An index is whole at any end. */
const CLOSE_MS = 10_000;

/**
 * The index of a workspace, for a thread that must not wait. A process indexes: indexing a large folder in a thread left the
 * editor's process with 400 MB more. A thread searches. Both start when first needed and restart if they die.
 */
export class WorkspaceClient {
  readonly #options: ClientOptions;
  readonly #folders = new Map<string, FolderOptions>();
  readonly #verifying = new Set<string>();
  readonly #unsaved = new Map<string, UnsavedText>();
  #isPaused = false;
  /** State of each folder since the indexing process started. */
  readonly #states = new Map<
    string,
    { readonly isQuiet: boolean; readonly files: number; readonly filesRead: number }
  >();
  #renewalTimer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  /** Folders that a new process opens again: their scan is not reported. */
  readonly #reopened = new Set<string>();
  readonly #indexing: RestartingWorker<IndexMethods, IndexEvents>;
  readonly #searching: RestartingWorker<SearchMethods, object>;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { indexProcess, searchThread, logger, onUnwatched } = options;
    const onStatus = (status: FolderStatus): void => this.#onStatus(status);
    this.#indexing = new RestartingWorker(indexProcess, logger, {
      start: startProcess,
      started: (caller) => {
        caller.on('status', onStatus);
        caller.on('unwatched', ({ root }) => onUnwatched(root));
        caller.on('log', ({ level, message }) => logger[level](message));
        if (this.#isPaused) this.#send(caller.call('pause', undefined));
        for (const folder of this.#folders.values()) this.#send(caller.call('open', folder));
      },
      died: (error) => {
        for (const root of this.#folders.keys()) this.#reportFailure(root, error);
      },
    });
    this.#searching = new RestartingWorker(searchThread, logger, {
      started: (caller) => {
        for (const unsaved of this.#unsaved.values()) this.#send(caller.call('setUnsaved', unsaved));
      },
    });
  }

  /** Starts to index a folder. `onStatus` gets its progress. */
  open(folder: FolderOptions): void {
    this.#folders.set(folder.root, folder);
    if (this.#renewing) return;
    if (this.#indexing.isStarted) {
      this.#send(this.#indexing.caller().call('open', folder));
      return;
    }
    try {
      this.#indexing.caller();
    } catch (error) {
      // It stopped too often.
      if (!(error instanceof SextantError)) throw error;
      this.#reportFailure(folder.root, error);
    }
  }

  /** Rejects with `Cancelled` when `limit` aborts before the index is free. */
  async close(root: string, limit?: AbortSignal): Promise<void> {
    this.#states.delete(root);
    if (!this.#folders.delete(root)) return;
    if (this.#renewing) {
      await this.#renewing;
      // Opened again meanwhile: the new process has it as it is to be.
      if (this.#folders.has(root)) return;
    }
    // One that stopped too often has no folder open.
    if (this.#indexing.isStarted) await this.#indexing.caller().call('close', { root }, limit);
  }

  /** Sets an editor's unsaved text, or removes it after a save or close. The text stays in memory. */
  setUnsaved(unsaved: UnsavedText): void {
    const key = `${unsaved.root}/${unsaved.path}`;
    if (unsaved.text === undefined && !this.#unsaved.delete(key)) return;
    if (unsaved.text !== undefined) this.#unsaved.set(key, unsaved);
    if (this.#searching.isStarted) this.#send(this.#searching.caller().call('setUnsaved', unsaved));
  }

  /** Removes the unsaved texts of a folder: no editor reports its saves once it is removed from the workspace. */
  forgetUnsaved(root: string): void {
    for (const unsaved of [...this.#unsaved.values()])
      if (unsaved.root === root) this.setUnsaved({ root, path: unsaved.path });
  }

  /** Reports paths, relative to the folder, that may have changed. */
  hint(root: string, paths: readonly string[]): void {
    // A new process scans the folder anyway.
    if (!this.#renewing && this.#indexing.isStarted) this.#send(this.#indexing.caller().call('hint', { root, paths }));
  }

  /** Calls to the indexing process, as soon as no renewal is under way. */
  async indexing(): Promise<RpcCaller<FolderMethods, IndexEvents>> {
    if (this.#renewing) await this.#renewing;
    return this.#indexing.caller();
  }

  /** Calls to the searching thread; {@link search} for searches. */
  get searching(): RpcCaller<Omit<SearchMethods, 'search' | 'setUnsaved'>, object> {
    return this.#searching.caller();
  }

  /** Stops all indexing until {@link resume}. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    if (this.#renewing) await this.#renewing;
    await this.#indexing.caller().call('pause', undefined);
  }

  async resume(): Promise<void> {
    this.#isPaused = false;
    if (this.#renewing) await this.#renewing;
    await this.#indexing.caller().call('resume', undefined);
  }

  /** Searches, and has the indexing process repair damage that the search finds. */
  async search(
    request: SearchRequest,
    signal?: AbortSignal,
    onFirst?: (first: SearchResponse) => void,
  ): Promise<SearchResponse> {
    const response = await this.#searching.caller().call('search', request, signal, onFirst);
    for (const root of response.damaged) this.#verify(root);
    return response;
  }

  /** Ends both. The indexes stay at their last commit, free for other processes. */
  async dispose(): Promise<void> {
    clearTimeout(this.#renewalTimer);
    if (this.#renewing) await this.#renewing;
    const limit = this.#closeLimit();
    for (const root of [...this.#folders.keys()]) {
      try {
        await this.close(root, limit);
      } catch (error) {
        this.#options.logger.warn(describeError(error));
      }
    }
    await Promise.all([this.#indexing.stop(), this.#searching.stop()]);
  }

  #closeLimit(): AbortSignal {
    return AbortSignal.timeout(this.#options.closeMs ?? CLOSE_MS);
  }

  /** The index stays, and is searched. */
  #reportFailure(root: string, { code, message }: SextantError): void {
    const files = this.#states.get(root)?.files ?? 0;
    this.#onStatus({ root, state: { kind: 'failed', code, message }, files, skipped: {}, indexBytes: 0 });
  }

  #onStatus(status: FolderStatus): void {
    const { root, state, files, filesRead = 0 } = status;
    if (state.kind === 'scanning' && this.#reopened.has(root)) return;
    this.#reopened.delete(root);
    if (this.#folders.has(root))
      this.#states.set(root, { isQuiet: ['ready', 'following', 'failed'].includes(state.kind), files, filesRead });
    this.#renewWhenQuiet();
    this.#options.onStatus(status);
  }

  #renewWhenQuiet(): void {
    clearTimeout(this.#renewalTimer);
    const { files, quietMs } = this.#options.renewal ?? RENEWAL;
    const states = [...this.#states.values()];
    const filesRead = states.reduce((sum, one) => sum + one.filesRead, 0);
    if (this.#renewing || this.#isPaused || filesRead < files || !states.every(({ isQuiet }) => isQuiet)) return;
    this.#renewalTimer = setTimeout(() => {
      this.#renewing = this.#renew().finally(() => (this.#renewing = undefined));
    }, quietMs).unref();
  }

  /** Restarts the indexing process; indexes stay as they are. */
  async #renew(): Promise<void> {
    const roots = [...this.#folders.keys()];
    const limit = this.#closeLimit();
    try {
      for (const root of roots) await this.#indexing.caller().call('close', { root }, limit);
      this.#options.logger.debug('The indexing process is started again to free its memory.');
    } catch (error) {
      this.#options.logger.warn(describeError(error));
    }
    this.#states.clear();
    for (const root of roots) this.#reopened.add(root);
    await this.#indexing.renew();
  }

  #verify(root: string): void {
    if (this.#renewing || this.#verifying.has(root) || !this.#folders.has(root) || !this.#indexing.isStarted) return;
    this.#verifying.add(root);
    const work = this.#indexing.caller().call('verify', { root });
    this.#send(work.finally(() => this.#verifying.delete(root)));
  }

  #send(work: Promise<void>): void {
    work.catch((error: unknown) => this.#options.logger.warn(describeError(error)));
  }
}
