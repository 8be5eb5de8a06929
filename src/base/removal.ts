import { openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { SextantError, systemCode } from './errors.ts';

/*
 * Every rename and removal of the product, and the opening of its own files. Windows refuses all three while another program
 * has the file open without sharing it: a virus scanner, a backup, an editor, for milliseconds mostly. Each call so tries
 * again for about a second there. Elsewhere an open file can be opened and replaced, and an error is final.
 */

/** What Windows reports of a file that is open, and of a folder that still has one. */
const IN_USE: readonly unknown[] = ['EPERM', 'EBUSY', 'EACCES', 'ENOTEMPTY'];
/** Pauses between attempts, 1.3 seconds in all. Rejected: graceful-fs's minute, which blocks a thread as long. */
const PAUSES_MS = [5, 10, 20, 40, 80, 160, 320, 640] as const;
const IS_WINDOWS = process.platform === 'win32';

interface RemoveOptions {
  /** Whether a folder is removed with all in it. */
  readonly recursive?: boolean;
}

/** Renames, and replaces a file at `to`. Throws `FileInUse` while another program has a file open; then neither has changed. */
export function moveSync(from: string, to: string): void {
  retrySync(to, () => renameSync(from, to));
}

/** {@link moveSync} without blocking the process. */
export async function move(from: string, to: string): Promise<void> {
  await retry(to, () => rename(from, to));
}

/** Removes a file, or nothing where there is none. Throws `FileInUse` while another program has it open. */
export function removeSync(path: string, { recursive = false }: RemoveOptions = {}): void {
  retrySync(path, () => rmSync(path, { force: true, recursive }));
}

/** {@link removeSync} without blocking the process. */
export async function remove(path: string, { recursive = false }: RemoveOptions = {}): Promise<void> {
  await retry(path, () => rm(path, { force: true, recursive }));
}

/** Opens a file of ours. Throws `FileInUse` while another program has it open without sharing it. */
export function openOwnSync(path: string, flags: string | number, mode?: number): number {
  return retrySync(path, () => openSync(path, flags, mode));
}

/** {@link openOwnSync} without blocking the process. */
export async function openOwn(path: string, flags: string | number, mode?: number): Promise<FileHandle> {
  return retry(path, () => open(path, flags, mode));
}

/** Reads a file of ours, as {@link openOwnSync} opens it. */
export function readOwnSync(path: string): Buffer {
  return retrySync(path, () => readFileSync(path));
}

/**
 * Removes what is no longer used, without waiting. Returns false where another program has it open: then the caller removes
 * it later, or leaves it.
 */
export function removeIfFreeSync(path: string, { recursive = false }: RemoveOptions = {}): boolean {
  try {
    rmSync(path, { force: true, recursive });
    return true;
  } catch (error) {
    if (isInUse(error)) return false;
    throw error;
  }
}

/** Removes the temporary file of a process that was killed: one that nothing has written to for as long. */
export function removeIfAbandonedSync(path: string, ageMs: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && Date.now() - found.mtimeMs > ageMs) removeIfFreeSync(path);
}

/** {@link removeIfFreeSync} without blocking the process. */
export async function removeIfFree(path: string): Promise<boolean> {
  try {
    await rm(path, { force: true });
    return true;
  } catch (error) {
    if (isInUse(error)) return false;
    throw error;
  }
}

/** Removes a file that harms nothing where it stays, after the same attempts as {@link removeSync}. */
export function removeLeftoverSync(path: string, options?: RemoveOptions): void {
  try {
    removeSync(path, options);
  } catch (error) {
    if (!(error instanceof SextantError)) throw error;
  }
}

/** Exported for its tests. Throws `FileInUse` when the pauses are used up. */
export function retrySync<T>(
  path: string,
  work: () => T,
  pause: (ms: number) => void = block,
  isWindows = IS_WINDOWS,
): T {
  for (let attempt = 0; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (!isInUse(error, isWindows)) throw error;
      const ms = PAUSES_MS[attempt];
      if (ms === undefined) throw fileInUse(path, error);
      pause(ms);
    }
  }
}

async function retry<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isInUse(error)) throw error;
      const ms = PAUSES_MS[attempt];
      if (ms === undefined) throw fileInUse(path, error);
      await wait(ms);
    }
  }
}

function isInUse(error: unknown, isWindows = IS_WINDOWS): boolean {
  return isWindows && IN_USE.includes(systemCode(error));
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function fileInUse(path: string, cause: unknown): SextantError {
  return new SextantError('FileInUse', `Another program has ${path} open. Close that program, then try again.`, {
    cause,
  });
}
