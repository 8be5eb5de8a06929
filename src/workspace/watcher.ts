import { relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { systemCode } from '../base/errors.ts';
import { IgnoreRules, type Excluded } from './ignoreRules.ts';
import type { Problem } from './status.ts';

/** One watch per folder: above this many, starting takes seconds and the system's limit comes near. */
export const MAX_WATCHED_FOLDERS = 2_000;

/** Begins to watch a folder; see {@link watchFolder}. */
export type Watch = typeof watchFolder;

export interface WatchEvents {
  /** A path below the folder, relative to it with `/`, that may have changed. */
  readonly onPath: (path: string) => void;
  /** The system has no more watches: most is not watched. */
  readonly onLimit: (problem: Problem) => void;
  /** Something could not be watched, as a folder that one may not read. */
  readonly onError: (error: unknown) => void;
}

/** Reports what may have changed in a folder. Returns how to stop. */
export function watchFolder(
  root: string,
  excluded: Excluded,
  { onPath, onLimit, onError }: WatchEvents,
): () => Promise<void> {
  const rules = new IgnoreRules(root, excluded);
  const pathOf = (file: string): string => relative(root, file).split(sep).join('/');
  const watcher = watch(root, {
    ignoreInitial: true,
    followSymlinks: false,
    // Rules may change while we watch: files are reported in any case and judged later; only folders are left out here.
    ignored: (file, stats) =>
      file !== root && stats?.isDirectory() === true && rules.check(pathOf(file), true) !== undefined,
  });
  watcher.on('all', (_event, file) => onPath(pathOf(file)));
  watcher.on('error', (error) => {
    if (['ENOSPC', 'EMFILE', 'ENFILE'].includes(systemCode(error) ?? '')) onLimit(LIMIT);
    else onError(error);
  });
  return () => watcher.close();
}

const LIMIT: Problem = {
  code: 'WatchLimit',
  message:
    "The system's limit of file watches is reached. Changes are found within 10 seconds, by looking. " +
    'Raise fs.inotify.max_user_watches and max_user_instances (sysctl) for them to be found at once.',
};
