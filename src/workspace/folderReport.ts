import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isExpected, SextantError } from '../base/errors.ts';
import { Lease, type LeaseOwner } from '../base/lease.ts';
import type { DocumentId } from '../engine/documentId.ts';
import { EngineReader } from '../engine/engine.ts';
import { describeIndexDamage } from '../engine/index/damage.ts';
import { filesOf } from '../engine/index/manifest.ts';
import { Catalog, type FileRecord } from './catalog.ts';
import { FileReader } from './fileReader.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { FolderTree } from './folderTree.ts';
import type { FileState } from './scan.ts';
import { SkipRules, contentRules, type Skip } from './skip.ts';
import { TimeSlice } from '../base/timeSlice.ts';

/* Reports on a folder's index that any process may make: all of it only reads. */

export interface LanguageShare {
  /** As `lang:` takes it. */
  readonly language: string;
  readonly files: number;
  /** UTF-8 bytes of their text. */
  readonly bytes: number;
}

/** Contents of an index as of its newest commit. Crosses threads. */
export interface IndexContents {
  readonly files: number;
  /** UTF-8 bytes of the text that is indexed. */
  readonly textBytes: number;
  /** The language with the most files first. */
  readonly languages: readonly LanguageShare[];
  /** Bytes that the index takes on disk. */
  readonly indexBytes: number;
  /** Time of the last change in milliseconds since 1970; missing without an index. */
  readonly lastChange?: number;
  /** Damage that is not repaired yet, one line each. */
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
      damage: damage.map(describeIndexDamage),
    };
  } finally {
    reader.close();
  }
}

/** The number of files that can be searched; 0 where the index cannot be read, as one of another version. */
export function countDocuments(stateFolder: string): number {
  try {
    const reader = new EngineReader(indexFolderOf(stateFolder));
    const { documents } = reader.stats();
    reader.close();
    return documents;
  } catch (error) {
    if (!isExpected(error)) throw error;
    return 0;
  }
}

/** The process that writes to the index now. */
export function writerOf(stateFolder: string): LeaseOwner | undefined {
  return Lease.ownerOf(indexFolderOf(stateFolder));
}

/** Differences between the documents of an index and the folder's files. */
export interface Difference {
  /** Files that the index lacks, has with other content, and has although they are deleted or left out. */
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Every path that is left out, with the reason. */
  readonly skipped: Map<string, Skip>;
}

/**
 * Above this number, files that may have changed are not read and count as changed: a comparison must be quick, and the
 * index needs an update in any case.
 */
const READ_AT_MOST = 500;

/**
 * Scans the folder as a reconcile does, and changes nothing. The catalog shows which files need not be read. Documents are
 * read from the index itself, which may differ from the catalog after a crash or a restored backup.
 * Throws if the folder itself cannot be read.
 */
export async function compareWithFolder(options: FolderOptions, signal?: AbortSignal): Promise<Difference> {
  const { root, stateFolder } = options;
  const catalog = new Catalog(options, contentRules(options));
  const indexed = documentsOf(stateFolder);
  const skips = new SkipRules(options);
  const reader = new FileReader(options, skips);
  const { tree, found } = await FolderTree.scanAll(
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
  /** An `undefined` id means that the file was not read. */
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
  // A file that is left out as binary stays so: only the engine finds that, and reading the file again does not.
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
        // A crash can leave a second document of a path, which must go in any case: no path has a zero.
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

/** Time of the newest file: each change of an index writes at least one, and none is written twice. */
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
