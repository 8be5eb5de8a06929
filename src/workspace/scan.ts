import { lstatSync, type Stats } from 'node:fs';
import { describeError, systemCode } from '../base/errors.ts';
import type { Skip, SkipRules } from './skip.ts';

/** State of a file in the file system, without its content. */
export interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
  /** Time of the last change, set by the system: unlike the modification time, no program can set it. */
  readonly ctimeMs: number;
}

/** State of a path, or the reason why it is skipped; `undefined` if it is missing or a folder. */
export function observe(root: string, path: string, skips: SkipRules): FileState | Skip | undefined {
  const state = stateOf(root, path);
  return (state && 'size' in state ? skips.byName(path, state.size) : undefined) ?? state;
}

/** Like {@link observe}, without the rules for names and sizes. */
export function stateOf(root: string, path: string): FileState | Skip | undefined {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    return { reason: 'unreadable', detail: describeError(error) };
  }
  if (!stats || stats.isDirectory()) return undefined;
  const { size, mtimeMs, ctimeMs } = stats;
  return kindOf(stats) ?? { size, mtimeMs, ctimeMs };
}

/** Reason why a path that is not a folder is skipped for its kind. */
export function kindOf(stats: Stats): Skip | undefined {
  if (stats.isSymbolicLink()) return { reason: 'link' };
  return stats.isFile() ? undefined : { reason: 'special' };
}
