import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from '../../../scripts/lib/packages.mjs';

/**
 * A package that questions come from. None is a repository of the benchmark of quality; of those of typed queries, only the lockfile's
 * are here.
 */
export interface PlacePackage {
  readonly registry: Registry;
  readonly name: string;
  /** Empty for a package of the lockfile, which has it. */
  readonly version: string;
  readonly license: string;
  /** The name of its folder. */
  readonly folder: string;
}

/** The packages of packages.tsv. Weights are fitted to all but those of the lockfile. */
export function placePackages(): PlacePackage[] {
  const [, ...rows] = readFileSync(join(import.meta.dirname, 'packages.tsv'), 'utf8')
    .trim()
    .split('\n');
  return rows.map((row) => {
    const [registry, name, version, license] = row.split('\t') as [Registry, string, string, string];
    return { registry, name, version, license, folder: `${registry}-${name.replace(/[@/:]/g, '_')}` };
  });
}
