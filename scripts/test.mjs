// npm test [-- STAGE…]
// Runs all stages, or the named ones, and ends with "N passed, N failed". Installs missing dependencies first.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { ensureBrowser } from './lib/browser.mjs';
import { ensureEditor, ensureNode, serverRunsHere } from './lib/editor.mjs';
import { VSCE_OPTIONS, packNpm } from './lib/package.mjs';
import { endOf } from './lib/processes.mjs';
import { ensureOpenSearch, missingForOpenSearch } from './lib/opensearch.mjs';
import { checkRepository } from './lib/repository.mjs';
import { fail, say, sinceStart } from './lib/say.mjs';
import { findWine, testOnWine } from './lib/windows.mjs';

const MAX_VSIX_BYTES = 1_300_000;
const MAX_NPM_BYTES = 1_500_000;
/** Retries a failed test once, for real processes and browsers on a busy machine; the failure is reported. */
const TRY_AGAIN = ['--retries', '1'];
/** On a busy machine a browser may drop a click. */
const BROWSER = ['--timeout', '300000', '--require', './test/browser/onFailure.ts', ...TRY_AGAIN];
/** Tests of the command for the Node between the oldest and that of the tests: a search, a repair, a stop and a wait. */
const FEW = ['--grep', 'never indexed|repairs a damaged index|stops on Ctrl-C|while another process keeps the index'];

/** More files than this that fail are no accident. */
const MAX_AGAIN = 2;
/** No stage takes a quarter of this, even on a busy machine. */
const STAGE_LIMIT_MS = 25 * 60_000;
/** How long a process of tests may live on after its last result. */
const LINGER_MS = 60_000;
const REPORT_RUNNING_MS = 5 * 60_000;
const TSC = 'node_modules/typescript-native/bin/tsc';

/** Whether stages run to their full extent, as in `npm run soak`. */
const isSoak = process.env.SEXTANT_SOAK !== undefined;

/** Whether this run has built; then vsce does not build again. */
let isBuilt = false;

/** @typedef {{ passed: number, failed: string[] }} Outcome */

/**
 * @typedef {object} Stage
 * @property {() => Promise<Outcome> | Outcome} run
 * @property {string[]} [after] stages that end first, where they are part of the run
 * @property {number} [processes] the room that it takes: about the number of test files that it runs at a time
 */

/** What other stages run. */
const BUILT = ['build'];

/**
 * Stages in the order of their start: those of several processes first, then long ones, and short ones fill the end.
 * @type {Record<string, Stage>}
 */
const stages = {
  build: { run: build },
  repository: { run: repository },
  browser: { run: browser, after: BUILT, processes: 2 },
  // Many tests wait for processes and disks: four files take the room of three, and beside `browser` there is none.
  unit: { run: () => mocha('unit', atATime(4)), after: ['build', 'browser'], processes: 3 },
  package: { run: packages, after: BUILT },
  'editor-vsix': {
    run: () => editor('newest', { vsix: join(root, 'out/sextant-code.vsix'), part: 'newest' }),
    after: ['build', 'package'],
  },
  fault: {
    run: () => mocha('fault', ['--spec', 'test/fault/**/*.test.ts', '--timeout', '600000', ...TRY_AGAIN]),
    after: BUILT,
  },
  'editor-oldest': { run: () => editor('oldest', { part: 'oldest' }), after: BUILT },
  lint: { run: lint },
  start: {
    run: () => mocha('start', ['--spec', 'test/browser/start.test.ts', ...BROWSER], alreadyBuilt()),
    after: BUILT,
  },
  windows: { run: windows, after: BUILT },
  opensearch: { run: openSearch, after: BUILT },
  'oldest-node': { run: oldestNode, after: ['build', 'package'] },
  files: {
    run: () => mocha('files', ['--spec', 'test/workspace/**/*.test.ts', '--timeout', '600000']),
    after: BUILT,
  },
  conformance: {
    run: () => mocha('conformance', ['--spec', 'test/conformance/**/*.test.ts', '--timeout', '300000']),
    after: BUILT,
  },
  format: { run: () => check('format', 'node_modules/oxfmt/bin/oxfmt', ['--list-different', '.']) },
  floors: {
    run: () => check('floors', 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', ['src', 'webview']),
  },
  types: { run: types },
  editor: { run: () => editor('newest'), after: BUILT },
};

/**
 * Stages that others cover, for use during work: `types` is part of `lint`, and `editor` runs all tests of `editor-vsix` and
 * `editor-oldest` on the build instead of the package.
 */
const ON_REQUEST = new Set(['types', 'editor']);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in stages));
if (unknown.length > 0)
  fail(`There is no stage ${unknown.join(', ')}. The stages are: ${Object.keys(stages).join(', ')}.`);

