// Builds, and packs the extension and the npm package.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { npm, pinnedNode, root } from './dependencies.mjs';
import { fail } from './say.mjs';

/** Everything is bundled. Relative links and pictures of README.md are rewritten to the `repository` of package.json. */
export const VSCE_OPTIONS = ['--no-dependencies'];

export function build() {
  run('scripts/build.mjs', []);
}

/** Packs the .vsix; `vscode:prepublish` builds first, as for a release. */
export function packageVsix(vsix = join(root, 'out/sextant-code.vsix')) {
  run('node_modules/@vscode/vsce/vsce', ['package', ...VSCE_OPTIONS, '--out', vsix]);
  return vsix;
}

const LIBRARY = 'dist/lib/index.js';
const TYPES = 'dist/types/index.d.ts';
const TESTING_TYPES = 'dist/types/server/testing.d.ts';
/** Fields of package.json for npm's users; the others are for the extension and its development. */
const NPM_FIELDS = [
  'name',
  'version',
  'description',
  'license',
  'keywords',
  'homepage',
  'repository',
  'bugs',
  'type',
  'types',
];

/**
 * Makes the npm package of what is built. It has a package.json of its own: the `main` of this repository's is the
 * extension, which a program cannot load.
 * @param {string} [to] the folder for the tarball
 * @returns {Promise<string>} the tarball
 */
export async function packNpm(to = join(root, 'out')) {
  const staged = join(root, 'out/npm');
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  const types = reachableTypes([TYPES, TESTING_TYPES]);
  for (const file of [
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
    'dist/THIRD-PARTY-NOTICES.txt',
    'dist/lib',
    'dist/cli',
    ...types,
  ])
    cpSync(join(root, file), join(staged, file), { recursive: true });
  for (const file of readdirSync(join(root, 'docs/json')).filter((name) => name.endsWith('.json'))) {
    const schema = JSON.parse(readFileSync(join(root, 'docs/json', file), 'utf8'));
    mkdirSync(join(staged, 'schemas'), { recursive: true });
    writeFileSync(join(staged, 'schemas', file), `${JSON.stringify(schema)}\n`);
  }
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const own = {
    ...Object.fromEntries(NPM_FIELDS.map((field) => [field, manifest[field]])),
    engines: { node: manifest.engines.node },
    main: `./${LIBRARY}`,
    // For `moduleResolution: node10`, which ignores `exports`.
    typesVersions: { '*': { testing: [`./${TESTING_TYPES}`] } },
    bin: manifest.bin,
    exports: manifest.exports,
    peerDependencies: { '@types/node': '>=20' },
    peerDependenciesMeta: { '@types/node': { optional: true } },
  };
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(own, undefined, 2)}\n`);
  const [packed] = JSON.parse(await npm(['pack', '--json', '--loglevel=error', '--pack-destination', to], staged));
  return join(to, packed.filename);
}

/**
 * The declarations that the entries import, directly or not: 40 of the 214 that the compiler writes.
 * @param {string[]} entries
 */
function reachableTypes(entries) {
  const found = new Set(entries);
  for (const file of found) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.[jt]s['"]/g))
      found.add(`${join(dirname(file), path)}.d.ts`);
  }
  return [...found];
}

/** A hash of all inputs of the .vsix. */
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
    fail(`"node ${script} ${args.join(' ')}" failed; its output is above.`);
  }
}
