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

/**
 * As many files as wanted: a sample of the folder's, or copies of them, in each of which other names are renamed: an eighth of the
 * words of six letters and more. `made` gets the milliseconds that a copy took.
 */
export function* growSources(root: string, count: number, made: (ms: number) => void): Generator<SourceFile> {
  const paths = listSources(root);
  for (let copy = 0, left = count; left > 0; copy++) {
    for (const { path, content } of readSources(root, sample(paths, left))) {
      left--;
      if (copy === 0) yield { path, content };
      else {
        const began = performance.now();
        const text = content.toString('latin1').replace(/\b[a-zA-Z_]\w{5,}/g, (word) => {
          const letters = word.charCodeAt(1) + word.charCodeAt(3);
          return letters % 8 === copy % 8 ? `${word}_${copy}` : word;
        });
        const file = { path: `copy${copy}/${path}`, content: Buffer.from(text, 'latin1') };
        made(performance.now() - began);
        yield file;
      }
    }
  }
}

/** Picks `count` items at even distances: the same items each time, from the whole list. */
export function sample<T>(items: readonly T[], count: number): T[] {
  const wanted = Math.min(count, items.length);
  return Array.from({ length: wanted }, (_, i) => items[Math.floor((i * items.length) / wanted)]!);
}
