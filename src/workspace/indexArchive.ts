import { createWriteStream, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createTarDecoder } from 'modern-tar';
import { packTar } from 'modern-tar/fs';
import { silentLogger } from '../base/log.ts';
import { explainWriteError, SextantError, throwIfCancelled } from '../base/errors.ts';
import { makeFolder } from '../base/makeFolder.ts';
import { removeLeftoverSync } from '../base/removal.ts';
import { Engine, EngineReader } from '../engine/engine.ts';
import { copyIndex } from '../engine/index/copy.ts';
import { isDataFile, manifestFiles } from '../engine/index/manifest.ts';
import { FolderIndex } from './folderIndex.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { claimStateFolder } from './stateFolder.ts';

/*
 * An index as one file: a tar archive of a commit's manifest, segments and deletions. It has no times, which differ on the
 * machine that opens it; its files are named by their content. They carry no lease, since an archive has no writer.
 */

const NO_LEASE = 0;

export interface ArchivedIndex {
  readonly files: number;
}

/**
 * Writes the newest commit of an index to `output`, even while a process writes to the index. Throws `NoIndex`, `DiskFull`,
 * `ReadOnly` and `Cancelled`.
 */
export async function exportIndex(stateFolder: string, output: Writable, signal: AbortSignal): Promise<ArchivedIndex> {
  return inFolder(stateFolder, async (copy) => {
    if (!copyIndex(indexFolderOf(stateFolder), copy, NO_LEASE)) throw noIndex(stateFolder);
    const names = readdirSync(copy).filter(isArchived);
    const sources = names.map((name) => ({ type: 'file', source: join(copy, name), target: name }) as const);
    await cancellable(pipeline(packTar(sources), output, { signal, end: false }), signal);
    return { files: countFiles(copy) };
  });
}

/**
 * Replaces a folder's index by an exported one. Damage is found by later reads, as in any index. The next update reads the
 * folder's files and analyses new ones. Throws `NotAnIndex`, `IndexFormat` if another version wrote it, `IndexBusy`,
 * `FolderNotOurs`, `DiskFull`, `ReadOnly` and `Cancelled`: then the old index stays.
 */
export async function importIndex(
  input: Readable,
  { root, stateFolder }: Pick<FolderOptions, 'root' | 'stateFolder'>,
  signal: AbortSignal,
): Promise<ArchivedIndex> {
  claimStateFolder(root, stateFolder, silentLogger);
  return inFolder(stateFolder, async (unpacked) => {
    try {
      await unpack(input, unpacked, signal);
    } catch (error) {
      throwIfCancelled(signal);
      const explained = explainWriteError(error, stateFolder);
      throw explained instanceof SextantError ? explained : notAnIndex(error);
    }
    const files = countFiles(unpacked);
    if (files === 0) throw notAnIndex();
    FolderIndex.erase(stateFolder);
    Engine.copy(unpacked, indexFolderOf(stateFolder));
    return { files };
  });
}

/**
 * Unpacks an archive, which is untrusted input, into a folder. Rejected: `unpackTar`, which still creates folders and files
 * after it failed, when the folder is removed already.
 */
async function unpack(input: Readable, folder: string, signal: AbortSignal): Promise<void> {
  const entries = Readable.toWeb(input).pipeThrough(createTarDecoder({ strict: true }), { signal });
  for await (const { header, body } of entries) {
    if (header.type !== 'file' || !isArchived(header.name)) throw notAnIndex();
    const file = createWriteStream(join(folder, header.name), { flags: 'wx', mode: 0o600 });
    await pipeline(body, file, { signal });
  }
}

/** Runs work with a temporary folder beside the index, so that files can be linked. */
async function inFolder<T>(stateFolder: string, work: (folder: string) => Promise<T>): Promise<T> {
  makeFolder(stateFolder);
  const folder = mkdtempSync(join(stateFolder, 'archive-'));
  try {
    return await work(folder);
  } finally {
    removeLeftoverSync(folder, { recursive: true });
  }
}

function isArchived(name: string): boolean {
  return name === manifestFiles(NO_LEASE)[0] || isDataFile(name);
}

/** Throws `IndexFormat`. */
function countFiles(indexFolder: string): number {
  const reader = new EngineReader(indexFolder);
  try {
    return reader.stats().documents;
  } finally {
    reader.close();
  }
}

async function cancellable(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (error) {
    throwIfCancelled(signal);
    throw error;
  }
}

function noIndex(stateFolder: string): SextantError {
  return new SextantError('NoIndex', `There is no index in ${stateFolder}. Create one with sextant index.`);
}

function notAnIndex(cause?: unknown): SextantError {
  return new SextantError(
    'NotAnIndex',
    'The file is not an index that sextant context export has written, or it is incomplete.',
    {
      cause,
    },
  );
}
