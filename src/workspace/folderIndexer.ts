import { statSync } from 'node:fs';
import { SextantError, describeError, isCancelled } from '../base/errors.ts';
import { EngineReader } from '../engine/engine.ts';
import { FolderIndex, type FolderDependencies } from './folderIndex.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { ChangeQueue } from './changeQueue.ts';
import type { Skip } from './skip.ts';
import type { Problem } from './status.ts';
import { MAX_WATCHED_FOLDERS, watchFolder, type Watch } from './watcher.ts';

export interface IndexerDependencies extends FolderDependencies {
  /** The folder is too large to be watched from here: whoever can watch it better is asked to call `hint`. */
  readonly onUnwatched: () => void;
  /** How to watch a small folder; by default with a watch for each folder in it. */
  readonly watch?: Watch;
  /** See {@link SWEEP_MS}. */
  readonly sweepMs?: number;
}

/** How often to try to take over an index that another process keeps. */
const RETRY_MS = 5_000;
/**
 * Events get lost without a sign, when a queue runs over or a network drive tells of nothing. So everything is looked at
 * again after so long: with the look itself and the reading of what changed it is found within 10 seconds.
 */
const SWEEP_MS = 7_000;
/** Looking may take this share of one processor: from 80,000 files on it gets less frequent. */
const SWEEP_SHARE = 0.03;
/** Of that, when on battery. */
const BATTERY_SHARE = 0.25;
/** How often to walk, for the disks on which the time of a folder does not tell what came and went (FAT). */
const WALK_MS = 5 * 60_000;

/**
 * Keeps one folder's index for as long as it is open: takes it over when its owner goes, watches, and looks at everything
 * from time to time. Failures end in a status that a person can read, and the next occasion tries again.
 */
export class FolderIndexer {
  readonly #options: FolderOptions;
  readonly #edges: IndexerDependencies;
  readonly #hints: ChangeQueue;
  #index: FolderIndex | undefined;
  #timer: NodeJS.Timeout | undefined;
  #walkedAt = -Infinity;
  #stopWatching: (() => Promise<void>) | undefined;
  /** Which folder is watched: another one of the same path is another folder. */
  #watched: string | undefined;
  #lastFailure: string | undefined;
  #closed = false;

  constructor(options: FolderOptions, edges: IndexerDependencies) {
    this.#options = options;
    this.#edges = edges;
    this.#hints = new ChangeQueue((paths) => this.#attempt(this.#index?.hint(paths)));
  }

  /** Opens the index, or follows it where another process keeps it, and begins to work. Never throws. */
  start(): void {
    if (this.#closed) return;
    try {
      const index = FolderIndex.open(this.#options, this.#edges);
      this.#index = index;
      index.lost.addEventListener('abort', () => this.#attempt(this.#giveUp(index)), { once: true });
    } catch (error) {
      this.#fail(error);
      this.#again(RETRY_MS, () => this.start());
      return;
    }
    this.#attempt(this.#look());
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
    const index = this.#index;
    this.#index = undefined;
    this.#walkedAt = -Infinity;
    await this.#unwatch();
    await index?.close();
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
    const index = this.#index;
    this.#index = undefined;
    await this.#unwatch();
    await index?.close();
  }

  /** Looks at everything, again and again. */
  async #look(): Promise<void> {
    const index = this.#index!;
    const { governor, sweepMs = SWEEP_MS } = this.#edges;
    let busyMs = 0;
    try {
      if (performance.now() - this.#walkedAt > WALK_MS) {
        this.#walkedAt = performance.now();
        await index.reconcile();
      } else busyMs = await index.sweep();
      await this.#watch();
    } catch (error) {
      // A folder that is gone may come back as another, of which a watcher would not tell.
      await this.#unwatch();
      throw error;
    } finally {
      const share = SWEEP_SHARE * (governor?.isOnBattery ? BATTERY_SHARE : 1);
      if (this.#index === index) this.#again(Math.max(sweepMs, busyMs / share), () => this.#attempt(this.#look()));
    }
  }

  /** Follows the process that took the index over while this one slept. */
  async #giveUp(index: FolderIndex): Promise<void> {
    if (this.#index !== index) return;
    this.#index = undefined;
    this.#walkedAt = -Infinity;
    this.#edges.logger.warn(describeError(index.lost.reason));
    await this.#unwatch();
    await index.close();
    this.start();
  }

  async #watch(): Promise<void> {
    const { root } = this.#options;
    const folder = idOf(root);
    if (this.#watched !== folder) await this.#unwatch();
    if (this.#closed || this.#watched === folder || !this.#index) return;
    this.#watched = folder;
    if (this.#index.folders > MAX_WATCHED_FOLDERS) {
      this.#edges.onUnwatched();
      return;
    }
    const { watch = watchFolder } = this.#edges;
    this.#stopWatching = watch(root, this.#options, {
      onPath: (path) => this.#hints.add(path),
      onLimit: (problem) => this.#onWatchLimit(problem),
      onError: (error) => this.#edges.logger.warn(`Watching ${root}: ${describeError(error)}`),
    });
  }

  /** The editor's watcher may do better; if not, looking still finds everything. */
  #onWatchLimit(problem: Problem): void {
    if (!this.#stopWatching) return;
    this.#edges.logger.warn(problem.message);
    this.#index?.setProblem(problem);
    this.#edges.onUnwatched();
    const stop = this.#stopWatching;
    this.#stopWatching = undefined;
    this.#attempt(stop());
  }

  async #unwatch(): Promise<void> {
    this.#watched = undefined;
    const stop = this.#stopWatching;
    this.#stopWatching = undefined;
    await stop?.();
    this.#index?.setProblem(undefined);
  }

  #again(milliseconds: number, work: () => void): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(work, milliseconds);
  }

  /** The index has put the failure into its status already; here it only has to reach the log, once. */
  #attempt(work: Promise<void> | undefined): void {
    work?.then(
      () => (this.#lastFailure = undefined),
      (error: unknown) => {
        const failure = describeError(error);
        if (isCancelled(error) || failure === this.#lastFailure) return;
        this.#lastFailure = failure;
        this.#edges.logger.error(`${this.#options.root}: ${failure}`);
      },
    );
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

function idOf(folder: string): string {
  const { dev, ino } = statSync(folder);
  return `${dev} ${ino}`;
}
