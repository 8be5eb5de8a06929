import { crc32 } from 'node:zlib';
import { BLOCK_BYTES } from './format.ts';

/*
 * A segment's blocks are in groups, and each group has a parity block: the exclusive or of its blocks, as if zeros followed
 * a short one. So each of them is the exclusive or of the others, and one that is damaged can be restored.
 *
 * Neighbours are in different groups, since damage comes in stretches: block n is in group n % 16 of its stripe of 2,048
 * blocks, 128 MB. The last stripe has as many groups as leave at most 128 blocks to each, a power of two: it is not known
 * before its end how many that are, and two groups become one by their exclusive or.
 */

const MOST_GROUPS = 16;
const GROUP_BLOCKS = 128;
const STRIPE_BLOCKS = MOST_GROUPS * GROUP_BLOCKS;
const WORDS = BLOCK_BYTES / 4;

/** How many groups so many blocks from the beginning of a stripe have. */
function groupsOf(blocks: number): number {
  let groups = 1;
  while (groups < MOST_GROUPS && blocks > groups * GROUP_BLOCKS) groups *= 2;
  return groups;
}

/** Where the blocks of a segment are: those of its cold part, of its resident part, and their parity. */
export class BlockLayout {
  readonly cold: number;
  /** Blocks of both parts; parity blocks have the numbers from here. */
  readonly data: number;
  readonly count: number;
  readonly #coldBytes: number;
  readonly #dataBytes: number;
  readonly #parityAt: number;

  /** Each part begins with a block of its own. `parityAt` is the first parity block's offset in the file. */
  constructor(coldBytes: number, residentBytes: number, parityAt: number) {
    this.#coldBytes = coldBytes;
    this.#dataBytes = coldBytes + residentBytes;
    this.#parityAt = parityAt;
    this.cold = Math.ceil(coldBytes / BLOCK_BYTES);
    this.data = this.cold + Math.ceil(residentBytes / BLOCK_BYTES);
    const last = this.data % STRIPE_BLOCKS;
    const whole = (this.data - last) / STRIPE_BLOCKS;
    this.count = this.data + whole * MOST_GROUPS + (last > 0 ? groupsOf(last) : 0);
  }

  /** Where the parity ends. */
  get end(): number {
    const [at, length] = this.rangeOf(this.count - 1);
    return at + length;
  }

  /** Offset and length of a block. */
  rangeOf(block: number): readonly [number, number] {
    if (block < this.cold) return this.#upTo(block * BLOCK_BYTES, this.#coldBytes);
    if (block < this.data) return this.#upTo(this.#coldBytes + (block - this.cold) * BLOCK_BYTES, this.#dataBytes);
    // Only the last parity block can have nothing but short blocks in its group.
    const lengths = this.othersOf(block).map((other) => this.rangeOf(other)[1]);
    return [this.#parityAt + (block - this.data) * BLOCK_BYTES, Math.max(...lengths)];
  }

  /** The rest of a block's group, parity included: their exclusive or is the block. */
  othersOf(block: number): number[] {
    const isParity = block >= this.data;
    const stripe = Math.floor(isParity ? (block - this.data) / MOST_GROUPS : block / STRIPE_BLOCKS);
    const first = stripe * STRIPE_BLOCKS;
    const end = Math.min(first + STRIPE_BLOCKS, this.data);
    const groups = groupsOf(end - first);
    const group = isParity ? (block - this.data) % MOST_GROUPS : block % groups;
    const others: number[] = [];
    for (let other = first + group; other < end; other += groups) if (other !== block) others.push(other);
    if (!isParity) others.push(this.data + stripe * MOST_GROUPS + group);
    return others;
  }

  #upTo(at: number, end: number): readonly [number, number] {
    return [at, Math.min(BLOCK_BYTES, end - at)];
  }
}

/** Room for the exclusive or of blocks, as bytes and as words. */
export class BlockSum {
  readonly bytes = new Uint8Array(BLOCK_BYTES);
  readonly words = new Int32Array(this.bytes.buffer);

  add({ words }: BlockSum): void {
    const into = this.words;
    for (let i = 0; i < WORDS; i++) into[i]! ^= words[i]!;
  }
}

/** Takes the checksums and the parity of blocks on their way to the disk. */
export class ParityWriter {
  /** Of each block, and after {@link finish} of the parity blocks. */
  readonly sums: number[] = [];
  readonly #block = new BlockSum();
  #length = 0;
  readonly #parity: BlockSum[] = [];

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.#length);
      this.#block.bytes.set(part, this.#length);
      this.#length += part.length;
      at += part.length;
      if (this.#length === BLOCK_BYTES) this.endBlock();
    }
  }

  /** What comes next is in another block. */
  endBlock(): void {
    if (this.#length === 0) return;
    const number = this.sums.length;
    const group = Math.floor(number / STRIPE_BLOCKS) * MOST_GROUPS + (number % MOST_GROUPS);
    this.#block.bytes.fill(0, this.#length);
    (this.#parity[group] ??= new BlockSum()).add(this.#block);
    this.sums.push(crc32(this.#block.bytes.subarray(0, this.#length)));
    this.#length = 0;
  }

  /** The parity blocks, to be written one after the other. */
  finish(layout: BlockLayout): readonly Uint8Array[] {
    const first = Math.floor((layout.data - 1) / STRIPE_BLOCKS) * MOST_GROUPS;
    const groups = layout.count - layout.data - first;
    const parity = this.#parity.slice(0, first + groups);
    this.#parity.slice(first + groups).forEach((more, i) => parity[first + (i % groups)]!.add(more));
    const blocks = parity.map(({ bytes }, i) => bytes.subarray(0, layout.rangeOf(layout.data + i)[1]));
    for (const block of blocks) this.sums.push(crc32(block));
    return blocks;
  }
}
