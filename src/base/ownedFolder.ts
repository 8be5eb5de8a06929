import { join } from 'node:path';
import { checkedJson, readCheckedJson, writeCheckedJson } from './checkedJson.ts';
import { SextantError, systemCode } from './errors.ts';
import { isLockName } from './lease.ts';
import { isLink, makeFolder } from './makeFolder.ts';
import { namesIn } from './namesIn.ts';
import { readRegularFileSync } from './regularFile.ts';
import { createWhole } from './wholeFile.ts';

/** The file that marks a folder as one of Sextant's. */
export const MARKER = 'sextant-folder.json';

const FOLDER_KINDS = ['server', 'index', 'context'] as const;

/** The uses of a folder of state. */
export type FolderKind = (typeof FOLDER_KINDS)[number];

/** The content of a marker. */
export interface FolderMark {
  readonly kind: FolderKind;
  /** The workspace folder that an index is of. */
  readonly of?: string;
}

export interface ClaimOptions {
  readonly mode?: number;
  /** Whether a folder without a marker belongs to an earlier version of Sextant, by the names in it. */
  readonly isOlder?: (names: readonly string[]) => boolean;
  /** Called with a sentence if the marker is damaged and was written again. */
  readonly onDamage?: (message: string) => void;
}

const NOTE = 'Sextant keeps its state in this folder. Do not add, edit or delete files here.';

/**
 * Marks `folder` as Sextant's, and creates it where it is missing. Returns the mark that it has: `mark`, or that of an earlier
 * claim, which may be of another workspace folder. Throws `FolderNotOurs`, and changes nothing, where the folder holds other
 * files or is for another use; `NotAFolder`; the system's error where it cannot be written to.
 */
export function claimFolder(folder: string, mark: FolderMark, options: ClaimOptions = {}): FolderMark {
  const { mode, isOlder, onDamage } = options;
  // A link that leads nowhere would never be replaced by a marker.
  refuseLink(join(folder, MARKER));
  const found = readFolderMark(folder);
  if (found === 'damaged') {
    // Not by a lock alone, which every kind of folder has: files of this kind are the proof.
    const names = otherNames(folder);
    const kind = legibleKind(folder);
    const isOwn = names.every(isLockName) || (isOlder?.(names) ?? false);
    if ((kind !== undefined && kind !== mark.kind) || !isOwn)
      throw notOurs(
        `${join(folder, MARKER)} is damaged, and nothing in ${folder} shows that it holds Sextant's ${mark.kind} files.`,
      );
    remarkFolder(folder, mark);
    onDamage?.(`${join(folder, MARKER)} is damaged. Nothing is lost: it is written again.`);
    return mark;
  }
  if (found) {
    if (found.kind !== mark.kind) throw notOurs(`${folder} already holds Sextant's ${found.kind} files.`);
    return found;
  }
  // Another process may be creating the marker at this moment, or have created it and its first files since it was read.
  const names = otherNames(folder);
  if (names.length > 0 && !(isOlder?.(names) ?? false)) {
    if (readFolderMark(folder) !== undefined) return claimFolder(folder, mark, options);
    throw notOurs(`${folder} is not empty (${names.slice(0, 3).join(', ')}) and is not a Sextant folder.`);
  }
  makeFolder(folder, mode);
  createWhole(join(folder, MARKER), checkedJson({ ...mark, note: NOTE }), 0o600);
  const made = readFolderMark(folder);
  return typeof made === 'object' ? made : mark;
}

/** Replaces the mark of a folder that is claimed already. */
export function remarkFolder(folder: string, mark: FolderMark): void {
  writeCheckedJson(join(folder, MARKER), { ...mark, note: NOTE }, 0o600);
}

/** The mark of a folder: `undefined` where it has none, `'damaged'` where its marker cannot be read. */
export function readFolderMark(folder: string): FolderMark | 'damaged' | undefined {
  const read = readCheckedJson(join(folder, MARKER));
  if (typeof read !== 'object') return read;
  const { kind, of } = read.value as FolderMark;
  return { kind, ...(of !== undefined && { of }) };
}

/**
 * Creates a folder inside a folder of state, for its owner only. Throws `FolderNotOurs` where there is a symbolic link, through which
 * files elsewhere would be written and deleted.
 */
export function makeInnerFolder(folder: string): void {
  refuseLink(folder);
  makeFolder(folder, 0o700);
}

/** Throws `FolderNotOurs` where there is a symbolic link, also one that leads nowhere. */
export function refuseLink(path: string): void {
  if (!isLink(path)) return;
  const message = `${path} is a symbolic link, which could lead out of the folder of state. Put a folder in its place.`;
  throw new SextantError('FolderNotOurs', `${message} Nothing was changed.`);
}

function otherNames(folder: string): string[] {
  return namesIn(folder).filter((name) => !name.startsWith(MARKER));
}

/** The kind that a damaged marker still shows. */
function legibleKind(folder: string): string | undefined {
  try {
    const text = readRegularFileSync(join(folder, MARKER)).toString();
    return FOLDER_KINDS.find((kind) => text.includes(`"kind":"${kind}"`));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

function notOurs(why: string): SextantError {
  return new SextantError('FolderNotOurs', `${why} Name an empty or a new folder. Nothing in it was changed.`);
}
