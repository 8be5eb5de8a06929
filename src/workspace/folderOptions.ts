import { join } from 'node:path';
import type { Budget } from './governor.ts';
import type { SkipOptions } from './skip.ts';

/** What is to be indexed, where to, and what not. Crosses threads. */
export interface FolderOptions extends SkipOptions {
  /** The folder that is indexed; absolute. */
  readonly root: string;
  /** Where its index is kept; made if it is missing. */
  readonly stateFolder: string;
  /** Glob patterns, relative to the folder, of what is left out. */
  readonly exclude: readonly string[];
  /** Further ones that the editor hides or does not search, by the setting that they are from. */
  readonly editorExclude?: Readonly<Record<string, readonly string[]>>;
  /** Where indexes of working trees of one repository find each other, to begin as copies; see `siblings.ts`. */
  readonly siblings?: string;
  /** What indexing may take of the machine: that of the folder opened last holds for all. */
  readonly budget?: Budget;
}

/** What the `sextant.index.exclude` setting is by default, and what the command line uses. */
export const DEFAULT_EXCLUDE: readonly string[] = ['**/node_modules', '**/bower_components'];

/** Files over this many bytes are skipped, as the index and search service refuses them (spec §8: 1 MB). */
export const MAX_FILE_BYTES = 1_048_576;

/** Where a folder's index is kept inside its state folder. */
export function indexFolderOf(stateFolder: string): string {
  return join(stateFolder, 'index');
}
