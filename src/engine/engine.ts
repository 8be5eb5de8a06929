import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { groupBy } from '../base/collections.ts';
import { Lease } from '../base/lease.ts';
import { silentLogger, type Logger } from '../base/log.ts';
import { syncFolderSync } from '../base/atomicFile.ts';
import { SextantError, cancelled, describeError, isCancelled, systemCode, throwIfCancelled } from '../base/errors.ts';
import { toUtf8 } from './analyze/text.ts';
import type { DocumentId } from './documentId.ts';
import {
  MANIFEST,
  deletionsFile,
  readManifest,
  segmentFile,
  writeManifest,
  type Manifest,
  type SegmentEntry,
} from './index/manifest.ts';
import { mergeSegments } from './index/merge.ts';
import { SegmentMaker, type SegmentFiles } from './index/segmentMaker.ts';
import type { SegmentThreads } from './index/segmentThreads.ts';
import { SegmentWriter } from './index/segmentWriter.ts';
import type { Segment } from './index/snapshot.ts';
import { closeUnused, openSegments, setBit, writeDeletions } from './index/snapshot.ts';
import { chooseMerge } from './index/mergePolicy.ts';
import { searchSegments, type Hit, type SearchOptions } from './query/search.ts';

/** A document to be added. `content` is its bytes in any encoding that {@link toUtf8} reads. */
export interface EngineDocument {
  readonly id: DocumentId;
  readonly path: string;
  readonly content: Uint8Array;
}

export interface Changes {
  readonly add?: Iterable<EngineDocument> | AsyncIterable<EngineDocument>;
  readonly remove?: Iterable<DocumentId>;
}

export interface Applied {
  /** Documents that were not in the index before; one that is there already is left as it is. */
  readonly added: number;
  readonly removed: number;
  /** Documents that are no text, and so cannot be found by it. */
  readonly binary: readonly DocumentId[];
}

export interface EngineStats {
  readonly documents: number;
  readonly chunks: number;
  /** UTF-8 bytes of the documents' text. */
  readonly contentBytes: number;
  readonly languages: Readonly<Record<string, number>>;
  readonly segments: number;
  readonly generation: number;
}

/** Reads an index that this or another process writes. It sees one commit, until {@link refresh} takes it to the newest. */
export class EngineReader {
  readonly #folder: string;
  #manifest: Manifest;
  #segments: readonly Segment[];

