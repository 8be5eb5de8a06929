// Brings sources and a program of Debian's archive without root and without a change to the system: apt gets its own
// state below a folder, and the archive's address from the machine's own configuration.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const CONFIGURED = ['/etc/apt/sources.list', '/etc/apt/sources.list.d'];
/** The upstream archive of a source package, without its signature and without further components. */
const UPSTREAM = /\.orig\.tar\.\w+$/;

export const hasApt = process.platform === 'linux' && existsSync('/usr/bin/apt-get');

/** @typedef {(name: string, folder: string) => string} Bring unpacks a package into a folder, and returns its version */

/** @typedef {{ bringSource: Bring, bringPackage: Bring }} Archive */

/**
 * Reads the archive's lists once. The functions that it returns throw for a package that is missing.
 * @param {string} state a folder for apt's lists and downloads
 * @returns {Archive}
 */
export function openArchive(state) {
  const sources = join(state, 'sources');
  for (const folder of ['lists/partial', 'cache/archives/partial', 'sources', 'downloads'])
    mkdirSync(join(state, folder), { recursive: true });
  for (const file of configuredSources()) {
    const text = readFileSync(file, 'utf8');
    const both = text.replace(/^Types:.*$/gm, 'Types: deb deb-src').replace(/^deb (.*)$/gm, 'deb $1\ndeb-src $1');
    writeFileSync(join(sources, basename(file)), both);
  }
  /** @param {string[]} args */
  const apt = (...args) => {
    const options = [
      ...['Dir::Etc::sourcelist=/dev/null', `Dir::Etc::sourceparts=${sources}`],
      ...[`Dir::State::lists=${join(state, 'lists')}`, `Dir::Cache=${join(state, 'cache')}`],
      // As root, apt would change to a user that may not write here.
      'APT::Sandbox::User=root',
    ];
    const all = ['-qq', ...options.flatMap((option) => ['-o', option]), ...args];
    try {
      execFileSync('apt-get', all, { cwd: join(state, 'downloads'), stdio: ['ignore', 'ignore', 'inherit'] });
    } catch (cause) {
      throw new Error(`"apt-get ${args.join(' ')}" failed; its output is above.`, { cause });
    }
  };
  apt('update');
  /** @param {RegExp} pattern */
  const downloaded = (pattern) => {
    const found = readdirSync(join(state, 'downloads')).find((file) => pattern.test(file));
    if (found === undefined) throw new Error(`apt-get brought no file that matches ${pattern.source}.`);
    return found;
  };
  return {
    /** The upstream sources, without Debian's changes. */
    bringSource(name, folder) {
      apt('source', '--download-only', '--tar-only', name);
      const archive = downloaded(new RegExp(`^${escaped(name)}_.*${UPSTREAM.source}`));
      mkdirSync(folder, { recursive: true });
      const args = ['-xf', join(state, 'downloads', archive), '-C', folder, '--strip-components=1'];
      execFileSync('tar', args, { stdio: ['ignore', 'ignore', 'inherit'] });
      return archive.slice(name.length + 1).replace(UPSTREAM, '');
    },
    /** The files of an installed package, with their paths from the root folder. */
    bringPackage(name, folder) {
      apt('download', name);
      mkdirSync(folder, { recursive: true });
      const archive = downloaded(new RegExp(`^${escaped(name)}_.*\\.deb$`));
      execFileSync('dpkg-deb', ['-x', join(state, 'downloads', archive), folder]);
      return archive.split('_')[1] ?? '';
    },
  };
}

/** @returns {string[]} */
function configuredSources() {
  return CONFIGURED.filter((path) => existsSync(path)).flatMap((path) => {
    if (dirname(path) === '/etc/apt' && path.endsWith('.list')) return [path];
    const files = readdirSync(path).filter((file) => /\.(?:list|sources)$/.test(file));
    return files.map((file) => join(path, file)).filter((file) => readFileSync(file, 'utf8').includes('debian'));
  });
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[.+]/g, '\\$&');
}
