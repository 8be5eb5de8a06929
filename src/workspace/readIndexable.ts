import { isAbsolute, posix, sep } from 'node:path';
import type { FolderOptions } from './folderOptions.ts';
import { listedPath } from './listedPath.ts';
import { SkipRules } from './skip.ts';
import { admitFile, describeFileStatus } from './whyFile.ts';

/** A file's text, or the reason why it is not shown, in sentences. Crosses threads. */
export type IndexableFile = { readonly text: string } | { readonly refused: string; readonly isFolder?: true };

/**
 * Reads a file for a caller that may be a program. By the present rules it returns only files that the index may hold: no
 * secrets, no ignored files, and none outside of the folder, even by a link or another spelling of its name. `path` is
 * relative, with `/`; `editors` has the text of unsaved files; `now` is in milliseconds since 1970.
 */
export function readIndexable(
  folder: FolderOptions,
  given: string,
  now: number,
  editors?: ReadonlyMap<string, Buffer>,
): IndexableFile {
  const refuse = (status: Parameters<typeof describeFileStatus>[0]): IndexableFile => {
    const { headline, details } = describeFileStatus(status, given === '' ? '.' : given, folder);
    return { refused: [headline, ...details].join(' '), ...(status.kind === 'folder' && { isFolder: true }) };
  };
  if (given !== '' && !isPlain(given)) return refuse({ kind: 'outside' });
  const path = given === '' ? given : listedPath(folder.root, given);
  if (path === undefined) return refuse({ kind: 'missing' });
  const file = admitFile(folder, path, now);
  if (file.kind !== 'admitted') return refuse(file);
  const unsaved = editors?.get(path);
  const skip = unsaved && new SkipRules(folder).byContent(path, unsaved);
  if (skip) return refuse({ kind: 'skipped', skip, path, isFolder: false });
  return { text: unsaved?.toString('utf8') ?? Buffer.from(file.text).toString('utf8') };
}

/** False for a path that leaves the folder, even if it comes back: the rules would check other names than the read names. */
function isPlain(path: string): boolean {
  if (isAbsolute(path) || path === '..' || path.startsWith('../')) return false;
  const hasSeparator = sep === '\\' && path.includes('\\');
  return !hasSeparator && !path.includes('\0') && posix.normalize(path) === path;
}
