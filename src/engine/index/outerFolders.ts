import { increment } from '../../base/collections.ts';

/** The outermost two folders of a path, or fewer. In many repositories they are a package. */
export function outerFolderOf(path: string): string {
  const first = path.indexOf('/');
  const second = first < 0 ? -1 : path.indexOf('/', first + 1);
  return path.slice(0, second < 0 ? Math.max(0, first) : second);
}

/** Number of paths below each {@link outerFolderOf}. `paths` has all of them without a separator; `offsets` are their starts, and the end. */
export function countFolders(paths: string, offsets: readonly number[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (let path = 0; path < offsets.length - 1; path++) {
    increment(counts, outerFolderOf(paths.slice(offsets[path], offsets[path + 1])));
  }
  return counts;
}
