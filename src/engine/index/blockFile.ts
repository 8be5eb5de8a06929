import { crc32 } from 'node:zlib';
import { systemCode } from '../../base/errors.ts';
import { DamagedFile, isDamage } from './damage.ts';
import { BLOCK_BYTES, FORMAT_VERSION, MAGIC, TRAILER_BYTES, damaged } from './format.ts';
import { BlockLayout, BlockSum } from './parity.ts';
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from './segmentStorage.ts';
import type { SegmentFooter } from './segmentWriter.ts';

/** A cold part of up to this size is kept in memory once something of it is read. */
const KEPT_BYTES = 8 << 20;

/** How much {@link BlockFile.verify} and {@link BlockFile.copyTo} do before they let others work: 4 MB, a few milliseconds. */
const BLOCKS_PER_TURN = 64;

/** Bytes to read into, used again for the next read. */
export class Scratch {
  #bytes = new Uint8Array(0);

  take(length: number): Uint8Array<ArrayBuffer> {
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(length * 2);
    return this.#bytes.subarray(0, length);
  }
}

/** A block that cannot be restored. */
export class DamagedBlock extends DamagedFile {
  readonly block: number;

  constructor(file: string, block: number) {
    super(file, `block ${block}`);
    this.block = block;
  }
}

/**
 * The bytes of a segment file. A block's checksum is checked the first time something of it is read; one that is damaged is
 * restored in memory.
 */
export class BlockFile {
  readonly file: string;
  /** The trailer's checksum, and so, as it holds the others, one of the whole file. */
  readonly sum: number;
  readonly footer: SegmentFooter;
  readonly layout: BlockLayout;

  readonly #fd: number;
  readonly #end: Uint8Array;
  readonly #verified: Uint8Array;
  readonly #restored = new Map<number, Uint8Array>();
  /** How many of the two footers are damaged, as far as is known. */
  #badFooters = 0;
  /** All of the cold part, of a small segment. */
  #kept: Uint8Array | undefined;

