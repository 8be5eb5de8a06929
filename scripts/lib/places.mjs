// Brings the packages that free questions on places come from, into out/bench-places.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './dependencies.mjs';
import { bringSources } from './packages.mjs';
import { say } from './say.mjs';

const folder = process.env.BENCH_PLACES ?? join(root, 'out/bench-places');

/**
 * Unpacks the packages that are not there yet. Leaves out what its registry does not serve.
 * @param {readonly import('../../test/bench/places/packages.ts').PlacePackage[]} packages
 * @returns {{ name: string, root: string, isFitted: boolean }[]}
 */
export function bringPlaces(packages) {
  /** @type {{ name: string, root: string, isFitted: boolean }[]} */
  const present = [];
  for (const { registry, name, version, folder: own } of packages) {
    const isFitted = registry !== 'lockfile';
    // A package of the lockfile is read where it is.
    if (!isFitted) {
      present.push({ name, root: join(root, 'node_modules', name), isFitted });
      continue;
    }
    const place = join(folder, 'repositories', own);
    const known = join(folder, 'versions', own);
    if (!existsSync(known) || readFileSync(known, 'utf8') !== version) {
      const part = join(folder, 'part');
      for (const old of [place, part]) rmSync(old, { recursive: true, force: true });
      try {
        bringSources(registry, name, version, part, folder);
        for (const parent of ['repositories', 'versions']) mkdirSync(join(folder, parent), { recursive: true });
        renameSync(part, place);
        writeFileSync(known, version);
      } catch (error) {
        say(`${name} ${version} is left out: ${error instanceof Error ? error.message : String(error)}`);
        continue;
      }
    }
    present.push({ name: own, root: place, isFitted });
  }
  return present;
}
