import { existsSync, statSync } from 'node:fs';
import { SextantError, describeError, isCancelled, isWriteError, systemCode } from '../base/errors.ts';
import { FolderIndex, type FolderDependencies } from './folderIndex.ts';
import type { FolderOptions } from './folderOptions.ts';
import { countDocuments } from './folderReport.ts';
import { ChangeQueue } from './changeQueue.ts';
import { ownerStateOf, reportDamage, takeDamageReport } from './ownerState.ts';
import { indexProblemOf, sentencesOf } from './problems.ts';
import type { WatchProblem } from './status.ts';
import { MAX_WATCHED_FOLDERS, watchFolder, type Watch } from './watcher.ts';

export interface IndexerDependencies extends FolderDependencies {
  /** Called for a folder that is too large to watch from here. A better watcher calls `hint`. */
  readonly onUnwatched: () => void;
  /** Watches a small folder; by default with one watch for each folder in it. */
  readonly watch?: Watch;
  /** See {@link SCAN_MS}. */
  readonly scanMs?: number;
}

/** Interval of attempts to take over an index that another process owns. */
const RETRY_MS = 5_000;
/** The same while that process has still to complete the index, for its progress. */
const PROGRESS_MS = 1_000;
/**
 * Interval of scans. Events get lost without a sign, when a queue overflows or on a network drive. With the scan itself and
 * the reading of changed files, a lost change is found within 10 seconds.
 */
const SCAN_MS = 7_000;
/** Share of one processor that scans may take: from 80,000 files on they are less frequent. */
const SCAN_SHARE = 0.03;
/** Factor of that share on battery. */
const BATTERY_SHARE = 0.25;
/** Interval of full scans, for disks on which a folder's time does not change with its entries (FAT). */
const FULL_SCAN_MS = 5 * 60_000;

/**
 * Keeps the index of one open folder up to date: takes it over when its owner ends, watches the folder, and scans it at
 * intervals. A failure is reported as a status, and the next scan tries again.
 */
export class FolderIndexer {
  readonly #options: FolderOptions;
  readonly #dependencies: IndexerDependencies;
  readonly #changes: ChangeQueue;
  #index: FolderIndex | undefined;
  #timer: NodeJS.Timeout | undefined;
  #fullScanAt = -Infinity;
  #stopWatching: (() => Promise<void>) | undefined;
  /** The watched folder, which a new one at the same path is not, and what its watcher knows of the folders in it. */
  #watched: string | undefined;
  #lastFailure: string | undefined;
  #rebuilding: Promise<void> | undefined;
  /** Why the index could not be opened. */
  #openError: unknown;
  #closed = false;

  constructor(options: FolderOptions, dependencies: IndexerDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#changes = new ChangeQueue((paths) => this.#attempt(this.#index?.scanPaths(paths)));
  }

