import { createHash } from 'node:crypto';

/** What names a document: SHA-256 of its path's bytes followed by its content's, in lower-case hex (wire protocol §2). */
export type DocumentId = string;

/** The name of a document. */
export function documentId(path: string, content: Uint8Array): DocumentId {
  return createHash('sha256').update(path, 'utf8').update(content).digest('hex');
}
