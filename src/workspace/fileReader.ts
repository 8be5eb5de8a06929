import { documentId } from '../engine/documentId.ts';
import type { EngineDocument } from '../engine/engine.ts';
import type { FileRecord } from './catalog.ts';
import { FileDecoder } from './encodings.ts';
import type { FolderOptions } from './folderOptions.ts';
import { GuardedFolder } from './guardedFile.ts';
import type { FileState } from './scan.ts';
import type { SkipRules } from './skip.ts';

/** A file that changed less than this before it is read may change again with the same time (FAT has 2 s). */
const RACY_MS = 2_000;

/** Record of a file; `document`, whose content is UTF-8 where the folder's encodings say so, is missing if it is not indexed. */
export interface ReadFile {
  readonly record: FileRecord;
  readonly document?: EngineDocument;
}

/** Reads the files of a folder in turn, into the same memory: a document is valid until the next read. */
export class FileReader {
  readonly #folder: GuardedFolder;
  readonly #skips: SkipRules;
  readonly #decoder: FileDecoder;
  #buffer = Buffer.allocUnsafeSlow(1 << 16);

  constructor({ root, encodings }: Pick<FolderOptions, 'root' | 'encodings'>, skips: SkipRules) {
    this.#folder = new GuardedFolder(root);
    this.#skips = skips;
    this.#decoder = new FileDecoder(encodings);
  }

  /** `seen` is the state in the scan, `now` in milliseconds since 1970. Never throws: an unreadable file is skipped. */
  read(path: string, seen: FileState, now: number): ReadFile {
    const allocate = (bytes: number): Buffer => this.#memoryFor(bytes);
    const read = this.#folder.read(path, { maxBytes: this.#skips.maxFileBytes, allocate });
    if (!read || 'reason' in read) {
      const skip = read ?? { reason: 'unreadable', detail: 'it was removed before it was read' };
      // A change of rights shows in a scan; the end of another program's lock, or of a disk's failure, does not.
      const racy = !skip.detail?.startsWith('EACCES') && { racy: true as const };
      return { record: { ...seen, ...racy, skip } };
    }
    const { stats, hasChanged } = read;
    const content = this.#decoder.decode(path, read.content);
    const { size, mtimeMs, ctimeMs } = stats;
    const racy = hasChanged || isRecent(mtimeMs, now) || isRecent(ctimeMs, now);
    const state = { size, mtimeMs, ctimeMs, ...(racy && { racy: true as const }) };
    const skip = this.#skips.byContent(path, content);
    if (skip) return { record: { ...state, skip } };
    const id = documentId(path, content);
    return { record: { ...state, id }, document: { id, path, content } };
  }

  #memoryFor(bytes: number): Buffer {
    if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes * 2);
    return this.#buffer;
  }
}

/** Whether a file or folder may change again without a new time. */
export function isRecent(timeMs: number, now: number): boolean {
  return Math.abs(now - timeMs) < RACY_MS;
}