  /** Opens the index, or follows the process that owns it, and starts to work. Never throws. */
  start(): void {
    if (this.#closed || this.#index) return;
    try {
      const index = FolderIndex.open(this.#options, this.#dependencies);
      this.#index = index;
      index.lost.addEventListener('abort', () => this.#attempt(this.#giveUp(index)), { once: true });
    } catch (error) {
      this.#openError = error;
      this.#again(this.#fail(error), () => this.start());
      return;
    }
    this.#attempt(this.#scan());
  }

  /** The index, while this process owns it. */
  get index(): FolderIndex | undefined {
    return this.#index;
  }

  /** Queues paths that may have changed. */
  hint(paths: readonly string[]): void {
    for (const path of paths) this.#changes.add(path);
  }

  /**
   * Brings the index up to date, and first opens one that could not be opened until now. Throws `IndexBusy` while another process
   * owns it.
   */
  async reconcile(): Promise<void> {
    await this.#rebuilding;
    this.start();
    if (!this.#index && !this.#closed) throw this.#openError;
    await this.#index?.reconcile();
  }

  /** Checks the index for damage and repairs it. Where another process owns it, that does so with its next scan. */
  async verify(): Promise<void> {
    if (this.#index) await this.#index.verify();
    else reportDamage(this.#options.stateFolder);
  }

  /**
   * Removes the index and builds it again from the files. Throws `IndexBusy` while another process owns it, and `ENOENT`, with the
   * index as it is, while the folder is missing.
   */
  rebuild(): Promise<void> {
    this.#rebuilding ??= this.#rebuild().finally(() => (this.#rebuilding = undefined));
    return this.#rebuilding;
  }

  async #rebuild(): Promise<void> {
    // Throws for a missing folder.
    idOf(this.#options.root);
    clearTimeout(this.#timer);
    const index = this.#index;
    this.#index = undefined;
    this.#fullScanAt = -Infinity;
    await this.#unwatch();
    try {
      await index?.close();
      FolderIndex.erase(this.#options.stateFolder);
    } finally {
      // Where it cannot be removed, as another process has it, this one goes on.
      this.start();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#changes.dispose();
    await Promise.allSettled([this.#rebuilding]);
    const index = this.#index;
    this.#index = undefined;
    await this.#unwatch();
    await index?.close();
  }

  /** Scans the folder, and schedules the next scan. */
  async #scan(): Promise<void> {
    const index = this.#index!;
    const { governor, scanMs = SCAN_MS } = this.#dependencies;
    let busyMs = 0;
    try {
      if (takeDamageReport(this.#options.stateFolder)) await index.verify();
      if (performance.now() - this.#fullScanAt > FULL_SCAN_MS) {
        this.#fullScanAt = performance.now();
        await index.reconcile();
      } else busyMs = await index.scanTimes();
      await this.#watch();
    } catch (error) {
      // A deleted folder may come back as another one, which the old watcher does not see.
      await this.#unwatch();
      throw error;
    } finally {
      const share = SCAN_SHARE * (governor?.isOnBattery ? BATTERY_SHARE : 1);
      if (this.#index === index) this.#again(Math.max(scanMs, busyMs / share), () => this.#attempt(this.#scan()));
    }
  }

  /** Follows the process that took over the index while this one slept. */
  async #giveUp(index: FolderIndex): Promise<void> {
    if (this.#index !== index) return;
    this.#index = undefined;
    this.#fullScanAt = -Infinity;
    this.#dependencies.logger.warn(describeError(index.lost.reason));
    await this.#unwatch();
    await index.close();
    this.start();
  }

  async #watch(): Promise<void> {
    const { root } = this.#options;
    const watched = `${idOf(root)} ${this.#index?.watchChanges}`;
    if (this.#watched !== watched) await this.#unwatch();
    if (this.#closed || this.#watched === watched || !this.#index) return;
    this.#watched = watched;
    if (this.#index.folders > MAX_WATCHED_FOLDERS) {
      this.#dependencies.onUnwatched();
      return;
    }
    const { watch = watchFolder } = this.#dependencies;
    this.#stopWatching = watch(root, this.#options, {
      onPath: (path) => this.#changes.add(path),
      onReady: () => {
        if (this.#watched === watched) this.#again(0, () => this.#attempt(this.#scan()));
      },
      onLimit: (problem) => this.#onWatchLimit(problem),
      onError: (error) => this.#dependencies.logger.warn(`Watching ${root}: ${describeError(error)}`),
    });
  }

  /** Hands over to the editor's watcher; scans find every change in any case. */
  #onWatchLimit(problem: WatchProblem): void {
    if (!this.#stopWatching) return;
    this.#dependencies.logger.warn(problem.message);
    this.#index?.setProblem(problem);
    this.#dependencies.onUnwatched();
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

  /** Logs a failure; the index has reported it in its status. */
  #attempt(work: Promise<void> | undefined): void {
    work?.then(
      () => (this.#lastFailure = undefined),
      (error: unknown) => {
        if (!isCancelled(error)) this.#logFailure(error);
      },
    );
  }

  /** Logs a failure once, not at each attempt. */
  #logFailure(error: unknown): void {
    const { root } = this.#options;
    const message = describeError(error);
    const failure = existsSync(root) ? message : sentencesOf(indexProblemOf(systemCode(error) ?? '', message));
    if (failure !== this.#lastFailure) this.#dependencies.logger.error(`${root}: ${failure}`);
    this.#lastFailure = failure;
  }

  /** Reports why the index could not be opened. Returns the milliseconds to wait before the next attempt. */
  #fail(error: unknown): number {
    const { root, stateFolder } = this.#options;
    const code = error instanceof SextantError ? error.code : 'Internal';
    const isBusy = code === 'IndexBusy';
    // Of what cannot be written, all can be searched.
    const files = isBusy || isWriteError(error) ? countDocuments(stateFolder) : 0;
    const base = { root, files, skipped: {}, indexBytes: 0 };
    const message = describeError(error);
    if (isBusy) {
      const ownerState = ownerStateOf(stateFolder);
      const state = { kind: 'following', owner: message, ...(ownerState && { ownerState }) } as const;
      this.#dependencies.onStatus({ ...base, state });
      return ownerState || files === 0 ? PROGRESS_MS : RETRY_MS;
    }
    this.#logFailure(error);
    this.#dependencies.onStatus({ ...base, state: { kind: 'failed', code, message } });
    return RETRY_MS;
  }
}

function idOf(folder: string): string {
  const { dev, ino } = statSync(folder);
  return `${dev} ${ino}`;
}
