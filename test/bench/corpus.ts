import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceFile {
  readonly path: string;
  readonly content: Buffer;
}

const SKIPPED = new Set(['.git', '.hg', '.svn', '.jj', '.bzr', 'CVS', 'node_modules', 'bower_components']);
const MAX_BYTES = 1_048_576;

/** Paths of a folder's files of at most 1 MiB, sorted; what version control and package managers keep is left out. */
export function listSources(root: string): string[] {
  const files: string[] = [];
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) pending.push(path);
      } else if (entry.isFile() && statSync(join(root, path)).size <= MAX_BYTES) files.push(path);
    }
  }
  return files.sort();
}

/** Reads one file after the other; those with a NUL byte are binary and left out. */
export function* readSources(root: string, paths: Iterable<string>): Generator<SourceFile> {
  for (const path of paths) {
    const content = readFileSync(join(root, path));
    if (!content.includes(0)) yield { path, content };
  }
}

/** `count` of the items at even distances: the same ones each time, from all over the list. */
export function sample<T>(items: readonly T[], count: number): T[] {
  const wanted = Math.min(count, items.length);
  return Array.from({ length: wanted }, (_, i) => items[Math.floor((i * items.length) / wanted)]!);
}
