import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemClock, type Clock } from '../../base/clock.ts';
import { describeError, explainWriteError, isWriteError, SextantError } from '../../base/errors.ts';
import { acquireFence, isHeld, type Fence, type HeldFence } from '../../base/lease.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { refuseLink } from '../../base/ownedFolder.ts';
import { toUtf8 } from '../../engine/analyze/text.ts';
import { documentId, type DocumentId } from '../../engine/documentId.ts';
import { Engine, EngineReader, type EngineDocument } from '../../engine/engine.ts';
import type { SegmentThreads } from '../../engine/index/segmentThreads.ts';
import { DocumentScope, DocumentSet } from '../../engine/query/documentScope.ts';
import type { UploadBlob } from '../../wire/batches.ts';
import type { BlobScope } from '../../wire/scope.ts';
import { outputLength } from '../../wire/contract.ts';
import { formatRetrieval } from '../../wire/formatRetrieval.ts';
import type { Missing } from '../../wire/scope.ts';
import { contextErrors } from '../errors.ts';
import { toRetrievedFile } from '../retrieved.ts';
import { Checkpoints } from './checkpoints.ts';
import type { Collected, ContextStore, FoundText, SetHit, SetSearchOptions, SetSearchOutcome } from './contextStore.ts';
import { checkNotLost, FencedFolder } from './fencedFolder.ts';
import type { PackedBlob } from './packFile.ts';
import { Packs } from './packs.ts';
import { RepositoryLog } from './repositoryLog.ts';

export interface ContentStoreOptions {
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** Milliseconds after which unused blobs and checkpoints may be removed; 30 days by default. */
  readonly keepMs?: number | undefined;
  /** Called with the name of a blob whose content is damaged. */
  readonly onLost?: ((name: string) => void) | undefined;
  /** Threads that analyse large uploads instead of this thread. Closed by their owner. */
  readonly threads?: SegmentThreads | undefined;
}

const DAY_MS = 86_400_000;
const KEEP_MS = 30 * DAY_MS;
/** Number of files that fill the longest answer. */
const FILES = 48;
/** The most deaths of threads in one apply, after which none is started. */
const MAX_DEATHS = 3;
/** Blobs that are hashed before other work of the thread gets a turn. */
const BLOBS_PER_TURN = 50;
const NOTHING = new DocumentSet(new Set());
/** The most unions of sets in memory, of the searches done last. */
const REMEMBERED_UNIONS = 4;

/**
 * Content-addressed files and their index, shared by any number of contexts:
 *
 * - `writer.<n>.lock`: the owner's lease
 * - `packs.<n>.d/`: the uploaded files, the source of truth
 * - `checkpoints.<n>.d/`: sets of files
 * - `repositories.<n>.log`: names of such sets
 * - `index/`: the engine's index; rebuilt from the packs if lost
 *
 * A blob is on the disk and searchable when its upload returns. Unused checkpoints are removed after a while, and so are
 * unused blobs without a checkpoint. On a full or read-only disk stored files can be found and searched; each write checks
 * for room again. A process that lost its lease only throws `LeaseLost`.
 */
