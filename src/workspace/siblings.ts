import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readCheckedJson, writeCheckedJson } from '../base/checkedJson.ts';
import { repositoryAround } from './gitRepository.ts';

/*
 * Working trees of one repository have most files in common, and a document is known by its path and content. So a new
 * index begins as a copy of a sibling's: its immutable files are linked, and only what differs is analysed. Which indexes
 * are siblings is kept in a folder of small files that every process of this person may write to.
 */

interface Entry {
  readonly root: string;
  readonly stateFolder: string;
}

/** Remembers that the index of `root`, if that is in a Git repository, is in `stateFolder`. */
export function registerSibling(registry: string, root: string, stateFolder: string): void {
  const folder = folderOf(registry, root);
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeCheckedJson(join(folder, `${shortHash(root)}.json`), { root, stateFolder } satisfies Entry);
}

/** State folders of indexes of the same part of the same repository in other working trees, the latest first. */
export function siblingsOf(registry: string, root: string): readonly string[] {
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
    else rmSync(file, { force: true });
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
