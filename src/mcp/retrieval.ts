import { SourceFile } from '../ask/sourceFile.ts';
import type { ModelFolder } from '../workspace/givenPath.ts';
import type { IndexableFile } from '../workspace/readIndexable.ts';
import type { SearchRequest, SearchResult } from '../workspace/searcher.ts';
import { isName } from '../workspace/usages.ts';
import { formatRetrieval, type RetrievedFile } from '../wire/formatRetrieval.ts';

/** Number of files that fill the longest answer. */
const FILES = 48;
/** Scores so far below the first are of files that rather do not answer. */
const FALL = 3;
/** Least number of files for a question; a name may have a single one. */
const LEAST = 3;
export interface RetrievalParts {
  search(
    request: Pick<SearchRequest, 'query' | 'limit' | 'excerpts'>,
    signal: AbortSignal,
  ): Promise<{ readonly results: readonly SearchResult[]; readonly leftOut: number }>;
  read(root: string, path: string): Promise<IndexableFile>;
  /** The folders, with what precedes their paths. */
  readonly shown: readonly ModelFolder[];
}

/**
 * The answer of folders to a query, as text of at most `maxLength` UTF-16 units, like that of the index, search and
 * ask service. Every line is read from its file now, by the rules of {@link IndexableFile}; lines changed since the search
 * are left out. Files that cannot be shown are counted, and those that rather do not answer are not shown.
 */
export async function retrieveText(
  query: string,
  maxLength: number,
  parts: RetrievalParts,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly leftOut: number }> {
  const found = await parts.search({ query, limit: FILES, excerpts: true }, signal);
  const results = answersTo(query, found.results);
  const prefixOf = (root: string): string => parts.shown.find((one) => one.root === root)?.prefix ?? '';
  const files: RetrievedFile[] = [];
  for (const result of results) {
    const shown = await parts.read(result.root, result.path);
    if (!('text' in shown)) continue;
    const file = new SourceFile(result.path, shown.text);
    const places = [result, ...result.more]
      .filter((found) => file.holds(found))
      .map((found) => {
        const definition = file.definitionOf(found);
        return { startLine: found.startLine, endLine: found.endLine, ...(definition && { definition }) };
      });
    if (places.length > 0) files.push({ path: `${prefixOf(result.root)}${result.path}`, text: shown.text, places });
  }
  return { text: formatRetrieval(files, maxLength), leftOut: found.leftOut + results.length - files.length };
}

/** The results up to where the scores fall away. */
export function answersTo(query: string, results: readonly SearchResult[]): readonly SearchResult[] {
  const least = isName(query.trim()) ? 1 : LEAST;
  const first = results[0]?.score ?? 0;
  const end = results.findIndex(({ score }, i) => i >= least && score < first - FALL);
  return end < 0 ? results : results.slice(0, end);
}
