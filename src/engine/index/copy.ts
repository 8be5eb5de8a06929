import { constants, copyFileSync, linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolderSync } from '../../base/atomicFile.ts';
import { systemCode } from '../../base/errors.ts';
import { deletionsFile, readManifest, segmentFile, writeManifest, type Manifest } from './manifest.ts';

/** While a writer merges, the files of a commit may go before they are copied; then there is a newer commit. */
const ATTEMPTS = 5;

/** Copies the newest commit of one index folder to another without one. Tells whether there was anything to copy. */
export function copyIndex(from: string, to: string): boolean {
  if (readManifest(to).manifest.generation > 0) return false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { manifest, lost } = readManifest(from);
    if (lost || manifest.segments.length === 0) return false;
    const names = filesOf(manifest);
    try {
      for (const name of names) linkOrCopy(join(from, name), join(to, name));
      syncFolderSync(to);
      writeManifest(to, manifest);
      return true;
    } catch (error) {
      for (const name of names) rmSync(join(to, name), { force: true });
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
  return false;
}

function filesOf({ segments }: Manifest): string[] {
  return segments.flatMap(({ segment, deletions }) => [
    segmentFile(segment),
    ...(deletions ? [deletionsFile(deletions.number)] : []),
  ]);
}

function linkOrCopy(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
  } catch (error) {
    // Another disk, one without links, or too many of them.
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EACCES'].includes(systemCode(error) ?? '')) throw error;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}
