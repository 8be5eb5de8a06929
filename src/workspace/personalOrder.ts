import { posix } from 'node:path';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import type { SearchResult } from './searcher.ts';

/** A file of the workspace. */
interface FileOfFolder {
  readonly root: string;
  readonly path: string;
}

/** What the user works on. Files are keys of {@link fileKey}. */
export interface WorkContext {
  /** Files that are open, or were edited lately. */
  readonly recent: ReadonlySet<string>;
  /** Files with uncommitted changes. */
  readonly changed: ReadonlySet<string>;
  /** The file in the active editor. */
  readonly active?: FileOfFolder | undefined;
}

/**
 * Added to scores. The fitted features of two good results differ by more in most queries, and an exact name adds 100: so only results
 * that are about equal change places.
 */
const RECENT = 0.2;
const CHANGED = 0.1;
const NEAR = 0.1;
/** Only the best results are ordered: fetching more of them must not move those above. */
const WINDOW = 50;

export function fileKey({ root, path }: FileOfFolder): string {
  return `${root}\0${path}`;
}

/** The results with those that the user works on slightly higher. `limit` is the number of results that are fetched at first. */
export function personalOrder(
  query: string,
  results: readonly SearchResult[],
  { recent, changed, active }: WorkContext,
  limit: number,
): readonly SearchResult[] {
  // A list of files is in the order of their paths.
  if (parseQueryLanguage(query).words.trim() === '') return results;
  const worth = (result: SearchResult): number => {
    const key = fileKey(result);
    const isNear = result.root === active?.root && posix.dirname(result.path) === posix.dirname(active.path);
    return result.score + (recent.has(key) ? RECENT : 0) + (changed.has(key) ? CHANGED : 0) + (isNear ? NEAR : 0);
  };
  const count = Math.min(WINDOW, limit);
  const best = results.slice(0, count).map((result) => ({ result, worth: worth(result) }));
  // Sorting is stable: equal results keep their order.
  best.sort((a, b) => b.worth - a.worth);
  return [...best.map(({ result }) => result), ...results.slice(count)];
}
