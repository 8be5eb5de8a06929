import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { throwIfCancelled } from '../base/errors.ts';
import type { IndexWriter } from './indexWriter.ts';
import { reasonOfDamage, type Damage } from './index/damage.ts';
import { deletionsFile, verifyManifest } from './index/manifest.ts';
import { readDeletions } from './index/snapshot.ts';

/** Reads all segments from the disk and compares their checksums, a few milliseconds at a time. Isolates the damaged ones. */
export async function verifySegments({ reader }: IndexWriter, signal?: AbortSignal): Promise<void> {
  for (const segment of reader.segments) {
    for (const _ of segment.reader.verify()) {
      await setImmediate();
      throwIfCancelled(signal);
      // Merged or closed meanwhile.
      if (!reader.segments.some((one) => one.reader === segment.reader)) break;
    }
  }
  reader.isolateDamaged();
}

/** Writes the manifest and the deletions again where the disk has lost what this process knows. */
export function restoreSmallFiles(writer: IndexWriter): void {
  const damage = verifyManifest(writer.folder);
  const entries = writer.reader.segments.map(({ entry, reader, deleted }) => {
    if (!entry.deletions || !deleted) return entry;
    const file = deletionsFile(entry.deletions.number);
    try {
      readDeletions(join(writer.folder, file), entry.deletions, reader.documents);
      return entry;
    } catch (error) {
      damage.push({ file, what: reasonOfDamage(error), documents: 0 });
      return writer.withDeletions(entry, reader.documents, deleted);
    }
  });
  if (damage.length > 0) writer.publish(entries, damage);
  writer.removeUnused();
}

/** Damage to the manifest's copy, which a reader does not meet. */
export function damagedCopy({ folder, reader }: IndexWriter): Damage[] {
  const damage = verifyManifest(folder);
  return damage.some(({ file }) => reader.damage.some((known) => known.file === file)) ? [] : damage;
}
