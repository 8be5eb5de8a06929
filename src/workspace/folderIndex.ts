import { setImmediate } from 'node:timers/promises';
import { SextantError, describeError, isCancelled, systemCode, throwIfCancelled } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { DocumentId } from '../engine/documentId.ts';
import { Engine, type EngineDocument } from '../engine/engine.ts';
import { describeIndexDamage, type Damage } from '../engine/index/damage.ts';
import type { SegmentThreads } from '../engine/index/segmentThreads.ts';
import { Catalog, type FileRecord } from './catalog.ts';
import { FileDecoder } from './encodings.ts';
import { fileBatches } from './fileBatches.ts';
import { FileReader } from './fileReader.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { folderBytes } from './folderReport.ts';
import { FolderTree, type ScanResult } from './folderTree.ts';
import type { Governor, PauseReason } from './governor.ts';
import { isRuleFile } from './ignoreRules.ts';
import type { FileState } from './scan.ts';
import { beginAsSibling } from './siblings.ts';
import { SkipRules, contentRules, type Skip, type SkipReason } from './skip.ts';
import { OwnerStateFile } from './ownerState.ts';
import { claimStateFolder } from './stateFolder.ts';
import type { FolderState, FolderStatus, WatchProblem } from './status.ts';
import { TimeSlice } from '../base/timeSlice.ts';

export interface FolderDependencies {
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onStatus: (status: FolderStatus) => void;
  /** Threads that help to index many files. */
  readonly threads?: SegmentThreads;
  /** Keeps the work within a budget; without one there is no limit. */
  readonly governor?: Governor;
}

/** Above this number of paths a scan of all is cheaper than a scan of each. */
const MANY_PATHS = 500;
const FILES_PER_TURN = 16;
/** Fewer files are indexed before a person could read their progress. */
const WORTH_REPORTING = 50;
const REPORT_MS = 200;
/**
 * The catalog of 80,000 files takes 0.2 s to write. After a few files the write waits: a crash in between costs reading
 * those files again.
 */
const SAVE_AT_ONCE = 500;
const SAVE_LATER_MS = 10_000;

/** Counts of an index's work since it was opened. */
export interface Work {
  /** Files whose content was read. */
  readonly filesRead: number;
  /** Documents that were analysed: files read whose content was not known. */
  readonly analysed: number;
}

/**
 * Keeps the index of one folder equal to its files.
 *
 * Sizes and times that differ from the catalog's show which files to read, and their content shows what changed. Events of
 * a watcher only name paths to scan. Work is serialized. Each batch is one commit of the engine, then one of the catalog; a
 * crash between the two costs reading that batch's files again.
 */
export class FolderIndex {
  readonly options: FolderOptions;
  readonly #dependencies: FolderDependencies;
  readonly #engine: Engine;
  readonly #catalog: Catalog;
  readonly #ownerState: OwnerStateFile;
  readonly #skips: SkipRules;
  readonly #closing = new AbortController();
  /** The folder as of the last scan; missing before the first full scan. */
  #tree: FolderTree | undefined;
  /** See {@link watchChanges}. */
  #watchChanges = 0;
  /** A scan was interrupted, so the tree may have changes that the index has not. */
  #mustScanAll = true;
  /** Deleted files that are still in the index. */
  readonly #deleted = new Set<string>();
  readonly #work = { filesRead: 0, analysed: 0 };
  #saving: NodeJS.Timeout | undefined;
  #state: FolderState = { kind: 'scanning' };
  #lastReport = 0;
  #problem: WatchProblem | undefined;
  /** Damage cost documents, and no full scan has restored them yet. */
  #hasLost = false;
  /** Files read again because their documents were lost. */
  #readAgain = 0;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(options: FolderOptions, dependencies: FolderDependencies) {
    this.options = options;
    this.#dependencies = dependencies;
    this.#skips = new SkipRules(options);
    claimStateFolder(options.root, options.stateFolder, dependencies.logger);
    beginAsSibling(options, dependencies.logger);
    this.#engine = openOrRebuild(options.stateFolder, dependencies, (damage) => this.#onDamage(damage));
    this.#catalog = new Catalog(options, contentRules(options));
    this.#ownerState = new OwnerStateFile(options.stateFolder, dependencies.logger);
    // For processes that begin to follow it before the first scan.
    if (this.#catalog.size === 0) this.#ownerState.publish(this.#state);
  }

