import { existsSync, readdirSync } from 'node:fs';
import { explainWriteError, SextantError, systemCode } from '../base/errors.ts';
import { claimFolder, readMark, refuseLink, remarkFolder } from '../base/ownedFolder.ts';
import { isIndexFile } from '../engine/index/manifest.ts';
import { Catalog } from './catalog.ts';
import { indexFolderOf } from './folderOptions.ts';

/*
 * A state folder holds the index of one workspace folder, which its mark names. A second one would replace the first without a
 * sign, and each would answer with the files of the other. Rejected: a place inside for each folder, by a key. What a person
 * names with --state would then not be where the index is, and what earlier versions left there would be a special case.
 */

/** Marks `stateFolder` as the index's of `root`. Throws `FolderNotOurs`, and changes nothing, where it is in use for something else. */
export function claimStateFolder(root: string, stateFolder: string): void {
  try {
    // One of an earlier version has no mark, and one may be damaged: the catalog names the folder, too.
    const of = typeof readMark(stateFolder) === 'object' ? root : (Catalog.rootOf(stateFolder) ?? root);
    refuseLink(indexFolderOf(stateFolder));
    claimFolder(stateFolder, { kind: 'index', of }, { isOlder: () => holdsIndex(stateFolder) });
    if (!isOf(root, stateFolder)) remarkFolder(stateFolder, { kind: 'index', of: root });
  } catch (error) {
    throw explainWriteError(error, stateFolder);
  }
}

/** Throws `FolderNotOurs` where `stateFolder` is marked as that of something else. Changes nothing. */
export function checkStateFolder(root: string, stateFolder: string): void {
  isOf(root, stateFolder);
}

/** False for the index of a folder that no longer exists: it was moved, as a checkout of a build server is for each build. */
function isOf(root: string, stateFolder: string): boolean {
  const mark = readMark(stateFolder);
  if (mark === undefined || mark === 'damaged') return true;
  if (mark.kind !== 'index') throw notOurs(stateFolder, `already holds Sextant's ${mark.kind} files`);
  if (mark.of === undefined || mark.of === root) return true;
  if (existsSync(mark.of)) throw notOurs(stateFolder, `already holds the index of ${mark.of}`);
  return false;
}

function notOurs(stateFolder: string, why: string): SextantError {
  return new SextantError('FolderNotOurs', `${stateFolder} ${why}. Name an empty or a new folder for this one.`);
}

/** Whether an earlier version keeps an index there. */
function holdsIndex(stateFolder: string): boolean {
  try {
    const names = readdirSync(indexFolderOf(stateFolder));
    return names.some((name) => isIndexFile(name) || /^writer\.\d+\.lock$/.test(name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}
