import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SextantError, systemCode } from './errors.ts';

/**
 * Makes a folder and those that it is in, where they are missing. Throws `NotAFolder` where there is a file in the way, `ReadOnly`
 * where the system has none made there, and the system's error. Not `recursive`: with that, node tries for ever where a
 * folder that exists says of what is to be made in it that it does not, as /proc does.
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
    // That of the root says EISDIR, that of a drive EPERM.
    if (isFolder(folder)) return;
    throw systemCode(error) === 'EEXIST' ? notAFolder(folder, error) : error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function notAFolder(folder: string, cause: unknown): SextantError {
  return new SextantError('NotAFolder', `${folder} is a file, or in one. Choose another folder.`, { cause });
}
