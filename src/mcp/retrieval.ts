import { SourceFile } from '../ask/sourceFile.ts';
import type { IndexableFile } from '../workspace/readIndexable.ts';
import type { SearchRequest, SearchResult } from '../workspace/searcher.ts';
import { formatRetrieval, type RetrievedFile } from '../wire/formatRetrieval.ts';

/** Number of files that fill the longest answer. */
const FILES = 48;

export interface RetrievalParts {
  search(
    request: Pick<SearchRequest, 'query' | 'limit' | 'excerpts'>,
    signal: AbortSignal,
  ): Promise<{ readonly results: readonly SearchResult[]; readonly leftOut: number }>;
  read(path: string): Promise<IndexableFile>;
}

/**
 * The answer of a folder to a query, as text of at most `maxLength` UTF-16 units, like that of the index, search and
 * ask service. Every line is read from its file now, by the rules of {@link IndexableFile}; lines changed since the search
 * are left out. Files that cannot be shown are counted.
 */
export async function retrieveText(
  query: string,
  maxLength: number,
  folder: RetrievalParts,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly leftOut: number }> {
  const { results, leftOut } = await folder.search({ query, limit: FILES, excerpts: true }, signal);
  const files: RetrievedFile[] = [];
  for (const result of results) {
    const shown = await folder.read(result.path);
    if (!('text' in shown)) continue;
    const file = new SourceFile(result.path, shown.text);
    const places = [result, ...result.more]
      .filter((found) => file.holds(found))
      .map((found) => {
        const definition = file.definitionOf(found);
        return { startLine: found.startLine, endLine: found.endLine, ...(definition && { definition }) };
      });
    if (places.length > 0) files.push({ path: result.path, text: shown.text, places });
  }
  return { text: formatRetrieval(files, maxLength), leftOut: leftOut + results.length - files.length };
}
