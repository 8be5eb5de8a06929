import { join } from 'node:path';
import { readCheckedJson, writeCheckedJson } from '../../base/checkedJson.ts';
import { ANALYSIS_VERSION, FORMAT_VERSION, damaged, newerFormat, otherAnalysis } from './format.ts';

/** A segment's number, and that of the file that marks its removed documents, if it has any. */
export interface SegmentEntry {
  readonly segment: number;
  readonly deletions?: number;
}

/** What the index consists of at one moment. Replacing it is the commit. */
export interface Manifest {
  readonly format: number;
  readonly analysis: number;
  /** Grows with each commit. */
  readonly generation: number;
  /** Files are numbered from here, so that no name is ever used twice. */
  readonly nextFile: number;
  readonly segments: readonly SegmentEntry[];
}

export const EMPTY_MANIFEST: Manifest = {
  format: FORMAT_VERSION,
  analysis: ANALYSIS_VERSION,
  generation: 0,
  nextFile: 1,
  segments: [],
};

export const MANIFEST = 'manifest.json';

export const segmentFile = (number: number): string => `segment-${number}.sxs`;
export const deletionsFile = (number: number): string => `deletions-${number}.sxd`;

/** The manifest of an index folder, or the empty one where there is none yet. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST);
  const read = readCheckedJson(file);
  if (read === undefined) return EMPTY_MANIFEST;
  if (read === 'damaged') throw damaged(file, 'checksum');
  const manifest = read.value as Manifest;
  if (manifest.format !== FORMAT_VERSION) throw newerFormat(file, manifest.format);
  if (manifest.analysis !== ANALYSIS_VERSION) throw otherAnalysis(folder);
  return manifest;
}

export function writeManifest(folder: string, manifest: Manifest): void {
  writeCheckedJson(join(folder, MANIFEST), manifest);
}
