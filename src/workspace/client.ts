import { describeError } from '../base/errors.ts';
import { Lease } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import type { Completion } from './completion.ts';
import type { Diagnostics, DiagnosticsInput } from './diagnostics.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import type { IndexContents } from './folderReport.ts';
import type { IndexEvents, IndexMethods, JudgeRequest, SearchMethods } from './indexProtocol.ts';
import type { IndexableFile } from './readIndexable.ts';
import type { KeptPlace } from './resultPlace.ts';
import type {
  CompletionRequest,
  SearchFolder,
  SearchRequest,
  SearchResponse,
  SimilarRequest,
  UnsavedText,
} from './searcher.ts';
import type { Skip } from './skip.ts';
import type { FolderStatus } from './status.ts';
import { Thread } from './thread.ts';
import type { FileStatus } from './whyFile.ts';
import type { RankAnswer, RankRequest } from './whyRank.ts';

export interface ClientOptions {
  /** The bundled entries of the two threads. */
  readonly indexThread: URL;
  readonly searchThread: URL;
  readonly logger: Logger;
  readonly onStatus: (status: FolderStatus) => void;
  /** The folder is too large to be watched by a thread of ours; see {@link WorkspaceClient.hint}. */
  readonly onUnwatched: (root: string) => void;
  /** When the indexing thread is started again to free its memory; see {@link RENEWAL}. */
  readonly renewal?: Renewal;
}

/** After `files` were read, and all folders were up to date for `quietMs` milliseconds. */
export interface Renewal {
  readonly files: number;
  readonly quietMs: number;
}

/**
 * V8 keeps the memory of a storm of changes in a thread: 20,000 changes left the editor's process with 176 MB more, and a
 * forced collection, smaller young generations and malloc's settings returned hardly any of it. A thread that ends returns
 * all of it. Opening the indexes again takes 0.1 s, and a scan; no content is read.
 */
const RENEWAL: Renewal = { files: 5_000, quietMs: 30_000 };

/**
 * The index of a workspace, seen from a thread that must not be kept waiting: one thread indexes, another searches. Both
 * start when first needed and are restarted if they die.
 */
