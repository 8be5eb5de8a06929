import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest, segmentFile } from '../../src/engine/index/manifest.ts';

/** The paths of the segments of an index's newest commit. */
export function segmentsOf(indexFolder: string): string[] {
  return readManifest(indexFolder).manifest.segments.map(({ segment }) => join(indexFolder, segmentFile(segment)));
}

/** The paths of the manifests of an index, and of their copies. */
export function manifestsOf(indexFolder: string): string[] {
  const names = readdirSync(indexFolder).filter((name) => /^manifest\..*json$/.test(name));
  return names.map((name) => join(indexFolder, name));
}

/** Replaces an index by one of an earlier version of Sextant. */
export function replaceByEarlierVersion(indexFolder: string): void {
  rmSync(indexFolder, { recursive: true });
  cpSync(join(import.meta.dirname, '../fixtures/formats/format-1-analysis-1/index'), indexFolder, { recursive: true });
}
