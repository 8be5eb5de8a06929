import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { SextantError, describeError, isCancelled, systemCode, throwIfCancelled } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { DocumentId } from '../engine/documentId.ts';
import { Engine, type EngineDocument } from '../engine/engine.ts';
import { describeDamage, type Damage } from '../engine/index/damage.ts';
import type { SegmentThreads } from '../engine/index/segmentThreads.ts';
import { Catalog, type FileRecord } from './catalog.ts';
import { FileReader } from './fileReader.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { folderBytes } from './folderReport.ts';
import { FolderTree, type Found } from './folderTree.ts';
import type { Governor, PauseReason } from './governor.ts';
import { isRuleFile } from './ignoreRules.ts';
import type { FileState } from './scan.ts';
import { registerSibling, siblingsOf } from './siblings.ts';
import { SkipRules, contentRules, type Skip, type SkipReason } from './skip.ts';
import { claimStateFolder } from './stateFolder.ts';
import type { FolderState, FolderStatus, Problem } from './status.ts';
import { TimeSlice } from './timeSlice.ts';

export interface FolderDependencies {
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onStatus: (status: FolderStatus) => void;
  /** Help to index many files. */
  readonly threads?: SegmentThreads;
  /** Keeps the work within a budget; without one it takes what it can get. */
  readonly governor?: Governor;
}

/**
 * Commits are small at first, so that searches find something soon; later ones are larger, since each ends with segments
 * that are written, merged, and a search has to look into. A crash loses some seconds' work.
 */
const FIRST_BATCH_FILES = 500;
const SECOND_BATCH_BYTES = 48 << 20;
const LARGEST_BATCH_BYTES = 256 << 20;
/** Above so many hints at once to look at everything is cheaper than at each. */
const MANY_HINTS = 500;
const FILES_PER_TURN = 16;
/** Progress is worth showing for more files than a person would notice. */
const WORTH_REPORTING = 50;
const REPORT_MS = 200;
/**
 * The catalog of 80,000 files takes 0.2 s to write. After few files that waits: a crash in between costs reading again
 * what changed since.
 */
const SAVE_AT_ONCE = 500;
const SAVE_LATER_MS = 10_000;

/** What an index did since it was opened. */
export interface Work {
  /** Files whose content was read. */
  readonly filesRead: number;
  /** Documents that were analysed: read, and not known by their content. */
  readonly analysed: number;
}

/**
 * Keeps the index of one folder equal to its files.
 *
 * What changed is found by comparing sizes and times with the catalog, and decided by content: events of a watcher are
 * only hints where to look. Work is serialized, and each batch is one commit of the engine followed by one of the catalog;
 * a crash between the two costs reading that batch's files again.
 */
