import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SextantError, systemCode } from './errors.ts';

/**
 * Creates a folder and its missing parents. Throws `NotAFolder` if a file is in the way, `ReadOnly` if the system
 * allows no folder there, and the system's error. Not `recursive`: with that, Node.js retries for ever if an existing
 * parent reports ENOENT for its new child, as /proc does.
 */
export function makeFolder(folder: string, mode?: number): void {
  try {
    makeOne(folder, mode);
  } catch (error) {
    const parent = dirname(folder);
    const isMissing = systemCode(error) === 'ENOENT';
    if (isMissing && parent !== folder && !existsSync(parent)) {
      makeFolder(parent, mode);
      makeOne(folder, mode);
    } else if (isMissing && isFolder(parent)) {
      throw new SextantError('ReadOnly', `${folder} cannot be made. Choose another folder.`, { cause: error });
    } else if (isMissing || systemCode(error) === 'ENOTDIR') {
      throw notAFolder(folder, error);
    } else {
      throw error;
    }
  }
}

function makeOne(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { ...(mode !== undefined && { mode }) });
  } catch (error) {
    // The root reports EISDIR, a drive EPERM.
    if (isFolder(folder)) return;
    throw systemCode(error) === 'EEXIST' ? notAFolder(folder, error) : error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Whether there is a symbolic link, also one whose target is missing. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch (error) {
    // A parent is a file.
    if (systemCode(error) !== 'ENOTDIR') throw error;
    return false;
  }
}

function notAFolder(folder: string, cause: unknown): SextantError {
  const isBrokenLink = isLink(folder) && !existsSync(folder);
  const why = isBrokenLink ? 'is a symbolic link whose target is missing' : 'is a file, or in one';
  return new SextantError('NotAFolder', `${folder} ${why}. Choose another folder.`, { cause });
}
