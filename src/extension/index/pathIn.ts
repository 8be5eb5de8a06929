import type { Uri } from 'vscode';

/** The path of a file in a folder, which may be the root of a disk; `undefined` for the folder itself and files outside of it. */
export function pathIn(folder: Pick<Uri, 'path'>, file: Pick<Uri, 'path'>): string | undefined {
  const beginning = folder.path.endsWith('/') ? folder.path : `${folder.path}/`;
  return file.path.startsWith(beginning) ? file.path.slice(beginning.length) || undefined : undefined;
}
