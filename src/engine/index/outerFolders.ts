/** The outermost two folders of a path, or fewer. In many repositories they are a package. */
export function outerFolderOf(path: string): string {
  const first = path.indexOf('/');
  const second = first < 0 ? -1 : path.indexOf('/', first + 1);
  return path.slice(0, second < 0 ? Math.max(0, first) : second);
}

/**
 * Number of paths below each {@link outerFolderOf}. `paths` has all of them without a separator. Neighbours mostly share a folder, and the
 * first search of an index waits for this, when V8 has compiled little: so the platform compares them.
 */
export function countFolders(paths: string, offsets: Uint32Array, count: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let path = 0, first = 0; path < count; first = path) {
    const name = outerFolderOf(paths.slice(offsets[first], offsets[first + 1]));
    const within = `${name}/`;
    // A path may be in `a/b` and begin with `a/`.
    const isWhole = name.includes('/');
    for (path++; isWhole && path < count; path++) {
      const at = offsets[path]!;
      if (at + within.length > offsets[path + 1]! || !paths.startsWith(within, at)) break;
    }
    counts.set(name, (counts.get(name) ?? 0) + path - first);
  }
  return counts;
}
