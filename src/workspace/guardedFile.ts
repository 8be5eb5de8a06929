import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { describeError, systemCode } from '../base/errors.ts';
import { kindOf } from './scan.ts';
import type { Skip } from './skip.ts';

/*
 * The only module that opens files of a folder; a lint rule keeps other modules of this room from it. A folder may come from
 * an unpacked archive, and it changes meanwhile: a file may turn into a pipe that no process writes to, a device, a link out
 * of the folder, or a file larger than memory.
 */

/** A file as it was read. */
export interface FileContent {
  readonly content: Buffer;
  readonly stats: Stats;
  /** Whether it was written to during the read. */
  readonly hasChanged: boolean;
}

export interface ReadLimits {
  /** A larger file is not read. */
  readonly maxBytes: number;
  /** Provides the memory to read into; new memory by default. */
  readonly allocate?: (bytes: number) => Buffer;
}

interface ReadOptions extends ReadLimits {
  /** Whether the file itself may be a link. */
  readonly followsLink?: true;
  /** Whether an opened file is the expected one. */
  readonly isExpected?: (fd: number, stats: Stats) => boolean;
}

const READ =
  process.platform === 'win32' ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const NO_FOLLOW = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW;
/** An editor replaces the file when it saves; the new file is read then. */
const ATTEMPTS = 3;

/**
 * Reads a regular file of at most `maxBytes`. Returns the reason why another path is left out, and `undefined` for a missing
 * file or a folder. Never waits for a pipe, and never opens a device. Throws the system's errors.
 */
export function readRegularFile(file: string, options: ReadOptions): FileContent | Skip | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = statsOf(file, options.followsLink);
    if (!seen || seen.isDirectory()) return undefined;
    const skip = kindOf(seen) ?? tooLarge(seen, options);
    if (skip) return skip;
    const read = readAsSeen(file, seen, options);
    if (read) return read;
  }
  return { reason: 'unreadable', detail: 'it was replaced each time it was read' };
}

/** `undefined` if the file was replaced after it was seen. */
function readAsSeen(file: string, seen: Stats, options: ReadOptions): FileContent | Skip | undefined {
  let fd: number;
  try {
    fd = openSync(file, options.followsLink ? READ : READ | NO_FOLLOW);
  } catch (error) {
    // It is a link (systems differ in the code), a socket, or missing now: the next attempt finds out.
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'EFTYPE', 'ENXIO'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
  try {
    const before = fstatSync(fd);
    if (!before.isFile() || !isSame(before, seen) || options.isExpected?.(fd, before) === false) return undefined;
    const skip = tooLarge(before, options);
    if (skip) return skip;
    const buffer = options.allocate?.(before.size) ?? Buffer.allocUnsafe(before.size);
    let length = 0;
    for (let read = -1; length < before.size && read !== 0; length += read) {
      read = readSync(fd, buffer, length, before.size - length, length);
    }
    const stats = fstatSync(fd);
    const hasChanged = stats.size !== length || stats.mtimeMs !== before.mtimeMs;
    return { content: buffer.subarray(0, length), stats, hasChanged };
  } finally {
    closeSync(fd);
  }
}

function statsOf(file: string, followsLink: true | undefined): Stats | undefined {
  try {
    return (followsLink ? statSync : lstatSync)(file, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function tooLarge({ size }: Stats, { maxBytes }: ReadLimits): Skip | undefined {
  return size > maxBytes ? { reason: 'tooLarge', detail: `${size} bytes` } : undefined;
}

/** Two calls may name the volume differently on Windows. */
function isSame(a: Stats, b: Stats): boolean {
  return process.platform === 'win32' || (a.dev === b.dev && a.ino === b.ino);
}

/** Reads files of a folder, and none through a link. Short-lived: the folder may be replaced. */
export class GuardedFolder {
  readonly #root: string;
  #realRoot: string | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Reads a file, or returns the reason why it is left out; `undefined` if it is missing or a folder. `path` is relative,
   * with `/`. Throws no error that a file can cause.
   */
  read(path: string, limits: ReadLimits): FileContent | Skip | undefined {
    try {
      return this.open(path, limits);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return { reason: 'unreadable', detail: describeError(error) };
    }
  }

  /** Like {@link read}, but throws the system's errors. */
  open(path: string, limits: ReadLimits): FileContent | Skip | undefined {
    const isExpected = (fd: number, stats: Stats): boolean => this.#holds(path, fd, stats);
    const read = readRegularFile(join(this.#root, path), { ...limits, isExpected });
    const isOdd = read && 'reason' in read && read.reason === 'unreadable';
    return isOdd && this.#hasLinkTo(path) ? { reason: 'link' } : read;
  }

  /** Linux reports the path of an open file, even after a replacement; elsewhere the folders are checked afterwards. */
  #holds(path: string, fd: number, stats: Stats): boolean {
    const opened = process.platform === 'linux' ? pathOf(fd) : undefined;
    if (opened === undefined) {
      const now = lstatSync(join(this.#root, path), { throwIfNoEntry: false });
      return !this.#hasLinkTo(path) && now !== undefined && isSame(now, stats);
    }
    this.#realRoot ??= realpathSync.native(this.#root);
    const expected = join(this.#realRoot, path);
    return opened === expected || opened === `${expected}${DELETED}` || fold(opened) === fold(expected);
  }

  /** Whether a folder on the way to a file is a link. */
  #hasLinkTo(path: string): boolean {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const folder = join(this.#root, path.slice(0, slash));
      if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
    }
    return false;
  }
}

const DELETED = ' (deleted)';

/** `undefined` where /proc is not mounted. */
function pathOf(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Some disks ignore the case of names. */
function fold(path: string): string {
  return path.normalize().toLowerCase();
}

/** People write rules; no file of rules is larger. */
const MAX_TEXT_BYTES = 16 << 20;

/**
 * Text of a file outside of the folders' content, such as Git's configuration; links are followed, as Git does. `undefined`
 * if it is missing, unreadable or not a regular file: then it does not count, as for Git.
 */
export function readTextIfThere(file: string): string | undefined {
  return textOf(() => readRegularFile(file, { maxBytes: MAX_TEXT_BYTES, followsLink: true }));
}

/**
 * Like {@link readTextIfThere}, for an ignore file in a folder; empty if it is there and cannot be read as one. A link is not
 * followed, as in Git.
 */
export function readRulesIfThere(folder: GuardedFolder, path: string): string | undefined {
  return textOf(() => folder.open(path, { maxBytes: MAX_TEXT_BYTES }), '');
}

function textOf(open: () => FileContent | Skip | undefined, unreadable?: string): string | undefined {
  try {
    const read = open();
    return read && 'content' in read ? read.content.toString('utf8') : read && unreadable;
  } catch (error) {
    if (['EACCES', 'EPERM', 'ELOOP'].includes(systemCode(error) ?? '')) return unreadable;
    throw error;
  }
}
