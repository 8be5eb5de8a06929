import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { groupBy } from '../base/collections.ts';
import { describeOwner, Lease } from '../base/lease.ts';
import { silentLogger, type Logger } from '../base/log.ts';
import { syncFolderSync } from '../base/atomicFile.ts';
import {
  SextantError,
  cancelled,
  describeError,
  explainWriteError,
  isCancelled,
  throwIfCancelled,
} from '../base/errors.ts';
import { toUtf8 } from './analyze/text.ts';
import { splitIdentifier } from './analyze/words.ts';
import type { DocumentId } from './documentId.ts';
import { describeSegment } from './index/blockFile.ts';
import { describeDamage, isDamage, reasonOf, type Damage } from './index/damage.ts';
import {
  EMPTY_MANIFEST,
  deletionsFile,
  fileNumber,
  filesOf,
  isIndexFile,
  isSameCommit,
  leaseOf,
  manifestFiles,
  readManifest,
  segmentFile,
  verifyManifest,
  writeManifest,
  type FileEntry,
  type Manifest,
  type SegmentEntry,
} from './index/manifest.ts';
import { copyIndex } from './index/copy.ts';
import { mergeSegments } from './index/merge.ts';
import { Overlay } from './index/overlay.ts';
import { SegmentMaker, type SegmentFiles } from './index/segmentMaker.ts';
import type { SegmentThreads } from './index/segmentThreads.ts';
import { SegmentWriter } from './index/segmentWriter.ts';
import type { Snapshot } from './index/snapshot.ts';
import {
  Segment,
  clearBit,
  closeUnused,
  countBits,
  damageOf,
  isolateDamaged,
  noDeletions,
  openSnapshot,
  readDeletions,
  restoredOf,
  setBit,
  writeDeletions,
} from './index/snapshot.ts';
import { chooseMerge } from './index/mergePolicy.ts';
import { references, searchSegments, type Hit, type SearchOptions } from './query/search.ts';

/** A document to be added. `content` is its bytes in any encoding that {@link toUtf8} reads. */
export interface EngineDocument {
  readonly id: DocumentId;
  readonly path: string;
  readonly content: Uint8Array;
}

/** What is to be done to an index, all of it or nothing. */
export interface Changes {
  /** Taken one after the other, so that all need not be in memory at once. */
  readonly add?: Iterable<EngineDocument> | AsyncIterable<EngineDocument>;
  /** Those that are not there are passed over. */
  readonly remove?: Iterable<DocumentId>;
}

/** What came of {@link Changes}. */
export interface Applied {
  /** Documents that were not in the index before; one that is there already is left as it is. */
  readonly added: number;
  /** Of these, the ones that had been removed not long ago, and were not analysed again. */
  readonly reused: number;
  readonly removed: number;
  /** Documents that are no text, and so cannot be found by it. */
  readonly binary: readonly DocumentId[];
}

/** What is in an index. */
export interface EngineStats {
  readonly documents: number;
  readonly chunks: number;
  /** UTF-8 bytes of the documents' text. */
  readonly contentBytes: number;
  /** How many documents are in each language, and how many of the `contentBytes`. */
  readonly languages: Readonly<Record<string, number>>;
  readonly languageBytes: Readonly<Record<string, number>>;
  /** Files of the index. */
  readonly segments: number;
  /** Counts its commits. */
  readonly generation: number;
  /**
   * What was found damaged. No search shows a document that is lost by it; the writer of the index has taken it out, so
   * that it can be added again. Where no documents are lost, all was restored.
   */
  readonly damage: readonly Damage[];
}

/** Of so many names of a segment the shortest are given. */
const NAMES_PER_SEGMENT = 500;

/**
 * Reads an index that this or another process writes. It sees one commit, until {@link refresh} takes it to the newest.
 * Damaged parts that cannot be restored are left out from when they are first met: fewer results, never wrong ones;
 * {@link stats} tells of all.
 */
export class EngineReader {
  readonly #folder: string;
  #snapshot: Snapshot;
  /** Of the manifest; that of the segments is the snapshot's. */
  #manifestDamage: readonly Damage[];
  #overlay: Overlay | undefined;

