import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readCheckedJson, writeCheckedJson } from '../base/checkedJson.ts';
import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { removeIfFreeSync } from '../base/removal.ts';
import { Engine } from '../engine/engine.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { repositoryAround } from './gitRepository.ts';

/*
 * Working trees of one repository have most files in common, and a document is known by its path and content. So a new
 * index begins as a copy of a sibling's: its immutable files are linked, and only different files are analysed. A folder of
 * small files, which every process of this user may write to, lists the siblings.
 */

/** Begins a new index as a copy of a sibling's. A copy that fails costs reading the files. */
export function beginAsSibling({ root, stateFolder, siblings }: FolderOptions, logger: Logger): void {
  if (siblings === undefined) return;
  const folder = indexFolderOf(stateFolder);
  try {
    for (const other of existsSync(folder) ? [] : siblingsOf(siblings, root)) {
      if (!Engine.copy(indexFolderOf(other), folder)) continue;
      logger.info(`The index of ${root} begins as a copy of that in ${other}.`);
      break;
    }
    registerSibling(siblings, root, stateFolder);
  } catch (error) {
    logger.warn(`The index of ${root} could not begin as a copy of another one: ${describeError(error)}`);
  }
}

interface Entry {
  readonly root: string;
  readonly stateFolder: string;
}

/**
 * Remembers that the index of `root`, if that is in a Git repository, is in `stateFolder`. An entry that is there gets a new time only:
 * a window that follows an index tries to open it every few seconds.
 */
function registerSibling(registry: string, root: string, stateFolder: string): void {
  const folder = folderOf(registry, root);
  if (folder === undefined) return;
  const file = join(folder, `${shortHash(root)}.json`);
  const entry: Entry = { root, stateFolder };
  const read = readCheckedJson(file);
  if (typeof read === 'object' && isDeepStrictEqual(read.value, entry)) {
    const now = new Date();
    utimesSync(file, now, now);
    return;
  }
  mkdirSync(folder, { recursive: true });
  writeCheckedJson(file, entry);
}

/** State folders that index the same part of the same repository in other working trees, the latest first. */
function siblingsOf(registry: string, root: string): readonly string[] {
  const folder = folderOf(registry, root);
  if (folder === undefined || !existsSync(folder)) return [];
  const found: { readonly stateFolder: string; readonly time: number }[] = [];
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const read = readCheckedJson(file);
    if (read === undefined || read === 'damaged') continue;
    const { root: other, stateFolder } = read.value as Entry;
    if (other === root) continue;
    if (existsSync(stateFolder)) found.push({ stateFolder, time: statSync(file).mtimeMs });
    else removeIfFreeSync(file);
  }
  return found.sort((a, b) => b.time - a.time).map(({ stateFolder }) => stateFolder);
}

function folderOf(registry: string, root: string): string | undefined {
  const repository = repositoryAround(root);
  if (!repository) return undefined;
  return join(registry, shortHash(`${repository.commonDir}\0${relative(repository.top, root)}`));
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