  /**
   * Throws `IndexBusy` while another process owns this index, and `FolderNotOurs` for a state folder in other use. The caller
   * does the first {@link reconcile}.
   */
  static open(options: FolderOptions, dependencies: FolderDependencies): FolderIndex {
    return new FolderIndex(options, dependencies);
  }

  /** Removes the index, so that the next `open` starts from the files. Throws `IndexBusy` while a process has it open. */
  static erase(stateFolder: string): void {
    Engine.erase(indexFolderOf(stateFolder));
    Catalog.erase(stateFolder);
  }

  /** Aborts when another process took over. This index then writes nothing more, and must be closed. */
  get lost(): AbortSignal {
    return this.#engine.lost;
  }

  /** Number of scanned folders: a watcher needs one watch for each. */
  get folders(): number {
    return this.#tree?.folders ?? 0;
  }

  /** Grows when a watcher must begin again: the rules for folders changed, or a folder was replaced by another one. */
  get watchChanges(): number {
    return this.#watchChanges + (this.#tree?.replaced ?? 0);
  }

  status(): FolderStatus {
    const skipped: Partial<Record<SkipReason, number>> = {};
    const count = ({ reason }: Skip): unknown => (skipped[reason] = (skipped[reason] ?? 0) + 1);
    let files = 0;
    for (const skip of this.#tree?.skipped.values() ?? []) count(skip);
    for (const [, record] of this.#catalog.entries()) {
      if ('skip' in record) count(record.skip);
      else files++;
    }
    const indexBytes = folderBytes(indexFolderOf(this.options.stateFolder));
    const damage = this.#engine.damage.map(describeIndexDamage);
    const repaired = damage.length > 0 && { repaired: { damage, files: this.#readAgain } };
    const problem = this.#problem && { problem: this.#problem };
    const { filesRead } = this.#work;
    const read = filesRead > 0 && { filesRead };
    return {
      root: this.options.root,
      state: this.#state,
      files,
      skipped,
      indexBytes,
      ...read,
      ...repaired,
      ...problem,
    };
  }

  /** Sets the problem that the status reports. */
  setProblem(problem: WatchProblem | undefined): void {
    if (problem?.code === this.#problem?.code) return;
    this.#problem = problem;
    this.#dependencies.onStatus(this.status());
  }

  /** Every path that is left out, with the reason. */
  skipped(): Map<string, Skip> {
    const all = new Map(this.#tree?.skipped);
    for (const [path, record] of this.#catalog.entries()) if ('skip' in record) all.set(path, record.skip);
    return all;
  }

  /** Brings the index up to date by a full scan. Rejects with `Cancelled` when `signal` aborts. */
  reconcile(signal?: AbortSignal): Promise<void> {
    return this.#exclusive(signal, (both) => this.#reconcileAll(both));
  }

  /**
   * Brings the index up to date like {@link reconcile}, but reads only times where these are enough. Returns the
   * milliseconds that the scan kept the thread busy.
   */
  async scanTimes(signal?: AbortSignal): Promise<number> {
    let busyMs = 0;
    await this.#exclusive(signal, async (both) => {
      const slice = new TimeSlice(both);
      const found = this.#isTreeGood() ? await this.#tree!.scanTimes(slice) : undefined;
      busyMs = slice.busyMs;
      await this.#apply(found, both);
    });
    return busyMs;
  }

  /** Scans the given paths, relative to the folder; the whole folder where the paths are not enough. */
  scanPaths(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    return this.#exclusive(signal, async (both) => {
      const slice = new TimeSlice(both);
      let found: ScanResult | undefined;
      if (this.#isTreeGood() && !paths.some(isRuleFile)) {
        found = await (paths.length > MANY_PATHS ? this.#tree!.scanTimes(slice) : this.#tree!.scanPaths(paths, slice));
      }
      await this.#apply(found, both);
    });
  }

  /** Work since the index was opened. */
  work(): Work {
    return { ...this.#work };
  }

  /** Checks the whole index for damage, and reads files again whose documents are lost. */
  verify(signal?: AbortSignal): Promise<void> {
    return this.#exclusive(signal, async (both) => {
      await this.#engine.verify(both);
      if (this.#hasLost) await this.#reconcileAll(both);
    });
  }

  /** Waits until all merges, which make searches faster, are done. Rejects with `Cancelled`. */
  async settle(signal?: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#engine.settle(), aborted]);
    throwIfCancelled(signal);
  }

  /** Cancels the work and frees the index for another process. Commits stay. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue;
    clearTimeout(this.#saving);
    this.#trySave();
    await this.#engine.close();
  }

  #exclusive(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const both = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    const result = this.#queue.then(async () => {
      try {
        throwIfCancelled(both);
        await this.#whenAllowed(both, { done: 0, total: 0 });
        await work(both);
        if (this.#state.kind !== 'ready') this.#setState({ kind: 'ready' });
      } catch (error) {
        const code = error instanceof SextantError ? error.code : (systemCode(error) ?? 'Internal');
        this.#mustScanAll = true;
        // An index that lost its lease is closed by its indexer, which reports the new owner.
        if (code !== 'Cancelled' && code !== 'LeaseLost')
          this.#setState({ kind: 'failed', code, message: describeError(error) });
        throw error;
      }
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #reconcileAll(signal: AbortSignal): Promise<void> {
    const { root } = this.options;
    this.#hasLost = false;
    if (this.#catalog.size === 0) this.#setState({ kind: 'scanning' });
    const options = {
      root,
      excluded: this.options,
      skips: this.#skips,
      now: this.#dependencies.now,
      isChanged: (path: string, state: FileState) => this.#isChanged(path, state),
    };
    const { tree, found } = await FolderTree.scanAll(options, new TimeSlice(signal));
    this.#watchChanges = this.watchChanges + (this.#tree?.isStale ? 1 : 0);
    this.#tree = tree;
    this.#mustScanAll = false;
    for (const [path] of this.#catalog.entries()) this.#deleted.add(path);
    await this.#update(found, signal);

    // Remove documents without a file: they stay after a crash between the engine's commit and the catalog's.
    const wanted = new Set<DocumentId>();
    for (const [, record] of this.#catalog.entries()) if ('id' in record) wanted.add(record.id);
    const orphans = [...this.#engine.ids()].filter((id) => !wanted.has(id));
    if (orphans.length > 0) await this.#engine.apply({ remove: orphans });
  }

  /** Applies the scan result; falls back to a full scan. */
  async #apply(found: ScanResult | undefined, signal: AbortSignal): Promise<void> {
    if (found && this.#isTreeGood()) await this.#update(found, signal);
    else await this.#reconcileAll(signal);
  }

  #isTreeGood(): boolean {
    return !this.#mustScanAll && this.#tree?.isStale === false;
  }

  #isChanged(path: string, state: FileState): boolean {
    const record = this.#catalog.get(path);
    if (!record || record.racy === true) return true;
    const { size, mtimeMs, ctimeMs } = state;
    const isSame = record.size === size && record.mtimeMs === mtimeMs && record.ctimeMs === ctimeMs;
    return !isSame || this.#isLost(record);
  }

  /** Whether the index has lost the document of a record, by damage or by a restored backup. */
  #isLost(record: FileRecord): boolean {
    return 'id' in record && !this.#engine.has(record.id);
  }

