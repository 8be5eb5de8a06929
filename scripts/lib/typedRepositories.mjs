// Brings the repositories of the benchmark of typed queries, which bench:ask shares, into out/bench-typed (or BENCH_TYPED).
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hasApt, openArchive } from './debian.mjs';
import { root } from './dependencies.mjs';
import { say, step } from './say.mjs';

export const typedFolder = process.env.BENCH_TYPED ?? join(root, 'out/bench-typed');
/** A file of each repository with its version; the folder also ends the ignore rules of the folders above. */
const VERSION = '.git/bench-version';

/** @type {import('./debian.mjs').Archive | undefined} */
let opened;
export const archive = () => {
  if (!hasApt) throw new Error("it comes from Debian's archive, and there is no apt-get here.");
  return (opened ??= openArchive(join(typedFolder, 'apt')));
};

/**
 * Brings a repository into the folder unless it is there in the wanted version; an interruption leaves nothing at its
 * place. Returns whether it is there.
 * @param {import('../../test/bench/typed/repositories.ts').TypedRepository} repository
 */
export async function bringTyped({ name, from, package: source, within = '.' }) {
  const place = join(typedFolder, 'repositories', name);
  const known = join(place, VERSION);
  if (existsSync(known) && (from !== 'lockfile' || readFileSync(known, 'utf8') === versionOf(source))) return true;
  const part = join(typedFolder, 'part');
  for (const old of [place, part]) rmSync(old, { recursive: true, force: true });
  try {
    await step(`Bringing ${name} from ${from === 'lockfile' ? 'node_modules' : "Debian's archive"}`, put);
  } catch (error) {
    say(`${name} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
  return true;

  function put() {
    const version = unpack(from, source, part);
    mkdirSync(join(part, within, '.git'), { recursive: true });
    writeFileSync(join(part, within, VERSION), version);
    mkdirSync(join(typedFolder, 'repositories'), { recursive: true });
    renameSync(join(part, within), place);
  }
}

/** @param {string} name of a package of the lockfile */
function versionOf(name) {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  return String(version);
}

/**
 * @param {import('../../test/bench/typed/repositories.ts').TypedRepository['from']} from
 * @param {string} name of a package
 * @param {string} place where its files go
 * @returns {string} its version
 */
function unpack(from, name, place) {
  if (from === 'debian-source') return archive().bringSource(name, place);
  if (from === 'debian-package') return archive().bringPackage(name, place);
  const folder = join(root, 'node_modules', name);
  cpSync(folder, place, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  return versionOf(name);
}
