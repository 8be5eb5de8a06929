import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../base/collections.ts';
import { syncFolderSync } from '../base/atomicFile.ts';
import { describeError, explainWriteError } from '../base/errors.ts';
import type { Fence } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import { removeIfFreeSync } from '../base/removal.ts';
import type { DocumentId } from './documentId.ts';
import { DocumentSlots, type DocumentSlot } from './documentSlots.ts';
import { EngineReader } from './engineReader.ts';
import { describeIndexDamage, isDamage, type Damage } from './index/damage.ts';
import {
  deletionsFile,
  fileNumber,
  filesOf,
  isIndexFile,
  leaseOf,
  manifestFiles,
  segmentFile,
  writeManifest,
  type FileEntry,
  type SegmentEntry,
} from './index/manifest.ts';
import { describeSegment } from './index/segmentEnd.ts';
import { clearBit, countBits, noDeletions, setBit, writeDeletions, type Segment } from './index/snapshot.ts';

/** Writes the files of an index and its commits, under a lease. */
export class IndexWriter {
  readonly folder: string;
  readonly reader: EngineReader;
  readonly slots = new DocumentSlots();
  readonly #lease: Fence;
  readonly #logger: Logger;
  /** Receives each damage after it is taken out of the index. */
  onDamage: (damage: Damage) => void = () => undefined;
  readonly #damage: Damage[] = [];
  /** Segments that are being written and belong to no commit yet. */
  readonly #unfinished = new Set<string>();
  /** A commit failed, and it is not known yet which one the disk has. */
  #isBehind = false;
  /** Counts the files written under this lease. */
  #files = 0;

  /** Throws `IndexFormat` where another version wrote the index. */
  constructor(folder: string, lease: Fence, logger: Logger) {
    this.folder = folder;
    this.#lease = lease;
    this.#logger = logger;
    this.reader = new EngineReader(folder);
    this.slots.enterAll(this.reader.segments);
  }

  /** Damage that this writer took out of the index. */
  get repaired(): readonly Damage[] {
    return this.#damage;
  }

  /** Reserves a segment file, which {@link removeUnused} leaves alone until {@link release}. Throws `LeaseLost`. */
  reserve(): number {
    const number = this.#nextNumber();
    this.#unfinished.add(segmentFile(number));
    return number;
  }

  release(number: number): void {
    this.#unfinished.delete(segmentFile(number));
  }

  /** The path of a segment. */
  pathOf(number: number): string {
    return join(this.folder, segmentFile(number));
  }

  /** A segment of the newest commit. */
  segment(number: number): Segment | undefined {
    return this.reader.segments.find(({ entry }) => entry.segment === number);
  }

  /** Whether all are segments of the newest commit, and open. */
  hasAll(segments: readonly Segment[]): boolean {
    const now = new Set(this.reader.segments.map(({ reader }) => reader));
    return segments.every(({ reader }) => now.has(reader));
  }

  /** The manifest's entry of a segment that has been written. */
  entryOf(segment: number): SegmentEntry {
    return { segment, ...describeSegment(this.pathOf(segment)) };
  }

  /** Entries of the commit's segments, with the documents `removed` marked as deleted, and those that are `back` no more. */
  entries(removed: readonly DocumentId[] = [], back: readonly DocumentId[] = []): SegmentEntry[] {
    const removedBySegment = groupBy(
      removed.map((id) => this.slots.of(id)),
      ({ segment }) => segment,
    );
    const backBySegment = groupBy(
      back.map((id) => this.slots.removed(id)!),
      ({ segment }) => segment,
    );
    return this.reader.segments.map((segment) => {
      const number = segment.entry.segment;
      return this.#markDeleted(segment, removedBySegment.get(number) ?? [], backBySegment.get(number) ?? []);
    });
  }

