import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest, segmentFile } from '../../src/engine/index/manifest.ts';

/** The segments of an index's newest commit: paths. */
export function segmentsOf(indexFolder: string): string[] {
  return readManifest(indexFolder).manifest.segments.map(({ segment }) => join(indexFolder, segmentFile(segment)));
}

/** The manifests of an index, and their copies: paths. */
export function manifestsOf(indexFolder: string): string[] {
  const names = readdirSync(indexFolder).filter((name) => /^manifest\..*json$/.test(name));
  return names.map((name) => join(indexFolder, name));
}
