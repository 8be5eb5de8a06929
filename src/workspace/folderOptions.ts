import { join } from 'node:path';
import type { EncodingRule } from './encodings.ts';
import type { Budget } from './governor.ts';
import type { SkipOptions } from './skip.ts';

/** A folder to index, the place of its index, and its rules. Crosses threads. */
export interface FolderOptions extends SkipOptions {
  /** Absolute path of the folder. */
  readonly root: string;
  /** Folder of its index; created if missing. */
  readonly stateFolder: string;
  /** Glob patterns, relative to the folder, of paths to leave out. */
  readonly exclude: readonly string[];
  /** Patterns that the editor hides or does not search, by setting. */
  readonly editorExclude?: Readonly<Record<string, readonly string[]>>;
  /** Encodings of its files that are not UTF-8, by the editor's settings. */
  readonly encodings?: readonly EncodingRule[];
  /** Registry in which indexes of one repository's working trees find each other; see `siblings.ts`. */
  readonly siblings?: string;
  /** Share of the machine for indexing; the last opened folder's holds for all. */
  readonly budget?: Budget;
}

/** Default of the `sextant.index.exclude` setting; the command line uses it, too. */
export const DEFAULT_EXCLUDE: readonly string[] = ['**/node_modules', '**/bower_components'];

/** Files over this many bytes are skipped, as the index and search service refuses them (spec §8: 1 MB). */
export const MAX_FILE_BYTES = 1_048_576;

/** Folder of the index inside a state folder. */
export function indexFolderOf(stateFolder: string): string {
  return join(stateFolder, 'index');
}
