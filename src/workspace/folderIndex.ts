import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
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
import { IgnoreRules, isRuleFile } from './ignoreRules.ts';
import { observe, scanFolder, type FileState } from './scan.ts';
import type { Skip, SkipReason } from './skip.ts';
import type { FolderState, FolderStatus } from './status.ts';

export interface FolderEdges {
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onStatus: (status: FolderStatus) => void;
  /** Help to index many files. */
  readonly threads?: SegmentThreads;
}

/**
 * Commits are small at first, so that searches find something soon; later ones are larger, since each ends with segments
 * that are written, merged, and a search has to look into. A crash loses some seconds' work.
 */
const FIRST_BATCH_FILES = 500;
const SECOND_BATCH_BYTES = 48 << 20;
const LARGEST_BATCH_BYTES = 256 << 20;
/** Above so many hints at once a walk over the whole folder is cheaper than looking at each. */
const MANY_HINTS = 500;
const FILES_PER_TURN = 16;
/** Progress is worth showing for more files than a person would notice. */
const WORTH_REPORTING = 50;
const REPORT_MS = 200;

/**
 * Keeps the index of one folder equal to its files.
 *
 * What changed is found by comparing sizes and times with the catalog, and decided by content: events of a watcher are
 * only hints where to look. Work is serialized, and each batch is one commit of the engine followed by one of the catalog;
 * a crash between the two costs reading that batch's files again.
 */
