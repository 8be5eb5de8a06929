/** The outermost two folders of a path, or fewer. In many repositories they are a package, such as `packages/core`. */
export function outerFolder(path: string): string {
  const first = path.indexOf('/');
  const second = first < 0 ? -1 : path.indexOf('/', first + 1);
  return path.slice(0, Math.max(0, second < 0 ? first : second));
}
