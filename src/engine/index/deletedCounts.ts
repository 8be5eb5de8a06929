import { increment } from '../../base/collections.ts';
import type { SegmentReader } from './segmentReader.ts';

/** The deleted documents of a segment, and what they have: what to subtract from the counts of the segment's file. */
export interface DeletedCounts {
  /** Their numbers in ascending order. */
  readonly documents: Uint32Array;
  readonly tokens: number;
  readonly chunks: number;
  readonly languages: ReadonlyMap<string, number>;
  /** By {@link SegmentReader.outerFolderOf}. */
  readonly folders: ReadonlyMap<string, number>;
}

export function countDeleted(
  reader: SegmentReader,
  count: number,
  isDeleted: (document: number) => boolean,
): DeletedCounts {
  const documents = new Uint32Array(count);
  const languages = new Map<string, number>();
  const folders = new Map<string, number>();
  let tokens = 0;
  let chunks = 0;
  for (let document = 0, i = 0; i < count; document++) {
    if (!isDeleted(document)) continue;
    documents[i++] = document;
    tokens += reader.documentTokens[document]!;
    chunks += reader.firstChunk[document + 1]! - reader.firstChunk[document]!;
    increment(languages, reader.languageOf(document));
    increment(folders, reader.outerFolderOf(document));
  }
  return { documents, tokens, chunks, languages, folders };
}
