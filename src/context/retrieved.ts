import type { SourceRange } from '../engine/query/sourceRange.ts';
import type { RetrievedFile, RetrievedPlace } from '../wire/formatRetrieval.ts';

interface FoundFile extends SourceRange {
  readonly path: string;
  readonly text: string;
  readonly more: readonly SourceRange[];
}

/** A search result as a file of formatted retrieval. */
export function toRetrievedFile({ path, text, more, ...place }: FoundFile): RetrievedFile {
  return { path, text, places: [place, ...more].map(toRetrieved) };
}

function toRetrieved({ startLine, endLine, symbol }: SourceRange): RetrievedPlace {
  return { startLine, endLine, ...(symbol && { definition: symbol }) };
}
