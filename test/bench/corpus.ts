import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './listing.mjs';

export interface SourceFile {
  readonly path: string;
  readonly content: Buffer;
}

/** Paths of a folder's files that the extension would index, sorted. */
export function listSources(root: string): string[] {
  return listFiles(root, 'all');
}

/** Reads the files one by one; files with a NUL byte are binary and left out. */
export function* readSources(root: string, paths: Iterable<string>): Generator<SourceFile> {
  for (const path of paths) {
    const content = readFileSync(join(root, path));
    if (!content.includes(0)) yield { path, content };
  }
}

/** Picks `count` items at even distances: the same items each time, from the whole list. */
export function sample<T>(items: readonly T[], count: number): T[] {
  const wanted = Math.min(count, items.length);
  return Array.from({ length: wanted }, (_, i) => items[Math.floor((i * items.length) / wanted)]!);
}
