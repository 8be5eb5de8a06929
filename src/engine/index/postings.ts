import { Scratch } from './blockFile.ts';
import { ByteReader, IN_COMMENT, MAX_TF, type ByteWriter } from './format.ts';

/** Range of a term's postings in {@link Postings}, and the number of documents with the term. */
export interface PostingList {
  readonly from: number;
  readonly to: number;
  readonly documents: number;
}

/** Largest room that is kept for the next use: 20 MB, which no usual query on a large folder needs. */
const KEPT_POSTINGS = 4 << 20;

/** Decoded lists, one after the other. Their memory is used again after {@link clear}. */
export class Postings {
  /** The chunks of each list in ascending order, and their bytes (see {@link IN_COMMENT}). */
  chunks = new Uint32Array(1024);
  frequencies = new Uint8Array(1024);
  length = 0;
  /** Room for the bytes of a list while it is decoded. */
  readonly scratch = new Scratch();

  clear(): void {
    this.length = 0;
    if (this.chunks.length <= KEPT_POSTINGS) return;
    this.chunks = new Uint32Array(1024);
    this.frequencies = new Uint8Array(1024);
  }

  /** Makes room for `more` postings after `length`. */
  reserve(more: number): void {
    const { chunks, frequencies, length } = this;
    if (length + more <= chunks.length) return;
    const room = Math.max(length + more, chunks.length * 2);
    this.chunks = new Uint32Array(room);
    this.frequencies = new Uint8Array(room);
    this.chunks.set(chunks.subarray(0, length));
    this.frequencies.set(frequencies.subarray(0, length));
  }
}

/** A `value` of a term in the dictionary from this number on is its only posting; below it, the offset of its list. */
export const INLINE = 0x80000000;

/** The only posting of a term, for the dictionary. */
export function encodeInline(chunk: number, byte: number): number {
  return (INLINE | (chunk << 7) | shortByte(byte)) >>> 0;
}

/** A posting's byte in 7 bits, for the dictionary. */
function shortByte(byte: number): number {
  return Math.min(byte & MAX_TF, 63) | (byte & IN_COMMENT ? 64 : 0);
}

/** Appends the only posting of a term, from the dictionary. Returns `undefined` if it is damaged. */
export function decodeInline(value: number, chunkCount: number, into: Postings): PostingList | undefined {
  const chunk = (value >>> 7) & 0xffffff;
  if (chunk >= chunkCount) return undefined;
  into.reserve(1);
  const from = into.length++;
  into.chunks[from] = chunk;
  into.frequencies[from] = (value & 63) | (value & 64 ? IN_COMMENT : 0);
  return { from, to: from + 1, documents: 1 };
}

/** A distance of 24 bits with three bits of frequency in 4 bytes, and the rest of the frequency in 2. */
const MAX_POSTING_BYTES = 6;

/** Writes `count` postings, which are in `documents` documents: see {@link decodePostings}. */
export function encodePostings(
  out: ByteWriter,
  chunks: Uint32Array,
  frequencies: Uint8Array,
  count: number,
  documents: number,
): void {
  out.varint(count);
  out.varint(documents);
  // Room for all of it at once, so that the loop is one over arrays: nearly all postings take one byte or two.
  out.reserve(count * MAX_POSTING_BYTES);
  const { bytes } = out;
  let at = out.length;
  let previous = 0;
  for (let i = 0; i < count; i++) {
    const frequency = frequencies[i]! & MAX_TF;
    let rest = (chunks[i]! - previous) * 8 + (frequencies[i]! & IN_COMMENT ? 4 : 0) + Math.min(frequency - 1, 3);
    previous = chunks[i]!;
    for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
    bytes[at++] = rest;
    if (frequency < 4) continue;
    rest = frequency - 4;
    for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
    bytes[at++] = rest;
  }
  out.length = at;
}

/** Appends the list that `bytes` begin with. Returns `undefined` if it is damaged. */
export function decodePostings(bytes: Uint8Array, chunkCount: number, into: Postings): PostingList | undefined {
  const head = new ByteReader(bytes);
  const count = head.varint();
  const documents = head.varint();
  if (count > bytes.length) return undefined;
  into.reserve(count);
  const { chunks, frequencies, length: from } = into;
  const to = from + count;
  let { at } = head;
  let chunk = 0;
  for (let i = from; i < to; i++) {
    let value = bytes[at++]!;
    if (value > 127) {
      let byte = value;
      value &= 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++]!;
        value |= (byte & 127) << shift;
      }
    }
    chunk += value >>> 3;
    let frequency = (value & 3) + 1;
    if (frequency === 4) {
      let byte = bytes[at++]!;
      let more = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++]!;
        more |= (byte & 127) << shift;
      }
      frequency += more;
    }
    chunks[i] = chunk;
    frequencies[i] = frequency | ((value & 4) << 5);
  }
  // Chunks ascend, so the last one is the largest.
  if (at > bytes.length || chunk >= chunkCount) return undefined;
  into.length = to;
  return { from, to, documents };
}