export class ContentStore implements ContextStore {
  readonly #folder: string;
  readonly #fence: HeldFence;
  readonly #packs: Packs;
  readonly #checkpoints: Checkpoints;
  /** Opened before the store is handed out. */
  #repositories: RepositoryLog | undefined;
  /** Unions of searched sets, by their ids; the last used at the end. */
  readonly #unions = new Map<string, DocumentSet>();
  readonly #threads: SegmentThreads | undefined;
  /** Reads the index until it can be written to. */
  #reader: EngineReader | undefined;
  /** Documents of the reader, which do not change. */
  #readerIds: ReadonlySet<string> | undefined;
  #engine: Engine | undefined;
  #isReconciled = false;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #keepMs: number;
  readonly #timer: NodeJS.Timeout;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, fence: HeldFence, options: ContentStoreOptions) {
    this.#folder = folder;
    this.#fence = fence;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#keepMs = options.keepMs ?? KEEP_MS;
    this.#threads = options.threads;
    const onLost = options.onLost ?? (() => undefined);
    this.#packs = new Packs(new FencedFolder(fence, folder, 'packs'), this.#clock, this.#logger, onLost);
    this.#checkpoints = new Checkpoints(new FencedFolder(fence, folder, 'checkpoints'), this.#clock, this.#logger);
    this.#timer = setInterval(() => this.#collectInBackground(), DAY_MS).unref();
  }

  /** Opens a store. Throws `StoreBusy` if another process uses the folder, and `StoreNewer`. */
  static async open(folder: string, options: ContentStoreOptions = {}): Promise<ContentStore> {
    const fence = acquireFence(folder);
    if (!isHeld(fence)) throw contextErrors.storeBusy(folder, fence);
    let store: ContentStore | undefined;
    try {
      store = new ContentStore(folder, fence, options);
      store.#repositories = await RepositoryLog.open(fence, folder, store.#logger);
      await store.#begin();
      return store;
    } catch (error) {
      await store?.close();
      fence.release();
      throw explainWriteError(error, folder);
    }
  }

  get repositories(): RepositoryLog {
    return this.#repositories!;
  }

  /** The lease of the folder, for other files of its owner. */
  get fence(): Fence {
    return this.#fence;
  }

  get size(): number {
    return this.#packs.size;
  }

  /** Finds missing and unindexed blobs. Counts as a use, since a client then relies on the blobs found. */
  findMissing(names: readonly string[]): Missing {
    checkNotLost(this.#fence);
    this.#packs.touch(names);
    const unknown: string[] = [];
    const nonindexed: string[] = [];
    for (const name of names) {
      const entry = this.#packs.get(name);
      if (!entry) unknown.push(name);
      else if (entry.isText && !this.#isIndexed(name)) nonindexed.push(name);
    }
    checkNotLost(this.#fence);
    return { unknown, nonindexed };
  }

  /**
   * Stores and indexes blobs. Returns their names in the same order: SHA-256 of path and content, or of more if two blobs
   * collide, since no separator stands between path and content (wire protocol §2).
   */
  upload(blobs: readonly Pick<UploadBlob, 'path' | 'content'>[]): Promise<string[]> {
    return this.#writing(async (engine) => {
      const fresh = new Map<string, PackedBlob>();
      const names: string[] = [];
      for (const { path, content: text } of blobs) {
        const content = Buffer.from(text);
        let name = documentId(path, content);
        const known = fresh.get(name) ?? this.#packs.get(name);
        if (known && known.path !== path) name = otherName(path, content);
        if (!fresh.has(name) && !this.#packs.get(name))
          fresh.set(name, { name, path, content, isText: toUtf8(content) !== undefined });
        if (names.push(name) % BLOBS_PER_TURN === 0) await setImmediate();
      }
      this.#packs.touch(names);
      await this.#packs.add([...fresh.values()]);
      // Also indexes stored blobs of an upload that was interrupted before the index.
      await this.#index(engine, () => [
        ...fresh.values(),
        ...this.#unindexed(
          engine,
          names.filter((name) => !fresh.has(name)),
        ),
      ]);
      return names;
    });
  }

  /** The id of a set. Throws `CheckpointNotFound`. */
  checkpoint(scope: BlobScope): Promise<string> {
    return this.#writing(() => {
      const names = new Set(this.#namesOf(scope.checkpointId).ids);
      for (const name of scope.added) names.add(name);
      for (const name of scope.deleted) names.delete(name);
      this.#packs.touch(scope.added);
      return this.#checkpoints.add(names);
    });
  }

  /** What of a set answers a query, as text. Throws `CheckpointNotFound`. */
  async retrieve(
    query: string,
    scope: BlobScope,
    maxOutputLength?: number | null,
    signal?: AbortSignal,
  ): Promise<string> {
    const base = this.#namesOf(scope.checkpointId);
    this.#packs.touch(scope.added);
    const within = new DocumentScope(base, new Set(scope.added), new Set(scope.deleted));
    const hits = await this.#search(query, within, { limit: FILES, signal });
    return formatRetrieval(hits.map(toRetrievedFile), outputLength(maxOutputLength));
  }

  async searchSets(
    query: string,
    checkpoints: readonly string[],
    options: SetSearchOptions,
  ): Promise<SetSearchOutcome> {
    const sets = checkpoints.map((id) => this.#checkpoints.get(id));
    const missing = [...sets.keys()].filter((i) => !sets[i]);
    const within = new DocumentScope(this.#unionOf(checkpoints, sets), new Set(), new Set());
    const hits = await this.#search(query, within, options);
    const setsOf = (id: DocumentId): number[] => [...sets.keys()].filter((i) => sets[i]?.ids.has(id));
    return { hits: hits.map((hit) => ({ ...hit, sets: setsOf(hit.id) })), missing };
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async fileOf(checkpoint: string, name: string): Promise<FoundText | undefined> {
    const entry = this.#namesOf(checkpoint).ids.has(name) ? this.#packs.get(name) : undefined;
    const text = entry && this.#packs.read(name)?.toString();
    checkNotLost(this.#fence);
    return entry && text !== undefined ? { path: entry.path, text } : undefined;
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async sizeOf(checkpoint: string): Promise<number> {
    return this.#namesOf(checkpoint).ids.size;
  }

  /** Removes unreachable blobs and checkpoints that no client used for long. */
  collect(): Promise<Collected> {
    return this.#writing(async (engine) => {
      const cutoff = this.#clock.now() - this.#keepMs;
      const reachable = this.#checkpoints.removeUnused(cutoff, this.repositories.checkpoints);
      const gone = await this.#packs.compact((name) => reachable.has(name), cutoff);
      await engine.apply({ remove: gone });
      if (gone.length > 0) this.#logger.info(`${gone.length} unused files were removed.`);
      return { blobs: gone.length };
    });
  }

  /** Waits for work under way, and closes the store. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#queue;
    await this.#engine?.close();
    this.#reader?.close();
    await this.#repositories?.close();
    this.#fence.release();
  }

  async #begin(): Promise<void> {
    try {
      await this.#becomeWriter();
      this.#collectInBackground();
    } catch (error) {
      const why = explainWriteError(error, this.#folder);
      if (!isWriteError(why)) throw error;
      this.#logger.warn(`${describeError(why)} Until then, stored files can be searched and none can be added.`);
      if (!this.#engine) this.#reader = new EngineReader(join(this.#folder, 'index'));
    }
  }

  /** Prepares all parts for writing. Throws `LeaseLost`, `DiskFull`, `ReadOnly`. */
  async #becomeWriter(): Promise<Engine> {
    this.#packs.adopt();
    this.#checkpoints.adopt();
    if (!this.#engine) refuseLink(join(this.#folder, 'index'));
    this.#engine ??= this.#openEngine();
    this.#reader?.close();
    this.#reader = undefined;
    if (!this.#isReconciled) await this.#reconcile(this.#engine);
    this.#isReconciled = true;
    return this.#engine;
  }

  /** Opens the index. An unreadable one is rebuilt, and damage is repaired, from the packs, which hold all files. */
  #openEngine(): Engine {
    const folder = join(this.#folder, 'index');
    const onDamage = (): void => {
      this.#writing((engine) => this.#reconcile(engine)).catch((error: unknown) =>
        this.#logger.warn(`The damaged index was not repaired: ${describeError(error)}`),
      );
    };
    const options = { logger: this.#logger, onDamage, ...(this.#threads && { threads: this.#threads }) };
    try {
      return Engine.open(folder, options);
    } catch (error) {
      if (!(error instanceof SextantError && error.code === 'IndexFormat')) throw error;
      Engine.erase(folder);
      return Engine.open(folder, options);
    }
  }

  /** Reconciles the index with the packs, after a crash between their writes or damage to one. */
  async #reconcile(engine: Engine): Promise<void> {
    const lost = [...engine.ids()].filter((id) => !this.#packs.get(id));
    if (lost.length > 0) await engine.apply({ remove: lost });
    const names = [...this.#packs.entries()].map(({ name }) => name);
    await this.#index(engine, () => this.#unindexed(engine, names));
  }

  *#unindexed(engine: Engine, names: Iterable<string>): Generator<PackedBlob> {
    for (const name of names) {
      const entry = this.#packs.get(name);
      if (!entry?.isText || engine.has(name)) continue;
      const content = this.#packs.read(name);
      if (content) yield { ...entry, content };
    }
  }

  /** Indexes blobs. After {@link MAX_DEATHS} deaths of threads this thread does the work. */
  async #index(engine: Engine, blobs: () => Iterable<PackedBlob>): Promise<void> {
    for (let deaths = 0; ; deaths++) {
      try {
        await engine.apply({ add: documentsOf(blobs()) });
        return;
      } catch (error) {
        const isThread = error instanceof SextantError && error.code === 'ThreadDied';
        if (!isThread || deaths >= MAX_DEATHS) throw error;
        this.#logger.warn(describeError(error));
      }
    }
  }

  get #searchable(): Engine | EngineReader {
    return this.#engine ?? this.#reader!;
  }

  #isIndexed(name: string): boolean {
    return this.#engine ? this.#engine.has(name) : this.#idsInReader.has(name);
  }

  get #idsInReader(): ReadonlySet<string> {
    return (this.#readerIds ??= idsOf(this.#reader!));
  }

  #namesOf(checkpoint: string | undefined): DocumentSet {
    if (checkpoint === undefined) return NOTHING;
    const names = this.#checkpoints.get(checkpoint);
    if (!names) throw contextErrors.noCheckpoint(checkpoint);
    return names;
  }

  async #search(
    query: string,
    within: DocumentScope,
    { limit, signal }: SetSearchOptions,
  ): Promise<Omit<SetHit, 'sets'>[]> {
    const readText = (_path: string, id: DocumentId): string | undefined => this.#packs.read(id)?.toString();
    const hits = await this.#searchable.search(query, { within, limit, readText, ...(signal && { signal }) });
    const found = hits.flatMap((hit) => {
      const text = readText(hit.path, hit.id);
      return text === undefined ? [] : [{ ...hit, text }];
    });
    checkNotLost(this.#fence);
    return found;
  }

  #unionOf(checkpoints: readonly string[], sets: readonly (DocumentSet | undefined)[]): DocumentSet {
    if (sets.length === 1 && sets[0]) return sets[0];
    const key = [...sets.keys()]
      .filter((i) => sets[i])
      .map((i) => checkpoints[i])
      .join();
    const union = this.#unions.get(key) ?? new DocumentSet(new Set(sets.flatMap((set) => [...(set?.ids ?? [])])));
    this.#unions.delete(key);
    this.#unions.set(key, union);
    for (const oldest of this.#unions.keys()) {
      if (this.#unions.size <= REMEMBERED_UNIONS) break;
      this.#unions.delete(oldest);
    }
    return union;
  }

  #collectInBackground(): void {
    this.collect().catch((error: unknown) =>
      this.#logger.warn(`Old files could not be removed: ${describeError(error)}`),
    );
  }

  /** Runs one write after the other, each acknowledged only if the lease is still held. */
  #writing<T>(work: (engine: Engine) => T | Promise<T>): Promise<T> {
    const turn = this.#queue.then(async () => {
      this.#fence.check();
      const result = await work(await this.#becomeWriter());
      this.#fence.check();
      return result;
    });
    // The caller handles the error, and the next write runs.
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

function idsOf({ segments }: EngineReader): Set<string> {
  const ids = new Set<string>();
  for (const segment of segments)
    for (let document = 0; document < segment.reader.documents; document++)
      if (!segment.isDeleted(document)) ids.add(segment.reader.documentIdOf(document));
  return ids;
}

function* documentsOf(blobs: Iterable<PackedBlob>): Generator<EngineDocument> {
  for (const { name, path, content, isText } of blobs) if (isText) yield { id: name, path, content };
}

/** The name of a blob whose simple name another path has: no separator stands between path and content (wire protocol §2). */
export function otherName(path: string, content: Uint8Array): string {
  return createHash('sha256').update(`sextant\0${path}\0`).update(content).digest('hex');
}
