import { readdirSync, statSync, type Dirent, type Stats } from 'node:fs';
import { describeError, systemCode } from '../base/errors.ts';
import { isRecent } from './fileReader.ts';
import { IgnoreRules, isRuleFile, type Excluded } from './ignoreRules.ts';
import { observe, stateOf, type FileState } from './scan.ts';
import type { Skip, SkipRules } from './skip.ts';
import { TimeSlice } from './timeSlice.ts';

export interface TreeOptions {
  readonly root: string;
  readonly excluded: Excluded;
  readonly skips: SkipRules;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether a file is another than when it was last read. */
  readonly isChanged: (path: string, state: FileState) => boolean;
}

/** What a look at the files found. Paths are relative to the folder, with `/`. */
export interface Found {
  /** Files to be read. */
  readonly changed: Map<string, FileState>;
  /** Files that are there no more, or are not to be indexed any more. */
  readonly gone: Set<string>;
}

/**
 * What of a folder is to be indexed, as last seen, and what is not. A walk enters every folder; a sweep asks only for the
 * times of folders and files, and reads the names in a folder where its time tells that one came or went: 80,000 files
 * take 0.2 s instead of 0.5 s.
 */
export class FolderTree {
  /** Files and whole folders that are left out without a look into them. */
  readonly skipped = new Map<string, Skip>();
  readonly #options: TreeOptions;
  readonly #rules: IgnoreRules;
  readonly #folders = new Map<string, KnownFolder>();
  #isStale = false;

  private constructor(options: TreeOptions) {
    this.#options = options;
    this.#rules = new IgnoreRules(options.root, options.excluded);
  }

  /** Walks the folder. Throws if the folder itself cannot be read, or if cancelled. */
  static async walk(options: TreeOptions, turns = new TimeSlice()): Promise<{ tree: FolderTree; found: Found }> {
    const tree = new FolderTree(options);
    const found = nothingFound();
    await tree.#enter([''], found, turns);
    return { tree, found };
  }

  /** Number of folders that were entered: a watcher needs one watch for each. */
  get folders(): number {
    return this.#folders.size;
  }

  /** Whether ignore files have changed, so that only a new walk tells what belongs to the index. */
  get isStale(): boolean {
    return this.#isStale || this.#rules.isStale();
  }

  has(path: string): boolean {
    return !this.skipped.has(path) && this.#folders.get(parentOf(path))?.files.has(nameOf(path)) === true;
  }

