import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeFileDurableSync } from '../../base/atomicFile.ts';
import { systemCode } from '../../base/errors.ts';
import { readOwnSync } from '../../base/removal.ts';
import { isDamage, reasonOfDamage, type Damage } from './damage.ts';
import { countDeleted, type DeletedCounts } from './deletedCounts.ts';
import { damaged } from './format.ts';
import { deletionsFile, segmentFile, type FileEntry, type Manifest, type SegmentEntry } from './manifest.ts';
import { SegmentReader } from './segmentReader.ts';

/** A segment of one commit: its file and its deleted documents. */
export class Segment {
  readonly entry: SegmentEntry;
  readonly reader: SegmentReader;
  /** A bit per document; `undefined` if none is deleted. */
  readonly deleted: Uint8Array | undefined;
  readonly deletedCount: number;
  /** Number of the deleted documents that no change removed, but are in a damaged part of the file. */
  readonly lost: number;
  #deletedCounts: DeletedCounts | undefined;

  constructor(entry: SegmentEntry, reader: SegmentReader, deleted: Uint8Array | undefined, lost = 0) {
    this.entry = entry;
    this.reader = reader;
    this.deleted = deleted;
    this.deletedCount = deleted ? countBits(deleted) : 0;
    this.lost = lost;
  }

  get liveDocuments(): number {
    return this.reader.documents - this.deletedCount;
  }

