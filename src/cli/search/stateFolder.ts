import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { SextantError, systemCode } from '../../base/errors.ts';
import { checkStateFolder } from '../../workspace/stateFolder.ts';

/** The real path of a folder that a person named. Throws `NotAFolder`. */
export function resolveFolder(path: string): string {
  if (path === '')
    throw new SextantError(
      'NotAFolder',
      'The name of the folder is empty. Name one, or leave it out for the current folder.',
    );
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
    throw new SextantError('NotAFolder', `"${path}" is a file. Name the folder that it is in.`);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error;
  }
  throw new SextantError(
    'NotAFolder',
    `There is no folder "${path}". Name one, or leave it out for the current folder.`,
  );
}

/**
 * The state folder of a folder's index: in the user's cache folder, by the folder's real path, or `override`. Throws
 * `FolderNotOurs` if the override belongs to another folder, and `NoName` if it is empty.
 */
export function stateFolderOf(root: string, override: string | undefined): string {
  if (override === '')
    throw new SextantError('NoName', 'The name after --state is empty. Name a folder, or leave --state out.');
  if (override !== undefined) {
    checkStateFolder(root, override);
    return override;
  }
  const key = createHash('sha256').update(root).digest('hex').slice(0, 16);
  return join(cacheFolder(), `${basename(root)}-${key}`);
}

/** The folder through which indexes in the cache folder find each other; an index in a named folder has none. */
export function siblingsFolder(stateFolder: string): string | undefined {
  return dirname(stateFolder) === cacheFolder() ? join(cacheFolder(), 'repositories') : undefined;
}

/** The folder of all indexes that have no folder of their own. */
export function cacheFolder(): string {
  return envPaths('sextant', { suffix: '' }).cache;
}