await ensureDependencies();
mkdirSync(join(root, 'out'), { recursive: true });
const chosen = Object.keys(stages).filter((name) =>
  wanted.length > 0 ? wanted.includes(name) : !ON_REQUEST.has(name),
);
/** The stages that open windows. What they need is installed while others run. */
const inEditors = chosen.filter((name) => name.startsWith('editor') || name === 'browser' || name === 'start');
const editorsAreThere = inEditors.length > 0 ? ensureEditors() : undefined;

let passed = 0;
const failed = /** @type {string[]} */ ([]);
await runAll();
say(`All stages took ${sinceStart()}.`);
for (const title of failed) say(`FAILED ${title}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 && passed > 0 ? 0 : 1;

/** Runs the chosen stages, each as soon as there is room for it and the stages before it have ended. */
async function runAll() {
  // Most stages spend half of their time waiting for disks, browsers and other processes.
  const room = availableParallelism() + 2;
  /** @type {Map<string, Promise<string>>} */
  const running = new Map();
  const waiting = new Set(chosen);
  const report = setInterval(() => say(`running: ${[...running.keys()].join(', ')}`), REPORT_RUNNING_MS);
  while (waiting.size > 0 || running.size > 0) {
    for (const name of waiting) {
      const { after = [], processes = 1 } = stages[name] ?? {};
      if (after.some((other) => waiting.has(other) || running.has(other))) continue;
      const used = [...running.keys()].reduce((sum, other) => sum + (stages[other]?.processes ?? 1), 0);
      // Waits for its room: later stages would take each place that becomes free, and leave this one for the end.
      if (running.size > 0 && used + processes > room) break;
      waiting.delete(name);
      running.set(
        name,
        run(name).then(() => name),
      );
    }
    running.delete(await Promise.race(running.values()));
  }
  clearInterval(report);
}

/** @param {string} name */
async function run(name) {
  const began = performance.now();
  if (inEditors.includes(name)) await editorsAreThere;
  const outcome = await stages[name]?.run();
  passed += outcome?.passed ?? 0;
  failed.push(...(outcome?.failed ?? []).map((title) => `${name}: ${title}`));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`${name}: ${outcome?.passed} passed, ${outcome?.failed.length} failed (${seconds} s)`);
}

/** Checks types, too: the rules need the compiler's types anyway. */
function lint() {
  return check('lint', 'node_modules/oxlint/bin/oxlint', ['--type-check', '.']);
}

/** Has mocha run this number of files at a time. @param {number} files */
function atATime(files) {
  return ['--parallel', '--jobs', String(files)];
}

/** Compiles each project, as lint does. */
async function types() {
  const outcomes = [];
  for (const folder of ['.', 'webview', 'test/browser/page'])
    outcomes.push(await check(`types of ${folder}`, TSC, ['-p', folder]));
  return all(outcomes);
}

async function build() {
  const outcome = await check('build and bundle budgets', 'scripts/build.mjs', []);
  isBuilt = outcome.failed.length === 0;
  return outcome;
}

/**
 * Runs the browser tests, the largest files first: the longest at the end would run alone. A small one shows the page of the
 * extension, which is packed by then. A file with a test that failed twice runs once more: the second attempt was in the window
 * that the first one left. The failure is reported.
 */
async function browser() {
  const folder = join(root, 'test/browser');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts') && name !== 'start.test.ts')
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(b).size - statSync(a).size);
  /** @param {string} title @param {readonly string[]} files */
  const test = (title, files) =>
    mocha(title, [...files.flatMap((file) => ['--spec', file]), ...atATime(2), ...BROWSER]);
  const first = await test('browser', files);
  const results = parseResults(resultsFile('browser'));
  const again = files.filter((file) => results.some((one) => one.state === 'failed' && one.file === file));
  if (again.length === 0 || again.length > MAX_AGAIN) return first;
  for (const title of first.failed) say(`RETRIED browser, in a new window: ${title}`);
  const second = await test('browser, once more', again);
  const rest = results.filter(({ file }) => !again.includes(file ?? ''));
  const failed = rest.filter(({ state }) => state === 'failed').map(({ title }) => title);
  const passed = rest.filter(({ state }) => state === 'passed').length;
  return all([{ passed, failed }, second]);
}

async function ensureEditors() {
  await ensureBrowser();
  if (!serverRunsHere) return;
  await ensureEditor('newest');
  if (chosen.includes('editor-oldest')) await ensureEditor('oldest');
}

/** Tells `vscode:prepublish` that this run has built. */
function alreadyBuilt() {
  return isBuilt ? { SEXTANT_IS_BUILT: '1' } : {};
}

function repository() {
  const { problems, notes } = checkRepository(root);
  for (const note of notes) say(note);
  return { passed: problems.length === 0 ? 1 : 0, failed: problems };
}

/**
 * Runs a command that passes or fails as a whole, and shows its output on failure.
 * @param {string} title
 * @param {string} script
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [more] added to the environment
 * @returns {Promise<Outcome>}
 */
async function check(title, script, args, more) {
  const env = { ...process.env, ...more };
  try {
    const options = { cwd: root, env, maxBuffer: 64 << 20, timeout: STAGE_LIMIT_MS };
    await promisify(execFile)(pinnedNode(), [join(root, script), ...args], options);
    return { passed: 1, failed: [] };
  } catch (error) {
    const { stdout = '', stderr = '', message } = /** @type {import('node:child_process').ExecFileException} */ (error);
    console.log(`${stdout}${stderr}` || message);
    return { passed: 0, failed: [title] };
  }
}

/**
 * @param {Outcome[]} outcomes
 * @returns {Outcome}
 */
function all(outcomes) {
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failed: outcomes.flatMap(({ failed }) => failed),
  };
}

/**
 * Runs test files. Stages that run side by side each print their output at their end.
 * @param {string} title
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [more] added to the environment
 * @returns {Promise<Outcome>}
 */
async function mocha(title, args, more) {
  const results = freshResultsFile(title);
  const script = join(root, 'node_modules/mocha/bin/mocha.js');
  // Stripping and compiling our sources is most of what a short process of a test does.
  const cache = { NODE_COMPILE_CACHE: join(root, 'out/compiled') };
  const env = { ...process.env, ...cache, ...more, SEXTANT_TEST_RESULTS: results };
  const own = args.includes('--spec') ? ['--no-config', ...args] : args;
  const reporter = ['--reporter', 'test/support/reporter.mjs', ...(process.stdout.isTTY ? [] : ['--no-color'])];
  const isAlone = chosen.length === 1;
  const stdio = isAlone ? 'inherit' : 'pipe';
  const child = spawn(pinnedNode(), [script, ...own, ...reporter], { cwd: root, stdio: ['ignore', stdio, stdio], env });
  const output = /** @type {Buffer[]} */ ([]);
  child.stdout?.on('data', (chunk) => output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));
  const limits = { isDone: () => existsSync(results), limitMs: STAGE_LIMIT_MS, lingerMs: LINGER_MS };
  const ending = await endOf(child, limits);
  if (ending !== 'ended') say(`${title} was stopped: ${ending}`);
  process.stdout.write(Buffer.concat(output));
  return readResults(results, title);
}

/**
 * Runs the tests inside the editor: on the sources, or on an installed .vsix.
 * @param {import('./lib/editor.mjs').Which} which
 * @param {{ vsix?: string, part?: string }} [options] `part` leaves out the tests that run in the other editor alone
 * @returns {Promise<Outcome>}
 */
async function editor(which, { vsix, part = '' } = {}) {
  const title = vsix === undefined ? `editor-${which}` : 'editor-vsix';
  if (vsix !== undefined && !existsSync(vsix))
    return { passed: 0, failed: ['there is no .vsix; run the stage "package" first'] };
  const results = freshResultsFile(title);
  const folder = mkdtempSync(join(tmpdir(), 'sextant-workspace-'));
  cpSync(join(root, 'test/fixtures/sample'), folder, { recursive: true });
  // .gitignore has an effect in a repository only.
  spawnSync('git', ['init', '-q', folder]);
  const extensionTestsEnv = {
    SEXTANT_TEST_RESULTS: results,
    SEXTANT_TEST_EDITOR: which,
    SEXTANT_TEST_VSIX: vsix ?? '',
    SEXTANT_TEST_PART: isSoak ? '' : part,
  };
  const { runTests } = await import('@vscode/test-electron');
  try {
    await runTests({
      // The server from npm stands in for VS Code where the server runs; elsewhere VS Code is downloaded.
      ...(serverRunsHere
        ? { vscodeExecutablePath: join(root, 'scripts/codeShim.mjs') }
        : { version: which === 'oldest' ? '1.103.2' : 'stable' }),
      extensionDevelopmentPath: [
        vsix === undefined ? root : join(root, 'test/vscode/driver'),
        join(root, 'test/vscode/model'),
      ],
      extensionTestsPath: join(root, 'out/test/vscode/index.cjs'),
      extensionTestsEnv,
      launchArgs: [folder],
    });
  } catch (error) {
    if (!existsSync(results)) console.error(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return readResults(results, title);
}

/**
 * Tests the command and the library on the oldest Node that package.json claims, and part of them on Node 22; the tests need a
 * newer one.
 */
async function oldestNode() {
  if (!serverRunsHere) {
    say('The oldest Node is tested on Linux only, where npm has it for this machine.');
    return { passed: 0, failed: [] };
  }
  const oldest = { SEXTANT_TEST_NODE: await ensureNode('20.19.0') };
  const next = { SEXTANT_TEST_NODE: await ensureNode('22.23.3') };
  // One at a time: mocha would start its own processes with that Node, too.
  const common = ['--require', './test/support/commandNode.mjs', '--timeout', '600000'];
  const specs = ['cli', 'serve', 'contextCommands'].flatMap((name) => ['--spec', `test/integration/${name}.test.ts`]);
  const inLibrary = ['--spec', 'test/package/**/*.test.ts', '--grep', 'at run time'];
  return all([
    await mocha('command on the oldest Node', [...specs, ...common], oldest),
    await mocha('library on the oldest Node', [...inLibrary, ...common], oldest),
    await mocha(
      'command on Node 22',
      ['--spec', 'test/integration/cli.test.ts', ...common, ...(isSoak ? [] : FEW)],
      next,
    ),
    await mocha('library on Node 22', [...inLibrary, ...common], next),
  ]);
}

/** Tests on Wine what writes, replaces and removes files, and what takes paths; `npm run test:windows` tests more. */
async function windows() {
  const wine = findWine();
  if (wine === undefined) {
    say('Windows is tested where Wine is installed: apt-get install wine wine64.');
    return { passed: 0, failed: [] };
  }
  return testOnWine(wine, { short: !isSoak, limitMs: STAGE_LIMIT_MS });
}

/** Tests the store of contexts on a real cluster, where Java and Maven are there. */
async function openSearch() {
  const missing = missingForOpenSearch();
  if (missing !== undefined) {
    say(`The store on OpenSearch is not tested: this machine lacks ${missing}.`);
    return { passed: 0, failed: [] };
  }
  await ensureOpenSearch();
  return mocha('opensearch', ['--spec', 'test/opensearch/**/*.test.ts', '--timeout', '600000']);
}

/** Builds the .vsix and the npm package, and checks their sizes and files. */
async function packages() {
  const args = ['package', ...VSCE_OPTIONS, '--out', 'out/sextant-code.vsix'];
  const made = await check('vsce package', 'node_modules/@vscode/vsce/vsce', args, alreadyBuilt());
  if (made.failed.length > 0) return made;
  return all([
    made,
    checkSize('the .vsix', join(root, 'out/sextant-code.vsix'), MAX_VSIX_BYTES),
    checkSize('the npm package', await packNpm(), MAX_NPM_BYTES),
    await mocha('package', ['--spec', 'test/package/**/*.test.ts', '--timeout', '600000']),
  ]);
}

/**
 * @param {string} title
 * @param {string} file
 * @param {number} limit bytes
 * @returns {Outcome}
 */
function checkSize(title, file, limit) {
  const { size } = statSync(file);
  say(`${title} has ${(size / 1000).toFixed(0)} kB of ${limit / 1000} kB`);
  return size > limit
    ? { passed: 0, failed: [`${title} has ${size} bytes, more than ${limit}`] }
    : { passed: 1, failed: [] };
}

/** @param {string} name of a stage */
function resultsFile(name) {
  return join(root, `out/results-${name}.json`);
}

/** @param {string} name */
function freshResultsFile(name) {
  const file = resultsFile(name);
  rmSync(file, { force: true });
  return file;
}

/**
 * @param {string} file
 * @returns {{ title: string, state: string, error?: string, file?: string }[]}
 */
function parseResults(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/**
 * @param {string} file
 * @param {string} title
 * @returns {Outcome}
 */
function readResults(file, title) {
  if (!existsSync(file)) return { passed: 0, failed: [`${title} ended without results`] };
  const results = parseResults(file);
  const bad = results.filter(({ state }) => state === 'failed');
  if (title.startsWith('editor'))
    for (const { state, title, error } of results) console.log(`  ${state} ${title}${error ? `\n${error}` : ''}`);
  for (const retried of results.filter(({ state }) => state === 'retried'))
    say(`RETRIED ${title}: ${retried.title}\n${retried.error}`);
  const good = results.filter(({ state }) => state === 'passed').length;
  return {
    passed: good,
    failed:
      good === 0 && bad.length === 0
        ? [`${title} ran no test`]
        : bad.map(({ title, error = '' }) => `${title}\n${error}`),
  };
}
