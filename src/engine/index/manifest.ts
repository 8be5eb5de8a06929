import { join } from 'node:path';
import { readCheckedJson, writeCheckedJson } from '../../base/checkedJson.ts';
import { fencedName } from '../../base/lease.ts';
import { namesIn } from '../../base/namesIn.ts';
import { removeSync } from '../../base/removal.ts';
import type { Damage } from './damage.ts';
import { ANALYSIS_VERSION, FORMAT_VERSION, newerFormat, otherAnalysis } from './format.ts';

/**
 * A file by its number, and a checksum that distinguishes it from others of its name: of an older backup, or of an index that
 * was in the folder before.
 */
export interface FileEntry {
  readonly number: number;
  readonly sum: number;
}

export interface SegmentEntry {
  readonly segment: number;
  readonly sum: number;
  /** Number of its documents that are not removed: the loss if it cannot be read. */
  readonly documents: number;
  /** The file that marks its removed documents, if it has any. */
  readonly deletions?: FileEntry;
}

/** The files of the index at one moment. Writing it is the commit. */
export interface Manifest {
  readonly format: number;
  readonly analysis: number;
  /** Grows with each commit. */
  readonly generation: number;
  readonly segments: readonly SegmentEntry[];
}

export const EMPTY_MANIFEST: Manifest = {
  format: FORMAT_VERSION,
  analysis: ANALYSIS_VERSION,
  generation: 0,
  segments: [],
};

/*
 * Every file of an index carries the number of the lease it was written under: `manifest.<lease>.json`,
 * `segment.<lease>.<count>.sxs`. So two writers never use one name, and the manifest of the highest lease counts: a
 * process that slept through a takeover, even between its check and its write, changes nothing that is read.
 * Formats before the fifth carry no lease (`manifest.json`, `segment-17.sxs`), which stands for lease 0: such an index is
 * recognized, and refused.
 */

/** A file's number is `lease * FILES_PER_LEASE + count`: 2^27 leases of 2^26 files each fit into a number exactly. */
const FILES_PER_LEASE = 2 ** 26;

/** The number of the file that is the `count`-th under a lease. */
export function fileNumber(lease: number, count: number): number {
  return lease * FILES_PER_LEASE + count;
}

export const segmentFile = (number: number): string => dataFile('segment', number, 'sxs');
export const deletionsFile = (number: number): string => dataFile('deletions', number, 'sxd');

function dataFile(stem: string, number: number, rest: string): string {
  const lease = Math.floor(number / FILES_PER_LEASE);
  const count = number % FILES_PER_LEASE;
  return fencedName(stem, lease, `${count}.${rest}`);
}

/**
 * A manifest, and the same once more, written before it: if the first is damaged, the copy is the same commit, or the one
 * that was about to be made. Without it a damaged manifest would cost the whole index, since which documents are removed
 * does not follow from the other files.
 */
export function manifestFiles(lease: number): readonly [first: string, copy: string] {
  if (lease === 0) return ['manifest.json', 'manifest.copy.json'];
  return [fencedName('manifest', lease, 'json'), fencedName('manifest', lease, 'copy.json')];
}

const DATA = /^(?:segment|deletions)(?:-\d+|\.\d+\.\d+)\.sx[sd]$/;
const MANIFEST = /^manifest(?:\.(\d{1,15}))?(?:\.copy)?\.json$/;

/** Whether a file is a segment, deletions, a manifest, or the rest of an interrupted write. */
export function isIndexFile(name: string): boolean {
  return DATA.test(name) || MANIFEST.test(name) || name.endsWith('.tmp');
}

export function isDataFile(name: string): boolean {
  return DATA.test(name);
}

/** The segments and deletions of a manifest. */
export function filesOf({ segments }: Manifest): string[] {
  return segments.flatMap(({ segment, deletions }) => [
    segmentFile(segment),
    ...(deletions ? [deletionsFile(deletions.number)] : []),
  ]);
}

/** The lease under which a file was written, or begun. */
export function leaseOf(name: string): number {
  return Number(/^[a-z]+\.(\d{1,15})\./.exec(name)?.[1] ?? 0);
}

