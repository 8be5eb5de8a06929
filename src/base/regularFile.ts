import { closeSync, constants, fstatSync, readFileSync } from 'node:fs';
import { openOwnSync } from './removal.ts';

/** Without it the opening of a pipe waits for its writer. Windows has no such flag. */
const NO_WAIT = process.platform === 'win32' ? 0 : constants.O_NONBLOCK;

/** Opens a file of state for reading. What is no regular file, a pipe for instance, is as unreadable as a bad sector: `EIO`. */
export function openRegularFileSync(file: string): number {
  const fd = openOwnSync(file, constants.O_RDONLY | NO_WAIT);
  try {
    if (fstatSync(fd).isFile()) return fd;
    throw Object.assign(new Error(`EIO: ${file} is no regular file`), { code: 'EIO' });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Reads a file that {@link openRegularFileSync} opens. */
export function readRegularFileSync(file: string): Buffer {
  const fd = openRegularFileSync(file);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
