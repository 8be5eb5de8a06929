// Installs the dependencies of package-lock.json if they are missing. Uses only Node itself.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
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
 * @returns {Promise<string>} what it printed
 */
export async function npm(args, cwd, env = process.env) {
  try {
    const options = { cwd, env, maxBuffer: 64 << 20, shell: process.platform === 'win32' };
    const { stdout, stderr } = await promisify(execFile)('npm', [...args, '--no-audit', '--no-fund'], options);
    process.stderr.write(stderr);
    return stdout;
  } catch (error) {
    const { stderr = '' } = /** @type {import('node:child_process').ExecFileException} */ (error);
    return fail(`"npm ${args.join(' ')}" failed:\n${stderr}Without a connection to the npm registry it cannot work.`);
  }
}
