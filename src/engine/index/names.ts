import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SextantError } from '../../base/errors.ts';
import { lowerCase, withoutAccents } from '../analyze/words.ts';
import { ByteReader, ByteWriter } from './format.ts';

/*
 * The distinct names that a segment defines, for searches by prefix and glob: terms are hashes. A member occurs twice, as
 * `bar` and as `Foo.bar`.
 *
 * Names are in the order of their keys, so that `index_html`, `indexHtml` and `INDEX_HTML` are neighbours and a prefix of
 * a key is one range. They are front-coded in blocks, and a block is deflated: on the Linux kernel 2.8 million names are
 * 31 MB front-coded and 13 MB deflated, at a third of a second; leaving out generated registers would save less. One key
 * per block stays in memory.
 */

/** Bytes of a block before it is deflated; a lookup of a prefix inflates one or two. */
const BLOCK_BYTES = 12 << 10;
/** Number of inflated blocks that are kept: a search visits the same ones several times. */
const MAX_RECENT = 16;
/** Longer names are not listed. */
export const MAX_NAME_BYTES = 768;
/** Longer keys are cut off: some letters take more bytes in lower case, or stand for several. */
const MAX_KEY_BYTES = MAX_NAME_BYTES * 2;

/**
 * Key by which names are ordered and found: letters and digits in lower case, without accents. UTF-8 bytes as a string of characters up to
 * U+00FF, so that strings compare as bytes do.
 */
export function nameKey(name: string): string {
  if (/^[\0-\x7f]*$/.test(name)) return name.replace(/[^A-Za-z0-9]+/g, '').toLowerCase();
  const letters = lowerCase(withoutAccents(name)).replace(/[\0-\x2f\x3a-\x60\x7b-\x7f]+/g, '');
  return Buffer.from(letters).toString('latin1', 0, MAX_KEY_BYTES);
}

/** Offsets of the blocks of names, and the key of each. */
export interface NameBlocks {
  /** Offset of each block from the first one's, and of the end. */
  readonly offsets: Float64Array;
  /** For each block the shortest key above those of the blocks before and not above those in the block, in a row. */
  readonly keys: Uint8Array;
  /** Offset of each key in `keys`, and of the end. */
  readonly keyOffsets: Uint32Array;
}

/** Packs names into blocks. They must come in the order of {@link NameCursor.compare}. */
export class NameWriter {
  readonly #write: (block: Uint8Array) => void;
  readonly #block = new ByteWriter();
  readonly #offsets: number[] = [];
  readonly #keys = new ByteWriter();
  readonly #keyOffsets: number[] = [0];
  readonly #previous = new Uint8Array(MAX_NAME_BYTES);
  #previousLength = 0;
  readonly #previousKey = new Uint8Array(MAX_KEY_BYTES);
  #previousKeyLength = 0;
  #written = 0;
  count = 0;

  /** `write` receives each block when it is full. */
  constructor(write: (block: Uint8Array) => void) {
    this.#write = write;
  }

