import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { describeError, explainWriteError, SextantError } from '../../base/errors.ts';
import { Lease } from '../../base/lease.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { toUtf8 } from '../../engine/analyze/text.ts';
import { documentId, type DocumentId } from '../../engine/documentId.ts';
import { Engine, type EngineDocument } from '../../engine/engine.ts';
import { DocumentScope, DocumentSet } from '../../engine/query/documentScope.ts';
import type { Place } from '../../engine/query/place.ts';
import type { Scope } from '../../wire/scope.ts';
import { outputLength } from '../../wire/contract.ts';
import { formatRetrieval, type RetrievedPlace } from '../../wire/formatRetrieval.ts';
import type { Missing } from '../../wire/scope.ts';
import { contextErrors } from '../errors.ts';
import { Checkpoints } from './checkpoints.ts';
import type { PackedBlob } from './packFile.ts';
import { Packs } from './packs.ts';

export interface ContentStoreOptions {
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** What nobody used for so many milliseconds may be removed; 30 days where it is missing. */
  readonly keepMs?: number | undefined;
}

export interface Collected {
  readonly blobs: number;
}

const DAY_MS = 86_400_000;
const KEEP_MS = 30 * DAY_MS;
/** As many files as fill the longest answer. */
const FILES = 48;
const NOTHING = new DocumentSet(new Set());

/**
 * Content-addressed files and their index, which any number of contexts share:
 *
 * - `writer.<n>.lock`: the owner's lease
 * - `packs/`: the files as they were uploaded, which are the truth
 * - `checkpoints/`: named sets of them
 * - `index/`: the engine's; made anew from the packs where it is lost
 *
 * A blob is on the disk and searchable when its upload returns. Blobs are removed that no checkpoint has and nobody used for
 * a while, and so are checkpoints that nobody used.
 */
