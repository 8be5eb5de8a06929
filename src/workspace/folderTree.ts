import { readdirSync, statSync, type Dirent, type Stats } from 'node:fs';
import { describeError, systemCode } from '../base/errors.ts';
import { isRecent } from './fileReader.ts';
import { IgnoreRules, isRuleFile, type Excluded } from './ignoreRules.ts';
import { observe, stateOf, type FileState } from './scan.ts';
import type { Skip, SkipRules } from './skip.ts';
import { TimeSlice } from '../base/timeSlice.ts';

export interface TreeOptions {
  readonly root: string;
  readonly excluded: Excluded;
  readonly skips: SkipRules;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether a file differs from when it was last read. */
  readonly isChanged: (path: string, state: FileState) => boolean;
}

/** Result of a scan. Paths are relative to the folder, with `/`. */
export interface ScanResult {
  /** Files to be read. */
  readonly changed: Map<string, FileState>;
  /** Files that no longer exist or are left out now. */
  readonly deleted: Set<string>;
}

/**
 * The files of a folder as of the last scan, and the paths that are left out. A full scan lists every folder. A scan of times
 * lists a folder only if its time has changed: 80,000 files take 0.2 s instead of 0.5 s.
 */
export class FolderTree {
  /** Files and whole folders that are left out unread. */
  readonly skipped = new Map<string, Skip>();
  readonly #options: TreeOptions;
  readonly #rules: IgnoreRules;
  readonly #folders = new Map<string, KnownFolder>();
  #isStale = false;
  #replaced = 0;

  private constructor(options: TreeOptions) {
    this.#options = options;
    this.#rules = new IgnoreRules(options.root, options.excluded);
  }

  /** Scans the whole folder. Throws if the folder itself cannot be read, or if cancelled. */
  static async scanAll(
    options: TreeOptions,
    slice = new TimeSlice(),
  ): Promise<{ tree: FolderTree; found: ScanResult }> {
    const tree = new FolderTree(options);
    const found = nothingFound();
    await tree.#enter([''], found, slice);
    return { tree, found };
  }

  /** Number of listed folders: a watcher needs one watch for each. */
  get folders(): number {
    return this.#folders.size;
  }

  /** Whether ignore files have changed, so that a full scan is needed. */
  get isStale(): boolean {
    return this.#isStale || this.#rules.isStale();
  }

  /** How often a folder was found where another one, or a link or file, was before: a watcher may still watch that. */
  get replaced(): number {
    return this.#replaced;
  }

  has(path: string): boolean {
    return !this.skipped.has(path) && this.#folders.get(parentOf(path))?.files.has(nameOf(path)) === true;
  }