  /** Looks at everything once more. Throws as {@link walk} does. */
  async sweep(turns = new TimeSlice()): Promise<Found> {
    const found = nothingFound();
    for (const folder of [...this.#folders.keys()]) await this.#sweepFolder(folder, found, turns);
    return found;
  }

  /** Looks at some paths, and at all in those that are folders. */
  async look(paths: Iterable<string>, turns = new TimeSlice()): Promise<Found> {
    const found = nothingFound();
    for (const path of new Set(paths)) {
      if (turns.isOver) await turns.next();
      const folder = this.#nearest(path);
      // Names are taken from listings only: on a disk that takes `a` for `A`, to ask for one tells nothing of the other.
      if (this.#hasChanged(folder)) await this.#enter([folder], found, turns);
      if (this.#folders.has(path)) {
        const below = [...this.#folders.keys()].filter((one) => one === path || one.startsWith(`${path}/`));
        for (const one of below) await this.#sweepFolder(one, found, turns);
      } else if (this.#folders.get(folder)?.files.has(nameOf(path)) && parentOf(path) === folder) {
        this.#observe(path, found);
      }
    }
    return found;
  }

  /** Every file below a path that was a folder. */
  filesUnder(path: string): string[] {
    const folder = this.#folders.get(path);
    if (!folder) return [];
    const below = [...folder.folders].flatMap((name) => this.filesUnder(join(path, name)));
    return [...[...folder.files].map((name) => join(path, name)), ...below];
  }

  /** The innermost folder around a path that is known. */
  #nearest(path: string): string {
    for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
      if (this.#folders.has(folder)) return folder;
    }
    return '';
  }

  async #sweepFolder(folder: string, found: Found, turns: TimeSlice): Promise<void> {
    const before = this.#folders.get(folder);
    if (!before) return;
    const known = [...before.files];
    if (this.#hasChanged(folder)) await this.#enter([folder], found, turns);
    const { files } = this.#folders.get(folder) ?? {};
    for (const name of known) {
      if (turns.isOver) await turns.next();
      if (files?.has(name)) this.#observeAgain(join(folder, name), found);
    }
  }

  /** Lists folders, and what is new in them with all below. */
  async #enter(folders: string[], found: Found, turns: TimeSlice): Promise<void> {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (turns.isOver) await turns.next();
      const listed = this.#list(folder, found);
      if (!listed) continue;
      for (const name of listed.newFolders) folders.push(join(folder, name));
      for (const name of listed.newFiles) {
        if (turns.isOver) await turns.next();
        this.#observe(join(folder, name), found);
      }
    }
  }

  #hasChanged(folder: string): boolean {
    const known = this.#folders.get(folder);
    const stats = statIfThere(this.#fileOf(folder));
    if (!known || known.isRacy || !stats) return true;
    return stats.mtimeMs !== known.mtimeMs || stats.ctimeMs !== known.ctimeMs;
  }

  /** Reads the names in a folder; what was there and is no more goes. */
  #list(folder: string, found: Found): { readonly newFiles: string[]; readonly newFolders: string[] } | undefined {
    const before = this.#folders.get(folder);
    // Asked for before the names are read, so that a change meanwhile shows later.
    const stats = statIfThere(this.#fileOf(folder));
    const entries = this.#entriesOf(folder);
    if (!entries) {
      this.#drop(folder, found);
      return undefined;
    }
    const { now } = this.#options;
    const { mtimeMs, ctimeMs } = stats ?? { mtimeMs: 0, ctimeMs: 0 };
    const isRacy = entries === 'unreadable' || isRecent(mtimeMs, now()) || isRecent(ctimeMs, now());
    const known: KnownFolder = { mtimeMs, ctimeMs, isRacy, files: new Set(), folders: new Set(), left: new Set() };
    let ruleFiles = '';
    for (const entry of entries === 'unreadable' ? [] : entries) {
      const { name } = entry;
      if (name === '.git' || isRuleFile(name)) ruleFiles += `${name} `;
      const path = join(folder, name);
      const skip = this.#checkName(path) ?? this.#rules.check(path, entry.isDirectory());
      if (skip) {
        known.left.add(name);
        this.skipped.set(path, skip);
      } else (entry.isDirectory() ? known.folders : known.files).add(name);
    }
    this.#isStale ||= before !== undefined && before.ruleFiles !== ruleFiles;
    this.#folders.set(folder, { ...known, ruleFiles });
    if (!before) return { newFiles: [...known.files], newFolders: [...known.folders] };

    for (const name of before.left) if (!known.left.has(name)) this.skipped.delete(join(folder, name));
    for (const name of before.files) if (!known.files.has(name)) this.#forget(join(folder, name), found);
    for (const name of before.folders) if (!known.folders.has(name)) this.#drop(join(folder, name), found);
    return {
      newFiles: [...known.files].filter((name) => !before.files.has(name)),
      newFolders: [...known.folders].filter((name) => !before.folders.has(name)),
    };
  }

  /** `undefined` if it is gone. */
  #entriesOf(folder: string): Dirent[] | 'unreadable' | undefined {
    try {
      const entries = readdirSync(this.#fileOf(folder), { withFileTypes: true });
      this.skipped.delete(folder);
      return entries;
    } catch (error) {
      if (folder === '') throw error;
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
      this.skipped.set(folder, { reason: 'unreadable', detail: describeError(error) });
      return 'unreadable';
    }
  }

  /** Bytes that are no UTF-8 read as this character, and the name that has it is not the file's. */
  #checkName(path: string): Skip | undefined {
    if (!path.includes('\uFFFD') || statIfThere(this.#fileOf(path))) return undefined;
    return { reason: 'unreadable', detail: 'its name is not valid UTF-8' };
  }

  /** What the rules say of a name and a size is known already: that is most of the price of a sweep. */
  #observeAgain(path: string, found: Found): void {
    const { root, isChanged } = this.#options;
    const state = this.skipped.has(path) ? undefined : stateOf(root, path);
    if (!state || 'reason' in state || isChanged(path, state)) this.#observe(path, found);
  }

  #observe(path: string, found: Found): void {
    const { root, skips, isChanged } = this.#options;
    const observed = observe(root, path, skips);
    if (observed === undefined) this.#forget(path, found);
    else if ('reason' in observed) {
      this.#forget(path, found);
      this.skipped.set(path, observed);
    } else {
      this.skipped.delete(path);
      found.gone.delete(path);
      if (isChanged(path, observed)) found.changed.set(path, observed);
    }
  }

  #forget(path: string, found: Found): void {
    this.skipped.delete(path);
    found.changed.delete(path);
    found.gone.add(path);
  }

  #drop(folder: string, found: Found): void {
    const known = this.#folders.get(folder);
    if (!known) return;
    for (const name of known.files) this.#forget(join(folder, name), found);
    for (const name of known.left) this.skipped.delete(join(folder, name));
    for (const name of known.folders) this.#drop(join(folder, name), found);
    this.#folders.delete(folder);
    this.skipped.delete(folder);
    this.#folders.get(parentOf(folder))?.folders.delete(nameOf(folder));
  }

  #fileOf(path: string): string {
    return path === '' ? this.#options.root : `${this.#options.root}/${path}`;
  }
}

interface KnownFolder {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** A name may have come or gone since it was listed without its times telling. */
  readonly isRacy: boolean;
  /** Names of what no rule leaves out. */
  readonly files: Set<string>;
  readonly folders: Set<string>;
  /** Names of what a rule leaves out. */
  readonly left: Set<string>;
  readonly ruleFiles?: string;
}

function nothingFound(): Found {
  return { changed: new Map(), gone: new Set() };
}

function statIfThere(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // Whatever keeps it from being asked for, listing it tells in words.
    return undefined;
  }
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
