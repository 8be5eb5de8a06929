import { relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { IgnoreRules, type Excluded } from './ignoreRules.ts';

/** One watch per folder: above this many, starting takes seconds and the system's limit comes near. */
export const MAX_WATCHED_FOLDERS = 2_000;

/** Reports paths below `root`, relative to it with `/`, that may have changed. Returns how to stop. */
export function watchFolder(
  root: string,
  excluded: Excluded,
  logger: Logger,
  onPath: (path: string) => void,
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
  watcher.on('error', (error) => logger.warn(`Watching ${root}: ${describeError(error)}`));
  return () => watcher.close();
}
