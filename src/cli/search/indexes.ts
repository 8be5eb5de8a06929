import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SextantError } from '../../base/errors.ts';
import { formatBytes, formatCount } from '../../base/format.ts';
import { MARKER, readFolderMark } from '../../base/ownedFolder.ts';
import { namesIn } from '../../base/namesIn.ts';
import { removeSync } from '../../base/removal.ts';
import { CATALOG } from '../../workspace/catalog.ts';
import { FolderIndex } from '../../workspace/folderIndex.ts';
import { readContents } from '../../workspace/folderReport.ts';
import { DAMAGE_REPORT, OWNER_STATE } from '../../workspace/ownerState.ts';
import { ExitCode, formatColumns, printable, printJson, type Terminal } from '../terminal.ts';
import { cacheFolder, stateFolderOf } from './stateFolder.ts';

/** An index in the user's cache folder. */
export interface KnownIndex {
  readonly root: string;
  readonly stateFolder: string;
  /** Whether the folder still exists. */
  readonly exists: boolean;
  readonly files: number;
  readonly indexBytes: number;
  /** Time of the last change, in milliseconds since 1970. */
  readonly lastChange?: number;
}

/** `sextant index --list` */
export function listIndexes(json: boolean, terminal: Terminal): ExitCode {
  const indexes = knownIndexes();
  if (json) printJson({ indexes }, terminal);
  else if (indexes.length === 0) terminal.stderr.write('No folder is indexed.\n');
  else {
    const rows = indexes.map(({ root, exists, files, indexBytes, lastChange }) => [
      exists ? root : `${root} (deleted)`,
      `${formatCount(files)} files`,
      formatBytes(indexBytes),
      lastChange === undefined ? '' : new Date(lastChange).toISOString().slice(0, 10),
    ]);
    terminal.stdout.write(formatColumns(rows, { isNumber: (column) => column === 1 || column === 2 }));
  }
  return indexes.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}

/** `sextant index --remove`: the folder itself may be deleted already. Throws `NoIndex`, and `IndexBusy` while it is in use. */
export function removeIndex(folder: string, state: string | undefined, json: boolean, terminal: Terminal): ExitCode {
  const root = existsSync(folder) ? realpathSync(folder) : resolve(folder);
  const stateFolder = stateFolderOf(root, state);
  const mark = readFolderMark(stateFolder);
  if (typeof mark !== 'object' || mark.kind !== 'index') {
    throw new SextantError('NoIndex', `${root} has no index. "sextant index --list" lists the folders that have one.`);
  }
  FolderIndex.erase(stateFolder);
  removeSync(join(stateFolder, 'index'), { recursive: true });
  for (const name of namesIn(stateFolder)) {
    if ([MARKER, CATALOG, OWNER_STATE, DAMAGE_REPORT, 'log.txt'].some((own) => name.startsWith(own)))
      removeSync(join(stateFolder, name));
  }
  if (namesIn(stateFolder).length === 0) removeSync(stateFolder, { recursive: true });
  if (json) printJson({ removed: mark.of ?? root, stateFolder }, terminal);
  else terminal.stdout.write(`Removed the index of ${printable(mark.of ?? root)}.\n`);
  return ExitCode.ok;
}

function knownIndexes(): KnownIndex[] {
  const cache = cacheFolder();
  const found = namesIn(cache).flatMap((name): KnownIndex[] => {
    const stateFolder = join(cache, name);
    const mark = readFolderMark(stateFolder);
    if (typeof mark !== 'object' || mark.kind !== 'index' || mark.of === undefined) return [];
    const { files, indexBytes, lastChange } = contentsOf(stateFolder);
    const time = lastChange === undefined ? {} : { lastChange: Math.round(lastChange) };
    return [{ root: mark.of, stateFolder, exists: existsSync(mark.of), files, indexBytes, ...time }];
  });
  return found.sort((a, b) => (a.root < b.root ? -1 : 1));
}

/** Contents of an index; none where another version wrote it. */
function contentsOf(stateFolder: string): { files: number; indexBytes: number; lastChange?: number } {
  try {
    return readContents(stateFolder);
  } catch (error) {
    if (error instanceof SextantError && error.code === 'IndexFormat') return { files: 0, indexBytes: 0 };
    throw error;
  }
}
