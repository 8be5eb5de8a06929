import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, systemCode } from '../base/errors.ts';
import { documentId } from '../engine/documentId.ts';
import type { EngineDocument } from '../engine/engine.ts';
import type { FileRecord } from './catalog.ts';
import type { FileState } from './scan.ts';
import type { SkipRules } from './skip.ts';

/** A file that changed less than this before it is read may change again without a sign (FAT has 2 s). */
const RACY_MS = 2_000;
/** What was a file a moment ago may be a link out of the folder by now, or a pipe that nobody writes to. */
const READ = process.platform === 'win32' ? 'r' : constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What is to be remembered of a file; `document` is missing where its content is not to be indexed. */
export interface ReadFile {
  readonly record: FileRecord;
  readonly document?: EngineDocument;
}

/** Reads the files of a folder one after the other, into the same memory: a document is valid until the next is read. */
export class FileReader {
  readonly #root: string;
  readonly #skips: SkipRules;
  #buffer = Buffer.allocUnsafeSlow(1 << 16);

  constructor(root: string, skips: SkipRules) {
    this.#root = root;
    this.#skips = skips;
  }

  /** `seen` is what the walk saw, `now` in milliseconds since 1970. Never throws: a file that cannot be read is skipped. */
  read(path: string, seen: FileState, now: number): ReadFile {
    let content: Uint8Array;
    let state: FileState & { readonly racy?: true };
    try {
      ({ content, state } = this.#readWhole(join(this.#root, path), now));
    } catch (error) {
      // A change of rights is seen; that another program no longer keeps a file to itself, or a disk is well again, is not.
      const racy = systemCode(error) !== 'EACCES' && { racy: true as const };
      return { record: { ...seen, ...racy, skip: { reason: 'unreadable', detail: describeError(error) } } };
    }
    const skip = this.#skips.byContent(path, content);
    if (skip) return { record: { ...state, skip } };
    const id = documentId(path, content);
    return { record: { ...state, id }, document: { id, path, content } };
  }

  #readWhole(file: string, now: number): { content: Uint8Array; state: FileState & { readonly racy?: true } } {
    const fd = openSync(file, READ);
    try {
      const before = fstatSync(fd);
      if (before.size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(before.size * 2);
      let length = 0;
      for (let read = -1; length < before.size && read !== 0; length += read) {
        read = readSync(fd, this.#buffer, length, before.size - length, length);
      }
      const after = fstatSync(fd);
      const changedMeanwhile = after.size !== length || after.mtimeMs !== before.mtimeMs;
      const { size, mtimeMs, ctimeMs } = after;
      const racy = changedMeanwhile || isRecent(mtimeMs, now) || isRecent(ctimeMs, now);
      return { content: this.#buffer.subarray(0, length), state: { size, mtimeMs, ctimeMs, ...(racy && { racy }) } };
    } finally {
      closeSync(fd);
    }
  }
}

/** Whether a file or folder with that time may change again without another time. */
export function isRecent(timeMs: number, now: number): boolean {
  return Math.abs(now - timeMs) < RACY_MS;
}
