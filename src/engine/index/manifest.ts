import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readCheckedJson, writeCheckedJson } from '../../base/checkedJson.ts';
import type { Damage } from './damage.ts';
import { ANALYSIS_VERSION, FORMAT_VERSION, newerFormat, otherAnalysis } from './format.ts';

/**
 * A file by its number, and the checksum that tells it from any other of its name: one that an older backup brought back,
 * or of an index that was in the folder before.
 */
export interface FileEntry {
  readonly number: number;
  readonly sum: number;
}

export interface SegmentEntry {
  readonly segment: number;
  readonly sum: number;
  /** Where the first of its two footers ends, should the last one be damaged. */
  readonly firstEnd: number;
  /** Documents of it that are not removed: what is lost if it cannot be read. */
  readonly documents: number;
  /** The file that marks its removed documents, if it has any. */
  readonly deletions?: FileEntry;
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
/**
 * The manifest once more, written before it: if the manifest is damaged, the copy is the same commit, or the one that
 * was about to be made. Without it a damaged manifest would cost the whole index, since which documents are removed
 * cannot be told from the other files.
 */
export const MANIFEST_COPY = 'manifest.copy.json';

export const segmentFile = (number: number): string => `segment-${number}.sxs`;
export const deletionsFile = (number: number): string => `deletions-${number}.sxd`;

const NUMBERED = /^(?:segment|deletions)-(\d+)\.sx[sd]$/;

export interface ManifestRead {
  /** Empty where there is none yet, or none that can be read. */
  readonly manifest: Manifest;
  /** Of the manifest and its copy. */
  readonly damage: readonly Damage[];
  /** There was a manifest, and neither it nor its copy can be read. */
  readonly lost: boolean;
}

/** The manifest of an index folder. Throws `IndexFormat` where another version wrote it. */
export function readManifest(folder: string): ManifestRead {
  const first = readCheckedJson(join(folder, MANIFEST));
  if (first !== undefined && first !== 'damaged') {
    return { manifest: checkedVersion(folder, first.value), damage: [], lost: false };
  }
  const copy = readCheckedJson(join(folder, MANIFEST_COPY));
  if (copy !== undefined && copy !== 'damaged') {
    // Without a first one the first commit was interrupted between the two: nothing is damaged.
    const damage = first === undefined ? [] : [{ file: MANIFEST, what: 'checksum; its copy is used', documents: 0 }];
    return { manifest: checkedVersion(folder, copy.value), damage, lost: false };
  }
  // A writer makes a manifest before anything else, so where there is anything else there was one.
  if (first === undefined && copy === undefined && highestFile(folder) === 0) {
    return { manifest: EMPTY_MANIFEST, damage: [], lost: false };
  }
  const damage = [{ file: MANIFEST, what: 'neither it nor its copy can be read' }];
  return { manifest: EMPTY_MANIFEST, damage, lost: true };
}

/** The highest number that a segment or deletions file in the folder has; 0 if there are none. */
export function highestFile(folder: string): number {
  if (!existsSync(folder)) return 0;
  return Math.max(0, ...readdirSync(folder).map((name) => Number(NUMBERED.exec(name)?.[1] ?? 0)));
}

/** Whether a file is a segment, deletions, or what an interrupted write left of them or of the manifest. */
export function isIndexFile(name: string): boolean {
  return NUMBERED.test(name) || name.endsWith('.tmp');
}

/** What is damaged of the manifest and its copy on the disk, even where one of them would do. */
export function verifyManifest(folder: string): Damage[] {
  const names = [MANIFEST, MANIFEST_COPY];
  const broken = names.filter((name) => readCheckedJson(join(folder, name)) === 'damaged');
  return broken.map((file) => ({ file, what: 'checksum', documents: 0 }));
}

/** Throws a system's error with the manifest as it was, or – should only making it durable fail – replaced. */
export function writeManifest(folder: string, manifest: Manifest): void {
  try {
    writeCheckedJson(join(folder, MANIFEST_COPY), manifest);
    writeCheckedJson(join(folder, MANIFEST), manifest);
  } catch (error) {
    // The copy must not outlive a commit that failed.
    rmSync(join(folder, MANIFEST_COPY), { force: true });
    throw error;
  }
}

/** By all that they say: an index that was made anew counts its commits from 1 again. */
export function isSameCommit(a: Manifest, b: Manifest): boolean {
  return a === b || (a.generation === b.generation && JSON.stringify(a.segments) === JSON.stringify(b.segments));
}

function checkedVersion(folder: string, value: unknown): Manifest {
  const manifest = value as Manifest;
  if (manifest.format !== FORMAT_VERSION) throw newerFormat(join(folder, MANIFEST), manifest.format);
  if (manifest.analysis !== ANALYSIS_VERSION) throw otherAnalysis(folder);
  return manifest;
}