  /** Queues a full scan that reads lost files again. */
  #onDamage({ documents }: Damage): void {
    if (documents === 0) {
      this.#dependencies.onStatus(this.status());
      return;
    }
    this.#hasLost = true;
    const work = this.#exclusive(undefined, async (signal) => {
      if (this.#hasLost) await this.#reconcileAll(signal);
    });
    work.catch((error: unknown) => {
      if (!isCancelled(error))
        this.#dependencies.logger.error(`The index is not repaired yet: ${describeError(error)}`);
    });
  }

  /** Reads the files that may have changed, and commits the changes in batches. */
  async #update(found: ScanResult, signal: AbortSignal): Promise<void> {
    for (const path of found.deleted) this.#deleted.add(path);
    const deleted = [...this.#deleted].filter((path) => this.#catalog.get(path) && !this.#tree!.has(path));
    const changed = [...found.changed];
    let done = 0;
    const { governor } = this.#dependencies;
    const reader = new FileReader(this.options, this.#skips);
    const report = (): void => {
      if (changed.length >= WORTH_REPORTING) this.#setProgress({ kind: 'indexing', done, total: changed.length });
    };
    report();
    governor?.begin();
    const maxBytes = (): number => governor?.batchBytes ?? Infinity;
    for (const batch of fileBatches(changed, deleted, maxBytes)) {
      await this.#whenAllowed(signal, { done, total: changed.length });
      const records: [string, FileRecord][] = [];
      const read = async function* (this: FolderIndex): AsyncGenerator<EngineDocument> {
        for (const [path, state] of batch.changed) {
          const { record, document } = reader.read(path, state, this.#dependencies.now());
          records.push([path, record]);
          if (document) yield document;
          done++;
          this.#work.filesRead++;
          if (done % FILES_PER_TURN !== 0) continue;
          report();
          await (governor ? governor.next(signal) : setImmediate());
          await this.#whenAllowed(signal, { done, total: changed.length });
        }
      };
      const lost = batch.changed.map(([path]) => this.#catalog.get(path)).filter((one) => one && this.#isLost(one));
      // Remove the old document of each path; the engine keeps one that is also added.
      const before = [...batch.deleted, ...batch.changed.map(([path]) => path)].map((path) => this.#catalog.get(path));
      const remove = before.filter((record) => record !== undefined && 'id' in record).map((record) => record.id);
      const { added, reused, binary } = await this.#engine.apply({ add: read.call(this), remove }, signal);
      this.#work.analysed += added - reused;

      const binaries = new Set(binary);
      const decoder = new FileDecoder(this.options.encodings);
      for (const path of batch.deleted) this.#catalog.delete(path);
      for (const [path, record] of records) {
        this.#catalog.set(
          path,
          'id' in record && binaries.has(record.id) ? asBinary(record, decoder.whyNotText(path)) : record,
        );
      }
      this.#save(records.length);
      this.#readAgain += lost.length;
      if (lost.length > 0) this.#dependencies.logger.info(`${lost.length} files were read again to repair the index.`);
      report();
    }
    this.#deleted.clear();
    if (changed.length + deleted.length > 0) this.#setState({ kind: 'ready' });
  }

  /** Saves the catalog, at once after many changes. Throws `DiskFull` or `ReadOnly`. */
  #save(changed: number): void {
    if (changed >= SAVE_AT_ONCE) this.#saveNow();
    else this.#saving ??= setTimeout(() => this.#trySave(), SAVE_LATER_MS).unref();
  }

  #trySave(): void {
    this.#saving = undefined;
    try {
      this.#saveNow();
    } catch (error) {
      this.#dependencies.logger.warn(describeError(error));
    }
  }

  /** A lease lost between check and write leaves an old catalog, which costs the new owner reading files again. */
  #saveNow(): void {
    this.#engine.checkLease();
    this.#catalog.save();
  }

  async #whenAllowed(signal: AbortSignal, progress: { readonly done: number; readonly total: number }): Promise<void> {
    const before = this.#state;
    let reported: PauseReason | undefined;
    await this.#dependencies.governor?.whenAllowed(signal, (reason) => {
      if (reason !== reported) this.#setState({ kind: 'paused', reason, ...progress });
      reported = reason;
    });
    if (reported) this.#setState(before);
  }

  #setState(state: FolderState): void {
    this.#state = state;
    this.#lastReport = performance.now();
    this.#ownerState.publish(state);
    this.#dependencies.onStatus(this.status());
  }

  /** Like {@link #setState}, at most once in {@link REPORT_MS}. */
  #setProgress(state: FolderState): void {
    if (this.#state.kind === state.kind && performance.now() - this.#lastReport < REPORT_MS) return;
    this.#setState(state);
  }
}

function asBinary({ size, mtimeMs, ctimeMs, racy }: FileRecord, detail: string): FileRecord {
  return { size, mtimeMs, ctimeMs, ...(racy && { racy }), skip: { reason: 'binary', detail } };
}

/** Opens the index. One that another version wrote is rebuilt from the files: it holds nothing else. */
function openOrRebuild(
  stateFolder: string,
  { logger, threads }: FolderDependencies,
  onDamage: (damage: Damage) => void,
): Engine {
  const options = { logger, onDamage, ...(threads && { threads }) };
  const folder = indexFolderOf(stateFolder);
  try {
    return Engine.open(folder, options);
  } catch (error) {
    if (!(error instanceof SextantError) || error.code !== 'IndexFormat') throw error;
    logger.warn(`${error.message} It is rebuilt from the files.`);
    Engine.erase(folder);
    return Engine.open(folder, options);
  }
}