  add(key: Uint8Array, name: Uint8Array): void {
    const sharedKey = commonLength(key, key.length, this.#previousKey, this.#previousKeyLength);
    // Names of one key stay in one block, so that a block's first key is above all before it.
    const full = this.#block.length >= BLOCK_BYTES && sharedKey < key.length;
    if (full) this.#finishBlock();
    if (full || this.count === 0) {
      this.#offsets.push(this.#written);
      this.#keys.append(key.subarray(0, sharedKey + 1));
      this.#keyOffsets.push(this.#keys.length);
      this.#previousLength = 0;
    }
    const shared = commonLength(name, name.length, this.#previous, this.#previousLength);
    this.#block.varint(shared);
    this.#block.varint(name.length - shared);
    this.#block.append(name.subarray(shared));
    this.#previous.set(name.subarray(shared), shared);
    this.#previousLength = name.length;
    this.#previousKey.set(key.subarray(sharedKey), sharedKey);
    this.#previousKeyLength = key.length;
    this.count++;
  }

  finish(): NameBlocks {
    this.#finishBlock();
    const offsets = Float64Array.from([...this.#offsets, this.#written]);
    return { offsets, keys: this.#keys.view(), keyOffsets: Uint32Array.from(this.#keyOffsets) };
  }

  #finishBlock(): void {
    if (this.#block.length === 0) return;
    const packed = deflateRawSync(this.#block.view(), { level: 1 });
    this.#write(packed);
    this.#written += packed.length;
    this.#block.length = 0;
  }
}

/** Source of a cursor. */
export interface NameSource {
  readonly blocks: NameBlocks;
  /** Reads bytes of the blocks, from the first one's offset. */
  readonly read: (from: number, length: number) => Uint8Array;
  /** Returns the error to throw where {@link NameWriter} did not write the bytes. */
  readonly damaged: (what: string) => SextantError;
  /** The blocks that were inflated last, for the next cursor. */
  readonly recent?: Map<number, Uint8Array>;
}

/** Iterates in order over a segment's names, or those whose key begins with a prefix. */
export class NameCursor {
  /** The current name and its key, as UTF-8; they change with {@link next}. */
  readonly name = new Uint8Array(MAX_NAME_BYTES);
  length = 0;
  readonly key = new Uint8Array(MAX_KEY_BYTES);
  keyLength = 0;

  /** Number of the key's first letters that are those of the name before. */
  sharedKey = 0;
  /** Number of blocks that were opened. */
  blocks = 0;

  readonly #source: NameSource;
  readonly #prefix: Uint8Array;
  #block: number;
  /** Names that share as many bytes with the current one are left out. */
  #skipped = Number.POSITIVE_INFINITY;
  #reader = new ByteReader(new Uint8Array(0));
  /** Length of the key before each byte of the name; not kept for names with other than ASCII characters. */
  readonly #keyLengths = new Uint16Array(MAX_NAME_BYTES + 1);
  #isAscii = true;

  /** `prefix` is part of a {@link nameKey}. */
  constructor(source: NameSource, prefix = '') {
    this.#source = source;
    this.#prefix = Buffer.from(prefix, 'latin1');
    this.#block = this.#firstBlock();
  }

  /** Moves to the next name; `false` if there is none. */
  next(): boolean {
    const prefix = this.#prefix;
    while (this.#step()) {
      const shared = commonLength(this.key, this.keyLength, prefix, prefix.length);
      if (shared === prefix.length) return true;
      if (shared >= this.keyLength) continue;
      if (this.key[shared]! > prefix[shared]!) return false;
      this.#skipBytes(shared + 1);
    }
    return false;
  }

  /** Leaves out of {@link next} the names that share the first `letters` of the current key: most of them, and none besides. */
  skip(letters: number): void {
    this.#skipBytes(letters);
    if (!this.#isAscii) return;
    // A block's key is above all names before it: where that begins the same, so do they.
    if (!this.#begins(this.#block, letters)) return;
    this.#reader = new ByteReader(new Uint8Array(0));
    while (this.#begins(this.#block + 1, letters)) this.#block++;
  }

  #skipBytes(letters: number): void {
    if (!this.#isAscii) return;
    let at = this.length;
    while (at > 0 && this.#keyLengths[at - 1]! >= letters) at--;
    this.#skipped = at;
  }

  /** Whether the key of a block begins with the first `letters` of the current one. */
  #begins(block: number, letters: number): boolean {
    const { keys, keyOffsets } = this.#source.blocks;
    if (block + 1 >= keyOffsets.length) return false;
    const key = keys.subarray(keyOffsets[block], keyOffsets[block + 1]);
    return commonLength(key, key.length, this.key, letters) === letters;
  }

  nameBytes(): Uint8Array {
    return this.name.subarray(0, this.length);
  }

  keyBytes(): Uint8Array {
    return this.key.subarray(0, this.keyLength);
  }

  text(): string {
    return Buffer.from(this.name.buffer, 0, this.length).toString('utf8');
  }

  /** Whether the name may contain a text of the key `part`: always, if it has other than ASCII characters. */
  mayContain(part: Uint8Array): boolean {
    if (!this.#isAscii || part.length === 0) return true;
    const { key } = this;
    const [first] = part;
    for (let from = 0; from <= this.keyLength - part.length; from++) {
      if (key[from] !== first) continue;
      let at = 1;
      while (at < part.length && key[from + at] === part[at]) at++;
      if (at === part.length) return true;
    }
    return false;
  }

  /** Below 0 if the current name comes before that of `other`. */
  compare(other: NameCursor): number {
    return (
      compareBytes(this.key, this.keyLength, other.key, other.keyLength) ||
      compareBytes(this.name, this.length, other.name, other.length)
    );
  }

  /** The last block whose key is not above the prefix: names with the prefix are in it or after it. */
  #firstBlock(): number {
    const { keys, keyOffsets } = this.#source.blocks;
    let low = 0;
    let high = keyOffsets.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const key = keys.subarray(keyOffsets[middle], keyOffsets[middle + 1]);
      if (compareBytes(key, key.length, this.#prefix, this.#prefix.length) <= 0) low = middle;
      else high = middle;
    }
    return low;
  }

  #step(): boolean {
    let shared: number;
    let added: number;
    for (;;) {
      if (this.#reader.at >= this.#reader.bytes.length) {
        if (this.#block + 1 >= this.#source.blocks.offsets.length) return false;
        this.#reader = new ByteReader(this.#inflate(this.#block++));
        this.blocks++;
        this.length = 0;
        this.#isAscii = false;
        this.#skipped = Number.POSITIVE_INFINITY;
      }
      const reader = this.#reader;
      shared = reader.varint();
      added = reader.varint();
      if (shared < this.#skipped) break;
      reader.at += added;
    }
    this.#skipped = Number.POSITIVE_INFINITY;
    const reader = this.#reader;
    const { name, key } = this;
    const isWhole = shared <= this.length && shared + added <= MAX_NAME_BYTES;
    if (!isWhole || reader.at + added > reader.bytes.length) throw this.#source.damaged('a name is too long');
    const keyLengths = this.#keyLengths;
    let at = this.#isAscii ? shared : 0;
    let keyLength = at === 0 ? 0 : keyLengths[at]!;
    this.sharedKey = keyLength;
    const { bytes } = reader;
    this.length = shared + added;
    for (let to = shared; to < this.length; to++) name[to] = bytes[reader.at++]!;
    this.#isAscii = true;
    for (; at < this.length; at++) {
      const byte = name[at]!;
      keyLengths[at] = keyLength;
      if ((byte >= 97 && byte <= 122) || (byte >= 48 && byte <= 57)) key[keyLength++] = byte;
      else if (byte >= 65 && byte <= 90) key[keyLength++] = byte + 32;
      else if (byte >= 128) this.#isAscii = false;
    }
    keyLengths[at] = keyLength;
    this.keyLength = keyLength;
    if (this.#isAscii) return true;
    this.sharedKey = 0;
    this.keyLength = Buffer.from(key.buffer).write(nameKey(this.text()), 'latin1');
    return true;
  }

  #inflate(block: number): Uint8Array {
    const { blocks, read, damaged, recent } = this.#source;
    const known = recent?.get(block);
    if (known) return known;
    const from = blocks.offsets[block]!;
    const bytes = read(from, blocks.offsets[block + 1]! - from);
    let inflated: Uint8Array;
    try {
      inflated = inflateRawSync(bytes);
    } catch {
      throw damaged('names');
    }
    if (recent && recent.size >= MAX_RECENT) recent.delete(recent.keys().next().value!);
    recent?.set(block, inflated);
    return inflated;
  }
}

export function commonLength(one: Uint8Array, oneLength: number, other: Uint8Array, otherLength: number): number {
  const end = Math.min(oneLength, otherLength);
  let at = 0;
  while (at < end && one[at] === other[at]) at++;
  return at;
}

function compareBytes(one: Uint8Array, oneLength: number, other: Uint8Array, otherLength: number): number {
  const at = commonLength(one, oneLength, other, otherLength);
  return at < oneLength && at < otherLength ? one[at]! - other[at]! : oneLength - otherLength;
}