export class FolderIndex {
  readonly options: FolderOptions;
  readonly #edges: FolderEdges;
  readonly #engine: Engine;
  readonly #catalog: Catalog;
  readonly #closing = new AbortController();
  #skipped = new Map<string, Skip>();
  #folders = 0;
  #state: FolderState = { kind: 'scanning' };
  #lastReport = 0;
  /** Damage cost documents, and no walk has looked for them yet. */
  #hasLost = false;
  /** Files read again because their documents were lost. */
  #readAgain = 0;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(options: FolderOptions, edges: FolderEdges) {
    this.options = options;
    this.#edges = edges;
    mkdirSync(options.stateFolder, { recursive: true });
    this.#engine = openOrStartAnew(options.stateFolder, edges, (damage) => this.#onDamage(damage));
    this.#catalog = new Catalog(options.stateFolder, options.root);
  }

  /** Throws `IndexBusy` while another process keeps this index. The first {@link reconcile} is the caller's. */
  static open(options: FolderOptions, edges: FolderEdges): FolderIndex {
    return new FolderIndex(options, edges);
  }

  /** Removes the index, so that the next `open` starts from the files. Throws `IndexBusy` while somebody has it open. */
  static erase(stateFolder: string): void {
    Engine.erase(indexFolderOf(stateFolder));
    Catalog.erase(stateFolder);
  }

  /** Number of folders that the last walk entered: a watcher needs one watch for each. */
  get folders(): number {
    return this.#folders;
  }

  status(): FolderStatus {
    const skipped: Partial<Record<SkipReason, number>> = {};
    const count = ({ reason }: Skip): unknown => (skipped[reason] = (skipped[reason] ?? 0) + 1);
    let files = 0;
    for (const skip of this.#skipped.values()) count(skip);
    for (const [, record] of this.#catalog.entries()) {
      if ('skip' in record) count(record.skip);
      else files++;
    }
    const indexBytes = folderBytes(indexFolderOf(this.options.stateFolder));
    const damage = this.#engine.damage.map(describeDamage);
    const repaired = damage.length > 0 && { repaired: { damage, files: this.#readAgain } };
    return { root: this.options.root, state: this.#state, files, skipped, indexBytes, ...repaired };
  }

  /** Every file and folder that is left out, and why. */
  skipped(): Map<string, Skip> {
    const all = new Map(this.#skipped);
    for (const [path, record] of this.#catalog.entries()) if ('skip' in record) all.set(path, record.skip);
    return all;
  }

  /** Makes the index equal to the folder, whatever happened to it. Rejects with `Cancelled` when `signal` aborts. */
  reconcile(signal?: AbortSignal): Promise<void> {
    return this.#exclusive(signal, (both) => this.#reconcileAll(both));
  }

  /** Looks at the given paths, relative to the folder; at the whole folder where that is not enough to be right. */
  hint(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    return this.#exclusive(signal, async (both) => {
      const needsWalk = paths.length > MANY_HINTS || paths.some((path) => isRuleFile(path) || this.#isFolder(path));
      if (needsWalk) await this.#reconcileAll(both);
      else await this.#reconcilePaths(paths, both);
    });
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
    await this.#engine.close();
  }

  #exclusive(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const both = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    const result = this.#queue.then(async () => {
      try {
        throwIfCancelled(both);
        await work(both);
        this.#setState({ kind: 'ready' });
      } catch (error) {
        const code = error instanceof SextantError ? error.code : (systemCode(error) ?? 'Internal');
        if (code !== 'Cancelled') this.#setState({ kind: 'failed', code, message: describeError(error) });
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
    const rules = new IgnoreRules(root, this.options.exclude);
    const scan = await scanFolder(root, rules, this.options, signal);
    this.#skipped = scan.skipped;
    this.#folders = scan.folders;

    const gone = [...this.#catalog.entries()].filter(([path]) => !scan.files.has(path)).map(([path]) => path);
    const changed = [...scan.files].filter(([path, state]) => this.#isChanged(path, state));
    await this.#update(changed, gone, signal);

    // Documents that no file has: a crash came between a commit of the engine and that of the catalog.
    const wanted = new Set<DocumentId>();
    for (const [, record] of this.#catalog.entries()) if ('id' in record) wanted.add(record.id);
    const orphans = [...this.#engine.ids()].filter((id) => !wanted.has(id));
    if (orphans.length > 0) await this.#engine.apply({ remove: orphans });
  }

  async #reconcilePaths(paths: readonly string[], signal: AbortSignal): Promise<void> {
    const { root } = this.options;
    const rules = new IgnoreRules(root, this.options.exclude);
    const changed: [string, FileState][] = [];
    const gone: string[] = [];
    for (const path of new Set(paths)) {
      const observed = rules.checkFromTop(path, false) ?? observe(root, path, this.options);
      this.#skipped.delete(path);
      if (observed === undefined || 'reason' in observed) {
        gone.push(path, ...this.#filesUnder(path));
        if (observed) this.#skipped.set(path, observed);
      } else if (this.#isChanged(path, observed)) changed.push([path, observed]);
    }
    await this.#update(changed, gone, signal);
  }

  #isChanged(path: string, state: FileState): boolean {
    const record = this.#catalog.get(path);
    if (!record || record.racy === true) return true;
    return record.size !== state.size || record.mtimeMs !== state.mtimeMs || this.#isLost(record);
  }

  /** Whether the index has lost what the catalog remembers, by damage or by a restored backup. */
  #isLost(record: FileRecord): boolean {
    return 'id' in record && !this.#engine.has(record.id);
  }

  /** What was lost is read again as soon as nothing else is under way. */
  #onDamage({ documents }: Damage): void {
    if (documents === 0) return;
    this.#hasLost = true;
    const work = this.#exclusive(undefined, async (signal) => {
      if (this.#hasLost) await this.#reconcileAll(signal);
    });
    work.catch((error: unknown) => {
      if (!isCancelled(error)) this.#edges.logger.error(`The index is not repaired yet: ${describeError(error)}`);
    });
  }

  #isFolder(path: string): boolean {
    return statSync(join(this.options.root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  }

  /** What the catalog knows below a path that may have been a folder. */
  #filesUnder(path: string): string[] {
    if (this.#catalog.get(path)) return [];
    return [...this.#catalog.entries()].map(([file]) => file).filter((file) => file.startsWith(`${path}/`));
  }

  /** Reads the files that may have changed and commits what did, a batch at a time. */
  async #update(changed: readonly [string, FileState][], gone: readonly string[], signal: AbortSignal): Promise<void> {
    let done = 0;
    const reader = new FileReader(this.options.root);
    const report = (): void => {
      if (changed.length >= WORTH_REPORTING) this.#setProgress({ kind: 'indexing', done, total: changed.length });
    };
    report();
    for (const batch of batches(changed, gone)) {
      const records: [string, FileRecord][] = [];
      const read = async function* (this: FolderIndex): AsyncGenerator<EngineDocument> {
        for (const [path, state] of batch.changed) {
          const { record, document } = reader.read(path, state, this.#edges.now());
          records.push([path, record]);
          if (document) yield document;
          done++;
          if (done % FILES_PER_TURN !== 0) continue;
          report();
          await setImmediate();
        }
      };
      const lost = batch.changed.map(([path]) => this.#catalog.get(path)).filter((one) => one && this.#isLost(one));
      // What a path was before goes, unless it is added again: the engine keeps a document that is in both.
      const before = [...batch.gone, ...batch.changed.map(([path]) => path)].map((path) => this.#catalog.get(path));
      const remove = before.filter((record) => record !== undefined && 'id' in record).map((record) => record.id);
      const { binary } = await this.#engine.apply({ add: read.call(this), remove }, signal);

      const binaries = new Set(binary);
      for (const path of batch.gone) this.#catalog.delete(path);
      for (const [path, record] of records) {
        this.#catalog.set(path, 'id' in record && binaries.has(record.id) ? asBinary(record) : record);
      }
      this.#catalog.save();
      this.#readAgain += lost.length;
      if (lost.length > 0) this.#edges.logger.info(`${lost.length} files were read again to repair the index.`);
      report();
    }
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
function* batches(changed: readonly [string, FileState][], gone: readonly string[]): Generator<BatchOfFiles> {
  let from = 0;
  let maxBytes = SECOND_BATCH_BYTES;
  do {
    const maxFiles = from === 0 ? FIRST_BATCH_FILES : changed.length;
    let to = from;
    for (let bytes = 0; to < changed.length && to - from < maxFiles && bytes < maxBytes; to++)
      bytes += changed[to]![1].size;
    if (from > 0) maxBytes = Math.min(maxBytes * 2, LARGEST_BATCH_BYTES);
    if (to > from || gone.length > 0) yield { changed: changed.slice(from, to), gone: from === 0 ? gone : [] };
    from = to;
  } while (from < changed.length);
}

function asBinary({ size, mtimeMs, racy }: FileRecord): FileRecord {
  return { size, mtimeMs, ...(racy && { racy }), skip: { reason: 'binary' } };
}

/** An index that another version wrote is made anew from the files; it holds nothing else. */
function openOrStartAnew(
  stateFolder: string,
  { logger, threads }: FolderEdges,
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
