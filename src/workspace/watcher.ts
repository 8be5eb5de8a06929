import { relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { describeError, systemCode } from '../base/errors.ts';
import { IgnoreRules, type Excluded } from './ignoreRules.ts';
import type { Problem } from './status.ts';

/** One watch per folder: above this many, starting takes seconds and the system's limit comes near. */
export const MAX_WATCHED_FOLDERS = 2_000;

/** Begins to watch a folder; see {@link watchFolder}. */
export type Watch = typeof watchFolder;

export interface WatchEvents {
  /** A path below the folder, relative to it with `/`, that may have changed. */
  readonly onPath: (path: string) => void;
  /** Not everything is watched, or nothing any more. */
  readonly onProblem: (problem: Problem) => void;
}

/** Reports what may have changed in a folder. Returns how to stop. */
export function watchFolder(root: string, excluded: Excluded, { onPath, onProblem }: WatchEvents): () => Promise<void> {
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
  watcher.on('error', (error) => onProblem(describeProblem(root, error)));
  return () => watcher.close();
}

function describeProblem(root: string, error: unknown): Problem {
  if (!['ENOSPC', 'EMFILE'].includes(systemCode(error) ?? '')) {
    return { code: 'WatchFailed', message: `Watching ${root} failed: ${describeError(error)}. ${MEANWHILE}` };
  }
  const remedy = 'Raise fs.inotify.max_user_watches and max_user_instances (sysctl) for changes to be found at once.';
  return { code: 'WatchLimit', message: `The system's limit of file watches is reached. ${MEANWHILE} ${remedy}` };
}

const MEANWHILE = 'Changes are found within 10 seconds, by looking.';
