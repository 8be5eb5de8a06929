import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, statSync, writeSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SextantError, systemCode } from './errors.ts';
import { move, moveSync, removeIfFree, removeIfFreeSync } from './removal.ts';

/**
 * Replaces `file` so that after a crash at any moment it holds either the old bytes or the new ones. After a return the
 * new ones survive a power cut: temporary file, fsync, rename, fsync of the folder.
 *
 * `mode` restricts its readers. Synchronous, because its callers run in worker threads or commands and must not interleave with
 * other writes. Throws `NotAFile` where `file` is a folder.
 */
export function writeFileAtomicSync(file: string, data: Uint8Array | string, mode?: number): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileDurableSync(temporary, data, mode);
    moveSync(temporary, file);
  } catch (error) {
    removeIfFreeSync(temporary);
    throw explainFolder(error, file);
  }
  syncFolderSync(dirname(file));
}

/** As {@link writeFileAtomicSync}, but the process goes on while the disk works. Callers let no other write interleave. */
export async function writeFileAtomic(file: string, data: Uint8Array, mode?: number): Promise<void> {
  await writeAside(file, data, mode, (handle) => handle.sync());
  if (process.platform === 'win32') return;
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Writes a new file and waits until its bytes are on the disk. The name itself is durable after {@link syncFolderSync}. */
export function writeFileDurableSync(file: string, data: Uint8Array | string, mode?: number): void {
  const fd = openSync(file, 'wx', mode);
  try {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes renames and new names in `folder` durable. Windows has no such call and needs none. */
export function syncFolderSync(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Replaces `file` like {@link writeFileAtomicSync} for data that may be lost, such as a cache, without blocking the
 * process. A kill leaves the old bytes or the new ones, but nothing waits until they are on disk. A power cut may leave
 * a file with neither: its format has to detect that.
 */
export function replaceFile(file: string, data: Uint8Array, mode?: number): Promise<void> {
  return writeAside(file, data, mode);
}

/** Names a folder that has the file's name. Windows reports it as a file that is open elsewhere. */
function explainFolder(error: unknown, file: string): unknown {
  const mayBe = ['EISDIR', 'FileInUse'].includes(systemCode(error) ?? '');
  if (!mayBe || !statSync(file, { throwIfNoEntry: false })?.isDirectory()) return error;
  const message = `${file} is a folder, where Sextant writes a file. Move or delete the folder, then try again.`;
  return new SextantError('NotAFile', message, { cause: error });
}

async function writeAside(
  file: string,
  data: Uint8Array,
  mode: number | undefined,
  finish?: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(data);
      await finish?.(handle);
    } finally {
      await handle.close();
    }
    await move(temporary, file);
  } catch (error) {
    await removeIfFree(temporary);
    throw explainFolder(error, file);
  }
}