export class FolderIndex {
  readonly options: FolderOptions;
  readonly #edges: FolderDependencies;
  readonly #engine: Engine;
  readonly #catalog: Catalog;
  readonly #skips: SkipRules;
  readonly #closing = new AbortController();
  /** What the folder looked like last; missing before the first walk. */
  #tree: FolderTree | undefined;
  /** A look ended before its time, so that the tree may know what the index does not. */
  #mustWalk = true;
  /** Files that were found to be gone, and are still in the index. */
  readonly #gone = new Set<string>();
  readonly #work = { filesRead: 0, analysed: 0 };
  #saving: NodeJS.Timeout | undefined;
  #state: FolderState = { kind: 'scanning' };
  #lastReport = 0;
  #problem: Problem | undefined;
  /** Damage cost documents, and no walk has looked for them yet. */
  #hasLost = false;
  /** Files read again because their documents were lost. */
  #readAgain = 0;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(options: FolderOptions, edges: FolderDependencies) {
    this.options = options;
    this.#edges = edges;
    this.#skips = new SkipRules(options);
    claimStateFolder(options.root, options.stateFolder);
    beginAsSibling(options, edges.logger);
    this.#engine = openOrStartAnew(options.stateFolder, edges, (damage) => this.#onDamage(damage));
    this.#catalog = new Catalog(options.stateFolder, options.root, contentRules(options));
  }

  /** Throws `IndexBusy` while another process keeps this index, and `FolderNotOurs` for a state folder of something else. The first {@link reconcile} is the caller's. */
  static open(options: FolderOptions, edges: FolderDependencies): FolderIndex {
    return new FolderIndex(options, edges);
  }

  /** Removes the index, so that the next `open` starts from the files. Throws `IndexBusy` while somebody has it open. */
  static erase(stateFolder: string): void {
    Engine.erase(indexFolderOf(stateFolder));
    Catalog.erase(stateFolder);
  }

  /** Aborts once it is known that another process took over: this one writes nothing from then on, and is to be closed. */
  get lost(): AbortSignal {
    return this.#engine.lost;
  }

  /** Number of folders that are looked into: a watcher needs one watch for each. */
  get folders(): number {
    return this.#tree?.folders ?? 0;
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
    const damage = this.#engine.damage.map(describeDamage);
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

  /** What the status is to tell besides. */
  setProblem(problem: Problem | undefined): void {
    if (problem?.code === this.#problem?.code) return;
    this.#problem = problem;
    this.#edges.onStatus(this.status());
  }

  /** Every file and folder that is left out, and why. */
  skipped(): Map<string, Skip> {
    const all = new Map(this.#tree?.skipped);
    for (const [path, record] of this.#catalog.entries()) if ('skip' in record) all.set(path, record.skip);
    return all;
  }

  /** Makes the index equal to the folder, whatever happened to it. Rejects with `Cancelled` when `signal` aborts. */
  reconcile(signal?: AbortSignal): Promise<void> {
    return this.#exclusive(signal, (both) => this.#reconcileAll(both));
  }

  /**
   * Makes the index equal to the folder as {@link reconcile} does, but only asks for times where those tell enough. Gives
   * how many milliseconds it kept the thread busy with that.
   */
  async sweep(signal?: AbortSignal): Promise<number> {
    let busyMs = 0;
    await this.#exclusive(signal, async (both) => {
      const turns = new TimeSlice(both);
      const found = this.#isTreeGood() ? await this.#tree!.sweep(turns) : undefined;
      busyMs = turns.busyMs;
      await this.#take(found, both);
    });
    return busyMs;
  }

  /** Looks at the given paths, relative to the folder; at the whole folder where that is not enough to be right. */
  hint(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    return this.#exclusive(signal, async (both) => {
      const turns = new TimeSlice(both);
      let found: Found | undefined;
      if (this.#isTreeGood() && !paths.some(isRuleFile)) {
        found = await (paths.length > MANY_HINTS ? this.#tree!.sweep(turns) : this.#tree!.look(paths, turns));
      }
      await this.#take(found, both);
    });
  }

  /** What was done since the index was opened. */
  work(): Work {
    return { ...this.#work };
  }

  /** Looks through the whole index for damage, and reads the files again that are lost by it. */
  verify(signal?: AbortSignal): Promise<void> {
    return this.#exclusive(signal, async (both) => {
      await this.#engine.verify(both);
      if (this.#hasLost) await this.#reconcileAll(both);
    });
  }

  /** Waits until the index is merged as far as it will be, which makes searches faster. Rejects with `Cancelled`. */
  async settle(signal?: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#engine.settle(), aborted]);
    throwIfCancelled(signal);
  }

  /** Gives up what is under way and frees the index for another process. What was committed stays. */
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
        this.#mustWalk = true;
        // One that lost its index is closed by its keeper, which tells who has it.
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
      now: this.#edges.now,
      isChanged: (path: string, state: FileState) => this.#isChanged(path, state),
    };
    const { tree, found } = await FolderTree.walk(options, new TimeSlice(signal));
    this.#tree = tree;
    this.#mustWalk = false;
    for (const [path] of this.#catalog.entries()) this.#gone.add(path);
    await this.#update(found, signal);

    // Documents that no file has: a crash came between a commit of the engine and that of the catalog.
    const wanted = new Set<DocumentId>();
    for (const [, record] of this.#catalog.entries()) if ('id' in record) wanted.add(record.id);
    const orphans = [...this.#engine.ids()].filter((id) => !wanted.has(id));
    if (orphans.length > 0) await this.#engine.apply({ remove: orphans });
  }

  /** Follows what a look found, unless it is that a look is not enough. */
  async #take(found: Found | undefined, signal: AbortSignal): Promise<void> {
    if (found && this.#isTreeGood()) await this.#update(found, signal);
    else await this.#reconcileAll(signal);
  }

  #isTreeGood(): boolean {
    return !this.#mustWalk && this.#tree?.isStale === false;
  }

  #isChanged(path: string, state: FileState): boolean {
    const record = this.#catalog.get(path);
    if (!record || record.racy === true) return true;
    const { size, mtimeMs, ctimeMs } = state;
    const isSame = record.size === size && record.mtimeMs === mtimeMs && record.ctimeMs === ctimeMs;
    return !isSame || this.#isLost(record);
  }

  /** Whether the index has lost what the catalog remembers, by damage or by a restored backup. */
  #isLost(record: FileRecord): boolean {
    return 'id' in record && !this.#engine.has(record.id);
  }

  /** What was lost is read again as soon as nothing else is under way. */
  #onDamage({ documents }: Damage): void {
    if (documents === 0) {
      this.#edges.onStatus(this.status());
      return;
    }
    this.#hasLost = true;
    const work = this.#exclusive(undefined, async (signal) => {
      if (this.#hasLost) await this.#reconcileAll(signal);
    });
    work.catch((error: unknown) => {
      if (!isCancelled(error)) this.#edges.logger.error(`The index is not repaired yet: ${describeError(error)}`);
    });
  }

  /** Reads the files that may have changed and commits what did, a batch at a time. */
  async #update(found: Found, signal: AbortSignal): Promise<void> {
    for (const path of found.gone) this.#gone.add(path);
    const gone = [...this.#gone].filter((path) => this.#catalog.get(path) && !this.#tree!.has(path));
    const changed = [...found.changed];
    let done = 0;
    const { governor } = this.#edges;
    const reader = new FileReader(this.options.root, this.#skips);
    const report = (): void => {
      if (changed.length >= WORTH_REPORTING) this.#setProgress({ kind: 'indexing', done, total: changed.length });
    };
    report();
    const maxBytes = (): number => governor?.batchBytes ?? Infinity;
    for (const batch of batches(changed, gone, maxBytes)) {
      await this.#whenAllowed(signal, { done, total: changed.length });
      const records: [string, FileRecord][] = [];
      const read = async function* (this: FolderIndex): AsyncGenerator<EngineDocument> {
        for (const [path, state] of batch.changed) {
          const { record, document } = reader.read(path, state, this.#edges.now());
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
      // What a path was before goes, unless it is added again: the engine keeps a document that is in both.
      const before = [...batch.gone, ...batch.changed.map(([path]) => path)].map((path) => this.#catalog.get(path));
      const remove = before.filter((record) => record !== undefined && 'id' in record).map((record) => record.id);
      const { added, reused, binary } = await this.#engine.apply({ add: read.call(this), remove }, signal);
      this.#work.analysed += added - reused;

      const binaries = new Set(binary);
      for (const path of batch.gone) this.#catalog.delete(path);
      for (const [path, record] of records) {
        this.#catalog.set(path, 'id' in record && binaries.has(record.id) ? asBinary(record) : record);
      }
      this.#save(records.length);
      this.#readAgain += lost.length;
      if (lost.length > 0) this.#edges.logger.info(`${lost.length} files were read again to repair the index.`);
      report();
    }
    this.#gone.clear();
    if (changed.length + gone.length > 0) this.#setState({ kind: 'ready' });
  }

  /** Saves the catalog, at once if much has changed. Throws `DiskFull` or `ReadOnly`. */
  #save(changed: number): void {
    if (changed >= SAVE_AT_ONCE) this.#saveNow();
    else this.#saving ??= setTimeout(() => this.#trySave(), SAVE_LATER_MS).unref();
  }

  #trySave(): void {
    this.#saving = undefined;
    try {
      this.#saveNow();
    } catch (error) {
      this.#edges.logger.warn(describeError(error));
    }
  }

  /** One that a lost lease lets through between check and write costs its heir reading files again, as any older one does. */
  #saveNow(): void {
    this.#engine.checkLease();
    this.#catalog.save();
  }

  async #whenAllowed(signal: AbortSignal, progress: { readonly done: number; readonly total: number }): Promise<void> {
    const before = this.#state;
    let told: PauseReason | undefined;
    await this.#edges.governor?.whenAllowed(signal, (reason) => {
      if (reason !== told) this.#setState({ kind: 'paused', reason, ...progress });
      told = reason;
    });
    if (told) this.#setState(before);
  }

  #setState(state: FolderState): void {
    this.#state = state;
    this.#lastReport = this.#edges.now();
    this.#edges.onStatus(this.status());
  }

  /** Like {@link #setState}, but no more often than a person can read. */
  #setProgress(state: FolderState): void {
    if (this.#state.kind === state.kind && this.#edges.now() - this.#lastReport < REPORT_MS) return;
    this.#setState(state);
  }
}

