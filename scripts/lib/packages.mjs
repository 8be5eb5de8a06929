// Brings sources from package registries, each by its own client, into folders. Nothing of a package is run or installed.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hasApt, openArchive } from './debian.mjs';
import { root } from './dependencies.mjs';

/** @typedef {'cargo' | 'debian-package' | 'debian-source' | 'go' | 'lockfile' | 'maven' | 'npm' | 'pypi'} Registry */

/** @type {import('./debian.mjs').Archive | undefined} */
let archive;

/** @type {Record<Registry, (name: string, version: string, folder: string, state: string) => void>} */
const BRING = {
  cargo(name, version, folder, state) {
    const home = join(state, 'cargo');
    // It unpacks the package to show it.
    run('cargo', ['info', `${name}@${version}`], state, { CARGO_HOME: home });
    const sources = join(home, 'registry/src');
    const found = readdirSync(sources).map((registry) => join(sources, registry, `${name}-${version}`));
    cpSync(
      only(
        found.filter((place) => existsSync(place)),
        name,
      ),
      folder,
      { recursive: true },
    );
  },
  'debian-package': (name, version, folder, state) => {
    checkVersion(version, archiveIn(state).bringPackage(name, folder));
  },
  'debian-source': (name, version, folder, state) => {
    checkVersion(version, archiveIn(state).bringSource(name, folder));
  },
  go(name, version, folder, state) {
    const settings = { GOMODCACHE: join(state, 'go'), GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local' };
    /** @type {{ Dir: string }} */
    const { Dir } = JSON.parse(run('go', ['mod', 'download', '-json', `${name}@${version}`], state, settings));
    cpSync(Dir, folder, { recursive: true });
  },
  lockfile(name, _version, folder) {
    const filter = (/** @type {string} */ path) => basename(path) !== 'node_modules';
    cpSync(join(root, 'node_modules', name), folder, { recursive: true, filter });
  },
  maven(name, version, folder, state) {
    const to = join(state, 'download');
    const artifact = `${name}:${version}:jar:sources`;
    run('mvn', ['-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${to}`], state);
    run('python3', ['-m', 'zipfile', '-e', join(to, only(readdirSync(to), name)), folder], state);
  },
  npm(name, version, folder, state) {
    const to = join(state, 'download');
    run('npm', ['pack', `${name}@${version}`, '--ignore-scripts', '--silent', '--pack-destination', to], state);
    mkdirSync(folder, { recursive: true });
    run('tar', ['-xf', join(to, only(readdirSync(to), name)), '-C', folder, '--strip-components=1'], state);
  },
  pypi(name, version, folder, state) {
    const to = join(state, 'download');
    run('pip', ['download', '-q', '--no-deps', '--only-binary', ':all:', '-d', to, `${name}==${version}`], state);
    run('python3', ['-m', 'zipfile', '-e', join(to, only(readdirSync(to), name)), folder], state);
  },
};

/**
 * Unpacks a version of a package into a folder. Throws where the registry or its client is missing.
 * @param {Registry} from
 * @param {string} name
 * @param {string} version
 * @param {string} folder
 * @param {string} state where clients keep what they download
 */
export function bringSources(from, name, version, folder, state) {
  rmSync(join(state, 'download'), { recursive: true, force: true });
  mkdirSync(join(state, 'download'), { recursive: true });
  BRING[from](name, version, folder, state);
}

/** @param {string} state */
function archiveIn(state) {
  if (!hasApt) throw new Error("it comes from Debian's archive, and there is no apt-get here.");
  return (archive ??= openArchive(join(state, 'apt')));
}

/** @param {string} wanted @param {string} brought */
function checkVersion(wanted, brought) {
  if (brought !== wanted) throw new Error(`Debian's archive has version ${brought}, not ${wanted}.`);
}

/** @param {string} program @param {string[]} args @param {string} cwd @param {NodeJS.ProcessEnv} [settings] */
function run(program, args, cwd, settings = {}) {
  try {
    const env = { ...process.env, ...settings };
    return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (cause) {
    throw new Error(`"${program} ${args.join(' ')}" failed.`, { cause });
  }
}

/** @param {string[]} found @param {string} name */
function only(found, name) {
  const [first] = found;
  if (first === undefined) throw new Error(`Nothing was downloaded for ${name}.`);
  return first;
}
