import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, writeFileSync } from 'node:fs';
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
    return link(temporary, file);
  } finally {
    removeLeftoverSync(temporary);
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    // ENOENT: an owner of the folder removed the temporary file as unknown.
    const isLost = ['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '');
    return isLost ? false : copyExclusively(from, to);
  }
}

/** Copies for file systems without links, such as exFAT. */
function copyExclusively(from: string, to: string): boolean {
  try {
    writeFileSync(to, readFileSync(from), { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    // A full disk has room for the name only: the empty file would look like one still being written.
    removeSync(to);
    throw error;
  }
}
