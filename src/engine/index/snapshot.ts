import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeFileDurableSync } from '../../base/atomicFile.ts';
import { damaged } from './format.ts';
import { deletionsFile, segmentFile, type Manifest, type SegmentEntry } from './manifest.ts';
import { SegmentReader } from './segmentReader.ts';

/** A segment as one commit has it: its file and the documents of it that are gone. */
export class Segment {
  readonly entry: SegmentEntry;
  readonly reader: SegmentReader;
  /** A bit per document, or undefined where all are there. */
  readonly deleted: Uint8Array | undefined;
  readonly deletedCount: number;

  constructor(entry: SegmentEntry, reader: SegmentReader, deleted: Uint8Array | undefined) {
    this.entry = entry;
    this.reader = reader;
    this.deleted = deleted;
    this.deletedCount = deleted ? countBits(deleted) : 0;
  }

  get liveDocuments(): number {
    return this.reader.documents - this.deletedCount;
  }

  isDeleted(document: number): boolean {
    return this.deleted !== undefined && hasBit(this.deleted, document);
  }
}

/**
 * Opens the segments of a manifest. Readers of `known` whose file is still part of it are used again, so that a commit
 * costs a reader only what is new. On an error nothing that was opened here stays open.
 */
export function openSegments(folder: string, manifest: Manifest, known: readonly Segment[] = []): Segment[] {
  const byNumber = new Map(known.map((segment) => [segment.entry.segment, segment]));
  const opened: SegmentReader[] = [];
  try {
    return manifest.segments.map((entry) => {
      const old = byNumber.get(entry.segment);
      if (old && old.entry.deletions === entry.deletions) return old;
      const deleted =
        entry.deletions === undefined ? undefined : readDeletions(join(folder, deletionsFile(entry.deletions)));
      if (old) return new Segment(entry, old.reader, deleted);
      const reader = new SegmentReader(join(folder, segmentFile(entry.segment)));
      opened.push(reader);
      return new Segment(entry, reader, deleted);
    });
  } catch (error) {
    for (const reader of opened) reader.close();
    throw error;
  }
}

/** Closes the readers of `old` that `current` does not use. */
export function closeUnused(old: readonly Segment[], current: readonly Segment[]): void {
  const used = new Set(current.map((segment) => segment.reader));
  for (const { reader } of old) if (!used.has(reader)) reader.close();
}

export function hasBit(bits: Uint8Array, index: number): boolean {
  return (bits[index >>> 3]! & (1 << (index & 7))) !== 0;
}

export function setBit(bits: Uint8Array, index: number): void {
  bits[index >>> 3]! |= 1 << (index & 7);
}

function countBits(bits: Uint8Array): number {
  let count = 0;
  for (let byte of bits) for (; byte !== 0; byte &= byte - 1) count++;
  return count;
}

export function writeDeletions(file: string, bits: Uint8Array): void {
  const bytes = Buffer.alloc(4 + bits.length);
  bytes.writeUInt32LE(crc32(bits), 0);
  bytes.set(bits, 4);
  writeFileDurableSync(file, bytes);
}

function readDeletions(file: string): Uint8Array {
  const bytes = readFileSync(file);
  if (bytes.length < 4 || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) throw damaged(file, 'checksum');
  // Not a Buffer: its slice() would share memory with what a reader sees.
  return new Uint8Array(bytes.subarray(4));
}
