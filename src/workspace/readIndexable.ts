import { posix } from 'node:path';
import type { FolderOptions } from './folderOptions.ts';
import { SkipRules } from './skip.ts';
import { admitFile, explainVerdict } from './whyFile.ts';

/** A file's text; or why it is not shown, in sentences. Crosses threads. */
export type IndexableFile = { readonly text: string } | { readonly refused: string };

/**
 * Reads a file for somebody who may be a program: nothing but what the index may hold, by the rules as they are now, so no
 * secrets, nothing that is ignored, and nothing outside of the folder, also by a link. `path` is relative, with `/`;
 * `unsaved` is its text in an editor; `now` in milliseconds since 1970.
 */
export function readIndexable(folder: FolderOptions, path: string, now: number, unsaved?: Buffer): IndexableFile {
  const refuse = (verdict: Parameters<typeof explainVerdict>[0]): IndexableFile => {
    const { headline, details } = explainVerdict(verdict, path, folder);
    return { refused: [headline, ...details].join(' ') };
  };
  // Also a path that leaves the folder and comes back: it would be judged by other names than those it is read by.
  if (path.includes('\\') || path.includes('\0') || posix.normalize(path) !== path) return refuse({ kind: 'outside' });
  const file = admitFile(folder, path, now);
  if (file.kind !== 'admitted') return refuse(file);
  const skip = unsaved && new SkipRules(folder).byContent(path, unsaved);
  if (skip) return refuse({ kind: 'skipped', skip, path, isFolder: false });
  return { text: unsaved?.toString('utf8') ?? Buffer.from(file.text).toString('utf8') };
}
