import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { indexFolderOf, type FolderOptions } from '../../workspace/folderOptions.ts';
import { admitFile } from '../../workspace/whyFile.ts';
import { printable } from '../terminal.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { folderOptions } from './updateIndex.ts';

/** A folder to search, and the index that it is searched in: its own, or that of a folder around it. */
export class SearchScope {
  /** Real path of the folder. */
  readonly root: string;
  readonly indexed: FolderOptions;
  readonly #typed: string;
  /** Path of the folder in the index, with `/`; empty for its own index. */
  readonly #below: string;

  /** `typed` is the folder as the user named it. Throws `NotAFolder` and `FolderNotOurs`. */
  constructor(typed: string, state: string | undefined) {
    this.root = resolveFolder(typed);
    this.#typed = typed;
    const around = state === undefined ? indexAround(this.root) : undefined;
    this.indexed = around ?? folderOptions(this.root, stateFolderOf(this.root, state));
    this.#below = relative(this.indexed.root, this.root).split(sep).join('/');
  }

  /** What a search takes. */
  get folders(): readonly (FolderOptions & { readonly below?: string })[] {
    return [this.#below === '' ? this.indexed : { ...this.indexed, below: this.#below }];
  }

  /** The path of a result in the searched folder. */
  pathIn(path: string): string {
    return this.#below === '' ? path : path.slice(this.#below.length + 1);
  }

  /** The reverse of {@link pathIn}. */
  pathInIndex(path: string): string {
    return this.#below === '' ? path : `${this.#below}/${path}`;
  }

  /** The path of a result from the current folder, with `/`, which terminals can open: below the folder as it was typed. */
  shown(path: string): string {
    return printable(join(this.#typed, this.pathIn(path)).split(sep).join('/'));
  }

  /** A result as JSON has it, which names the folder once. */
  withoutRoot<T extends { readonly root: string; readonly path: string }>(result: T): Omit<T, 'root'> {
    const { root: _root, ...rest } = result;
    return { ...rest, path: this.pathIn(result.path) };
  }
}

/** The innermost folder around `root` that has an index with it; `undefined` for one with an index of its own, or with none. */
function indexAround(root: string): FolderOptions | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const stateFolder = stateFolderOf(folder, undefined);
    if (existsSync(indexFolderOf(stateFolder))) {
      const options = folderOptions(folder, stateFolder);
      const path = relative(folder, root).split(sep).join('/');
      // A folder that the rules leave out, such as build output, gets an index of its own.
      return path !== '' && admitFile(options, path, Date.now()).kind === 'folder' ? options : undefined;
    }
    if (dirname(folder) === folder) return undefined;
  }
}
