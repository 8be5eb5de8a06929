// Installs the dependencies of package-lock.json if they are missing. Uses only Node itself.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, step } from './say.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 11)) {
  fail(
    `Node ${process.versions.node} is too old for these scripts. Install Node 20.11 or newer from https://nodejs.org.`,
  );
}

export const root = join(import.meta.dirname, '../..');

export async function ensureDependencies() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules/.sextant-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  await step('Installing the dependencies with npm', () => npm(['ci', '--loglevel=error'], root));
  writeFileSync(stamp, lock);
}

/** The Node of the lockfile, so that scripts and tests behave alike on all machines. */
export function pinnedNode() {
  const pinned = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(pinned) ? pinned : process.execPath;
}

/**
 * @param {string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} [env]
 */
export function npm(args, cwd, env = process.env) {
  try {
    return execFileSync('npm', [...args, '--no-audit', '--no-fund'], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
    });
  } catch {
    return fail(
      `"npm ${args.join(' ')}" failed; its output is above. Without a connection to the npm registry it cannot work.`,
    );
  }
}