export interface ManifestRead {
  /** Empty where there is none yet, or none that can be read. */
  readonly manifest: Manifest;
  /** Of the manifest and its copy. */
  readonly damage: readonly Damage[];
  /** Set where there was a manifest, and neither it nor its copy can be read. */
  readonly lost: boolean;
}

/**
 * The manifest of an index folder: that of the highest lease. Where neither it nor its copy can be read the index is lost,
 * also if an older one is left: that may be of a process that lost the lease, or bring removed documents back. Throws
 * `IndexFormat` where another version wrote it.
 */
export function readManifest(folder: string): ManifestRead {
  for (let isAgain = false; ; isAgain = true) {
    const names = namesIn(folder);
    const lease = highestLease(names);
    const [firstFile, copyFile] = manifestFiles(lease ?? 0);
    const first = readCheckedJson(join(folder, firstFile));
    if (first !== undefined && first !== 'damaged') {
      return { manifest: checkedVersion(folder, firstFile, first.value), damage: [], lost: false };
    }
    const copy = readCheckedJson(join(folder, copyFile));
    if (copy !== undefined && copy !== 'damaged') {
      // Without a first one the first commit of a lease was interrupted between the two: nothing is damaged.
      const damage = first === undefined ? [] : [{ file: firstFile, what: 'checksum; its copy is used', documents: 0 }];
      return { manifest: checkedVersion(folder, copyFile, copy.value), damage, lost: false };
    }
    if (first === undefined && copy === undefined) {
      // A writer writes a manifest before anything else, so where there is anything else there was one.
      if (lease === undefined && !names.some((name) => DATA.test(name)))
        return { manifest: EMPTY_MANIFEST, damage: [], lost: false };
      // An heir may have put its own in the place of this one since the folder was listed.
      if (!isAgain || highestLease(namesIn(folder)) !== lease) continue;
    }
    const damage = [{ file: firstFile, what: 'neither it nor its copy can be read' }];
    return { manifest: EMPTY_MANIFEST, damage, lost: true };
  }
}

/** Damage to the manifest and its copy on the disk, even where one of them is enough. */
export function verifyManifest(folder: string): Damage[] {
  const names = manifestFiles(highestLease(namesIn(folder)) ?? 0);
  const broken = names.filter((name) => readCheckedJson(join(folder, name)) === 'damaged');
  return broken.map((file) => ({ file, what: 'checksum', documents: 0 }));
}

/**
 * Writes the manifest of a lease. Throws a system's error with that manifest as it was, or – should only making it durable
 * fail – replaced.
 */
export function writeManifest(folder: string, lease: number, manifest: Manifest): void {
  const [first, copy] = manifestFiles(lease);
  try {
    writeCheckedJson(join(folder, copy), manifest);
    writeCheckedJson(join(folder, first), manifest);
  } catch (error) {
    try {
      // The copy must not outlive a commit that failed.
      removeSync(join(folder, copy));
    } catch {
      // A disk that removes nothing did not write it either; the first error says why.
      throw error;
    }
    throw error;
  }
}

/** Compares generation and segments: a rebuilt index counts its commits from 1 again. */
export function isSameCommit(a: Manifest, b: Manifest): boolean {
  return a === b || (a.generation === b.generation && JSON.stringify(a.segments) === JSON.stringify(b.segments));
}

function checkedVersion(folder: string, file: string, value: unknown): Manifest {
  const manifest = value as Manifest;
  if (manifest.format !== FORMAT_VERSION) throw newerFormat(join(folder, file), manifest.format);
  if (manifest.analysis !== ANALYSIS_VERSION) throw otherAnalysis(folder);
  return manifest;
}

/** The highest lease that has a manifest. */
function highestLease(names: readonly string[]): number | undefined {
  let highest: number | undefined;
  for (const name of names) {
    const manifest = MANIFEST.exec(name);
    if (manifest) highest = Math.max(highest ?? 0, Number(manifest[1] ?? 0));
  }
  return highest;
}
