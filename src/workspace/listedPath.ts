import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';

/** What {@link listedPath} reads of a disk. */
export interface Disk {
  exists(file: string): boolean;
  /** The names in a folder; empty where it cannot be read. */
  names(folder: string): readonly string[];
}

/**
 * The path as the disk lists it. Many disks open a file by other names, too: in other case, with composed or decomposed
 * letters, by a short name (`KEY~1.PEM`) or with a stream (`.env::$DATA`). Rules and the index know the listed name alone, so
 * that such a name would pass the rules that hide the file. `undefined` for a path that is not listed. `path` is relative to
 * `root`, with `/`.
 */
export function listedPath(root: string, path: string, disk: Disk = realDisk): string | undefined {
  let folder = root;
  const listed: string[] = [];
  for (const name of path.split('/')) {
    const spelled = listedName(folder, name, disk);
    if (spelled === undefined) return undefined;
    listed.push(spelled);
    folder = join(folder, spelled);
  }
  return listed.join('/');
}

function listedName(folder: string, name: string, disk: Disk): string | undefined {
  if (isOnlyName(folder, name, disk)) return disk.exists(join(folder, name)) ? name : undefined;
  const names = disk.names(folder);
  if (names.includes(name)) return name;
  if (!disk.exists(join(folder, name))) return undefined;
  const alike = names.filter((one) => fold(one) === fold(name));
  return alike.length === 1 ? alike[0] : undefined;
}

/**
 * Whether the disk opens a file by this name alone, which spares a list of a large folder: there is nothing by the same
 * letters in other case. Names with other letters than those of ASCII may be composed in other ways.
 */
function isOnlyName(folder: string, name: string, disk: Disk): boolean {
  const swapped = name.replace(/[a-z]/gi, (letter) => {
    return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  });
  return /^[ -~]*$/.test(name) && swapped !== name && !disk.exists(join(folder, swapped));
}

function fold(name: string): string {
  return name.normalize().toLowerCase();
}

const realDisk: Disk = {
  exists: (file) => {
    try {
      return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
  },
  names: (folder) => {
    try {
      return readdirSync(folder);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return [];
    }
  },
};