  /** Throws `IndexFormat` where another version wrote it. A folder without an index is an empty one. */
  constructor(folder: string) {
    this.#folder = folder;
    [this.#snapshot, this.#manifestDamage] = openNewest(folder);
  }

  /** @internal */
  get segments(): readonly Segment[] {
    return this.#snapshot.segments;
  }

  /** @internal */
  get manifest(): Manifest {
    return this.#snapshot.manifest;
  }

  /** What of this commit was found damaged, and is left out or restored. */
  get damage(): readonly Damage[] {
    return [...this.unreadable, ...restoredOf(this.segments)];
  }

  /** Of {@link damage} what is not restored. @internal */
  get unreadable(): readonly Damage[] {
    return [...this.#manifestDamage, ...damageOf(this.#snapshot)];
  }

  /** Takes up what was committed since. Tells whether there was anything. */
  refresh(): boolean {
    const { manifest, damage, lost } = readManifest(this.#folder);
    // What is open is good, whatever became of the manifest since.
    if (lost || isSameCommit(manifest, this.manifest)) {
      this.#manifestDamage = damage;
      return false;
    }
    const old = this.#snapshot;
    [this.#snapshot, this.#manifestDamage] = openNewest(this.#folder, old);
    closeUnused(old.segments, this.segments);
    return true;
  }

  /** Never blocks on a writer. Runs to its end at once; `async` so that it can move to a thread. */
  // eslint-disable-next-line @typescript-eslint/require-await
  async search(query: string, options?: SearchOptions): Promise<Hit[]> {
    for (;;) {
      const { restored } = this;
      try {
        return searchSegments(this.#overlay?.over(this.segments) ?? this.segments, query, options);
      } catch (error) {
        if (!isDamage(error) || (!this.isolateDamaged() && this.restored === restored)) throw error;
      }
    }
  }

  /** How many blocks of its segments were restored. @internal */
  get restored(): number {
    return this.segments.reduce((total, { reader }) => total + reader.restored, 0);
  }

  /**
   * From now on these are searched in place of the documents of the same paths, where the index has any. They are kept in
   * memory only, and until this is called again. What is no text is as empty.
   */
  setOverlay(documents: readonly EngineDocument[]): void {
    this.#overlay?.close();
    const texts = documents.map(({ id, path, content }) => ({ id, path, text: toUtf8(content) ?? new Uint8Array() }));
    this.#overlay = texts.length === 0 ? undefined : new Overlay(texts);
  }

  /** Leaves out what the segments' readers found damaged. Tells whether that was anything new. @internal */
  isolateDamaged(): boolean {
    const old = this.#snapshot;
    this.#snapshot = isolateDamaged(old);
    return this.#snapshot !== old;
  }

  /** The document with a path, if this commit has one. */
  find(path: string): DocumentId | undefined {
    for (const segment of this.segments) {
      const { reader } = segment;
      for (let document = 0; document < reader.documents; document++) {
        if (reader.pathOf(document) === path && !segment.isDeleted(document)) {
          return reader.documentIdOf(document);
        }
      }
    }
    return undefined;
  }

  /** The path and id of each document, in no order. */
  *documents(): Generator<[path: string, id: DocumentId]> {
    for (const segment of this.segments) {
      const { reader } = segment;
      for (let document = 0; document < reader.documents; document++) {
        if (!segment.isDeleted(document)) yield [reader.pathOf(document), reader.documentIdOf(document)];
      }
    }
  }

  /** The paths of all documents, in no order. */
  *paths(): Generator<string> {
    for (const [path] of this.documents()) yield path;
  }

  /** At most `limit` defined names that begin with `prefix`, ignoring case and separators, shortest first. */
  names(prefix: string, limit: number): string[] {
    const names = this.segments.flatMap(({ reader }) => reader.namesWithPrefix(prefix, NAMES_PER_SEGMENT));
    return [...new Set(names)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, limit);
  }

  /** In how many documents a name or word stands, about: removed ones count until they are merged away. */
  documentsWith(name: string): number {
    return references(this.segments, splitIdentifier(name).join(''));
  }

  /** What is in it. Looks at each document. */
  stats(): EngineStats {
    const languages: Record<string, number> = {};
    const languageBytes: Record<string, number> = {};
    let documents = 0;
    let chunks = 0;
    let contentBytes = 0;
    for (const segment of this.segments) {
      const { reader } = segment;
      chunks += reader.footer.chunks;
      for (let document = 0; document < reader.documents; document++) {
        if (segment.isDeleted(document)) continue;
        documents++;
        const bytes = reader.contentBytesOf(document);
        contentBytes += bytes;
        const language = reader.languageOf(document);
        languages[language] = (languages[language] ?? 0) + 1;
        languageBytes[language] = (languageBytes[language] ?? 0) + bytes;
      }
    }
    const { generation } = this.manifest;
    const segments = this.segments.length;
    return { documents, chunks, contentBytes, languages, languageBytes, segments, generation, damage: this.damage };
  }

  /** Frees its files; a search after that finds nothing. */
  close(): void {
    this.setOverlay([]);
    closeUnused(this.segments, []);
    this.#snapshot = { ...this.#snapshot, segments: [] };
  }
}

/** The newest commit. A writer may remove old files between the reading of the manifest and the opening of its segments. */
function openNewest(folder: string, known?: Snapshot): [Snapshot, readonly Damage[]] {
  for (;;) {
    const { manifest, damage } = readManifest(folder);
    const snapshot = openSnapshot(folder, manifest, known);
    if (snapshot.isolated.length === 0 || isSameCommit(readManifest(folder).manifest, manifest)) {
      return [snapshot, damage];
    }
    closeUnused(snapshot.segments, known?.segments ?? []);
  }
}

/** Who helps an engine, and who is told what it does. */
export interface EngineOptions {
  readonly logger?: Logger;
  /** Help to analyse many documents. Any number of engines may share it; whoever made it closes it. */
  readonly threads?: SegmentThreads;
  /** Is told what is found damaged, and taken out or restored, after the index was opened. */
  readonly onDamage?: (damage: Damage) => void;
}

/** How many documents are analysed before other work gets a turn. */
const DOCUMENTS_PER_TURN = 8;

/** After a large apply merges wait so long for another one; but not with so many segments that searches get slow. */
const QUIET_MS = 1_000;
const MANY_SEGMENTS = 40;

/** After a segment could not be written anew, on a full disk for instance. */
const HEAL_AGAIN_MS = 60_000;

/** Of removed documents as many are kept as there are others, and so many in any case; more are of no use. */
const KEPT_REMOVED = 1_000;
const MOST_REMOVED = 50_000;

/** The one writer of an index. */
export class Engine {
  readonly #folder: string;
  readonly #lease: Lease;
  readonly #logger: Logger;
  readonly #threads: SegmentThreads | undefined;
  readonly #reader: EngineReader;
  /** Where each document is: the number of its segment and its own in it. */
  readonly #places = new Map<DocumentId, DocumentSlot>();
  /**
   * Documents that were removed and are still in their segments, the latest last. A switch to another branch and back
   * removes and adds the same ones; merges take them along as long as they are here.
   */
  readonly #removed = new Map<DocumentId, DocumentSlot>();
  /** Files that are being written and belong to no commit yet. */
  readonly #unfinished = new Set<string>();
  #onDamage: (damage: Damage) => void = () => undefined;
  readonly #damage: Damage[] = [];
  /** A commit failed, and it is not known yet which one the disk has. */
  #isBehind = false;
  /** Not before this time is it tried again to write restored segments anew. */
  #healAfter = 0;
  /** Counts the files written under this lease. */
  #files = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #merging: Promise<void> | undefined;
  #mergeTimer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(
    folder: string,
    lease: Lease,
    { logger = silentLogger, threads, onDamage = () => undefined }: EngineOptions,
  ) {
    this.#folder = folder;
    this.#lease = lease;
    this.#logger = logger;
    this.#threads = threads;
    this.#reader = new EngineReader(folder);
    this.#enterAll();
    try {
      // Also where nothing changed: from now on no manifest of an earlier lease counts.
      this.#publish(this.#withDeletions([]), this.#damagedCopy());
    } catch (error) {
      this.#reader.close();
      throw error;
    }
    this.#removeUnused();
    this.#onDamage = onDamage;
    if (this.#reader.damage.length > 0) this.#repairSoon();
  }

  /**
   * Opens the index in `folder` for writing, making an empty one if there is none. What is damaged and cannot be restored is
   * taken out of it, as a commit, and told in {@link stats}: documents that {@link has} no longer knows are to be added again.
   * Throws `IndexBusy` while another process writes to it; `IndexFormat` if another version wrote it: then {@link erase}
   * it and add the documents again; `DiskFull` or `ReadOnly` if nothing can be written.
   */
  static open(folder: string, options: EngineOptions = {}): Engine {
    const lease = Engine.#acquire(folder);
    try {
      return new Engine(folder, lease, options);
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
      for (const name of removable(folder, lease)) if (!own.includes(name)) rmSync(join(folder, name), { force: true });
    } catch (error) {
      throw explainWriteError(error, folder);
    } finally {
      lease.release();
    }
  }

  /**
   * Makes the index in `to`, where there is none, a copy of the newest commit in `from`, which others may go on writing to.
   * Its files are linked where the disk can do that, and never written again. Tells whether it did: there may be nothing to
   * copy. Throws `IndexBusy`, `IndexFormat`, `LeaseLost`, `DiskFull` or `ReadOnly`.
   */
  static copy(from: string, to: string): boolean {
    const lease = Engine.#acquire(to);
    try {
      lease.check();
      const isCopied = copyIndex(from, to, lease.number);
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
    try {
      lease = Lease.acquire(folder);
    } catch (error) {
      throw explainWriteError(error, folder);
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
    return this.#places.has(id);
  }

  /** The documents that it has. */
  ids(): IterableIterator<DocumentId> {
    return this.#places.keys();
  }

  /**
   * The documents that answer best, best first. A text in the query language; what is malformed of it is left out.
   * Throws `InvalidLimit`, and `IndexClosed` after {@link close}.
   */
  async search(query: string, options?: SearchOptions): Promise<Hit[]> {
    this.#checkOpen();
    const hits = await this.#reader.search(query, options);
    if (this.#reader.damage.length > 0) this.#repairSoon();
    return hits;
  }

  /** All that was found damaged since the index was opened, and taken out of it or restored. */
  get damage(): readonly Damage[] {
    return [...this.#damage, ...this.#reader.damage];
  }

  /** `damage` is that of {@link damage}. */
  stats(): EngineStats {
    return { ...this.#reader.stats(), damage: this.damage };
  }

  /**
   * Adds and removes documents as one step: whoever reads the index sees all of it or nothing, also after a crash.
   * `add` is read one document at a time; its content may be overwritten when the next is asked for. Aborting `signal`
   * leaves the index as it was, and so does a thread that dies (`ThreadDied`). Rejects with `LeaseLost` where another process
   * took over: it is then not known to be in the index.
   */
  apply(changes: Changes, signal?: AbortSignal): Promise<Applied> {
    return this.#exclusive(() => this.#apply(changes, signal));
  }

  /**
   * Reads the whole index from the disk and compares every checksum, a few milliseconds at a time; 26 MB take 10 to
   * 20 ms. What is damaged is restored or taken out as when the index is opened, and returned.
   */
  async verify(signal?: AbortSignal): Promise<readonly Damage[]> {
    const before = this.#damage.length;
    for (const { reader } of this.#reader.segments) {
      for (const _ of reader.verify()) {
        await setImmediate();
        throwIfCancelled(signal);
        // Merged away or closed meanwhile.
        if (!this.#reader.segments.some((segment) => segment.reader === reader)) break;
      }
    }
    this.#reader.isolateDamaged();
    await this.#exclusive(() => this.#verifySmallFiles());
    return this.damage.slice(before);
  }

  /** Waits until no repair or merge is under way or due. */
  async settle(): Promise<void> {
    await this.#queue;
    this.#mergeIfDue();
    while (this.#merging) await this.#merging;
  }

  /** Gives up a merge under way, waits for an `apply`, and frees the folder for another writer. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#mergeTimer);
    await this.#queue;
    await this.#merging;
    this.#reader.close();
    this.#lease.release();
  }

  #checkOpen(): void {
    if (this.#closed) throw new SextantError('IndexClosed', 'The index is closed.');
  }

  #exclusive<T>(work: () => T | Promise<T>, { heal = true } = {}): Promise<T> {
    const result = this.#queue.then(async () => {
      this.#checkOpen();
      this.#lease.check();
      try {
        if (this.#isBehind) this.#catchUp();
        this.#takeOut();
        if (heal) {
          await this.#heal();
          // What a segment that is written anew has lost shows when it is opened.
          this.#takeOut();
        }
        return await work();
      } catch (error) {
        // An heir removes what this writer has not finished: a missing file is then how the loss shows.
        this.#lease.check();
        throw error;
      }
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #apply(changes: Changes, signal: AbortSignal | undefined): Promise<Applied> {
    const remove = new Set(changes.remove);
    const added = new Set<DocumentId>();
    const back = new Set<DocumentId>();
    const binary: DocumentId[] = [];
    const reserved: number[] = [];
    const files: SegmentFiles = {
      reserve: () => reserved[reserved.push(this.#newFile()) - 1]!,
      pathOf: (segment) => join(this.#folder, segmentFile(segment)),
    };
    const maker = new SegmentMaker(files, this.#threads);
    clearTimeout(this.#mergeTimer);

    try {
      let turn = 0;
      for await (const { id, path, content } of changes.add ?? []) {
        throwIfCancelled(signal);
        remove.delete(id);
        if (this.#places.has(id) || added.has(id) || back.has(id)) continue;
        if (this.#canComeBack(this.#removed.get(id))) {
          back.add(id);
          continue;
        }
        const text = toUtf8(content);
        if (!text) {
          binary.push(id);
          continue;
        }
        added.add(id);
        this.#writing(() => maker.add({ id, path, text }));
        if (++turn % DOCUMENTS_PER_TURN === 0) await setImmediate();
      }
      throwIfCancelled(signal);
      const written = await maker.finish().catch((error: unknown) => {
        throw explainWriteError(error, this.#folder);
      });
      throwIfCancelled(signal);
      const gone = [...remove].filter((id) => this.#places.has(id));
      const reused = [...back].filter((id) => this.#isThere(this.#removed.get(id)));
      if (written.length > 0 || gone.length > 0 || reused.length > 0) {
        this.#publish([...this.#withDeletions(gone, reused), ...written.map((segment) => this.#entryOf(segment))]);
        for (const id of gone) move(id, this.#places, this.#removed);
        for (const id of reused) move(id, this.#removed, this.#places);
        for (const segment of written) this.#enterNew(segment);
        this.#forgetOldest();
      }
      if (written.length > 1) this.#mergeLater();
      else this.#mergeIfDue();
      // Also where there was nothing to write: an heir may have removed what is there already.
      this.#lease.check();
      return { added: added.size + reused.length, reused: reused.length, removed: gone.length, binary };
    } finally {
      await maker.abandon();
      for (const segment of reserved) this.#unfinished.delete(segmentFile(segment));
      this.#removeUnused();
    }
  }

  #newFile(): number {
    const number = this.#nextNumber();
    this.#unfinished.add(segmentFile(number));
    return number;
  }

  #nextNumber(): number {
    this.#lease.check();
    return fileNumber(this.#lease.number, ++this.#files);
  }

  #writing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainWriteError(error, this.#folder);
    }
  }

  /** What the manifest says of a segment that has been written. */
  #entryOf(segment: number): SegmentEntry {
    return { segment, ...describeSegment(join(this.#folder, segmentFile(segment))) };
  }

  /** The commit's segments, with the documents `gone` marked in files of their own, and those that are `back` not. */
  #withDeletions(gone: readonly DocumentId[], back: readonly DocumentId[] = []): SegmentEntry[] {
    const goneBySegment = groupBy(
      gone.map((id) => this.#places.get(id)!),
      ({ segment }) => segment,
    );
    const backBySegment = groupBy(
      back.map((id) => this.#removed.get(id)!),
      ({ segment }) => segment,
    );
    return this.#reader.segments.map((segment) => {
      const number = segment.entry.segment;
      return this.#markDeleted(segment, goneBySegment.get(number) ?? [], backBySegment.get(number) ?? []);
    });
  }

  #markDeleted(segment: Segment, gone: readonly DocumentSlot[], back: readonly DocumentSlot[]): SegmentEntry {
    if (gone.length + back.length + segment.lost === 0) return segment.entry;
    const bits = segment.deleted?.slice() ?? noDeletions(segment.reader.documents);
    for (const { document } of gone) setBit(bits, document);
    for (const { document } of back) clearBit(bits, document);
    return this.#withBits(segment.entry, segment.reader.documents, bits);
  }

  /** Whether a document can be read, removed or not. */
  #isThere(place: DocumentSlot | undefined): boolean {
    const segment = place && this.#segment(place.segment);
    return segment !== undefined && !segment.reader.lostDocuments().includes(place!.document);
  }

  /** Whether a removed document can be taken back: nobody may have met the damage in what is known of it. */
  #canComeBack(place: DocumentSlot | undefined): boolean {
    if (!this.#isThere(place)) return false;
    try {
      this.#segment(place!.segment)!.reader.detailsOf(place!.document);
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      return false;
    }
  }

  #forgetOldest(): void {
    const half = (this.#places.size + this.#removed.size) / 2;
    const limit = Math.min(MOST_REMOVED, Math.max(KEPT_REMOVED, half));
    for (const id of this.#removed.keys()) {
      if (this.#removed.size <= limit) break;
      this.#removed.delete(id);
    }
  }

  #withBits(entry: SegmentEntry, documents: number, bits: Uint8Array): SegmentEntry {
    return { ...entry, documents: documents - countBits(bits), deletions: this.#writeDeletions(bits) };
  }

  #writeDeletions(bits: Uint8Array): FileEntry {
    const number = this.#nextNumber();
    const sum = this.#writing(() => writeDeletions(join(this.#folder, deletionsFile(number)), bits));
    return { number, sum };
  }

  /**
   * The commit: writes the manifest of this lease, and takes up what it says. What is damaged is not in `segments`, so each
   * commit is a repair as well. If it throws, {@link #catchUp} finds out which commit the disk has. The check after the
   * write makes it one that counts: an heir that claimed its lease before that may not have read it.
   */
  #publish(segments: readonly SegmentEntry[], alsoDamaged: readonly Damage[] = []): void {
    const { manifest } = this.#reader;
    const damage = [...this.#reader.unreadable, ...alsoDamaged];
    this.#writing(() => syncFolderSync(this.#folder));
    this.#lease.check();
    const { format, analysis, generation } = manifest;
    // An heir that changes nothing has the commit of its predecessor, in a manifest of its own.
    const isSame = generation > 0 && JSON.stringify(segments) === JSON.stringify(manifest.segments);
    const next = { format, analysis, generation: isSame ? generation : generation + 1, segments };
    this.#isBehind = true;
    this.#writing(() => writeManifest(this.#folder, this.#lease.number, next));
    this.#lease.check();
    try {
      this.#reader.refresh();
    } finally {
      for (const one of damage) this.#reportDamage(one);
    }
    this.#isBehind = false;
    if (damage.length > 0) this.#enterAll();
  }

  #reportDamage(damage: Damage): void {
    this.#damage.push(damage);
    this.#logger.warn(describeDamage(damage));
    this.#onDamage(damage);
  }

  #catchUp(): void {
    if (this.#reader.refresh()) this.#enterAll();
    this.#isBehind = false;
  }

  /** Commits the index without what cannot be read. */
  #takeOut(): void {
    if (this.#reader.unreadable.length > 0) this.#publish(this.#withDeletions([]));
  }

  /** Writes segments anew of which something was restored. Where that cannot be done they stay as they are, and readable. */
  async #heal(): Promise<void> {
    if (performance.now() < this.#healAfter) return;
    for (const segment of this.#reader.segments.filter(({ reader }) => reader.restored > 0)) {
      if (!this.#hasAll([segment])) continue;
      const number = this.#newFile();
      try {
        await this.#writeAnew(segment, number);
      } catch (error) {
        if (isCancelled(error)) continue;
        this.#healAfter = performance.now() + HEAL_AGAIN_MS;
        const why = describeError(explainWriteError(error, this.#folder));
        this.#logger.warn(`${segmentFile(segment.entry.segment)} is damaged, and is not written anew yet: ${why}`);
        if (this.#isBehind) this.#catchUp();
      } finally {
        this.#unfinished.delete(segmentFile(number));
        this.#removeUnused();
      }
    }
  }

  async #writeAnew(segment: Segment, number: number): Promise<void> {
    const { entry, reader } = segment;
    for (const _ of reader.copyTo(join(this.#folder, segmentFile(number)))) {
      await setImmediate();
      // What was found damaged meanwhile is closed.
      if (this.#closed || !this.#hasAll([segment])) throw cancelled();
    }
    const entries = this.#withDeletions([]).map((one) => {
      return one.segment === entry.segment ? { ...one, segment: number } : one;
    });
    const told = restoredOf([segment]);
    this.#publish(entries, told);
    // Places name segments by their numbers; where there is damage to tell, they are entered anew already.
    if (told.length === 0) this.#enterAll();
  }

  /** Damage to the manifest's copy, which a reader has not met. */
  #damagedCopy(): Damage[] {
    const damage = verifyManifest(this.#folder);
    return damage.some(({ file }) => this.#reader.unreadable.some((known) => known.file === file)) ? [] : damage;
  }

  /** Writes the manifest and the deletions anew where the disk has lost what is known here. */
  #verifySmallFiles(): void {
    const damage = verifyManifest(this.#folder);
    const entries = this.#reader.segments.map(({ entry, reader, deleted }) => {
      if (!entry.deletions || !deleted) return entry;
      const file = deletionsFile(entry.deletions.number);
      try {
        readDeletions(join(this.#folder, file), entry.deletions, reader.documents);
        return entry;
      } catch (error) {
        damage.push({ file, what: reasonOf(error), documents: 0 });
        return this.#withBits(entry, reader.documents, deleted);
      }
    });
    if (damage.length > 0) this.#publish(entries, damage);
    this.#removeUnused();
  }

  #repairSoon(): void {
    this.#exclusive(() => undefined).catch((error: unknown) => {
      if (this.#closed) return;
      this.#logger.warn(`The damaged index in ${this.#folder} could not be repaired: ${describeError(error)}`);
    });
  }

  #segment(number: number): Segment | undefined {
    return this.#reader.segments.find(({ entry }) => entry.segment === number);
  }

  #enterNew(number: number): void {
    // A file that is damaged as soon as it is written is not there; the repair will tell of it.
    const segment = this.#segment(number);
    if (segment) this.#enter(segment);
  }

  #enterAll(): void {
    this.#places.clear();
    this.#removed.clear();
    for (const segment of this.#reader.segments) {
      this.#enter(segment, (id, place, isDeleted) => (isDeleted ? this.#removed : this.#places).set(id, place));
    }
    this.#forgetOldest();
  }

  /** A removed document is taken up only where it was kept for, which is where it is now. */
  #enter(
    segment: Segment,
    take: (id: DocumentId, place: DocumentSlot, isDeleted: boolean) => void = (id, place, isDeleted) => {
      if (!isDeleted) this.#places.set(id, place);
      else if (this.#removed.has(id)) this.#removed.set(id, place);
    },
  ): void {
    for (let document = 0; document < segment.reader.documents; document++) {
      const id = segment.reader.documentIdOf(document);
      take(id, { segment: segment.entry.segment, document }, segment.isDeleted(document));
    }
  }

  /** One large apply is likely to be followed by another, and the memory for analysis and for a merge is too much at once. */
  #mergeLater(): void {
    if (this.#reader.segments.length >= MANY_SEGMENTS) this.#mergeIfDue();
    else this.#mergeTimer = setTimeout(() => this.#mergeIfDue(), QUIET_MS).unref();
  }

  #mergeIfDue(): void {
    clearTimeout(this.#mergeTimer);
    if (this.#merging || this.#closed) return;
    const kept = new Map<number, number>();
    for (const { segment } of this.#removed.values()) kept.set(segment, (kept.get(segment) ?? 0) + 1);
    const sources = chooseMerge(
      this.#reader.segments,
      ({ entry, deletedCount }) => deletedCount - (kept.get(entry.segment) ?? 0),
    );
    if (sources.length === 0) return;
    this.#merging = this.#tryMerge(sources).then((goOn) => {
      this.#merging = undefined;
      if (goOn) this.#mergeIfDue();
    });
  }

  /** Tells whether to look for the next. The index is whole without the merge, and the next apply tries again. */
  async #tryMerge(sources: readonly Segment[]): Promise<boolean> {
    try {
      const { restored } = this.#reader;
      try {
        await this.#merge(sources);
      } catch (error) {
        if (!isDamage(error)) throw error;
        const isNew = this.#reader.isolateDamaged() || this.#reader.restored !== restored;
        if (!isNew) throw error;
        await this.#exclusive(() => undefined);
      }
      return true;
    } catch (error) {
      if (!isCancelled(error) && !this.#closed)
        this.#logger.warn(`A merge of the index failed: ${describeError(error)}`);
      return false;
    }
  }

  /** The removed documents that merges take along, by segment. */
  #keptRemoved(): Map<number, DocumentSlot[]> {
    const places = [...this.#removed.values()].filter((place) => this.#isThere(place));
    return groupBy(places, ({ segment }) => segment);
  }

  async #merge(segments: readonly Segment[]): Promise<void> {
    const number = this.#newFile();
    const kept = this.#keptRemoved();
    const sources = segments.map((segment) => withoutDeletions(segment, kept.get(segment.entry.segment) ?? []));
    try {
      const writer = this.#writing(() => new SegmentWriter(join(this.#folder, segmentFile(number))));
      try {
        for (const _ of mergeSegments(sources, writer)) {
          await setImmediate();
          // What was found damaged meanwhile is closed.
          if (this.#closed || !this.#hasAll(sources)) throw cancelled();
        }
        writer.finish();
      } catch (error) {
        writer.abort();
        throw explainWriteError(error, this.#folder);
      }
      // What was restored of the sources is whole in what was made of them.
      await this.#exclusive(() => this.#publishMerge(sources, number), { heal: false });
    } finally {
      this.#unfinished.delete(segmentFile(number));
      this.#removeUnused();
    }
  }

  #hasAll(segments: readonly Segment[]): boolean {
    const now = new Set(this.#reader.segments.map(({ reader }) => reader));
    return segments.every(({ reader }) => now.has(reader));
  }

  /** Puts a merged segment in the place of its sources; what was removed meanwhile is marked in it. */
  #publishMerge(sources: readonly Segment[], merged: number): void {
    if (!this.#hasAll(sources)) throw cancelled();
    const left = new Set(sources.map(({ entry }) => entry.segment));
    const gone: number[] = [];
    let document = 0;
    for (const source of sources) {
      const now = this.#segment(source.entry.segment)!;
      for (let old = 0; old < source.reader.documents; old++) {
        if (source.isDeleted(old)) continue;
        if (now.isDeleted(old)) gone.push(document);
        document++;
      }
    }
    let entry = this.#entryOf(merged);
    if (gone.length > 0) {
      const bits = noDeletions(document);
      for (const number of gone) setBit(bits, number);
      entry = this.#withBits(entry, document, bits);
    }
    const kept = this.#withDeletions([]).filter(({ segment }) => !left.has(segment));
    this.#publish(document === 0 ? kept : [...kept, entry], restoredOf(sources));
    if (document > 0) this.#enterNew(merged);
  }

  /** Whether this is still the writer, and knows which files the newest commit needs. */
  #knowsDisk(): boolean {
    try {
      if (this.#isBehind) this.#catchUp();
      this.#lease.check();
      return true;
    } catch (error) {
      this.#logger.debug(`Unused files of the index are left for later: ${describeError(error)}`);
      return false;
    }
  }

  /** Removes files that no commit needs: of merged segments, of earlier owners, and what a crash left. */
  #removeUnused(): void {
    if (!this.#knowsDisk()) return;
    const used = new Set([...this.#unfinished, ...manifestFiles(this.#lease.number)]);
    for (const name of filesOf(this.#reader.manifest)) used.add(name);
    for (const name of removable(this.#folder, this.#lease)) {
      if (used.has(name)) continue;
      try {
        rmSync(join(this.#folder, name), { force: true });
      } catch (error) {
        // Windows keeps a file that a reader has open; it goes with a later commit.
        this.#logger.debug(`${name} could not be removed yet: ${describeError(error)}`);
      }
    }
  }
}

/** The files that the owner of a lease may remove: not those of an heir, even if it sleeps between its check and here. */
function removable(folder: string, lease: Lease): string[] {
  return readdirSync(folder).filter((name) => isIndexFile(name) && leaseOf(name) <= lease.number);
}

/** A segment as a merge is to see it, which leaves out the deleted. */
function withoutDeletions(segment: Segment, places: readonly DocumentSlot[]): Segment {
  if (!segment.deleted || places.length === 0) return segment;
  const bits = segment.deleted.slice();
  for (const { document } of places) clearBit(bits, document);
  return new Segment(segment.entry, segment.reader, bits, segment.lost);
}

function move<K, V>(key: K, from: Map<K, V>, to: Map<K, V>): void {
  const value = from.get(key);
  // It is where it belongs already if a commit took up everything anew.
  if (value === undefined) return;
  to.set(key, value);
  from.delete(key);
}

interface DocumentSlot {
  readonly segment: number;
  readonly document: number;
}
