import { posix } from 'node:path';

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

/** How to order results for a user. */
export interface PersonalOrder {
  readonly work: WorkContext;
  /** Number of results that are fetched at first. */
  readonly limit: number;
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

/** The results with those that the user works on slightly higher. */
export function personalOrder<T extends FileOfFolder & { readonly score: number }>(
  results: readonly T[],
  { work: { recent, changed, active }, limit }: PersonalOrder,
): readonly T[] {
  const worth = (result: T): number => {
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
