import { constants, copyFileSync, linkSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolderSync } from '../../base/atomicFile.ts';
import { systemCode } from '../../base/errors.ts';
import { removeIfFreeSync, removeSync } from '../../base/removal.ts';
import { deletionsFile, fileNumber, readManifest, segmentFile, writeManifest, type Manifest } from './manifest.ts';

/** A merge may delete the files of a commit before they are copied; then there is a newer commit. */
const ATTEMPTS = 5;

/**
 * Copies the newest commit of one index folder to another without one, under names of `lease`: another writer of that folder
 * might use the source's names. Returns whether there was anything to copy.
 */
export function copyIndex(from: string, to: string, lease: number): boolean {
  if (readManifest(to).manifest.generation > 0) return false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { manifest, lost } = readManifest(from);
    if (lost || manifest.segments.length === 0) return false;
    const { renamed, names } = renumber(manifest, lease);
    try {
      for (const [name, own] of names) linkOrCopy(join(from, name), join(to, own));
      syncFolderSync(to);
      writeManifest(to, lease, renamed);
      return true;
    } catch (error) {
      for (const own of names.values()) removeIfFreeSync(join(to, own));
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
  return false;
}

/** A manifest with files numbered under `lease`, and the names of the source's files with those of the copies. */
function renumber(
  manifest: Manifest,
  lease: number,
): { readonly renamed: Manifest; readonly names: ReadonlyMap<string, string> } {
  const names = new Map<string, string>();
  const next = (old: number, nameOf: (number: number) => string): number => {
    const own = fileNumber(lease, names.size + 1);
    names.set(nameOf(old), nameOf(own));
    return own;
  };
  const segments = manifest.segments.map((entry) => ({
    ...entry,
    segment: next(entry.segment, segmentFile),
    ...(entry.deletions && {
      deletions: { ...entry.deletions, number: next(entry.deletions.number, deletionsFile) },
    }),
  }));
  return { renamed: { ...manifest, segments }, names };
}

function linkOrCopy(from: string, to: string): void {
  removeSync(to);
  try {
    linkSync(from, to);
  } catch (error) {
    // Another disk, one without links, or too many of them.
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EACCES'].includes(systemCode(error) ?? '')) throw error;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}
