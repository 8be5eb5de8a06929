// npm run bench:definitions [-- FOLDER…] [--examples N] [--json FILE]
// Compares the definitions and fields that an outline has, by name and line, with the TypeScript compiler (TypeScript, JavaScript)
// and Universal Ctags (all others), and with the tag queries of tree-sitter, which it installs: recall by language and kind, and the
// share of ours that the oracle has, too. Without a folder it brings packages in several languages, those of bench:typed among
// them; one whose client is missing here is left out, and named.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies, root } from './lib/dependencies.mjs';
import { bringSources } from './lib/packages.mjs';
import { say, sinceStart, step } from './lib/say.mjs';
import { archive, bringTyped, typedFolder } from './lib/typedRepositories.mjs';
import { report } from './lib/report.mjs';

/** Kinds with fewer definitions say little. */
const FEWEST = 20;
/** @type {readonly (readonly [from: import('./lib/packages.mjs').Registry, name: string, version: string])[]} */
const PACKAGES = [
  ['lockfile', 'zod', ''],
  ['lockfile', 'undici', ''],
  ['lockfile', 'ajv', ''],
  ['pypi', 'flask', '3.0.3'],
  ['pypi', 'sqlalchemy', '2.0.36'],
  ['maven', 'com.google.guava:guava', '33.3.1-jre'],
  ['maven', 'org.apache.commons:commons-lang3', '3.17.0'],
  ['maven', 'com.squareup.okio:okio-jvm', '3.9.1'],
  ['maven', 'org.typelevel:cats-core_2.13', '2.12.0'],
  ['debian-package', 'lua-penlight', '1.13.1-3'],
  ['debian-package', 'prosody', '0.12.3-1+deb12u1'],
];

/** Sources of Debian's archive, in languages that the repositories of bench:typed do not have. */
const SOURCES = [
  'leveldb',
  'bash-completion',
  'elixir-lang',
  'rebar',
  'ocaml-re',
  'gnustep-base',
  'minpack',
  'ahven',
  'verilator',
  'tcllib',
  'cqrlog',
];

const { values, positionals } = parseArgs({
  options: { examples: { type: 'string', default: '0' }, json: { type: 'string' } },
  allowPositionals: true,
});
await ensureDependencies();
const { REPOSITORIES } = await import('../test/bench/typed/repositories.ts');
const { compareDefinitions, compilerAndCtags } = await import('../test/bench/definitions.ts');
const { PACKAGES: GRAMMARS, treeSitterOracle } = await import('../test/bench/treeSitterTags.ts');

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sextant-bench-definitions-')));
/** @typedef {{ kinds: Map<string, { all: number, found: number }>, ours: number, right: number, files: number }} Sum */
/** @type {string[][]} */
let rows;
try {
  const roots = positionals.length > 0 ? positionals.map((one) => resolve(one)) : await bringAll();
  rows = compare(roots, compilerAndCtags);
  report('definitions', rows);
  const treeSitter = await bringTreeSitter();
  report(
    'definitions/tree-sitter',
    compare(roots, () => treeSitter),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(rows, null, 1));
say(`Compared in ${sinceStart()}.`);

/**
 * The rows of a table.
 * @param {readonly string[]} roots
 * @param {(root: string) => import('../test/bench/definitions.ts').Oracle} oracleOf
 */
function compare(roots, oracleOf) {
  /** @type {Map<string, Sum>} */
  const languages = new Map();
  for (const root of roots) {
    for (const [language, one] of compareDefinitions(root, oracleOf(root), Number(values.examples))) {
      const sum = languages.get(language) ?? noSum();
      languages.set(language, sum);
      for (const key of /** @type {const} */ (['ours', 'right', 'files'])) sum[key] += one[key];
      for (const [kind, counts] of one.kinds) {
        const { all, found } = sum.kinds.get(kind) ?? { all: 0, found: 0 };
        sum.kinds.set(kind, { all: all + counts.all, found: found + counts.found });
      }
      for (const example of one.missed) console.log(`missed ${language} ${example}`);
      for (const example of one.wrong) console.log(`only ours ${language} ${example}`);
    }
  }
  const table = [['language', 'kind', 'definitions', 'found', 'recall']];
  for (const [language, { kinds, ours, right, files }] of [...languages].sort()) {
    // JSON, for instance, has no definitions here.
    if (ours === 0) continue;
    for (const [kind, { all, found }] of [...kinds].sort((a, b) => b[1].all - a[1].all))
      if (all >= FEWEST) table.push([language, kind, String(all), String(found), (found / all).toFixed(3)]);
    table.push([language, `all ours, in ${files} files`, String(ours), String(right), (right / ours).toFixed(3)]);
  }
  return table;
}

/** Installs tree-sitter and its grammars below out/ on first use. Nothing of them is run but their WebAssembly. */
async function bringTreeSitter() {
  const place = join(root, 'out/bench-tree-sitter');
  if (!existsSync(join(place, 'node_modules/web-tree-sitter'))) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), '{}');
    const args = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
    await step('Installing tree-sitter from npm', () =>
      execFileSync('npm', [...args, ...GRAMMARS], {
        cwd: place,
        stdio: 'inherit',
        shell: process.platform === 'win32',
      }),
    );
  }
  return treeSitterOracle(place);
}

/** @returns {Sum} */
function noSum() {
  return { kinds: new Map(), ours: 0, right: 0, files: 0 };
}

/** The folders that are there. */
async function bringAll() {
  const folders = [];
  for (const [from, name, version] of PACKAGES) {
    const to = join(folder, name.replace(/\W/g, '-'));
    try {
      bringSources(from, name, version, to, folder);
    } catch (error) {
      say(`${name} is left out: ${error instanceof Error ? error.message.split('\n', 1).join('') : String(error)}`);
      continue;
    }
    folders.push(to);
  }
  for (const repository of REPOSITORIES)
    if (repository.from !== 'lockfile' && (await bringTyped(repository)))
      folders.push(join(typedFolder, 'repositories', repository.name));
  for (const name of SOURCES) {
    const to = join(typedFolder, 'sources', name);
    try {
      if (!existsSync(to)) archive().bringSource(name, to);
      folders.push(to);
    } catch (error) {
      say(`${name} is left out: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return folders;
}
