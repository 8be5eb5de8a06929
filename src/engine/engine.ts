import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SextantError, describeError, explainWriteError, throwIfCancelled } from '../base/errors.ts';
import { describeOwner, Lease } from '../base/lease.ts';
import { absolutePath, checkCallOptions, checkList, checkObject } from '../base/given.ts';
import { silentLogger, type Logger } from '../base/log.ts';
import { removeIfFreeSync } from '../base/removal.ts';
import { toUtf8 } from './analyze/text.ts';
import type { DocumentId } from './documentId.ts';
import { checkDocument, type EngineDocument, type EngineStats } from './engineReader.ts';
import { IndexWriter, removableFiles } from './indexWriter.ts';
import { copyIndex } from './index/copy.ts';
import type { Damage } from './index/damage.ts';
import { EMPTY_MANIFEST, manifestFiles, writeManifest } from './index/manifest.ts';
import { SegmentMaker } from './index/segmentMaker.ts';
import type { SegmentThreads } from './index/segmentThreads.ts';
import { Merger } from './merger.ts';
import type { Hit, SearchOptions } from './query/hits.ts';
import { damagedCopy, restoreSmallFiles, verifySegments } from './repair.ts';

export { EngineReader, type EngineDocument, type EngineStats } from './engineReader.ts';

/** Changes to an index, which are made all or not at all. */
export interface Changes {
  /** Taken one after the other, so that all need not be in memory at once. */
  readonly add?: Iterable<EngineDocument> | AsyncIterable<EngineDocument>;
  /** Unknown documents are passed over. */
  readonly remove?: Iterable<DocumentId>;
}

/** The result of {@link Changes}. */
export interface Applied {
  /** Documents that were not in the index before; one that is there already is left as it is. */
  readonly added: number;
  /** Those of the added ones that had been removed not long ago, and were not analysed again. */
  readonly reused: number;
  readonly removed: number;
  /** Documents that are no text, and so cannot be found by it. */
  readonly binary: readonly DocumentId[];
}

/** Helpers of an engine, and the receivers of its reports. */
export interface EngineOptions {
  readonly logger?: Logger;
  /** Help to analyse many documents. Any number of engines may share it; its creator closes it. */
  readonly threads?: SegmentThreads;
  /** Receives damage that is found, and taken out, after the index was opened. */
  readonly onDamage?: (damage: Damage) => void;
}

/** Documents that are analysed before other work gets a turn. */
const DOCUMENTS_PER_TURN = 8;

