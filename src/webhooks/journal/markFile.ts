import { closeSync, fsyncSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { systemCode } from '../../base/errors.ts';
import { fencedName, fencedNumbers } from '../../base/lease.ts';
import { openOwnSync, readOwnSync, removeIfFreeSync } from '../../base/removal.ts';

/** End of a log's acknowledged records. */
export interface Mark {
  /** The segment, and the number of its first frame. */
  readonly segment: number;
  readonly first: number;
  /** Length of the segment in bytes. */
  readonly length: number;
  /** All lower numbers were given to frames. */
  readonly nextNumber: number;
}

const [STEM, REST] = ['acknowledged', 'mark'];
const MAGIC = 0x314d5853;
const BYTES = 28;

/** Name of the mark file of a lease. */
export function markFileOf(lease: number): string {
  return fencedName(STEM, lease, REST);
}

/**
 * The {@link Mark} of one lease, written between a commit and its acknowledgement. After a restart, records missing before it
 * are damage, and unfinished ones behind it were never acknowledged. Written in place, so that a killed process leaves it.
 * Synced once for each segment: after a power cut it may be old, which is a lower bound. Rejected: a sync for each commit,
 * which doubles its cost.
 */
export class MarkFile {
  readonly #fd: number;
  readonly #bytes = Buffer.alloc(BYTES);

  constructor(folder: string, lease: number) {
    this.#fd = openOwnSync(join(folder, markFileOf(lease)), 'w', 0o600);
  }

  write({ segment, first, length, nextNumber }: Mark): void {
    const bytes = this.#bytes;
    bytes.writeUInt32LE(MAGIC, 0);
    bytes.writeUInt32LE(segment, 4);
    bytes.writeUIntLE(first, 8, 6);
    bytes.writeUInt32LE(length, 14);
    bytes.writeUIntLE(nextNumber, 18, 6);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, BYTES - 4)), BYTES - 4);
    writeSync(this.#fd, bytes, 0, BYTES, 0);
  }

  /** Writes the mark of a new segment and waits until it is on the disk. */
  writeDurably(mark: Mark): void {
    this.write(mark);
    fsyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

export interface MarkRead {
  /** The mark of the highest lease that can be read. */
  readonly mark: Mark | undefined;
  /** The lease of `mark`; 0 if there is none. */
  readonly markLease: number;
  /** The highest lease that has a file; 0 if there is none. */
  readonly lease: number;
  /** Names of damaged files. */
  readonly damaged: readonly string[];
}

export function readMark(folder: string): MarkRead {
  const leases = fencedNumbers(folder, STEM, REST);
  const damaged: string[] = [];
  let mark: Mark | undefined;
  let markLease = 0;
  for (const lease of leases) {
    const file = markFileOf(lease);
    const read = parse(readMarkBytes(join(folder, file)));
    if (typeof read === 'object') {
      [mark, markLease] = [read, lease];
      break;
    }
    if (read === 'damaged') damaged.push(file);
  }
  return { mark, markLease, lease: leases[0] ?? 0, damaged };
}

/** Removes the marks of earlier leases; the caller's lease has a mark. */
export function removeMarksBelow(folder: string, lease: number): void {
  for (const old of fencedNumbers(folder, STEM, REST)) if (old < lease) removeIfFreeSync(join(folder, markFileOf(old)));
}

function readMarkBytes(file: string): Buffer | undefined {
  try {
    return readOwnSync(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return Buffer.alloc(0);
    if (systemCode(error) === 'EIO') return undefined;
    throw error;
  }
}

/** Returns `undefined` for a file that never reached the disk: a power cut leaves no bytes, or zeroes. */
function parse(bytes: Buffer | undefined): Mark | 'damaged' | undefined {
  if (bytes?.every((byte) => byte === 0)) return undefined;
  if (bytes?.length !== BYTES || bytes.readUInt32LE(0) !== MAGIC) return 'damaged';
  if (crc32(bytes.subarray(0, BYTES - 4)) !== bytes.readUInt32LE(BYTES - 4)) return 'damaged';
  return {
    segment: bytes.readUInt32LE(4),
    first: bytes.readUIntLE(8, 6),
    length: bytes.readUInt32LE(14),
    nextNumber: bytes.readUIntLE(18, 6),
  };
}
