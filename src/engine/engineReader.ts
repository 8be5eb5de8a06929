import {
  absolutePath,
  checkBytes,
  checkCallOptions,
  checkFunction,
  checkList,
  checkMembers,
  checkObject,
  checkText,
} from '../base/given.ts';
import { toUtf8 } from './analyze/text.ts';
import { splitToken } from './analyze/words.ts';
import { checkDocumentId, type DocumentId } from './documentId.ts';
import type { Damage } from './index/damage.ts';
import { isSameCommit, readManifest, type Manifest } from './index/manifest.ts';
import { Overlay } from './index/overlay.ts';
import type { Snapshot } from './index/snapshot.ts';
import { closeUnused, damageOf, isolateDamaged, openSnapshot, unusedReaders, type Segment } from './index/snapshot.ts';
import type { SegmentReader } from './index/segmentReader.ts';
import { Collection } from './query/collection.ts';
import { parseQueryLanguage } from './query/queryLanguage.ts';
import type { Hit, SearchOptions } from './query/hits.ts';
import { searchIndexes } from './query/searchIndexes.ts';
import { SearchMemory } from './query/searchMemory.ts';

/** A document of an index. `content` is its bytes in any encoding that {@link toUtf8} reads. */
export interface EngineDocument {
  readonly id: DocumentId;
  readonly path: string;
  readonly content: Uint8Array;
}

/** Contents of an index. */
export interface EngineStats {
  readonly documents: number;
  readonly chunks: number;
  /** UTF-8 bytes of the documents' text. */
  readonly contentBytes: number;
  /** Number of documents in each language, and their part of `contentBytes`. */
  readonly languages: Readonly<Record<string, number>>;
  readonly languageBytes: Readonly<Record<string, number>>;
  /** Files of the index. */
  readonly segments: number;
  /** Counts its commits. */
  readonly generation: number;
  /**
   * Damage that was found. No search shows a document that it cost; the writer of the index has taken the document out, so
   * that it can be added again.
   */
  readonly damage: readonly Damage[];
}

/** Throws `InvalidId` and `InvalidArgument`. */
export function checkDocument(document: EngineDocument): void {
  checkObject(document, 'a document');
  checkDocumentId(document.id);
  checkText(document.path, 'path');
  checkBytes(document.content, 'content');
}

/** Names that {@link EngineReader.names} takes from a segment, the first ones. */
const NAMES_PER_SEGMENT = 500;

/**
 * Reads an index that this or another process writes. It sees one commit, until {@link refresh} moves it to the newest.
 * Damaged parts are left out from when they are first met: fewer results, never wrong ones; {@link stats} reports them.
 */
export class EngineReader {
  readonly #folder: string;
  #snapshot: Snapshot;
  /** Damage to the manifest; damage to segments is in the snapshot. */
  #manifestDamage: readonly Damage[];
  #overlay: Overlay | undefined;
  readonly #memory = new SearchMemory();
  /** Number of searches that are under way, and files that they may still read. */
  #holders = 0;
  #retired: SegmentReader[] = [];

  /** Throws `IndexFormat` where another version wrote it. A folder without an index is an empty one. */
  constructor(folder: string) {
    this.#folder = absolutePath(folder, 'folder');
    [this.#snapshot, this.#manifestDamage] = openNewest(this.#folder);
  }

  /** @internal */
  get segments(): readonly Segment[] {
    return this.#snapshot.segments;
  }

  /** @internal */
  get manifest(): Manifest {
    return this.#snapshot.manifest;
  }

  /** Damage to this commit; its damaged parts are left out. */
  get damage(): readonly Damage[] {
    return [...this.#manifestDamage, ...damageOf(this.#snapshot)];
  }

  /** Moves to the newest commit. Returns whether there was a newer one. */
  refresh(): boolean {
    const { manifest, damage, lost } = readManifest(this.#folder);
    // The open files are good, even where the manifest was lost since.
    if (lost || isSameCommit(manifest, this.manifest)) {
      this.#manifestDamage = damage;
      return false;
    }
    const old = this.#snapshot;
    [this.#snapshot, this.#manifestDamage] = openNewest(this.#folder, old);
    this.#retireUnused(old);
    return true;
  }

  /** Never blocks on a writer, and gives way to other work every few milliseconds. Rejects with `Cancelled`. */
  async search(query: string, options: SearchOptions = {}): Promise<Hit[]> {
    checkText(query, 'query');
    checkCallOptions(options);
    const { limit, explain, signal, ...folder } = options;
    checkMembers(folder.within, 'within');
    checkMembers(folder.changed, 'changed');
    checkFunction(folder.readText, 'readText');
    const { hits } = await searchIndexes(
      [{ ...folder, index: this }],
      parseQueryLanguage(query),
      { ...(limit !== undefined && { limit }), ...(explain !== undefined && { explain }) },
      this.#memory,
      signal,
    );
    return hits.map(({ hit }) => hit);
  }

  /** The segments to search, whose files stay open until {@link release}. @internal */
  hold(): readonly Segment[] {
    this.#holders++;
    return this.#overlay?.over(this.segments) ?? this.segments;
  }

  /** Ends a {@link hold}. @internal */
  release(): void {
    if (--this.#holders === 0) this.#closeRetired();
  }

  /**
   * Searches these documents in place of the index's documents of the same paths, until the next call. They are kept in
   * memory only. A binary one counts as empty. Throws `InvalidId`.
   */
  setOverlay(documents: readonly EngineDocument[]): void {
    checkList(documents, 'documents');
    for (const document of documents) checkDocument(document);
    if (this.#overlay) this.#retire([this.#overlay.reader]);
    const texts = documents.map(({ id, path, content }) => ({ id, path, text: toUtf8(content) ?? new Uint8Array() }));
    this.#overlay = texts.length === 0 ? undefined : new Overlay(texts);
  }

  /** Leaves out the parts that the segments' readers found damaged. Returns whether there are new ones. @internal */
  isolateDamaged(): boolean {
    const old = this.#snapshot;
    this.#snapshot = isolateDamaged(old);
    this.#retireUnused(old);
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

  /** Number of documents with a name or word. */
  documentsWith(name: string): number {
    return new Collection([this.segments], this.#memory).references(splitToken(name).join(''));
  }

  /** Contents of this commit. Visits each document. */
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

  /** Frees its files, once the searches under way have ended; a search after that finds nothing. */
  close(): void {
    this.setOverlay([]);
    const old = this.#snapshot;
    this.#snapshot = { ...old, segments: [] };
    this.#retireUnused(old);
  }

  #retireUnused({ segments }: Snapshot): void {
    this.#retire(unusedReaders(segments, this.segments));
  }

  #retire(readers: readonly SegmentReader[]): void {
    this.#retired.push(...readers);
    if (this.#holders === 0) this.#closeRetired();
  }

  #closeRetired(): void {
    for (const reader of this.#retired) reader.close();
    this.#retired = [];
  }
}

/** The newest commit. A writer may remove old files after the manifest was read and before its segments are opened. */
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