  /** Scans the times of all folders and files. Throws as {@link scanAll} does. */
  async scanTimes(slice = new TimeSlice()): Promise<ScanResult> {
    const found = nothingFound();
    for (const folder of [...this.#folders.keys()]) await this.#scanFolder(folder, found, slice);
    return found;
  }

  /** Scans some paths; a folder with all below it. */
  async scanPaths(paths: Iterable<string>, slice = new TimeSlice()): Promise<ScanResult> {
    const found = nothingFound();
    for (const path of new Set(paths)) {
      if (slice.isOver) await slice.next();
      const folder = this.#nearest(path);
      // Take names from listings only: on a disk that ignores case, `a` exists if `A` does.
      if (this.#hasChanged(folder) || !this.#hasListed(folder, path)) await this.#enter([folder], found, slice);
      if (this.#folders.has(path)) {
        const below = [...this.#folders.keys()].filter((one) => one === path || one.startsWith(`${path}/`));
        for (const one of below) await this.#scanFolder(one, found, slice);
      } else if (this.#folders.get(folder)?.files.has(nameOf(path)) && parentOf(path) === folder) {
        this.#observe(path, found);
      }
    }
    return found;
  }

  /** Whether the folder lists what is on the way to a path. FAT shows a new name by no time of the folder. */
  #hasListed(folder: string, path: string): boolean {
    const [name = ''] = path.slice(folder === '' ? 0 : folder.length + 1).split('/');
    const { files, folders, left } = this.#folders.get(folder) ?? {};
    return name === '' || [files, folders, left].some((names) => names?.has(name));
  }

  /** Every file below a folder. */
  filesUnder(path: string): string[] {
    const folder = this.#folders.get(path);
    if (!folder) return [];
    const below = [...folder.folders].flatMap((name) => this.filesUnder(join(path, name)));
    return [...[...folder.files].map((name) => join(path, name)), ...below];
  }

  /** The innermost known folder around a path. */
  #nearest(path: string): string {
    for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
      if (this.#folders.has(folder)) return folder;
    }
    return '';
  }

  async #scanFolder(folder: string, found: ScanResult, slice: TimeSlice): Promise<void> {
    const before = this.#folders.get(folder);
    if (!before) return;
    const known = [...before.files];
    if (this.#hasChanged(folder)) await this.#enter([folder], found, slice);
    const { files } = this.#folders.get(folder) ?? {};
    for (const name of known) {
      if (slice.isOver) await slice.next();
      if (files?.has(name)) this.#observeAgain(join(folder, name), found);
    }
  }

  /** Lists folders, and new folders in them with all below. */
  async #enter(folders: string[], found: ScanResult, slice: TimeSlice): Promise<void> {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (slice.isOver) await slice.next();
      const listed = this.#list(folder, found);
      if (!listed) continue;
      for (const name of listed.newFolders) folders.push(join(folder, name));
      for (const name of listed.newFiles) {
        if (slice.isOver) await slice.next();
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

  /** Lists a folder; removes missing names. */
  #list(folder: string, found: ScanResult): { readonly newFiles: string[]; readonly newFolders: string[] } | undefined {
    const before = this.#folders.get(folder);
    // Read before the names, so that the next scan sees a change meanwhile.
    const stats = statIfThere(this.#fileOf(folder));
    const entries = this.#entriesOf(folder);
    if (!entries) {
      this.#drop(folder, found);
      return undefined;
    }
    const { now } = this.#options;
    const { mtimeMs, ctimeMs, ino, birthtimeMs } = stats ?? { mtimeMs: 0, ctimeMs: 0, ino: 0, birthtimeMs: 0 };
    const isRacy = entries === 'unreadable' || isRecent(mtimeMs, now()) || isRecent(ctimeMs, now());
    // A new folder often has the number of a removed one. Where the time of birth is unknown, the system may give that of the last change.
    const isBirthKnown = before?.birthtimeMs !== before?.ctimeMs;
    if (before && (before.ino !== ino || (isBirthKnown && before.birthtimeMs !== birthtimeMs))) this.#replaced++;
    const names = { files: new Set<string>(), folders: new Set<string>(), left: new Set<string>() };
    const known: KnownFolder = { mtimeMs, ctimeMs, ino, birthtimeMs, isRacy, ...names };
    let ruleFiles = '';
    for (const entry of entries === 'unreadable' ? [] : entries) {
      const { name } = entry;
      if (name === '.git' || isRuleFile(name)) ruleFiles += `${name}${entry.isFile() ? '' : '/'} `;
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
    const newFolders = [...known.folders].filter((name) => !before.folders.has(name));
    // In place of a link, for instance.
    if (newFolders.some((name) => before.files.has(name))) this.#replaced++;
    return { newFiles: [...known.files].filter((name) => !before.files.has(name)), newFolders };
  }

  /** `undefined` if the folder is missing. */
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

  /** Skips a name that is not UTF-8: it reads with this character, and no file has the name as read. */
  #checkName(path: string): Skip | undefined {
    if (!path.includes('\uFFFD') || statIfThere(this.#fileOf(path))) return undefined;
    return { reason: 'unreadable', detail: 'its name is not valid UTF-8' };
  }

  /** Checks a known file without its rules, which take most of the time of a scan. */
  #observeAgain(path: string, found: ScanResult): void {
    const { root, isChanged } = this.#options;
    const state = this.skipped.has(path) ? undefined : stateOf(root, path);
    if (!state || 'reason' in state || isChanged(path, state)) this.#observe(path, found);
  }

  #observe(path: string, found: ScanResult): void {
    const { root, skips, isChanged } = this.#options;
    const observed = observe(root, path, skips);
    if (observed === undefined) this.#forget(path, found);
    else if ('reason' in observed) {
      this.#forget(path, found);
      this.skipped.set(path, observed);
    } else {
      this.skipped.delete(path);
      found.deleted.delete(path);
      if (isChanged(path, observed)) found.changed.set(path, observed);
    }
  }

  #forget(path: string, found: ScanResult): void {
    this.skipped.delete(path);
    found.changed.delete(path);
    found.deleted.add(path);
  }

  #drop(folder: string, found: ScanResult): void {
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
  readonly ino: number;
  readonly birthtimeMs: number;
  /** Names may have changed since the listing without a new time. */
  readonly isRacy: boolean;
  /** Names that no rule leaves out. */
  readonly files: Set<string>;
  readonly folders: Set<string>;
  /** Names that a rule leaves out. */
  readonly left: Set<string>;
  readonly ruleFiles?: string;
}

function nothingFound(): ScanResult {
  return { changed: new Map(), deleted: new Set() };
}

function statIfThere(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // Listing it reports the error.
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