export class WorkspaceClient {
  readonly #options: ClientOptions;
  readonly #folders = new Map<string, FolderOptions>();
  readonly #verifying = new Set<string>();
  readonly #unsaved = new Map<string, UnsavedText>();
  #isPaused = false;
  /** By folder, the state of the indexing thread since it was started. */
  readonly #states = new Map<string, { readonly isQuiet: boolean; readonly filesRead: number }>();
  #renewalTimer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  /** Folders that a new thread opens again: that it scans them is no news. */
  readonly #reopened = new Set<string>();
  readonly #indexing: Thread<IndexMethods, IndexEvents>;
  readonly #searching: Thread<SearchMethods, object>;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { indexThread, searchThread, logger, onUnwatched } = options;
    const onStatus = (status: FolderStatus): void => this.#onStatus(status);
    this.#indexing = new Thread(indexThread, logger, {
      started: (caller) => {
        caller.on('status', onStatus);
        caller.on('unwatched', ({ root }) => onUnwatched(root));
        caller.on('log', ({ level, message }) => logger[level](message));
        if (this.#isPaused) this.#send(caller.call('pause', undefined));
        for (const folder of this.#folders.values()) this.#send(caller.call('open', folder));
      },
      died: (error) => {
        for (const { root, stateFolder } of this.#folders.values()) {
          Lease.releaseOwn(indexFolderOf(stateFolder));
          const state = { kind: 'failed', code: error.code, message: error.message } as const;
          onStatus({ root, state, files: 0, skipped: {}, indexBytes: 0 });
        }
      },
    });
    this.#searching = new Thread(searchThread, logger, {
      started: (caller) => {
        for (const unsaved of this.#unsaved.values()) this.#send(caller.call('setUnsaved', unsaved));
      },
    });
  }

  /** Begins to keep the folder's index. What comes of it is told by `onStatus`. */
  open(folder: FolderOptions): void {
    this.#folders.set(folder.root, folder);
    if (this.#renewing) return;
    if (this.#indexing.isStarted) this.#send(this.#indexing.caller().call('open', folder));
    else this.#indexing.caller();
  }

  async close(root: string): Promise<void> {
    this.#states.delete(root);
    if (!this.#folders.delete(root)) return;
    if (this.#renewing) await this.#renewing;
    await this.#indexing.caller().call('close', { root });
  }

  /** Tells of the text of an editor that is not saved, or without one that it is, or is closed. It stays in memory. */
  setUnsaved(unsaved: UnsavedText): void {
    const key = `${unsaved.root}/${unsaved.path}`;
    if (unsaved.text === undefined && !this.#unsaved.delete(key)) return;
    if (unsaved.text !== undefined) this.#unsaved.set(key, unsaved);
    if (this.#searching.isStarted) this.#send(this.#searching.caller().call('setUnsaved', unsaved));
  }

  /** Tells of paths, relative to the folder, that may have changed. */
  hint(root: string, paths: readonly string[]): void {
    // A new thread scans the folder anyway.
    if (!this.#renewing) this.#send(this.#indexing.caller().call('hint', { root, paths }));
  }

  async reconcile(root: string): Promise<void> {
    if (this.#renewing) await this.#renewing;
    return this.#indexing.caller().call('reconcile', { root });
  }

  async rebuild(root: string): Promise<void> {
    if (this.#renewing) await this.#renewing;
    return this.#indexing.caller().call('rebuild', { root });
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

  async skipped(root: string): Promise<Map<string, Skip>> {
    if (this.#renewing) await this.#renewing;
    return this.#indexing.caller().call('skipped', { root });
  }

  /** Where the search meets damage, the keeper of the index is told, who repairs it. */
  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResponse> {
    const response = await this.#searching.caller().call('search', request, signal);
    for (const root of response.damaged) this.#verify(root);
    return response;
  }

  /** Ways to finish the filter at the end of a query, by what the indexes have. */
  complete(request: CompletionRequest): Promise<Completion[]> {
    return this.#searching.caller().call('complete', request);
  }

  /** What to search for to find code like a text. */
  similarQuery(request: SimilarRequest): Promise<string> {
    return this.#searching.caller().call('similarQuery', request);
  }

  /** Places as they are in the files at this moment, unsaved ones too; `undefined` for one that is gone. */
  recheck(places: readonly KeptPlace[]): Promise<(KeptPlace | undefined)[]> {
    return this.#searching.caller().call('recheck', places);
  }

  /** What the index of a folder holds. */
  contents(folder: SearchFolder): Promise<IndexContents> {
    return this.#searching.caller().call('contents', folder);
  }

  /** Why a file of a folder is found or not. */
  judge(request: JudgeRequest): Promise<FileStatus> {
    return this.#searching.caller().call('judge', request);
  }

  /** The text of a file of a folder as it is, unsaved or not, if the index may hold it; else why not. */
  read(request: JudgeRequest): Promise<IndexableFile> {
    return this.#searching.caller().call('read', request);
  }

  /** Where a file is among the results of a query, or what of the query it does not match. */
  rank(request: RankRequest, signal?: AbortSignal): Promise<RankAnswer> {
    return this.#searching.caller().call('rank', request, signal);
  }

  diagnose(input: DiagnosticsInput): Promise<Diagnostics> {
    return this.#searching.caller().call('diagnose', input);
  }

  /** Ends both threads; the indexes are left as of their last commit and free for others. */
  async dispose(): Promise<void> {
    clearTimeout(this.#renewalTimer);
    if (this.#renewing) await this.#renewing;
    for (const root of [...this.#folders.keys()]) {
      try {
        await this.close(root);
      } catch (error) {
        this.#options.logger.warn(describeError(error));
      }
    }
    await Promise.all([this.#indexing.stop(), this.#searching.stop()]);
  }

  #onStatus(status: FolderStatus): void {
    const { root, state, filesRead = 0 } = status;
    if (state.kind === 'scanning' && this.#reopened.has(root)) return;
    this.#reopened.delete(root);
    if (this.#folders.has(root))
      this.#states.set(root, { isQuiet: ['ready', 'following', 'failed'].includes(state.kind), filesRead });
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

  /** Starts the indexing thread again, with the indexes as they are. */
  async #renew(): Promise<void> {
    const roots = [...this.#folders.keys()];
    try {
      for (const root of roots) await this.#indexing.caller().call('close', { root });
      this.#options.logger.debug('The indexing thread is started again to free its memory.');
    } catch (error) {
      this.#options.logger.warn(describeError(error));
      for (const { stateFolder } of this.#folders.values()) Lease.releaseOwn(indexFolderOf(stateFolder));
    }
    this.#states.clear();
    for (const root of roots) this.#reopened.add(root);
    this.#indexing.renew();
  }

  #verify(root: string): void {
    if (this.#renewing || this.#verifying.has(root) || !this.#folders.has(root)) return;
    this.#verifying.add(root);
    const work = this.#indexing.caller().call('verify', { root });
    this.#send(work.finally(() => this.#verifying.delete(root)));
  }

  #send(work: Promise<void>): void {
    work.catch((error: unknown) => this.#options.logger.warn(describeError(error)));
  }
}