export class ContentStore {
  readonly #lease: Lease;
  readonly #packs: Packs;
  readonly #checkpoints: Checkpoints;
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #keepMs: number;
  readonly #timer: NodeJS.Timeout;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, lease: Lease, options: ContentStoreOptions) {
    this.#lease = lease;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#keepMs = options.keepMs ?? KEEP_MS;
    this.#packs = new Packs(join(folder, 'packs'), this.#clock, this.#logger);
    this.#checkpoints = new Checkpoints(join(folder, 'checkpoints'), this.#clock, this.#logger);
    this.#engine = openEngine(join(folder, 'index'), this.#logger);
    this.#timer = setInterval(() => this.#collectInBackground(), DAY_MS).unref();
  }

  /** Throws `StoreBusy` where another process uses the folder, `StoreNewer`, `DiskFull` and `ReadOnly`. */
  static async open(folder: string, options: ContentStoreOptions = {}): Promise<ContentStore> {
    try {
      const lease = Lease.acquire(folder);
      if (!(lease instanceof Lease)) throw contextErrors.storeBusy(folder, lease);
      let store: ContentStore | undefined;
      try {
        store = new ContentStore(folder, lease, options);
        await store.#reconcile();
        store.#collectInBackground();
        return store;
      } catch (error) {
        await store?.close();
        lease.release();
        throw error;
      }
    } catch (error) {
      throw explainWriteError(error, folder);
    }
  }

  get size(): number {
    return this.#packs.size;
  }

  /** Whoever is told that a blob is here relies on it from now on: it is kept as if it were uploaded now. */
  findMissing(names: readonly string[]): Missing {
    this.#packs.touch(names);
    const unknown: string[] = [];
    const nonindexed: string[] = [];
    for (const name of names) {
      const entry = this.#packs.get(name);
      if (!entry) unknown.push(name);
      else if (entry.isText && !this.#engine.has(name)) nonindexed.push(name);
    }
    return { unknown, nonindexed };
  }

  /**
   * Keeps and indexes blobs. Gives their names in the same order: SHA-256 of path and content, or of more where two blobs
   * have that in common, as nothing stands between the two (wire protocol §2).
   */
  upload(blobs: readonly { readonly path: string; readonly content: string }[]): Promise<string[]> {
    return this.#exclusive(async () => {
      const fresh = new Map<string, PackedBlob>();
      const names = blobs.map(({ path, content: text }) => {
        const content = Buffer.from(text);
        let name = documentId(path, content);
        const known = fresh.get(name) ?? this.#packs.get(name);
        if (known && known.path !== path) name = otherName(path, content);
        if (!fresh.has(name) && !this.#packs.get(name))
          fresh.set(name, { name, path, content, isText: toUtf8(content) !== undefined });
        return name;
      });
      this.#packs.touch(names);
      this.#lease.check();
      this.#packs.add([...fresh.values()]);
      // Also what is here and not in the index, as an upload was cut off between the two.
      await this.#index([...fresh.values(), ...this.#unindexed(names.filter((name) => !fresh.has(name)))]);
      return names;
    });
  }

  /** The id of a set. Throws `CheckpointNotFound`. */
  checkpoint(scope: Scope): Promise<string> {
    return this.#exclusive(() => {
      const names = new Set(this.#namesOf(scope.checkpointId).ids);
      for (const name of scope.added) names.add(name);
      for (const name of scope.deleted) names.delete(name);
      this.#packs.touch(scope.added);
      this.#lease.check();
      return this.#checkpoints.add(names);
    });
  }

  /** What of a set answers a query, as text. Throws `CheckpointNotFound`. */
  async retrieve(query: string, scope: Scope, maxOutputLength?: number | null): Promise<string> {
    const base = this.#namesOf(scope.checkpointId);
    this.#packs.touch(scope.added);
    const within = new DocumentScope(base, new Set(scope.added), new Set(scope.deleted));
    const readText = (_path: string, id: DocumentId): string | undefined => this.#packs.read(id)?.toString();
    const hits = await this.#engine.search(query, { within, limit: FILES, readText });
    const files = hits.flatMap(({ id, path, more, ...place }) => {
      const text = readText(path, id);
      return text === undefined ? [] : [{ path, text, places: [place, ...more].map(toRetrieved) }];
    });
    return formatRetrieval(files, outputLength(maxOutputLength));
  }

  /** Removes what nobody can reach and nobody used for long. */
  collect(): Promise<Collected> {
    return this.#exclusive(async () => {
      const cutoff = this.#clock.now() - this.#keepMs;
      this.#lease.check();
      const reachable = this.#checkpoints.removeUnused(cutoff);
      const gone = this.#packs.compact((name) => reachable.has(name), cutoff);
      await this.#engine.apply({ remove: gone });
      if (gone.length > 0) this.#logger.info(`${gone.length} files that no context uses any more were removed.`);
      return { blobs: gone.length };
    });
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#queue;
    await this.#engine.close();
    this.#lease.release();
  }

  /** Makes the index what the packs are: after a crash between the two, and where one of them was damaged. */
  async #reconcile(): Promise<void> {
    const gone = [...this.#engine.ids()].filter((id) => !this.#packs.get(id));
    if (gone.length > 0) await this.#engine.apply({ remove: gone });
    await this.#index(this.#unindexed([...this.#packs.entries()].map(({ name }) => name)));
  }

  *#unindexed(names: Iterable<string>): Generator<PackedBlob> {
    for (const name of names) {
      const entry = this.#packs.get(name);
      if (!entry?.isText || this.#engine.has(name)) continue;
      const content = this.#packs.read(name);
      if (content) yield { ...entry, content };
    }
  }

  async #index(blobs: Iterable<PackedBlob>): Promise<void> {
    await this.#engine.apply({ add: documentsOf(blobs) });
  }

  #namesOf(checkpoint: string | undefined): DocumentSet {
    if (checkpoint === undefined) return NOTHING;
    const names = this.#checkpoints.get(checkpoint);
    if (!names) throw contextErrors.noCheckpoint(checkpoint);
    return names;
  }

  #collectInBackground(): void {
    this.collect().catch((error: unknown) =>
      this.#logger.warn(`Old files could not be removed: ${describeError(error)}`),
    );
  }

  #exclusive<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    // Whoever asked for it is told how it ended; the next does not care.
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

/** The index holds nothing that the packs have not: one that cannot be read is made anew. */
function openEngine(folder: string, logger: Logger): Engine {
  try {
    return Engine.open(folder, { logger });
  } catch (error) {
    if (!(error instanceof SextantError && error.code === 'IndexFormat')) throw error;
    Engine.erase(folder);
    return Engine.open(folder, { logger });
  }
}

function* documentsOf(blobs: Iterable<PackedBlob>): Generator<EngineDocument> {
  for (const { name, path, content, isText } of blobs) if (isText) yield { id: name, path, content };
}

function otherName(path: string, content: Uint8Array): string {
  return createHash('sha256').update(`sextant\0${path}\0`).update(content).digest('hex');
}

function toRetrieved({ startLine, endLine, symbol }: Place): RetrievedPlace {
  return { startLine, endLine, ...(symbol && { definition: symbol }) };
}