  /** `undefined` if no document is deleted. */
  get deletedCounts(): DeletedCounts | undefined {
    if (this.deletedCount === 0) return undefined;
    return (this.#deletedCounts ??= countDeleted(this.reader, this.deletedCount, (one) => this.isDeleted(one)));
  }

  isDeleted(document: number): boolean {
    return this.deleted !== undefined && hasBit(this.deleted, document);
  }
}

/** A segment that cannot be read, or whose deletions are not known. No search reads it. */
export interface IsolatedSegment {
  readonly entry: SegmentEntry;
  readonly damage: Damage;
}

/** The readable and the unreadable segments of a commit. */
export interface Snapshot {
  readonly manifest: Manifest;
  readonly segments: readonly Segment[];
  readonly isolated: readonly IsolatedSegment[];
}

/**
 * Opens the segments of a manifest and isolates those that are damaged or missing. Readers of `known` whose file is
 * still part of it are used again, so that a commit costs a reader only its new files; isolated segments of `known` stay so.
 * On an error all files that were opened here are closed.
 */
export function openSnapshot(folder: string, manifest: Manifest, known?: Snapshot): Snapshot {
  const segments: Segment[] = [];
  const isolated: IsolatedSegment[] = [];
  try {
    for (const entry of manifest.segments) {
      const leftOut = known?.isolated.find((one) => isSameSegment(one.entry, entry));
      const old = known?.segments.find((one) => isSameSegment(one.entry, entry));
      const opened = leftOut?.damage ?? openSegment(folder, entry, old);
      if (opened instanceof Segment) segments.push(opened);
      else isolated.push({ entry, damage: opened });
    }
  } catch (error) {
    closeUnused(segments, known?.segments ?? []);
    throw error;
  }
  return { manifest, segments, isolated };
}

function openSegment(folder: string, entry: SegmentEntry, old: Segment | undefined): Segment | Damage {
  const { deletions } = entry;
  const before = old?.entry.deletions;
  if (old && before?.number === deletions?.number && before?.sum === deletions?.sum) return old;
  let file = segmentFile(entry.segment);
  let reader = old?.reader;
  try {
    reader ??= new SegmentReader(join(folder, file));
    if (reader.sum !== entry.sum) throw damaged(reader.file, 'it is not the file that was written');
    if (!deletions) return withoutLost(entry, reader, undefined);
    file = deletionsFile(deletions.number);
    return withoutLost(entry, reader, readDeletions(join(folder, file), deletions, reader.documents));
  } catch (error) {
    if (!old) reader?.close();
    if (!isDamage(error) && systemCode(error) !== 'ENOENT') throw error;
    return { file, what: reasonOfDamage(error), documents: entry.documents };
  }
}

/** The snapshot without the parts that its readers found damaged; the same one if there are no new ones. */
export function isolateDamaged(snapshot: Snapshot): Snapshot {
  const isolated = [...snapshot.isolated];
  const segments: Segment[] = [];
  for (const segment of snapshot.segments) {
    const { entry, reader } = segment;
    if (reader.broken !== undefined) {
      const damage = { file: segmentFile(entry.segment), what: reader.broken, documents: segment.liveDocuments };
      isolated.push({ entry, damage });
    } else if (reader.lostDocuments().some((document) => !segment.isDeleted(document))) {
      segments.push(withoutLost(entry, reader, segment.deleted, segment.lost));
    } else segments.push(segment);
  }
  const isNew = isolated.length > snapshot.isolated.length || segments.some((one, i) => one !== snapshot.segments[i]);
  return isNew ? { ...snapshot, segments, isolated } : snapshot;
}

/** Damage that costs documents of a snapshot. */
export function damageOf({ segments, isolated }: Snapshot): Damage[] {
  const damage = isolated.map((one) => one.damage);
  for (const { entry, lost } of segments) {
    if (lost > 0) damage.push({ file: segmentFile(entry.segment), what: 'details of documents', documents: lost });
  }
  return damage;
}

/** A segment in which the documents of damaged blocks count as deleted. */
function withoutLost(
  entry: SegmentEntry,
  reader: SegmentReader,
  deleted: Uint8Array | undefined,
  lostBefore = 0,
): Segment {
  const lost = reader.lostDocuments().filter((document) => !deleted || !hasBit(deleted, document));
  if (lost.length === 0) return new Segment(entry, reader, deleted, lostBefore);
  const bits = deleted?.slice() ?? noDeletions(reader.documents);
  for (const document of lost) setBit(bits, document);
  return new Segment(entry, reader, bits, lostBefore + lost.length);
}

function isSameSegment(a: SegmentEntry, b: SegmentEntry): boolean {
  return a.segment === b.segment && a.sum === b.sum;
}

/** The readers of `old` that `current` does not use. */
export function unusedReaders(old: readonly Segment[], current: readonly Segment[]): SegmentReader[] {
  const used = new Set(current.map(({ reader }) => reader));
  return old.map(({ reader }) => reader).filter((reader) => !used.has(reader));
}

/** Closes the readers of `old` that `current` does not use. */
export function closeUnused(old: readonly Segment[], current: readonly Segment[]): void {
  for (const reader of unusedReaders(old, current)) reader.close();
}

export function hasBit(bits: Uint8Array, index: number): boolean {
  return (bits[index >>> 3]! & (1 << (index & 7))) !== 0;
}

export function setBit(bits: Uint8Array, index: number): void {
  bits[index >>> 3]! |= 1 << (index & 7);
}

export function clearBit(bits: Uint8Array, index: number): void {
  bits[index >>> 3]! &= ~(1 << (index & 7));
}

export function noDeletions(documents: number): Uint8Array {
  return new Uint8Array((documents + 7) >>> 3);
}

export function countBits(bits: Uint8Array): number {
  let count = 0;
  for (let byte of bits) for (; byte !== 0; byte &= byte - 1) count++;
  return count;
}

/** Returns the file's checksum, by which the manifest knows it. */
export function writeDeletions(file: string, bits: Uint8Array): number {
  const sum = crc32(bits);
  const bytes = Buffer.alloc(4 + bits.length);
  bytes.writeUInt32LE(sum, 0);
  bytes.set(bits, 4);
  writeFileDurableSync(file, bytes);
  return sum;
}

/** Throws `IndexDamaged`, or the system's error. */
export function readDeletions(file: string, { sum }: FileEntry, documents: number): Uint8Array {
  const bytes = readOwnSync(file);
  const whole = bytes.length === 4 + noDeletions(documents).length;
  if (!whole || bytes.readUInt32LE(0) !== sum || crc32(bytes.subarray(4)) !== sum) throw damaged(file, 'checksum');
  // Not a Buffer: its slice() would share memory with a reader's.
  return new Uint8Array(bytes.subarray(4));
}
