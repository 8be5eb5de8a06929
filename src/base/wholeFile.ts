import { randomBytes } from 'node:crypto';
import { closeSync, linkSync, openSync, writeFileSync } from 'node:fs';
import { systemCode } from './errors.ts';
import { removeLeftoverSync, removeSync } from './removal.ts';

/**
 * Creates `file` with all of `text`, unless another process has: of several processes exactly one gets `true`. A
 * temporary file is linked to the name, since a process killed between creating and writing would leave an empty one.
 * Not synced: the content is worthless after a power cut. `mode` restricts its readers.
 */
export function createWhole(file: string, text: string, mode?: number): boolean {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
    return link(temporary, file) ?? createInPlace(file, text, mode);
  } finally {
    removeLeftoverSync(temporary);
  }
}

/** `undefined` where the file system has no links, or another program has the temporary file open. */
function link(from: string, to: string): boolean | undefined {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    // ENOENT: an owner of the folder removed the temporary file as unknown.
    const isLost = ['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '');
    return isLost ? false : undefined;
  }
}

/** Writes to the name itself on file systems without links, such as exFAT. */
function createInPlace(file: string, text: string, mode?: number): boolean {
  let fd: number;
  try {
    fd = openSync(file, 'wx', mode);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
  let isWhole = false;
  try {
    writeFileSync(fd, text);
    isWhole = true;
    return true;
  } finally {
    closeSync(fd);
    // A full disk has room for the name only: the empty file would look like one still being written.
    if (!isWhole) removeSync(file);
  }
}
