import { closeSync, fstatSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { systemCode } from '../../base/errors.ts';
import { openRegularFileSync } from '../../base/regularFile.ts';
import { contextErrors } from '../errors.ts';

/** A stored blob. */
export interface PackedBlob {
  readonly name: string;
  readonly path: string;
  readonly content: Uint8Array;
  /** Whether the content is text; other content is stored but not searched. */
  readonly isText: boolean;
}

/** Position of a blob in its file. */
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
 * A pack: immutable, written atomically.
 *
 *   SXPACK1\n · length of the directory · its CRC-32 · directory (JSON, a row for each blob) · the contents in a row
 */

/** Writes blobs durably. */
export async function writePack(file: string, blobs: readonly PackedBlob[]): Promise<void> {
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
  await writeFileAtomic(file, Buffer.concat([head, directory, ...blobs.map(({ content }) => content)]), 0o600);
}

/** The entries of a pack, or `undefined` if its directory is damaged. Throws `StoreNewer`. */
export function readDirectory(file: string): readonly PackedEntry[] | undefined {
  let fd: number | undefined;
  try {
    fd = openRegularFileSync(file);
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
    if (fd !== undefined) closeSync(fd);
  }
}

/** The content of a blob, or `undefined` if damaged. */
export function readContent(file: string, { offset, length, sum }: PackedEntry): Buffer | undefined {
  const fd = openRegularFileSync(file);
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
