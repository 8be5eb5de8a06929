import { SextantError } from '../../base/errors.ts';
import type { DefinitionKind } from '../analyze/language.ts';
import type { AsciiParts } from '../analyze/words.ts';
import { DamagedFile } from './damage.ts';

/*
 * A segment is one immutable file:
 *
 *   cold      details of documents · postings by bucket · names · words · dictionary  read in pieces when a search needs them
 *   resident  arrays of documents, chunks and buckets                     read whole when the segment is opened
 *   footer    JSON: the sections' offsets and lengths, languages, outer folders, counts, the checksums of cold's blocks and of resident
 *   trailer   the footer's length and checksum, version, magic
 *
 * Numbers are little-endian. A posting names a chunk; the document follows from the chunk. Terms are kept as 48 bits of
 * hash: 16 that choose the bucket and 32 that are looked for in it. A wrong hit needs a collision of 48 bits
 * (one query word in 50 million on the Linux kernel); a term's text would cost another 60 MB there.
 */

export const FORMAT_VERSION = 7;
/** Raise it when the same text gives other terms, definitions or chunks: an index must not mix them. */
export const ANALYSIS_VERSION = 22;
/** Ends every segment file; the line end shows a file that went through a text-mode copy. */
export const MAGIC = 'SXTSEG\r\n';
export const TRAILER_BYTES = 20;
/** The cold part has a checksum for each block of this length. A search reads whole blocks, so a longer one costs time. */
export const BLOCK_BYTES = 1 << 14;
export const MAX_CHUNKS = 1 << 24;
/** A posting's byte: the term's frequency in the chunk, and a bit for occurrences in a comment. */
export const MAX_TF = 127;
export const IN_COMMENT = 128;
/** A chunk's tokens: their number, and a bit for a chunk of imports alone. */
export const MAX_TOKENS = 0x7fff;
export const ARE_IMPORTS = 0x8000;
export const DOCUMENT_ID_BYTES = 32;

/** Field of a term. Each field has its own terms, so that a list has postings of one field only. */
export const Field = {
  /** A word of the text, stemmed. */
  body: 1,
  /** A compound identifier of the text, folded: `handle_mm_fault` → `handlemmfault`. */
  identifier: 2,
  /** A word of a defined name, stemmed, in the chunk that defines it. */
  definition: 3,
  /** A defined name, folded. */
  symbol: 4,
  /** A word of a folder's name, stemmed, in the document's first chunk; likewise the file's name. */
  folder: 5,
  fileName: 6,
  /** The initials of a defined name of three words or more: `ihm`. */
  acronym: 10,
  /** Container and name of a definition, folded: `foo.bar`. */
  qualified: 11,
} as const;
export type Field = (typeof Field)[keyof typeof Field];

/** In the order of their numbers on disk: append only. */
export const DEFINITION_KINDS: readonly DefinitionKind[] = [
  'class',
  'constant',
  'enum',
  'function',
  'heading',
  'interface',
  'macro',
  'method',
  'module',
  'struct',
  'type',
  'variable',
  'extension',
  'section',
];

/** A term's 48 bits: `bucket` 16, `key` 32. */
export interface TermHash {
  bucket: number;
  key: number;
}

const TEXT_SEED = 0x811c9dc5;

/**
 * Writes the hash of `text` in `field` into `out`, so that the builder's loop allocates nothing. The bucket depends on the
 * text alone: a search looks a word up in several fields, and so reads one bucket for all of them.
 */
export function hashTerm(field: Field, text: string, out: TermHash): void {
  let hash1 = TEXT_SEED;
  let hash2 = Math.imul(field, 0x85ebca6b) ^ 0x27d4eb2f;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    hash1 = Math.imul(hash1 ^ unit, 0x01000193);
    hash2 = Math.imul(hash2 ^ unit, 0x5bd1e995);
    hash2 ^= hash2 >>> 13;
  }
  out.bucket = mix(hash1) >>> 16;
  out.key = mix(hash2 ^ Math.imul(hash1, 0xc2b2ae35)) >>> 0;
}

/** The hash of `text` in `field`. */
export function termHash(field: Field, text: string): TermHash {
  const hash = { bucket: 0, key: 0 };
  hashTerm(field, text, hash);
  return hash;
}

/** Like {@link hashTerm} of letters and digits in ASCII as they are in `parts`, in lower case and joined. */
export function hashParts(field: Field, bytes: Uint8Array, parts: AsciiParts, out: TermHash): void {
  let hash1 = TEXT_SEED;
  let hash2 = Math.imul(field, 0x85ebca6b) ^ 0x27d4eb2f;
  for (let part = 0; part < parts.count; part++) {
    const end = parts.ends[part]!;
    for (let at = parts.starts[part]!; at < end; at++) {
      const unit = bytes[at]! | LOWER_CASE;
      hash1 = Math.imul(hash1 ^ unit, 0x01000193);
      hash2 = Math.imul(hash2 ^ unit, 0x5bd1e995);
      hash2 ^= hash2 >>> 13;
    }
  }
  out.bucket = mix(hash1) >>> 16;
  out.key = mix(hash2 ^ Math.imul(hash1, 0xc2b2ae35)) >>> 0;
}

/** Bit that turns a capital letter of ASCII into a small one; small ones and digits have it. */
const LOWER_CASE = 32;

/** MurmurHash3's finalizer: every bit of the input moves every bit of the output. */
function mix(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

export const damaged = (file: string, what: string): SextantError => new DamagedFile(file, what);

export const newerFormat = (file: string, version: number): SextantError =>
  new SextantError(
    'IndexFormat',
    `The index file ${file} has format ${version}; this version of Sextant reads ${FORMAT_VERSION}.`,
  );

export const otherAnalysis = (folder: string): SextantError =>
  new SextantError('IndexFormat', `The index in ${folder} was made by another version of Sextant.`);

/** A byte array that grows; numbers in it are LEB128 varints. */
export class ByteWriter {
  bytes = new Uint8Array(4096);
  length = 0;

  /** Makes room in `bytes` for `more` bytes after `length`. */
  reserve(more: number): void {
    if (this.length + more > this.bytes.length) this.#grow(more);
  }

  varint(value: number): void {
    this.reserve(5);
    let rest = value;
    while (rest > 127) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  #grow(more: number): void {
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    larger.set(this.view());
    this.bytes = larger;
  }
}

/** Reads the bytes of a {@link ByteWriter}. Past the end it reads zeros, and `at` shows it. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  varint(): number {
    const first = this.bytes[this.at] ?? 0;
    if (first < 128) {
      this.at++;
      return first;
    }
    let value = 0;
    let shift = 0;
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
      shift += 7;
    }
  }

  text(length: number): string {
    const bytes = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  }
}
