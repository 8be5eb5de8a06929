// Builds, and packs the extension.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pinnedNode, root } from './dependencies.mjs';
import { fail } from './say.mjs';

/** Everything is bundled; there is no public repository yet that links could be rewritten to. */
export const VSCE_OPTIONS = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];

export function build() {
  run('scripts/build.mjs', []);
}

/** Makes the .vsix of what is built; `vscode:prepublish` builds it first, as for a release. */
export function packageVsix() {
  const vsix = join(root, 'out/sextant-code.vsix');
  run('node_modules/@vscode/vsce/vsce', ['package', ...VSCE_OPTIONS, '--out', vsix]);
  return vsix;
}

/** Changes when anything changes that the .vsix is made of. */
export function sourcesHash() {
  const hash = createHash('sha256');
  const files = ['package.json', 'package.nls.json', 'package-lock.json', 'README.md', 'CHANGELOG.md', '.vscodeignore'];
  for (const folder of ['src', 'webview', 'media', 'l10n', 'scripts']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
    }
  }
  for (const file of files.sort()) hash.update(file).update(readFileSync(resolve(root, file)));
  return hash.digest('hex');
}

/**
 * @param {string} script
 * @param {string[]} args
 */
function run(script, args) {
  if (!existsSync(join(root, script))) fail(`${script} is missing; run "npm ci".`);
  try {
    execFileSync(pinnedNode(), [join(root, script), ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  } catch {
    fail(`"node ${script} ${args.join(' ')}" failed; what it said is above.`);
  }
}