/** The one writer of an index. */
export class Engine {
  readonly #lease: Lease;
  readonly #logger: Logger;
  readonly #threads: SegmentThreads | undefined;
  readonly #writer: IndexWriter;
  readonly #merger: Merger;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(
    folder: string,
    lease: Lease,
    { logger = silentLogger, threads, onDamage = () => undefined }: EngineOptions,
  ) {
    this.#lease = lease;
    this.#logger = logger;
    this.#threads = threads;
    this.#writer = new IndexWriter(folder, lease, logger);
    this.#merger = new Merger(this.#writer, logger, (work) => this.#exclusive(work));
    try {
      // Also where nothing changed: from now on no manifest of an earlier lease counts.
      this.#writer.publish(this.#writer.entries(), damagedCopy(this.#writer));
    } catch (error) {
      this.#writer.reader.close();
      throw error;
    }
    this.#writer.removeUnused();
    this.#writer.onDamage = onDamage;
    if (this.#writer.reader.damage.length > 0) this.#repairSoon();
  }

  /**
   * Opens the index in `folder` for writing, creating an empty one if there is none. Damaged parts are taken out of it, as a
   * commit, and reported in {@link stats}: documents that {@link has} no longer knows are to be added again.
   * Throws `IndexBusy` while another process writes to it; `IndexFormat` if another version wrote it: then {@link erase}
   * it and add the documents again; `DiskFull` or `ReadOnly` if nothing can be written.
   */
  static open(folder: string, options: EngineOptions = {}): Engine {
    checkObject(options);
    const path = absolutePath(folder, 'folder');
    const lease = Engine.#acquire(path);
    try {
      return new Engine(path, lease, options);
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  /** Empties the index in `folder`, for one that cannot be read or is to be rebuilt. Throws `IndexBusy` or `LeaseLost`. */
  static erase(folder: string): void {
    const lease = Engine.#acquire(folder);
    try {
      // Without a manifest of this lease, one that an earlier owner writes late would count.
      lease.check();
      writeManifest(folder, lease.number, EMPTY_MANIFEST);
      lease.check();
      const own = manifestFiles(lease.number);
      for (const name of removableFiles(folder, lease)) {
        if (!own.includes(name)) removeIfFreeSync(join(folder, name));
      }
    } catch (error) {
      throw explainWriteError(error, folder);
    } finally {
      lease.release();
    }
  }

  /**
   * Copies the newest commit in `from`, which others may go on writing to, to `to`, where there is no index. Its files are
   * linked where the disk can do that, and never written again. Returns whether there was anything to copy.
   * Throws `IndexBusy`, `IndexFormat`, `LeaseLost`, `DiskFull` or `ReadOnly`.
   */
  static copy(from: string, to: string): boolean {
    const source = absolutePath(from, 'from');
    const lease = Engine.#acquire(to);
    try {
      lease.check();
      const isCopied = copyIndex(source, to, lease.number);
      lease.check();
      return isCopied;
    } catch (error) {
      throw explainWriteError(error, to);
    } finally {
      lease.release();
    }
  }

  static #acquire(folder: string): Lease {
    let lease: ReturnType<typeof Lease.acquire>;
    const path = absolutePath(folder, 'folder');
    try {
      lease = Lease.acquire(path);
    } catch (error) {
      throw explainWriteError(error, path);
    }
    if (lease instanceof Lease) return lease;
    throw new SextantError('IndexBusy', `${describeOwner(lease)} is writing to this index.`);
  }

  /** Aborts, with `LeaseLost` as its reason, once it is known that another process took over. Nothing is written from then on. */
  get lost(): AbortSignal {
    return this.#lease.lost;
  }

  /** Throws `LeaseLost` where another process took over. */
  checkLease(): void {
    this.#lease.check();
  }

  /** Whether it has a document. */
  has(id: DocumentId): boolean {
    return this.#writer.slots.has(id);
  }

  /** Its documents. */
  ids(): IterableIterator<DocumentId> {
    return this.#writer.slots.ids();
  }

  /**
   * The documents that answer best, best first. `query` is in the query language; malformed parts of it are left out.
   * Throws `InvalidLimit`, and `IndexClosed` after {@link close}.
   */
  async search(query: string, options?: SearchOptions): Promise<Hit[]> {
    this.#checkOpen();
    const { reader } = this.#writer;
    const hits = await reader.search(query, options);
    if (reader.damage.length > 0) this.#repairSoon();
    return hits;
  }

  /** All damage that was found since the index was opened. */
  get damage(): readonly Damage[] {
    return [...this.#writer.repaired, ...this.#writer.reader.damage];
  }

  /** `damage` is that of {@link damage}. */
  stats(): EngineStats {
    return { ...this.#writer.reader.stats(), damage: this.damage };
  }

  /**
   * Adds and removes documents as one step: each reader of the index sees all of it or nothing, also after a crash.
   * `add` is read one document at a time; its content may be overwritten when the next is requested. Aborting `signal`
   * leaves the index as it was, and so do a thread that dies (`ThreadDied`), an id that is none (`InvalidId`) and a wrong type
   * (`InvalidArgument`). Rejects with `LeaseLost` where another process took over: then it is not known whether the change is
   * in the index.
   */
  apply(changes: Changes, signal?: AbortSignal): Promise<Applied> {
    return this.#exclusive(() => this.#apply(changes, signal));
  }

  /**
   * Reads the whole index from the disk and compares every checksum, a few milliseconds at a time; 26 MB take 10 to
   * 20 ms. Damaged parts are taken out as when the index is opened, and returned.
   */
  async verify(signal?: AbortSignal): Promise<readonly Damage[]> {
    const before = this.#writer.repaired.length;
    await verifySegments(this.#writer, signal);
    await this.#exclusive(() => restoreSmallFiles(this.#writer));
    return this.damage.slice(before);
  }

  /** Waits until no repair or merge is under way or due. */
  async settle(): Promise<void> {
    await this.#queue;
    await this.#merger.settle();
  }

  /** Gives up a merge under way, waits for an `apply`, and frees the folder for another writer. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#merger.close();
    await this.#queue;
    await this.#merger.closed();
    this.#writer.reader.close();
    this.#lease.release();
  }

  #checkOpen(): void {
    if (this.#closed) throw new SextantError('IndexClosed', 'The index is closed.');
  }

  /** Runs `work` after the changes that are under way, and after a repair of known damage. */
  async #exclusive<T>(work: () => T | Promise<T>): Promise<T> {
    this.#checkOpen();
    const result = this.#queue.then(async () => {
      this.#lease.check();
      try {
        this.#writer.catchUp();
        this.#writer.takeOutDamage();
        return await work();
      } catch (error) {
        // An heir removes this writer's unfinished files: a missing file is then how the loss shows.
        this.#lease.check();
        throw error;
      }
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #repairSoon(): void {
    this.#exclusive(() => undefined).catch((error: unknown) => {
      if (this.#closed) return;
      this.#logger.warn(`The damaged index in ${this.#writer.folder} could not be repaired: ${describeError(error)}`);
    });
  }

  async #apply(changes: Changes, signal: AbortSignal | undefined): Promise<Applied> {
    const writer = this.#writer;
    const { slots } = writer;
    checkObject(changes, 'changes');
    checkCallOptions({ signal });
    const { add = [], remove: unwanted = [] } = changes;
    checkList(add, 'add');
    checkList(unwanted, 'remove');
    const remove = new Set(unwanted);
    const added = new Set<DocumentId>();
    const back = new Set<DocumentId>();
    const binary: DocumentId[] = [];
    const reserved: number[] = [];
    const maker = new SegmentMaker(
      {
        reserve: () => reserved[reserved.push(writer.reserve()) - 1]!,
        pathOf: (segment) => writer.pathOf(segment),
      },
      this.#threads,
    );
    this.#merger.postpone();

    try {
      let turn = 0;
      for await (const document of add) {
        throwIfCancelled(signal);
        checkDocument(document);
        const { id, path, content } = document;
        remove.delete(id);
        if (slots.has(id) || added.has(id) || back.has(id)) continue;
        if (writer.canComeBack(slots.removed(id))) {
          back.add(id);
          continue;
        }
        const text = toUtf8(content);
        if (!text) {
          binary.push(id);
          continue;
        }
        added.add(id);
        writer.writing(() => maker.add({ id, path, text }));
        if (++turn % DOCUMENTS_PER_TURN === 0) await setImmediate();
      }
      throwIfCancelled(signal);
      const written = await maker.finish().catch((error: unknown) => {
        throw explainWriteError(error, writer.folder);
      });
      throwIfCancelled(signal);
      const removed = [...remove].filter((id) => slots.has(id));
      // A search may have met damage since.
      const reused = [...back].filter((id) => writer.isReadable(slots.removed(id)));
      if (written.length > 0 || removed.length > 0 || reused.length > 0) {
        writer.publish([...writer.entries(removed, reused), ...written.map((segment) => writer.entryOf(segment))]);
        for (const id of removed) slots.remove(id);
        for (const id of reused) slots.bringBack(id);
        for (const segment of written) writer.enter(segment);
        slots.forgetOldest();
      }
      if (written.length > 1) this.#merger.mergeLater();
      else this.#merger.mergeIfDue();
      // Also where there was nothing to write: an heir may have removed what is there already.
      this.#lease.check();
      return { added: added.size + reused.length, reused: reused.length, removed: removed.length, binary };
    } finally {
      await maker.abandon();
      for (const segment of reserved) writer.release(segment);
      writer.removeUnused();
    }
  }
}