  /** An entry with these deletions, which are written to a file. */
  withDeletions(entry: SegmentEntry, documents: number, bits: Uint8Array): SegmentEntry {
    return { ...entry, documents: documents - countBits(bits), deletions: this.#writeDeletions(bits) };
  }

  /** Whether a document can be read, removed or not. */
  isReadable(slot: DocumentSlot | undefined): boolean {
    const segment = slot && this.segment(slot.segment);
    return segment !== undefined && !segment.reader.lostDocuments().includes(slot!.document);
  }

  /** Whether a removed document can be brought back. Reads its details, where damage may not have been met before. */
  canComeBack(slot: DocumentSlot | undefined): boolean {
    if (!this.isReadable(slot)) return false;
    try {
      this.segment(slot!.segment)!.reader.detailsOf(slot!.document);
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      return false;
    }
  }

  /**
   * Commits: writes the manifest of this lease, and moves the reader to it. Damaged parts are not in `segments`, so each
   * commit is a repair as well. If it throws, {@link catchUp} finds out which commit the disk has. The check after the write
   * is necessary: an heir that claimed its lease before that may not have read the manifest.
   */
  publish(segments: readonly SegmentEntry[], alsoDamaged: readonly Damage[] = []): void {
    const { manifest } = this.reader;
    const damage = [...this.reader.damage, ...alsoDamaged];
    this.writing(() => syncFolderSync(this.folder));
    this.#lease.check();
    const { format, analysis, generation } = manifest;
    // An heir that changes nothing has the commit of its predecessor, in a manifest of its own.
    const isSame = generation > 0 && JSON.stringify(segments) === JSON.stringify(manifest.segments);
    const next = { format, analysis, generation: isSame ? generation : generation + 1, segments };
    this.#isBehind = true;
    this.writing(() => writeManifest(this.folder, this.#lease.number, next));
    this.#lease.check();
    try {
      this.reader.refresh();
    } finally {
      for (const one of damage) this.#report(one);
    }
    this.#isBehind = false;
    if (damage.length > 0) this.slots.enterAll(this.reader.segments);
  }

  /** Commits the index without its damaged parts, if there are any. */
  takeOutDamage(): void {
    if (this.reader.damage.length > 0) this.publish(this.entries());
  }

  /** Enters the documents of a segment that was just published. */
  enter(number: number): void {
    // A file that is damaged as soon as it is written is missing; the repair reports it.
    const segment = this.segment(number);
    if (segment) this.slots.enter(segment);
  }

  /** Moves to the commit that the disk has, where a commit failed half-way. */
  catchUp(): void {
    if (!this.#isBehind) return;
    if (this.reader.refresh()) this.slots.enterAll(this.reader.segments);
    this.#isBehind = false;
  }

  /** Removes files that no commit needs: of merged segments, of earlier owners, and what a crash left. */
  removeUnused(): void {
    if (!this.#knowsDisk()) return;
    const used = new Set([...this.#unfinished, ...manifestFiles(this.#lease.number)]);
    for (const name of filesOf(this.reader.manifest)) used.add(name);
    for (const name of removableFiles(this.folder, this.#lease)) {
      if (used.has(name)) continue;
      try {
        if (removeIfFreeSync(join(this.folder, name))) continue;
        this.#logger.debug(`${name} is open in another process; a later commit removes it.`);
      } catch (error) {
        this.#logger.debug(`${name} could not be removed yet: ${describeError(error)}`);
      }
    }
  }

  /** Runs `work` and explains its error as one of writing to this folder. */
  writing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainWriteError(error, this.folder);
    }
  }

  #nextNumber(): number {
    this.#lease.check();
    return fileNumber(this.#lease.number, ++this.#files);
  }

  #markDeleted(segment: Segment, removed: readonly DocumentSlot[], back: readonly DocumentSlot[]): SegmentEntry {
    if (removed.length + back.length + segment.lost === 0) return segment.entry;
    const bits = segment.deleted?.slice() ?? noDeletions(segment.reader.documents);
    for (const { document } of removed) setBit(bits, document);
    for (const { document } of back) clearBit(bits, document);
    return this.withDeletions(segment.entry, segment.reader.documents, bits);
  }

  #writeDeletions(bits: Uint8Array): FileEntry {
    const number = this.#nextNumber();
    const sum = this.writing(() => writeDeletions(join(this.folder, deletionsFile(number)), bits));
    return { number, sum };
  }

  #report(damage: Damage): void {
    this.#damage.push(damage);
    this.#logger.warn(describeIndexDamage(damage));
    this.onDamage(damage);
  }

  /** Whether this is still the writer, and knows which files the newest commit needs. */
  #knowsDisk(): boolean {
    try {
      this.catchUp();
      this.#lease.check();
      return true;
    } catch (error) {
      this.#logger.debug(`Unused files of the index are left for later: ${describeError(error)}`);
      return false;
    }
  }
}

/** Files that the owner of a lease may remove: none of an heir's, even if it sleeps between its check and here. */
export function removableFiles(folder: string, lease: Fence): string[] {
  return readdirSync(folder).filter((name) => isIndexFile(name) && leaseOf(name) <= lease.number);
}
