import { toUtf8 } from '../engine/analyze/text.ts';
import { FileDecoder, type EncodingRule } from './encodings.ts';
import { GuardedFolder } from './guardedFile.ts';

/** Upper bound of the setting for the size of files. */
const MAX_FILE_BYTES = 64 << 20;

/** Reads a file's current text; `undefined` for one that is deleted, no text, or may not be read. */
export type ReadFile = (path: string) => FileText | undefined;

/** A file's bytes and its text in UTF-8. */
export interface FileText {
  readonly content: Buffer;
  readonly text: Buffer;
}

interface ReadFolder {
  readonly root: string;
  readonly maxFileBytes?: number;
  readonly encodings?: readonly EncodingRule[];
}

/** Returns a function that reads the files of a folder. */
export function textsOf({ root, maxFileBytes = MAX_FILE_BYTES, encodings }: ReadFolder): ReadFile {
  const folder = new GuardedFolder(root);
  const decoder = new FileDecoder(encodings);
  return (path) => {
    const read = folder.read(path, { maxBytes: maxFileBytes });
    if (!read || 'reason' in read) return undefined;
    const content = decoder.decode(path, read.content);
    const text = toUtf8(content);
    return text && { content, text: Buffer.from(text.buffer, text.byteOffset, text.byteLength) };
  };
}
