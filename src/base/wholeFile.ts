import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { systemCode } from './errors.ts';

/**
 * Creates `file` with all of `text`, or finds that somebody else has: of several processes exactly one is told `true`. A file
 * of one's own is given the name as a second one, since a process that was killed between creating and writing would leave
 * one that says nothing. It is not synced: what it says is worth nothing after a power cut. `mode` says who may read it, where that is not everybody.
 */
export function createWhole(file: string, text: string, mode?: number): boolean {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
    return link(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    // ENOENT: an owner of the folder removed what it does not know.
    const isLost = ['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '');
    return isLost ? false : copyExclusively(from, to);
  }
}

/** For file systems without links, such as exFAT. */
function copyExclusively(from: string, to: string): boolean {
  try {
    writeFileSync(to, readFileSync(from), { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    // A full disk has room for the name only: it would pass for one who is still writing.
    rmSync(to, { force: true });
    throw error;
  }
}
