import { F, FEATURES, RELATIVE, type Candidate } from './features.ts';

/** The path above a folder named by a version, and the version's number. */
const VERSION = /^(.*?)(?:^|\/)v(\d+)\//i;

/** Favours the newest of several versions, `v3/a.ts` and `v4/b.ts`: a name by itself means that one. */
export function favourNewestVersions(candidates: readonly Candidate[], rows: readonly Float64Array[]): void {
  const versions = candidates.map(({ scores, info: { path } }) => {
    const match = VERSION.exec(path);
    return match && { above: `${scores.folder}:${match[1]}`, number: Number(match[2]) };
  });
  const known = new Map<string, Set<number>>();
  for (const version of versions) {
    if (!version) continue;
    const numbers = known.get(version.above) ?? new Set();
    known.set(version.above, numbers.add(version.number));
  }
  for (const [i, version] of versions.entries()) {
    const numbers = version && known.get(version.above)!;
    if (numbers && numbers.size > 1 && version.number === Math.max(...numbers)) rows[i]![F.compat] = 0;
  }
}

const RELATIVE_COLUMNS = RELATIVE.map((name) => F[name]);

/** Adds the {@link RELATIVE} features. */
export function addRelative(rows: readonly Float64Array[]): void {
  for (let i = 0; i < RELATIVE_COLUMNS.length; i++) {
    const column = RELATIVE_COLUMNS[i]!;
    let highest = 1e-9;
    for (let at = 0; at < rows.length; at++) if (rows[at]![column]! > highest) highest = rows[at]![column]!;
    for (let at = 0; at < rows.length; at++) rows[at]![FEATURES.length + i] = rows[at]![column]! / highest;
  }
}

/** Adds the features of other candidates in the same folder. */
export function addNeighbours(candidates: readonly Candidate[], rows: readonly Float64Array[]): void {
  const folders = new Map<string, { files: number; value: number }>();
  const folderOf = candidates.map(({ scores, info: { path } }, i) => {
    const name = `${scores.folder}:${path.slice(0, path.lastIndexOf('/') + 1)}`;
    let folder = folders.get(name);
    if (!folder) folders.set(name, (folder = { files: 0, value: 0 }));
    folder.files++;
    folder.value += rows[i]![F.chunkBoth]!;
    return folder;
  });
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const { files, value } = folderOf[i]!;
    row[F.neighbours] = (files - 1) / rows.length;
    row[F.neighbourhood] = files > 1 ? (value - row[F.chunkBoth]!) / (files - 1) : 0;
  }
}
