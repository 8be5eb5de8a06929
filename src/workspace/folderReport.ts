import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Lease, type LeaseOwner } from '../base/lease.ts';
import { EngineReader } from '../engine/engine.ts';
import { describeDamage } from '../engine/index/damage.ts';
import { MANIFEST } from '../engine/index/manifest.ts';
import { Catalog, type FileRecord } from './catalog.ts';
import { FileReader } from './fileReader.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { FolderTree } from './folderTree.ts';
import type { FileState } from './scan.ts';
import { SkipRules, contentRules, type Skip } from './skip.ts';
import { Turns } from './turns.ts';

/* What can be told of a folder's index without being the one who keeps it: all of this only reads. */

export interface LanguageShare {
  /** As `lang:` takes it. */
  readonly language: string;
  readonly files: number;
  /** UTF-8 bytes of their text. */
  readonly bytes: number;
}

/** What an index holds, as of its newest commit. Crosses threads. */
export interface IndexContents {
  readonly files: number;
  /** UTF-8 bytes of the text that is indexed. */
  readonly textBytes: number;
  /** The language with the most files first. */
  readonly languages: readonly LanguageShare[];
  /** What the index takes on disk. */
  readonly indexBytes: number;
  /** When its newest commit was made, in milliseconds since 1970; missing where there is none. */
  readonly lastChange?: number;
  /** What of it is damaged and not repaired yet, each in one line. */
  readonly damage: readonly string[];
}

/** Throws `IndexFormat` where another version wrote the index. Without an index all is 0. */
export function readContents(stateFolder: string): IndexContents {
  const folder = indexFolderOf(stateFolder);
  const reader = new EngineReader(folder);
  try {
    const { documents, contentBytes, languages, languageBytes, generation, damage } = reader.stats();
    const lastChange = statSync(join(folder, MANIFEST), { throwIfNoEntry: false })?.mtimeMs;
    return {
      files: documents,
      textBytes: contentBytes,
      languages: Object.entries(languages)
        .map(([language, files]) => ({ language, files, bytes: languageBytes[language] ?? 0 }))
        .sort((a, b) => b.files - a.files || b.bytes - a.bytes || (a.language < b.language ? -1 : 1)),
      indexBytes: generation === 0 ? 0 : folderBytes(folder),
      ...(lastChange !== undefined && { lastChange }),
      damage: damage.map(describeDamage),
    };
  } finally {
    reader.close();
  }
}

/** Who is writing to the index at this moment. */
export function writerOf(stateFolder: string): LeaseOwner | undefined {
  return Lease.ownerOf(indexFolderOf(stateFolder));
}

/** How a folder differs from what its index has read of it. */
export interface Difference {
  /** Files to be indexed that it has not read, has read in another state, and has read but are gone. */
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Every file and folder that is left out, and why, by path. */
  readonly skipped: Map<string, Skip>;
}

/** Walks the folder as a reconcile does, and changes nothing. Throws if the folder itself cannot be read. */
export async function compareWithFolder(options: FolderOptions, signal?: AbortSignal): Promise<Difference> {
  const { root, stateFolder } = options;
  const catalog = new Catalog(stateFolder, root, contentRules(options));
  const skips = new SkipRules(options);
  const reader = new FileReader(root, skips);
  let added = 0;
  const isChanged = (path: string, state: FileState): boolean => {
    const record = catalog.get(path);
    if (!record) added++;
    return !record || hasChanged(reader, path, record, state);
  };
  const { tree, found } = await FolderTree.walk(
    { root, excluded: options, skips, now: Date.now, isChanged },
    new Turns(signal),
  );
  const skipped = new Map(tree.skipped);
  let removed = 0;
  for (const [path, record] of catalog.entries()) {
    if (!tree.has(path)) removed++;
    else if ('skip' in record && !found.changed.has(path)) skipped.set(path, record.skip);
  }
  return { added, changed: found.changed.size - added, removed, skipped };
}

function hasChanged(reader: FileReader, path: string, record: FileRecord, state: FileState): boolean {
  const { size, mtimeMs, ctimeMs, racy } = record;
  if (size !== state.size || mtimeMs !== state.mtimeMs || ctimeMs !== state.ctimeMs) return true;
  if (racy !== true || !('id' in record)) return false;
  const now = reader.read(path, state, 0).record;
  return !('id' in now) || now.id !== record.id;
}

/** The bytes of all files in a folder, without those of folders in it. */
export function folderBytes(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
