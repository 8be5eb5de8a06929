import { lstatSync, realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { systemCode } from '../base/errors.ts';
import { IgnoreRules, type Excluded } from './ignoreRules.ts';
import type { WatchProblem } from './status.ts';

/** Each folder takes one watch: above this number, a start takes seconds and the system's limit is near. */
export const MAX_WATCHED_FOLDERS = 2_000;

/** Begins to watch a folder; see {@link watchFolder}. */
export type Watch = typeof watchFolder;

export interface WatchEvents {
  /** A path below the folder, relative to it with `/`, that may have changed. */
  readonly onPath: (path: string) => void;
  /** All folders are watched now; what changed before may not have been reported. */
  readonly onReady: () => void;
  /** The system has no more watches: most folders are not watched. */
  readonly onLimit: (problem: WatchProblem) => void;
  /** A path could not be watched, such as an unreadable folder. */
  readonly onError: (error: unknown) => void;
}

/** Reports paths of a folder that may have changed. Returns a function that stops it. */
export function watchFolder(
  root: string,
  excluded: Excluded,
  { onPath, onReady, onLimit, onError }: WatchEvents,
): () => Promise<void> {
  const rules = new IgnoreRules(root, excluded);
  // Of a link, chokidar would watch the link alone.
  const top = lstatSync(root).isSymbolicLink() ? realpathSync.native(root) : root;
  const pathOf = (file: string): string => relative(top, file).split(sep).join('/');
  const watcher = watch(top, {
    ignoreInitial: true,
    followSymlinks: false,
    // Rules may change meanwhile: files are reported in any case and checked later; only folders are left out here.
    ignored: (file, stats) => {
      if (stats?.isDirectory() !== true) return false;
      // Of the folder itself none, also where chokidar writes it with other slashes, as on Windows.
      const path = pathOf(file);
      return path !== '' && rules.check(path, true) !== undefined;
    },
  });
  watcher.on('all', (_event, file) => onPath(pathOf(file)));
  watcher.on('ready', onReady);
  watcher.on('error', (error) => {
    if (['ENOSPC', 'EMFILE', 'ENFILE'].includes(systemCode(error) ?? '')) onLimit(LIMIT);
    else onError(error);
  });
  return () => watcher.close();
}

const LIMIT: WatchProblem = {
  code: 'WatchLimit',
  message:
    "The system's limit of file watches is reached, so changes are found within 10 seconds and not at once. " +
    'To find them at once, raise fs.inotify.max_user_watches and max_user_instances (sysctl).',
};
