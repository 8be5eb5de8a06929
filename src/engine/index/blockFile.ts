import { crc32 } from 'node:zlib';
import { DamagedFile } from './damage.ts';
import { BLOCK_BYTES, damaged } from './format.ts';
import { decodeSums, describeSegment, readAt, readEnd, type SegmentFooter } from './segmentEnd.ts';
import { closeSync, openSync } from './segmentStorage.ts';

/** A cold part of up to this size is kept in memory once a byte of it is read. */
const KEPT_BYTES = 8 << 20;

/** Blocks that {@link BlockFile.verify} reads before it lets others work: 4 MB, a few milliseconds. */
const BLOCKS_PER_TURN = 256;

/** Bytes to read into, used again for the next read. */
export class Scratch {
  #bytes = new Uint8Array(0);

  take(length: number): Uint8Array<ArrayBuffer> {
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(length * 2);
    return this.#bytes.subarray(0, length);
  }
}

/** A block of the cold part whose checksum does not hold. */
export class DamagedBlock extends DamagedFile {
  readonly block: number;

  constructor(file: string, block: number) {
    super(file, `block ${block}`);
    this.block = block;
  }
}

/** Takes the checksums of blocks on their way to the disk. */
export class BlockSums {
  readonly #whole: number[] = [];
  /** Checksum and number of bytes of the block being filled. */
  #sum = 0;
  #bytes = 0;

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.#bytes);
      this.#sum = crc32(part, this.#sum);
      this.#bytes += part.length;
      at += part.length;
      if (this.#bytes === BLOCK_BYTES) this.#endBlock();
    }
  }

  /** The checksum of each block; the last one may be short. */
  finish(): readonly number[] {
    if (this.#bytes > 0) this.#endBlock();
    return this.#whole;
  }

  #endBlock(): void {
    this.#whole.push(this.#sum);
    this.#sum = 0;
    this.#bytes = 0;
  }
}

/** The bytes of a segment file. The checksum of a cold block is checked at the first read of one of its bytes. */
export class BlockFile {
  readonly file: string;
  /** Checksum of the whole file; see {@link SegmentEnd}. */
  readonly sum: number;
  readonly footer: SegmentFooter;

  readonly #fd: number;
  readonly #sums: Uint32Array;
  readonly #verified: Uint8Array;
  /** The whole cold part of a small segment: there a search spends more on calls than on anything else. */
  #kept: Uint8Array | undefined;

  /** Throws `IndexDamaged`, or the system's error where the file cannot be opened. */
  constructor(file: string) {
    this.file = file;
    this.#fd = openSync(file, 'r');
    try {
      ({ footer: this.footer, sum: this.sum } = readEnd(this.#fd, file));
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
    this.#sums = decodeSums(this.footer.coldSums);
    this.#verified = new Uint8Array(this.#sums.length);
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Reads and checks the resident part. Throws `IndexDamaged`. */
  resident(): Uint8Array {
    const { cold, resident, residentSum } = this.footer;
    const bytes = readAt(this.#fd, this.file, cold, resident);
    if (crc32(bytes) !== residentSum) throw damaged(this.file, 'resident part');
    return bytes;
  }

  /**
   * Reads from the cold part. Bytes in a scratch stay until the next read into it. Throws {@link DamagedBlock}, or another
   * `IndexDamaged` where the disk cannot read.
   */
  read(from: number, length: number, scratch?: Scratch): Uint8Array {
    const first = Math.floor(from / BLOCK_BYTES);
    const last = Math.floor((from + length - 1) / BLOCK_BYTES);
    let isVerified = true;
    for (let block = first; block <= last; block++) isVerified &&= this.#verified[block] === 1;
    if (isVerified) return this.#read(from, length, scratch);

    const start = first * BLOCK_BYTES;
    const bytes = this.#read(start, Math.min((last + 1) * BLOCK_BYTES, this.footer.cold) - start, scratch);
    for (let block = first; block <= last; block++) {
      const at = block * BLOCK_BYTES - start;
      const sum = crc32(bytes.subarray(at, at + BLOCK_BYTES));
      if (sum !== this.#sums[block]) throw new DamagedBlock(this.file, block);
      this.#verified[block] = 1;
    }
    return bytes.subarray(from - start, from - start + length);
  }

  /** Reads the whole file again, compares all checksums, and passes each damaged block to `lost`. Throws `IndexDamaged`. */
  *verify(lost: (block: number) => void): Generator<void, void, void> {
    // By the file's name: an open file may be removed or replaced.
    if (describeSegment(this.file).sum !== this.sum) throw damaged(this.file, 'it was replaced');
    this.resident();
    this.#verified.fill(0);
    this.#kept = undefined;
    const { cold } = this.footer;
    for (let block = 0; block < this.#sums.length; block++) {
      const from = block * BLOCK_BYTES;
      try {
        this.read(from, Math.min(BLOCK_BYTES, cold - from));
      } catch (error) {
        if (!(error instanceof DamagedBlock)) throw error;
        lost(block);
      }
      if (block % BLOCKS_PER_TURN === BLOCKS_PER_TURN - 1) yield;
    }
  }

  #read(from: number, length: number, scratch?: Scratch): Uint8Array {
    const { cold } = this.footer;
    if (cold > KEPT_BYTES) return readAt(this.#fd, this.file, from, length, scratch?.take(length));
    this.#kept ??= readAt(this.#fd, this.file, 0, cold);
    return this.#kept.subarray(from, from + length);
  }
}
