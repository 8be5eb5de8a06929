import { realpathSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder as models see it. With several folders each path begins with `prefix`, which ends with `/`; else it is empty. */
export interface ModelFolder {
  readonly root: string;
  readonly prefix: string;
}

/** A file in a folder; `path` is relative to it, with `/`, and empty for the folder itself. */
export interface PathInFolder {
  readonly root: string;
  readonly path: string;
}

/**
 * What a path may mean, the likeliest first, however it was written: relative, with `./` or a folder's name before it, absolute,
 * as a `file:` address, with Windows' separators, and with a line behind it. Empty for a path outside of the folders.
 */
export function readGivenPath(given: string, folders: readonly ModelFolder[]): PathInFolder[] {
  const plain = given.startsWith('file://') ? pathOfAddress(given) : given;
  const path = withSlashes(plain).replace(/(?::\d+){1,2}$|#L\d+.*$/, '');
  const isAbsolute = /^(?:[a-z]:)?\//i.test(path);
  const meant: PathInFolder[] = [];
  const add = (root: string, relative: string): void => {
    const normal = posix.normalize(relative).replace(/^\.$|\/$/g, '');
    if (normal !== '..' && !normal.startsWith('../')) meant.push({ root, path: normal === '.' ? '' : normal });
  };
  // A folder is known by its real path, which /tmp is not everywhere.
  const forms = isAbsolute ? new Set([posix.normalize(path), realPathOf(path)]) : [posix.normalize(path)];
  for (const { root, prefix } of folders) {
    const folder = posix.normalize(withSlashes(root)).replace(/\/$/, '');
    for (const normal of forms) {
      const before = isAbsolute ? `${folder}/` : prefix;
      if (startsWith(`${normal}/`, before, isAbsolute && isWindowsPath(root))) add(root, normal.slice(before.length));
    }
  }
  // Agents also write the name of the folder itself.
  for (const { root } of isAbsolute ? [] : folders) {
    const name = `${posix.basename(root.replaceAll('\\', '/'))}/`;
    const normal = `${posix.normalize(path)}/`;
    if (normal.startsWith(name)) add(root, normal.slice(name.length, -1));
  }
  return meant;
}

/** Without the prefix `\\\\?\\` that Windows' long paths have. */
function withSlashes(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(/^\/\/\?\/UNC\//i, '//')
    .replace(/^\/\/\?\//, '');
}

/** Whether a folder is on a drive or a share of Windows, where the case of a name does not count. */
function isWindowsPath(root: string): boolean {
  return /^(?:[a-z]:[\\/]|\\\\)/i.test(root);
}

function startsWith(path: string, start: string, ignoresCase: boolean): boolean {
  if (!ignoresCase) return path.startsWith(start);
  return path.slice(0, start.length).toLowerCase() === start.toLowerCase();
}

/** The path of a `file:` address, with a drive, a share or neither; the text itself if it has none. */
function pathOfAddress(address: string): string {
  try {
    return fileURLToPath(address, { windows: /^file:\/\/(?:\/[a-z](?::|%3a)|(?!localhost\/)[^/])/i.test(address) });
  } catch {
    return address;
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path).replaceAll('\\', '/');
  } catch {
    return path;
  }
}