  /**
   * `firstEnd` is where the first footer's trailer ends, in case that the last one is damaged. Throws `IndexDamaged`, or the
   * system's error where the file cannot be opened.
   */
  constructor(file: string, firstEnd?: number) {
    this.file = file;
    this.#fd = openSync(file, 'r');
    try {
      const { bytes, footer, sum, layout, isLast } = readEnd(this.#fd, file, firstEnd);
      this.#end = bytes;
      this.footer = footer;
      this.sum = sum;
      this.layout = layout;
      if (!isLast) this.#badFooters = 1;
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
    this.#verified = new Uint8Array(this.layout.count);
  }

  /** How many blocks were found damaged, and restored; a footer counts as one. */
  get restored(): number {
    return this.#restored.size + this.#badFooters;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Throws {@link DamagedBlock}. */
  resident(): Uint8Array {
    return this.#checked(this.layout.cold, this.layout.data - 1);
  }

  /**
   * Reads from the cold part. What is read into a scratch is there until the next such read. Throws {@link DamagedBlock}.
   */
  read(from: number, length: number, scratch?: Scratch): Uint8Array {
    const first = Math.floor(from / BLOCK_BYTES);
    const last = Math.floor((from + length - 1) / BLOCK_BYTES);
    let verified = true;
    for (let block = first; block <= last; block++) verified &&= this.#verified[block] === 1;
    if (verified) {
      try {
        return this.#kept?.subarray(from, from + length) ?? readAt(this.#fd, this.file, from, length, scratch);
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#verified.fill(0, first, last + 1);
      }
    }
    const start = first * BLOCK_BYTES;
    return this.#checked(first, last, scratch).subarray(from - start, from - start + length);
  }

  /** Reads the whole file again and compares all checksums. `lost` is told what cannot be restored. Throws `IndexDamaged`. */
  *verify(lost: (block: number) => void): Generator<void, void, void> {
    this.#verifyEnds();
    this.#verified.fill(0);
    this.#kept = undefined;
    for (let block = 0; block < this.layout.count; block++) {
      try {
        this.#checked(block, block);
      } catch (error) {
        if (!(error instanceof DamagedBlock)) throw error;
        // A parity block is of no use any more where its group has lost another one.
        if (block < this.layout.data) lost(block);
      }
      if (block % BLOCKS_PER_TURN === BLOCKS_PER_TURN - 1) yield;
    }
  }

  /** Writes the file anew, with what was restored. What could not be stays as it is. */
  *copyTo(file: string): Generator<void, void, void> {
    const fd = openSync(file, 'wx');
    try {
      for (let block = 0; block < this.layout.count; block++) {
        if (block === this.layout.data) writeAll(fd, this.#end);
        writeAll(fd, this.#best(block));
        if (block % BLOCKS_PER_TURN === BLOCKS_PER_TURN - 1) yield;
      }
      writeAll(fd, this.#end);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  #best(block: number): Uint8Array {
    try {
      return this.#checked(block, block);
    } catch (error) {
      if (!(error instanceof DamagedBlock)) throw error;
      return this.#readBlocks(block, block);
    }
  }

  /** Blocks of one part, as they were written. */
  #checked(first: number, last: number, scratch?: Scratch): Uint8Array {
    const bytes = this.#readBlocks(first, last, scratch);
    const start = this.layout.rangeOf(first)[0];
    for (let block = first; block <= last; block++) {
      if (this.#verified[block] === 1) continue;
      const [at, length] = this.layout.rangeOf(block);
      const part = bytes.subarray(at - start, at - start + length);
      if (crc32(part) === this.footer.sums[block]) {
        this.#verified[block] = 1;
        continue;
      }
      const restored = this.#restored.get(block) ?? this.#restore(block, length);
      part.set(restored);
      this.#restored.set(block, restored);
    }
    return bytes;
  }

  #restore(block: number, length: number): Uint8Array {
    const total = new BlockSum();
    const one = new BlockSum();
    for (const other of this.layout.othersOf(block)) {
      const bytes = this.#restored.get(other) ?? this.#readBlocks(other, other);
      if (crc32(bytes) !== this.footer.sums[other]) throw new DamagedBlock(this.file, block);
      one.bytes.fill(0, bytes.length).set(bytes);
      total.add(one);
    }
    const restored = total.bytes.subarray(0, length);
    if (crc32(restored) !== this.footer.sums[block]) throw new DamagedBlock(this.file, block);
    return restored;
  }

  /** As the disk has them, with zeros for what it cannot read; from memory if the segment is small. */
  #readBlocks(first: number, last: number, scratch?: Scratch): Uint8Array {
    const { layout, footer } = this;
    const [from] = layout.rangeOf(first);
    const [at, length] = layout.rangeOf(last);
    if (last < layout.cold && footer.cold <= KEPT_BYTES) {
      this.#kept ??= this.#readFile(0, layout.cold - 1, 0, footer.cold);
      return this.#kept.subarray(from, at + length);
    }
    return this.#readFile(first, last, from, at + length - from, scratch);
  }

  #readFile(first: number, last: number, from: number, length: number, scratch?: Scratch): Uint8Array {
    try {
      return readAt(this.#fd, this.file, from, length, scratch);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    const bytes = new Uint8Array(length);
    for (let block = first; block <= last; block++) {
      const [at, blockLength] = this.layout.rangeOf(block);
      try {
        bytes.set(readAt(this.#fd, this.file, at, blockLength), at - from);
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#verified[block] = 0;
      }
    }
    return bytes;
  }

  /** By the file's name: what is open may be removed or replaced. */
  #verifyEnds(): void {
    const { file, layout, footer } = this;
    const length = this.#end.length;
    const fd = openSync(file, 'r');
    try {
      checkSize(fd, file, layout, length);
      const starts = [footer.cold + footer.resident, layout.end];
      const bad = starts.filter((at) => !isSame(this.#end, tryRead(fd, file, at, length))).length;
      if (bad === 2) throw damaged(file, 'it was replaced');
      this.#badFooters = bad;
    } finally {
      closeSync(fd);
    }
  }
}

/** What a manifest says of a segment file that has just been written. */
export function describeSegment(file: string): {
  readonly sum: number;
  readonly documents: number;
  readonly firstEnd: number;
} {
  const fd = openSync(file, 'r');
  try {
    const { sum, footer, bytes } = readEnd(fd, file);
    return { sum, documents: footer.documents, firstEnd: footer.cold + footer.resident + bytes.length };
  } finally {
    closeSync(fd);
  }
}

interface End {
  /** Footer and trailer. */
  readonly bytes: Uint8Array;
  readonly sum: number;
  readonly footer: SegmentFooter;
}

function readEnd(
  fd: number,
  file: string,
  firstEnd?: number,
): End & { readonly layout: BlockLayout; readonly isLast: boolean } {
  let end: End;
  let isLast = true;
  try {
    end = readEndAt(fd, file, fstatSync(fd).size);
  } catch (error) {
    if (!isDamage(error) || firstEnd === undefined) throw error;
    isLast = false;
    try {
      end = readEndAt(fd, file, firstEnd);
    } catch (other) {
      throw isDamage(other) ? error : other;
    }
  }
  const { cold, resident } = end.footer;
  const layout = new BlockLayout(cold, resident, cold + resident + end.bytes.length);
  checkSize(fd, file, layout, end.bytes.length);
  return { ...end, layout, isLast };
}

function readEndAt(fd: number, file: string, end: number): End {
  if (end < TRAILER_BYTES) throw damaged(file, 'too short');
  const trailer = Buffer.from(readAt(fd, file, end - TRAILER_BYTES, TRAILER_BYTES));
  if (trailer.toString('latin1', 12) !== MAGIC) throw damaged(file, 'not a whole segment');
  // Which format an index has is the manifest's to say; no segment of it has another.
  if (trailer.readUInt32LE(8) !== FORMAT_VERSION) throw damaged(file, 'format');
  const length = trailer.readUInt32LE(0);
  // Zeros are the checksum of nothing.
  if (length === 0 || length > end - TRAILER_BYTES) throw damaged(file, 'footer');
  const bytes = readAt(fd, file, end - TRAILER_BYTES - length, length + TRAILER_BYTES);
  const json = bytes.subarray(0, length);
  if (crc32(json) !== trailer.readUInt32LE(4)) throw damaged(file, 'footer');
  return { bytes, sum: crc32(trailer), footer: JSON.parse(Buffer.from(json).toString('utf8')) as SegmentFooter };
}

function checkSize(fd: number, file: string, layout: BlockLayout, endLength: number): void {
  const { size } = fstatSync(fd);
  const expected = layout.end + endLength;
  if (size !== expected) throw damaged(file, size < expected ? 'too short' : 'too long');
}

function tryRead(fd: number, file: string, from: number, length: number): Uint8Array | undefined {
  try {
    return readAt(fd, file, from, length);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

function isSame(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.compare(one, other) === 0;
}

function readAt(fd: number, file: string, from: number, length: number, scratch?: Scratch): Uint8Array {
  // Not from Buffer's pool: the resident part's typed arrays need an aligned start.
  const bytes = scratch?.take(length) ?? new Uint8Array(length);
  for (let at = 0; at < length;) {
    let read: number;
    try {
      read = readSync(fd, bytes, at, length - at, from + at);
    } catch (error) {
      throw systemCode(error) === 'EIO' ? damaged(file, 'the disk cannot read it') : error;
    }
    if (read === 0) throw damaged(file, 'too short');
    at += read;
  }
  return bytes;
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}