  /** Throws `IndexDamaged` or `IndexFormat`. A folder without an index is an empty one. */
  constructor(folder: string) {
    this.#folder = folder;
    [this.#manifest, this.#segments] = openNewest(folder, []);
  }

  /** @internal */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** @internal */
  get manifest(): Manifest {
    return this.#manifest;
  }

  /** Takes up what was committed since. Tells whether there was anything. */
  refresh(): boolean {
    if (readManifest(this.#folder).generation === this.#manifest.generation) return false;
    const old = this.#segments;
    [this.#manifest, this.#segments] = openNewest(this.#folder, old);
    closeUnused(old, this.#segments);
    return true;
  }

  /** Never blocks on a writer. Runs to its end at once; `async` so that it can move to a thread. */
  // eslint-disable-next-line @typescript-eslint/require-await
  async search(query: string, options?: SearchOptions): Promise<Hit[]> {
    return searchSegments(this.#segments, query, options);
  }

  stats(): EngineStats {
    const languages: Record<string, number> = {};
    let documents = 0;
    let chunks = 0;
    let contentBytes = 0;
    for (const segment of this.#segments) {
      const { reader } = segment;
      chunks += reader.footer.chunks;
      for (let document = 0; document < reader.documents; document++) {
        if (segment.isDeleted(document)) continue;
        documents++;
        contentBytes += reader.contentBytesOf(document);
        const language = reader.languageOf(document);
        languages[language] = (languages[language] ?? 0) + 1;
      }
    }
    const { generation } = this.#manifest;
    return { documents, chunks, contentBytes, languages, segments: this.#segments.length, generation };
  }

  close(): void {
    closeUnused(this.#segments, []);
    this.#segments = [];
  }
}

/** The newest commit. A writer may remove old files between the reading of the manifest and the opening of its segments. */
function openNewest(folder: string, known: readonly Segment[]): [Manifest, readonly Segment[]] {
  for (let attempt = 0; ; attempt++) {
    const manifest = readManifest(folder);
    try {
      return [manifest, openSegments(folder, manifest, known)];
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      if (attempt === 5) {
        throw new SextantError('IndexDamaged', `The index in ${folder} lacks a file.`, {
          cause: error,
        });
      }
    }
  }
}

export interface EngineOptions {
  readonly logger?: Logger;
  /** Help to analyse many documents. Any number of engines may share it; whoever made it closes it. */
  readonly threads?: SegmentThreads;
}

/** How many documents are analysed before other work gets a turn. */
const DOCUMENTS_PER_TURN = 8;

/** The one writer of an index. */
export class Engine {
  readonly #folder: string;
  readonly #lease: Lease;
  readonly #logger: Logger;
  readonly #threads: SegmentThreads | undefined;
  readonly #reader: EngineReader;
  /** Where each document is: the number of its segment and its own in it. */
  readonly #places = new Map<DocumentId, Place>();
  /** Files that are being written and belong to no commit yet. */
  readonly #unfinished = new Set<string>();
  #nextFile: number;
  #queue: Promise<unknown> = Promise.resolve();
  #merging: Promise<void> | undefined;
  #closed = false;

  private constructor(folder: string, lease: Lease, { logger = silentLogger, threads }: EngineOptions) {
    this.#folder = folder;
    this.#lease = lease;
    this.#logger = logger;
    this.#threads = threads;
    this.#reader = new EngineReader(folder);
    this.#nextFile = this.#reader.manifest.nextFile;
    for (const segment of this.#reader.segments) this.#enter(segment);
    this.#removeUnused();
  }

  /**
   * Opens the index in `folder` for writing, making an empty one if there is none.
   * Throws `IndexBusy` while another process writes to it, `IndexDamaged` or `IndexFormat` if it cannot be read: then
   * {@link erase} it and add the documents again.
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

  /** Removes the index in `folder`, for one that cannot be read or is to be made anew. Throws `IndexBusy`. */
  static erase(folder: string): void {
    const lease = Engine.#acquire(folder);
    for (const name of readdirSync(folder)) {
      if (name === MANIFEST || isIndexFile(name)) rmSync(join(folder, name), { force: true });
    }
    lease.release();
  }

  static #acquire(folder: string): Lease {
    const lease = Lease.acquire(folder);
    if (lease instanceof Lease) return lease;
    throw new SextantError('IndexBusy', `Process ${lease.pid} on ${lease.host} is writing to this index.`);
  }

  has(id: DocumentId): boolean {
    return this.#places.has(id);
  }

  ids(): IterableIterator<DocumentId> {
    return this.#places.keys();
  }

  search(query: string, options?: SearchOptions): Promise<Hit[]> {
    return this.#reader.search(query, options);
  }

  stats(): EngineStats {
    return this.#reader.stats();
  }

  /**
   * Adds and removes documents as one step: whoever reads the index sees all of it or nothing, also after a crash.
   * `add` is read one document at a time; its content may be overwritten when the next is asked for. Aborting `signal`
   * leaves the index as it was, and so does a thread that dies (`ThreadDied`).
   */
  apply(changes: Changes, signal?: AbortSignal): Promise<Applied> {
    return this.#exclusive(() => this.#apply(changes, signal));
  }

  /** Waits until no merge is under way or due. */
  async settle(): Promise<void> {
    while (this.#merging) await this.#merging;
  }

  /** Gives up a merge under way, waits for an `apply`, and frees the folder for another writer. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue;
    await this.#merging;
    this.#reader.close();
    this.#lease.release();
  }

  #exclusive<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #apply(changes: Changes, signal: AbortSignal | undefined): Promise<Applied> {
    if (this.#closed) throw new SextantError('IndexClosed', 'The index is closed.');
    const remove = new Set(changes.remove);
    const added = new Set<DocumentId>();
    const binary: DocumentId[] = [];
    const reserved: number[] = [];
    const files: SegmentFiles = {
      reserve: () => reserved[reserved.push(this.#newFile()) - 1]!,
      pathOf: (segment) => join(this.#folder, segmentFile(segment)),
    };
    const maker = new SegmentMaker(files, this.#threads);

    try {
      let turn = 0;
      for await (const { id, path, content } of changes.add ?? []) {
        throwIfCancelled(signal);
        remove.delete(id);
        if (this.#places.has(id) || added.has(id)) continue;
        const text = toUtf8(content);
        if (!text) {
          binary.push(id);
          continue;
        }
        added.add(id);
        maker.add({ id, path, text });
        if (++turn % DOCUMENTS_PER_TURN === 0) await setImmediate();
      }
      throwIfCancelled(signal);
      const written = (await maker.finish()).map((segment): SegmentEntry => ({ segment }));
      throwIfCancelled(signal);
      const gone = [...remove].filter((id) => this.#places.has(id));
      if (written.length > 0 || gone.length > 0) {
        this.#publish([...this.#withDeletions(gone), ...written]);
        for (const id of gone) this.#places.delete(id);
        for (const { segment } of written) this.#enter(this.#segment(segment));
      }
      this.#mergeIfDue();
      return { added: added.size, removed: gone.length, binary };
    } finally {
      await maker.abandon();
      for (const segment of reserved) this.#unfinished.delete(segmentFile(segment));
      this.#removeUnused();
    }
  }

  #newFile(): number {
    const number = this.#nextFile++;
    this.#unfinished.add(segmentFile(number));
    return number;
  }

  /** The commit's segments, with the documents `gone` marked in files of their own. */
  #withDeletions(gone: readonly DocumentId[]): SegmentEntry[] {
    const bySegment = groupBy(gone, (id) => this.#places.get(id)!.segment);
    return this.#reader.segments.map((segment) => {
      const ids = bySegment.get(segment.entry.segment) ?? [];
      return this.#markDeleted(
        segment,
        ids.map((id) => this.#places.get(id)!.document),
      );
    });
  }

  #markDeleted(segment: Segment, documents: readonly number[]): SegmentEntry {
    if (documents.length === 0) return segment.entry;
    const bits = segment.deleted?.slice() ?? new Uint8Array((segment.reader.documents + 7) >>> 3);
    for (const document of documents) setBit(bits, document);
    return { segment: segment.entry.segment, deletions: this.#writeDeletions(bits) };
  }

  #writeDeletions(bits: Uint8Array): number {
    const number = this.#nextFile++;
    writeDeletions(join(this.#folder, deletionsFile(number)), bits);
    return number;
  }

  /** The commit: replaces the manifest, and takes up what it says. */
  #publish(segments: readonly SegmentEntry[]): void {
    syncFolderSync(this.#folder);
    this.#lease.check();
    const { manifest } = this.#reader;
    const next = { generation: manifest.generation + 1, nextFile: this.#nextFile, segments };
    writeManifest(this.#folder, { ...manifest, ...next });
    this.#reader.refresh();
  }

  #segment(number: number): Segment {
    return this.#reader.segments.find(({ entry }) => entry.segment === number)!;
  }

  #enter(segment: Segment): void {
    for (let document = 0; document < segment.reader.documents; document++) {
      if (segment.isDeleted(document)) continue;
      const id = Buffer.from(segment.reader.idOf(document)).toString('hex');
      this.#places.set(id, { segment: segment.entry.segment, document });
    }
  }

  #mergeIfDue(): void {
    if (this.#merging || this.#closed) return;
    const sources = chooseMerge(this.#reader.segments);
    if (sources.length === 0) return;
    this.#merging = this.#merge(sources).then(
      () => {
        this.#merging = undefined;
        this.#mergeIfDue();
      },
      (error: unknown) => {
        // The index is whole without the merge; the next apply tries again.
        this.#merging = undefined;
        if (!isCancelled(error)) this.#logger.warn(`A merge of the index failed: ${describeError(error)}`);
      },
    );
  }

  async #merge(sources: readonly Segment[]): Promise<void> {
    const number = this.#newFile();
    const writer = new SegmentWriter(join(this.#folder, segmentFile(number)));
    try {
      for (const _ of mergeSegments(sources, writer)) {
        await setImmediate();
        if (this.#closed) throw cancelled();
      }
      writer.finish();
    } catch (error) {
      writer.abort();
      this.#unfinished.delete(segmentFile(number));
      throw error;
    }
    await this.#exclusive(() => {
      try {
        if (!this.#closed) this.#publishMerge(sources, number);
      } finally {
        this.#unfinished.delete(segmentFile(number));
        this.#removeUnused();
      }
    });
  }

  /** Puts a merged segment in the place of its sources; what was removed meanwhile is marked in it. */
  #publishMerge(sources: readonly Segment[], merged: number): void {
    const left = new Set(sources.map(({ entry }) => entry.segment));
    const gone: number[] = [];
    let document = 0;
    for (const source of sources) {
      const now = this.#segment(source.entry.segment);
      for (let old = 0; old < source.reader.documents; old++) {
        if (source.isDeleted(old)) continue;
        if (now.isDeleted(old)) gone.push(document);
        document++;
      }
    }
    let entry: SegmentEntry = { segment: merged };
    if (gone.length > 0) {
      const bits = new Uint8Array((document + 7) >>> 3);
      for (const number of gone) setBit(bits, number);
      entry = { segment: merged, deletions: this.#writeDeletions(bits) };
    }
    const kept = this.#reader.segments.map((segment) => segment.entry).filter(({ segment }) => !left.has(segment));
    this.#publish(document === gone.length ? kept : [...kept, entry]);
    if (document > gone.length) this.#enter(this.#segment(merged));
  }

  /** Files that no commit needs: of merged segments, and what a crash left. */
  #removeUnused(): void {
    const used = new Set(this.#unfinished);
    for (const { segment, deletions } of this.#reader.manifest.segments) {
      used.add(segmentFile(segment));
      if (deletions !== undefined) used.add(deletionsFile(deletions));
    }
    for (const name of readdirSync(this.#folder)) {
      if (!isIndexFile(name) || used.has(name)) continue;
      try {
        rmSync(join(this.#folder, name), { force: true });
      } catch (error) {
        // Windows keeps a file that a reader has open; it goes with a later commit.
        this.#logger.debug(`${name} could not be removed yet: ${describeError(error)}`);
      }
    }
  }
}

/** Segments, deletions, and what an interrupted write left of them or of the manifest. */
function isIndexFile(name: string): boolean {
  return /^(?:segment|deletions)-\d+\.sx[sd]$|\.tmp$/.test(name);
}

interface Place {
  readonly segment: number;
  readonly document: number;
}
