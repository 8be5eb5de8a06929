import { createHash } from 'node:crypto';
import { checkBytes, checkText } from '../base/given.ts';
import { SextantError } from '../base/errors.ts';

/** What names a document: SHA-256 of its path's bytes followed by its content's, in lower-case hex (wire protocol §2). */
export type DocumentId = string;

/** The name of a document. */
export function documentId(path: string, content: Uint8Array): DocumentId {
  checkText(path, 'path');
  checkBytes(content, 'content');
  return createHash('sha256').update(path, 'utf8').update(content).digest('hex');
}

/** Throws `InvalidId` for other texts: in the bytes of a segment they would move the names of other documents. */
export function checkDocumentId(id: DocumentId): void {
  if (!/^[\da-f]{64}$/.test(id))
    throw new SextantError('InvalidId', `"${id}" is no name of a document. Use documentId() to name it.`);
}