interface BatchOfFiles {
  readonly changed: readonly [string, FileState][];
  readonly gone: readonly string[];
}

/** The first batch is small, so that there is something to find within a second or two. */
function* batches(
  changed: readonly [string, FileState][],
  gone: readonly string[],
  limit: () => number,
): Generator<BatchOfFiles> {
  let from = 0;
  let maxBytes = Math.min(SECOND_BATCH_BYTES, limit());
  do {
    const maxFiles = from === 0 ? FIRST_BATCH_FILES : changed.length;
    let to = from;
    for (let bytes = 0; to < changed.length && to - from < maxFiles && bytes < maxBytes; to++)
      bytes += changed[to]![1].size;
    if (from > 0) maxBytes = Math.min(maxBytes * 2, LARGEST_BATCH_BYTES, limit());
    if (to > from || gone.length > 0) yield { changed: changed.slice(from, to), gone: from === 0 ? gone : [] };
    from = to;
  } while (from < changed.length);
}

function asBinary({ size, mtimeMs, ctimeMs, racy }: FileRecord): FileRecord {
  return { size, mtimeMs, ctimeMs, ...(racy && { racy }), skip: { reason: 'binary' } };
}

/** A new index of a working tree begins as a copy of that of another one. A copy that fails costs reading the files. */
function beginAsSibling({ root, stateFolder, siblings }: FolderOptions, logger: Logger): void {
  if (siblings === undefined) return;
  const folder = indexFolderOf(stateFolder);
  try {
    for (const other of existsSync(folder) ? [] : siblingsOf(siblings, root)) {
      if (!Engine.copy(indexFolderOf(other), folder)) continue;
      logger.info(`The index of ${root} begins as a copy of that in ${other}.`);
      break;
    }
    registerSibling(siblings, root, stateFolder);
  } catch (error) {
    logger.warn(`The index of ${root} could not begin as a copy of another one: ${describeError(error)}`);
  }
}

/** An index that another version wrote is made anew from the files; it holds nothing else. */
function openOrStartAnew(
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
    logger.warn(`${error.message} It is made anew from the files.`);
    Engine.erase(folder);
    return Engine.open(folder, options);
  }
}
