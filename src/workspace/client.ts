import { describeError } from '../base/errors.ts';
import { Lease } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import type { Completion } from './completion.ts';
import type { Diagnostics, DiagnosticsInput } from './diagnostics.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import type { IndexContents } from './folderReport.ts';
import type { IndexEvents, IndexMethods, JudgeRequest, SearchMethods } from './indexProtocol.ts';
import type { ShownFile } from './readShown.ts';
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
import type { FileVerdict } from './whyFile.ts';
import type { RankAnswer, RankRequest } from './whyRank.ts';

export interface ClientOptions {
  /** The bundled entries of the two threads. */
  readonly indexThread: URL;
  readonly searchThread: URL;
  readonly logger: Logger;
  readonly onStatus: (status: FolderStatus) => void;
  /** The folder is too large to be watched by a thread of ours; see {@link WorkspaceClient.hint}. */
  readonly onUnwatched: (root: string) => void;
}

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
  readonly #indexing: Thread<IndexMethods, IndexEvents>;
  readonly #searching: Thread<SearchMethods, object>;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { indexThread, searchThread, logger, onStatus, onUnwatched } = options;
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
    if (this.#indexing.isStarted) this.#send(this.#indexing.caller().call('open', folder));
    else this.#indexing.caller();
  }

  async close(root: string): Promise<void> {
    if (this.#folders.delete(root)) await this.#indexing.caller().call('close', { root });
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
    this.#send(this.#indexing.caller().call('hint', { root, paths }));
  }

  reconcile(root: string): Promise<void> {
    return this.#indexing.caller().call('reconcile', { root });
  }

  rebuild(root: string): Promise<void> {
    return this.#indexing.caller().call('rebuild', { root });
  }

  /** Stops all indexing until {@link resume}. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#indexing.caller().call('pause', undefined);
  }

  async resume(): Promise<void> {
    this.#isPaused = false;
    await this.#indexing.caller().call('resume', undefined);
  }

  skipped(root: string): Promise<Map<string, Skip>> {
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
  judge(request: JudgeRequest): Promise<FileVerdict> {
    return this.#searching.caller().call('judge', request);
  }

  /** The text of a file of a folder as it is, unsaved or not, if the index may hold it; else why not. */
  read(request: JudgeRequest): Promise<ShownFile> {
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
    for (const root of [...this.#folders.keys()]) {
      try {
        await this.close(root);
      } catch (error) {
        this.#options.logger.warn(describeError(error));
      }
    }
    await Promise.all([this.#indexing.stop(), this.#searching.stop()]);
  }

  #verify(root: string): void {
    if (this.#verifying.has(root) || !this.#folders.has(root)) return;
    this.#verifying.add(root);
    const work = this.#indexing.caller().call('verify', { root });
    this.#send(work.finally(() => this.#verifying.delete(root)));
  }

  #send(work: Promise<void>): void {
    work.catch((error: unknown) => this.#options.logger.warn(describeError(error)));
  }
}
