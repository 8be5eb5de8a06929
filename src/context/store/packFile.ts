import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { systemCode } from '../../base/errors.ts';
import { contextErrors } from '../errors.ts';

/** A blob as it is kept. */
export interface PackedBlob {
  readonly name: string;
  readonly path: string;
  readonly content: Uint8Array;
  /** Whether it can be searched; what is no text is kept nevertheless. */
  readonly isText: boolean;
}

/** Where a blob is in its file. */
export interface PackedEntry {
  readonly name: string;
  readonly path: string;
  readonly isText: boolean;
  readonly offset: number;
  readonly length: number;
  readonly sum: number;
}

type PackRow = readonly [name: string, path: string, isText: 0 | 1, length: number, sum: number];

const MAGIC = 'SXPACK1\n';
const ANY_MAGIC = /^SXPACK\d\n$/;
/** The magic, the length of the directory and its checksum. */
const HEAD_BYTES = 16;

/*
 * A pack: immutable, written whole or not at all.
 *
 *   SXPACK1\n · length of the directory · its CRC-32 · directory (JSON, a row for each blob) · the contents in a row
 */

/** When this returns, the blobs are on the disk. */
export function writePack(file: string, blobs: readonly PackedBlob[]): void {
  const rows = blobs.map(({ name, path, content, isText }): PackRow => [
    name,
    path,
    isText ? 1 : 0,
    content.length,
    crc32(content),
  ]);
  const directory = Buffer.from(JSON.stringify(rows));
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(MAGIC, 'latin1');
  head.writeUInt32LE(directory.length, 8);
  head.writeUInt32LE(crc32(directory), 12);
  writeFileAtomicSync(file, Buffer.concat([head, directory, ...blobs.map(({ content }) => content)]), 0o600);
}

/** What is in a pack, or `undefined` where that is damaged. Throws `StoreNewer`. */
export function readDirectory(file: string): readonly PackedEntry[] | undefined {
  const fd = openSync(file, 'r');
  try {
    const head = readPart(fd, 0, HEAD_BYTES);
    const magic = head?.toString('latin1', 0, 8) ?? '';
    if (magic !== MAGIC) {
      if (ANY_MAGIC.test(magic)) throw contextErrors.storeNewer(file);
      return undefined;
    }
    const length = head!.readUInt32LE(8);
    const directory = length <= fstatSync(fd).size ? readPart(fd, HEAD_BYTES, length) : undefined;
    if (!directory || crc32(directory) !== head!.readUInt32LE(12)) return undefined;
    let offset = HEAD_BYTES + length;
    return (JSON.parse(directory.toString()) as PackRow[]).map(([name, path, isText, length, sum]) => {
      const entry = { name, path, isText: isText === 1, offset, length, sum };
      offset += length;
      return entry;
    });
  } catch (error) {
    if (systemCode(error) === 'EIO') return undefined;
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** The content of a blob, or `undefined` where it is damaged. */
export function readContent(file: string, { offset, length, sum }: PackedEntry): Buffer | undefined {
  const fd = openSync(file, 'r');
  try {
    const content = readPart(fd, offset, length);
    return content && crc32(content) === sum ? content : undefined;
  } finally {
    closeSync(fd);
  }
}

function readPart(fd: number, from: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length;) {
    const read = readSync(fd, bytes, at, length - at, from + at);
    if (read === 0) return undefined;
    at += read;
  }
  return bytes;
}
