import { closeSync as close, fstatSync as fstat, fsyncSync as fsync } from 'node:fs';
import { readSync as read, writeSync as write } from 'node:fs';
import { openRegularFileSync } from '../../base/regularFile.ts';
import { openOwnSync, removeIfFreeSync as fromDisk } from '../../base/removal.ts';

/*
 * The few calls that write and read segments: those of `node:fs`, and for a name that begins with `memory:`, the same on
 * bytes of this process. Unsaved texts must not get to a disk, and are searched like all others.
 */

const MEMORY = 'memory:';

class MemoryFile {
  bytes = new Uint8Array(1 << 16);
  length = 0;
}

const files = new Map<string, MemoryFile>();
const handles = new Map<number, MemoryFile>();
let lastName = 0;
let lastHandle = -1;

/** A name for bytes in this process. */
export function memoryFile(): string {
  return `${MEMORY}${++lastName}`;
}

export function openSync(file: string, mode: 'r' | 'wx'): number {
  if (!file.startsWith(MEMORY)) return mode === 'r' ? openRegularFileSync(file) : openOwnSync(file, mode);
  if (mode === 'wx') files.set(file, new MemoryFile());
  const opened = files.get(file);
  if (!opened) throw Object.assign(new Error(`There is no ${file}.`), { code: 'ENOENT' });
  handles.set(--lastHandle, opened);
  return lastHandle;
}

export function readSync(fd: number, into: Uint8Array, offset: number, length: number, position: number): number {
  const file = handles.get(fd);
  if (!file) return read(fd, into, offset, length, position);
  const part = file.bytes.subarray(position, Math.min(position + length, file.length));
  into.set(part, offset);
  return part.length;
}

export function writeSync(fd: number, bytes: Uint8Array, offset: number): number {
  const file = handles.get(fd);
  if (!file) return write(fd, bytes, offset);
  const part = bytes.subarray(offset);
  if (file.length + part.length > file.bytes.length) {
    const larger = new Uint8Array(2 * (file.length + part.length));
    larger.set(file.bytes);
    file.bytes = larger;
  }
  file.bytes.set(part, file.length);
  file.length += part.length;
  return part.length;
}

export function fstatSync(fd: number): { readonly size: number } {
  const file = handles.get(fd);
  return file ? { size: file.length } : fstat(fd);
}

export function fsyncSync(fd: number): void {
  if (!handles.has(fd)) fsync(fd);
}

export function closeSync(fd: number): void {
  if (!handles.delete(fd)) close(fd);
}

/** A file that another process has open is removed by a later commit. */
export function removeIfFreeSync(file: string): void {
  if (!files.delete(file)) fromDisk(file);
}
