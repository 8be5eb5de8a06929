import { SextantError, describeError, isCancelled } from '../base/errors.ts';
import { EngineReader } from '../engine/engine.ts';
import { FolderIndex, type FolderEdges } from './folderIndex.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { Hints } from './hints.ts';
import type { Skip } from './skip.ts';
import { MAX_WATCHED_FOLDERS, watchFolder } from './watcher.ts';

export interface KeeperEdges extends FolderEdges {
  /** The folder is too large to be watched from here: whoever can watch it better is asked to call `hint`. */
  readonly onUnwatched: () => void;
}

/** How often to try to take over an index that another process keeps. */
const RETRY_MS = 5_000;
/** How often to look at everything, for the events that got lost. */
const RECONCILE_MS = 5 * 60_000;

/**
 * Keeps one folder's index for as long as it is open: takes it over when its owner goes, watches, reconciles from time to
 * time. Failures end in a status that a person can read, and the next occasion tries again.
 */
export class FolderKeeper {
  readonly #options: FolderOptions;
  readonly #edges: KeeperEdges;
  readonly #hints: Hints;
  #index: FolderIndex | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopWatching: (() => Promise<void>) | undefined;
  #closed = false;

  constructor(options: FolderOptions, edges: KeeperEdges) {
    this.#options = options;
    this.#edges = edges;
    this.#hints = new Hints((paths) => this.#attempt(this.#index?.hint(paths)));
  }

  /** Opens the index, or follows it where another process keeps it, and begins to work. Never throws. */
  start(): void {
    if (this.#closed) return;
    try {
      this.#index = FolderIndex.open(this.#options, this.#edges);
    } catch (error) {
      this.#fail(error);
      this.#again(RETRY_MS, () => this.start());
      return;
    }
    this.#attempt(this.#index.reconcile().then(() => this.#watch()));
    this.#again(RECONCILE_MS, () => this.#reconcileRegularly());
  }

  hint(paths: readonly string[]): void {
    for (const path of paths) this.#hints.add(path);
  }

  async reconcile(): Promise<void> {
    await this.#index?.reconcile();
  }

  /** Looks for damage in the index, and repairs it. */
  async verify(): Promise<void> {
    await this.#index?.verify();
  }

  /** Forgets the index and makes it anew from the files. */
  async rebuild(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#stopWatching?.();
    this.#stopWatching = undefined;
    await this.#index?.close();
    this.#index = undefined;
    FolderIndex.erase(this.#options.stateFolder);
    this.start();
  }

  skipped(): Map<string, Skip> {
    return this.#index?.skipped() ?? new Map<string, Skip>();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#hints.dispose();
    await this.#stopWatching?.();
    await this.#index?.close();
  }

  #watch(): void {
    if (this.#closed || this.#stopWatching || !this.#index) return;
    const { root } = this.#options;
    if (this.#index.folders > MAX_WATCHED_FOLDERS) this.#edges.onUnwatched();
    else this.#stopWatching = watchFolder(root, this.#options, this.#edges.logger, (path) => this.#hints.add(path));
  }

  #reconcileRegularly(): void {
    this.#attempt(this.#index?.reconcile());
    this.#again(RECONCILE_MS, () => this.#reconcileRegularly());
  }

  #again(milliseconds: number, work: () => void): void {
    this.#timer = setTimeout(work, milliseconds);
  }

  /** The index has put the failure into its status already; here it only has to reach the log. */
  #attempt(work: Promise<void> | undefined): void {
    work?.catch((error: unknown) => {
      if (!isCancelled(error)) this.#edges.logger.error(`${this.#options.root}: ${describeError(error)}`);
    });
  }

  #fail(error: unknown): void {
    const { root, stateFolder } = this.#options;
    const code = error instanceof SextantError ? error.code : 'Internal';
    const base = { root, skipped: {}, indexBytes: 0 };
    if (code === 'IndexBusy') {
      const state = { kind: 'following', owner: describeError(error) } as const;
      this.#edges.onStatus({ ...base, files: countDocuments(indexFolderOf(stateFolder)), state });
    } else {
      this.#edges.logger.error(`${root}: ${describeError(error)}`);
      this.#edges.onStatus({ ...base, files: 0, state: { kind: 'failed', code, message: describeError(error) } });
    }
  }
}

function countDocuments(indexFolder: string): number {
  const reader = new EngineReader(indexFolder);
  const { documents } = reader.stats();
  reader.close();
  return documents;
}
