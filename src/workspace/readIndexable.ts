import { posix } from 'node:path';
import type { FolderOptions } from './folderOptions.ts';
import { SkipRules } from './skip.ts';
import { admitFile, describeFileStatus } from './whyFile.ts';

/** A file's text, or the reason why it is not shown, in sentences. Crosses threads. */
export type IndexableFile = { readonly text: string } | { readonly refused: string };

/**
 * Reads a file for a caller that may be a program. By the present rules it returns only files that the index may hold: no
 * secrets, no ignored files, and none outside of the folder, even by a link. `path` is relative, with `/`; `unsaved` is its
 * text in an editor; `now` in milliseconds since 1970.
 */
export function readIndexable(folder: FolderOptions, path: string, now: number, unsaved?: Buffer): IndexableFile {
  const refuse = (status: Parameters<typeof describeFileStatus>[0]): IndexableFile => {
    const { headline, details } = describeFileStatus(status, path, folder);
    return { refused: [headline, ...details].join(' ') };
  };
  // Refuse a path that leaves the folder and comes back: the rules would check other names than the read names.
  if (path.includes('\\') || path.includes('\0') || posix.normalize(path) !== path) return refuse({ kind: 'outside' });
  const file = admitFile(folder, path, now);
  if (file.kind !== 'admitted') return refuse(file);
  const skip = unsaved && new SkipRules(folder).byContent(path, unsaved);
  if (skip) return refuse({ kind: 'skipped', skip, path, isFolder: false });
  return { text: unsaved?.toString('utf8') ?? Buffer.from(file.text).toString('utf8') };
}
