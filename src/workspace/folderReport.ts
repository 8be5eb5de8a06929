import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SextantError } from '../base/errors.ts';
import { Lease, type LeaseOwner } from '../base/lease.ts';
import type { DocumentId } from '../engine/documentId.ts';
import { EngineReader } from '../engine/engine.ts';
import { describeDamage } from '../engine/index/damage.ts';
import { filesOf } from '../engine/index/manifest.ts';
import { Catalog, type FileRecord } from './catalog.ts';
import { FileReader } from './fileReader.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { FolderTree } from './folderTree.ts';
import type { FileState } from './scan.ts';
import { SkipRules, contentRules, type Skip } from './skip.ts';
import { TimeSlice } from './timeSlice.ts';

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
  /** When its content changed last, in milliseconds since 1970; missing where there is none. */
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
    const lastChange = newest(folder, filesOf(reader.manifest));
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

/** How the documents of an index differ from what the folder's files are now. */
export interface Difference {
  /** Files to be indexed that it does not have, has with another content, and has but are gone or to be left out. */
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Every file and folder that is left out, and why, by path. */
  readonly skipped: Map<string, Skip>;
}

/**
 * Above this number of files that may have changed they are not read, and count as changed: a comparison is to be quick, and
 * there is work to be done for the index in any case.
 */
const READ_AT_MOST = 500;

/**
 * Scans the folder as a reconcile does, and changes nothing. The catalog tells which files need not be read; what the index
 * has is read from the index itself, which may be older or newer than the catalog after a crash, or restored from a backup.
 * Throws if the folder itself cannot be read.
 */
export async function compareWithFolder(options: FolderOptions, signal?: AbortSignal): Promise<Difference> {
  const { root, stateFolder } = options;
  const catalog = new Catalog(stateFolder, root, contentRules(options));
  const indexed = documentsOf(stateFolder);
  const skips = new SkipRules(options);
  const reader = new FileReader(root, skips);
  const { tree, found } = await FolderTree.walk(
    {
      root,
      excluded: options,
      skips,
      now: Date.now,
      isChanged: (path, state) => mayHaveChanged(catalog.get(path), state),
    },
    new TimeSlice(signal),
  );
  const skipped = new Map(tree.skipped);
  let added = 0;
  let changed = 0;
  /** `undefined`: not known without reading it. */
  const compare = (path: string, id: DocumentId | undefined): void => {
    const before = indexed.get(path);
    indexed.delete(path);
    if (before === undefined) added++;
    else if (before !== id) changed++;
  };
  for (const [path, record] of catalog.entries()) {
    if (!tree.has(path) || found.changed.has(path)) continue;
    if ('id' in record) compare(path, record.id);
    else skipped.set(path, record.skip);
  }
  for (const [path, state] of found.changed) {
    const record = found.changed.size <= READ_AT_MOST ? reader.read(path, state, 0).record : undefined;
    if (record && 'skip' in record) skipped.set(path, record.skip);
    else compare(path, record?.id);
  }
  return { added, changed, removed: indexed.size, skipped };
}

function mayHaveChanged(record: FileRecord | undefined, state: FileState): boolean {
  if (!record) return true;
  const { size, mtimeMs, ctimeMs, racy } = record;
  // Whether a file that is left out for its content is binary is for the engine to say: reading it does not tell.
  return (
    (racy === true && 'id' in record) || size !== state.size || mtimeMs !== state.mtimeMs || ctimeMs !== state.ctimeMs
  );
}

/** The documents of the newest commit by path; none where another version wrote the index. */
function documentsOf(stateFolder: string): Map<string, DocumentId> {
  try {
    const reader = new EngineReader(indexFolderOf(stateFolder));
    try {
      const documents = new Map<string, DocumentId>();
      for (const [path, id] of reader.documents()) {
        // A second one of a path, which a crash can leave, is one too many whatever the file is: no path has a zero.
        documents.set(documents.has(path) ? `${path}\0${id}` : path, id);
      }
      return documents;
    } finally {
      reader.close();
    }
  } catch (error) {
    if (error instanceof SextantError && error.code === 'IndexFormat') return new Map();
    throw error;
  }
}

/** When the newest of these files was written: each change of an index writes one at least, and none is written twice. */
function newest(folder: string, names: readonly string[]): number | undefined {
  const times = names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The bytes of all files in a folder, without those of folders in it. */
export function folderBytes(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
