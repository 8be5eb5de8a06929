import { existsSync } from 'node:fs';
import { explainWriteError, SextantError } from '../base/errors.ts';
import { isLockName } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import { namesIn } from '../base/namesIn.ts';
import { claimFolder, readFolderMark, refuseLink, remarkFolder } from '../base/ownedFolder.ts';
import { isIndexFile } from '../engine/index/manifest.ts';
import { Catalog } from './catalog.ts';
import { indexFolderOf } from './folderOptions.ts';

/*
 * A state folder holds the index of one workspace folder, which its mark names. A second index would silently replace the
 * first, and each folder's searches would find the other's files. Rejected: a subfolder for each workspace folder, by a key.
 * Then --state would not name the index itself, and indexes of earlier versions would be a special case.
 */

/** Marks `stateFolder` as the index of `root`; logs a mark that is damaged. Throws `FolderNotOurs`, and changes nothing, if it is in other use. */
export function claimStateFolder(root: string, stateFolder: string, logger: Logger): void {
  try {
    // A state folder of an earlier version has no mark, and a mark may be damaged: the catalog names the folder, too.
    const of = typeof readFolderMark(stateFolder) === 'object' ? root : (Catalog.rootOf(stateFolder) ?? root);
    refuseLink(indexFolderOf(stateFolder));
    const onDamage = (message: string): void => logger.warn(message);
    const options = { isOlder: () => holdsIndex(stateFolder), onDamage };
    claimFolder(stateFolder, { kind: 'index', of }, options);
    if (!isOf(root, stateFolder)) remarkFolder(stateFolder, { kind: 'index', of: root });
  } catch (error) {
    throw explainWriteError(error, stateFolder);
  }
}

/** Throws `FolderNotOurs` if the mark of `stateFolder` names another use. Changes nothing. */
export function checkStateFolder(root: string, stateFolder: string): void {
  isOf(root, stateFolder);
}

/** False for the index of a missing folder: it was moved, as a build server's checkout is for each build. */
function isOf(root: string, stateFolder: string): boolean {
  const mark = readFolderMark(stateFolder);
  if (mark === undefined || mark === 'damaged') return true;
  if (mark.kind !== 'index') throw notOurs(stateFolder, `already holds Sextant's ${mark.kind} files`);
  if (mark.of === undefined || mark.of === root) return true;
  if (existsSync(mark.of)) throw notOurs(stateFolder, `already holds the index of ${mark.of}`);
  return false;
}

function notOurs(stateFolder: string, why: string): SextantError {
  return new SextantError('FolderNotOurs', `${stateFolder} ${why}. Name an empty or a new folder for this one.`);
}

/** Whether the folder holds an index of an earlier version. */
function holdsIndex(stateFolder: string): boolean {
  return namesIn(indexFolderOf(stateFolder)).some((name) => isIndexFile(name) || isLockName(name));
}
