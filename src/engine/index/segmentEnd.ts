import { crc32 } from 'node:zlib';
import { systemCode } from '../../base/errors.ts';
import { FORMAT_VERSION, MAGIC, TRAILER_BYTES, damaged } from './format.ts';
import { closeSync, fstatSync, openSync, readSync } from './segmentStorage.ts';

/** The last part of a segment file but for its trailer. It has the checksums of the other parts, and the trailer has its own. */
export interface SegmentFooter {
  readonly documents: number;
  readonly chunks: number;
  readonly terms: number;
  readonly tokens: number;
  readonly contentBytes: number;
  /** Each language with the number of its documents; a document has the language's index. */
  readonly languages: readonly (readonly [string, number])[];
  /** The outer folders by {@link outerFolderOf}, with the number of documents below each. */
  readonly folders: readonly (readonly [string, number])[];
  readonly bucketBits: number;
  readonly dictionary: number;
  /** Number of defined names, and where their blocks begin. */
  readonly names: number;
  readonly nameBlocks: number;
  /** Number of words, and where their parts begin. */
  readonly words: number;
  readonly wordParts: number;
  /** Bytes of the two parts. */
  readonly cold: number;
  readonly resident: number;
  /** Checksum of each block of the cold part, as in {@link encodeSums}. */
  readonly coldSums: string;
  readonly residentSum: number;
  /** Offset and length in bytes of each array in the resident part, from the part's start. */
  readonly sections: Readonly<Record<string, readonly [number, number]>>;
}

/** Footer and trailer as bytes. */
export function encodeEnd(footer: SegmentFooter): readonly Uint8Array[] {
  const json = Buffer.from(JSON.stringify(footer));
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(json.length, 0);
  trailer.writeUInt32LE(crc32(json), 4);
  trailer.writeUInt32LE(FORMAT_VERSION, 8);
  trailer.write(MAGIC, 12, 'latin1');
  return [json, trailer];
}

/** Numbers of 32 bits as text: thousands of decimal numbers would take longer to parse than the rest of an index to open. */
export function encodeSums(sums: readonly number[]): string {
  return Buffer.from(Uint32Array.from(sums).buffer).toString('base64');
}

export function decodeSums(text: string): Uint32Array {
  return new Uint32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer);
}

export interface SegmentEnd {
  readonly footer: SegmentFooter;
  /** Checksum of the trailer: of the whole file, since the trailer stands for the footer and the footer for the parts. */
  readonly sum: number;
}

/** Throws `IndexDamaged` where the footer, or the length of the file, is not as it was written. */
export function readEnd(fd: number, file: string): SegmentEnd {
  const { size } = fstatSync(fd);
  if (size < TRAILER_BYTES) throw damaged(file, 'too short');
  const trailer = Buffer.from(readAt(fd, file, size - TRAILER_BYTES, TRAILER_BYTES));
  if (trailer.toString('latin1', 12) !== MAGIC) throw damaged(file, 'not a whole segment');
  // The manifest decides on the format of an index; no segment of it has another.
  if (trailer.readUInt32LE(8) !== FORMAT_VERSION) throw damaged(file, 'format');
  const length = trailer.readUInt32LE(0);
  // Zeros are the checksum of nothing.
  if (length === 0 || length > size - TRAILER_BYTES) throw damaged(file, 'footer');
  const json = readAt(fd, file, size - TRAILER_BYTES - length, length);
  if (crc32(json) !== trailer.readUInt32LE(4)) throw damaged(file, 'footer');
  const footer = JSON.parse(Buffer.from(json).toString('utf8')) as SegmentFooter;
  const expected = footer.cold + footer.resident + length + TRAILER_BYTES;
  if (size !== expected) throw damaged(file, size < expected ? 'too short' : 'too long');
  return { footer, sum: crc32(trailer) };
}

/** The manifest's entry for a segment file: its checksum, and the number of its documents. */
export function describeSegment(file: string): { readonly sum: number; readonly documents: number } {
  const fd = openSync(file, 'r');
  try {
    const { sum, footer } = readEnd(fd, file);
    return { sum, documents: footer.documents };
  } finally {
    closeSync(fd);
  }
}

/** Throws `IndexDamaged` where the disk cannot read it, or the file ends before. */
export function readAt(
  fd: number,
  file: string,
  from: number,
  length: number,
  // Not from Buffer's pool: the resident part's typed arrays need an aligned start.
  into = new Uint8Array(length),
): Uint8Array {
  for (let at = 0; at < length;) {
    let read: number;
    try {
      read = readSync(fd, into, at, length - at, from + at);
    } catch (error) {
      throw systemCode(error) === 'EIO' ? damaged(file, 'the disk cannot read it') : error;
    }
    if (read === 0) throw damaged(file, 'too short');
    at += read;
  }
  return into;
}
