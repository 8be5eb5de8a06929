// npm test [-- STAGE…]
// Runs everything, or the named stages, and ends with "N passed, N failed". Installs what is missing first.
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { ensureBrowser } from './lib/browser.mjs';
import { ensureEditor, ensureOldestNode, serverRunsHere } from './lib/editor.mjs';
import { VSCE_OPTIONS, packNpm } from './lib/package.mjs';
import { checkRepository } from './lib/repository.mjs';
import { fail, say, sinceStart } from './lib/say.mjs';

const MAX_VSIX_BYTES = 1_300_000;
const MAX_NPM_BYTES = 1_500_000;
/** For real processes and browsers on a busy machine: what fails is tried once more, and both that and why are told. */
const TRY_AGAIN = ['--retries', '1'];
const TWO_AT_A_TIME = ['--parallel', '--jobs', '2'];
const TSC = 'node_modules/typescript/bin/tsc';

/** Whether this run has built, so that vsce need not do so again. */
let isBuilt = false;

/** @typedef {{ passed: number, failed: string[] }} Outcome */

/** @type {Record<string, () => Promise<Outcome> | Outcome>} */
const stages = {
  types: async () => {
    const outcomes = [];
    for (const folder of ['.', 'webview', 'test/browser/page'])
      outcomes.push(await check(`types of ${folder}`, TSC, ['-p', folder]));
    return all(outcomes);
  },
  lint: () => check('lint', 'node_modules/eslint/bin/eslint.js', ['.']),
  floors: () => check('floors', 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', ['src', 'webview']),
  format: () => check('format', 'node_modules/prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']),
  repository: () => {
    const { problems, notes } = checkRepository(root);
    for (const note of notes) say(note);
    return { passed: problems.length === 0 ? 1 : 0, failed: problems };
  },
  build: async () => {
    const outcome = await check('build and bundle budgets', 'scripts/build.mjs', []);
    isBuilt = outcome.failed.length === 0;
    return outcome;
  },
  // Many of them wait for processes and disks: two at a time take half as long.
  unit: () => mocha('unit', TWO_AT_A_TIME),
  conformance: () => mocha('conformance', ['--spec', 'test/conformance/**/*.test.ts', '--timeout', '60000']),
  fault: () => mocha('fault', ['--spec', 'test/fault/**/*.test.ts', '--timeout', '60000', ...TRY_AGAIN]),
  files: () => mocha('files', ['--spec', 'test/workspace/**/*.test.ts', '--timeout', '120000']),
  package: packages,
  'oldest-node': oldestNode,
  editor: () => editor('newest'),
  'editor-oldest': () => editor('oldest'),
  'editor-vsix': () => editor('newest', join(root, 'out/sextant-code.vsix')),
  browser: browsers,
};

/** What only reads the sources, all at once: nothing else runs then that could be disturbed. */
const READING = new Set(['types', 'lint', 'floors', 'format', 'repository']);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in stages));
if (unknown.length > 0)
  fail(`There is no stage ${unknown.join(', ')}. The stages are: ${Object.keys(stages).join(', ')}.`);

await ensureDependencies();
mkdirSync(join(root, 'out'), { recursive: true });
const chosen = wanted.length > 0 ? wanted : Object.keys(stages);
if (chosen.some((name) => name.startsWith('editor') || name === 'browser')) {
  await ensureBrowser();
  if (serverRunsHere) {
    await ensureEditor('newest');
    if (chosen.includes('editor-oldest')) await ensureEditor('oldest');
  }
}

let passed = 0;
const failed = /** @type {string[]} */ ([]);
await Promise.all(chosen.filter((name) => READING.has(name)).map(run));
for (const name of chosen) if (!READING.has(name)) await run(name);
say(`All stages took ${sinceStart()}.`);
for (const title of failed) say(`FAILED ${title}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 && passed > 0 ? 0 : 1;

/** @param {string} name */
async function run(name) {
  const began = performance.now();
  const outcome = await stages[name]?.();
  passed += outcome?.passed ?? 0;
  failed.push(...(outcome?.failed ?? []).map((title) => `${name}: ${title}`));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`${name}: ${outcome?.passed} passed, ${outcome?.failed.length} failed (${seconds} s)`);
}

/**
 * One command that passes or fails as a whole; its output is shown when it fails.
 * @param {string} title
 * @param {string} script
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [more] added to the environment
 * @returns {Promise<Outcome>}
 */
async function check(title, script, args, more) {
  const env = { ...process.env, ...more };
  try {
    await promisify(execFile)(pinnedNode(), [join(root, script), ...args], { cwd: root, env, maxBuffer: 64 << 20 });
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
 * @param {string} title
 * @param {string[]} args
 * @returns {Outcome}
 */
function mocha(title, args) {
  const results = freshResultsFile(title);
  const script = join(root, 'node_modules/mocha/bin/mocha.js');
  const env = { ...process.env, SEXTANT_TEST_RESULTS: results };
  const own = args.includes('--spec') ? ['--no-config', ...args] : args;
  const reporter = ['--reporter', 'test/support/reporter.mjs', ...(process.stdout.isTTY ? [] : ['--no-color'])];
  spawnSync(pinnedNode(), [script, ...own, ...reporter], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env });
  return readResults(results, title);
}

/**
 * The tests inside the editor: on the sources, or on an installed .vsix.
 * @param {import('./lib/editor.mjs').Which} which
 * @param {string} [vsix]
 * @returns {Promise<Outcome>}
 */
async function editor(which, vsix) {
  const title = vsix === undefined ? `editor-${which}` : 'editor-vsix';
  if (vsix !== undefined && !existsSync(vsix))
    return { passed: 0, failed: ['there is no .vsix; run the stage "package" first'] };
  const results = freshResultsFile(title);
  const folder = mkdtempSync(join(tmpdir(), 'sextant-workspace-'));
  cpSync(join(root, 'test/fixtures/sample'), folder, { recursive: true });
  // .gitignore counts in a repository only.
  spawnSync('git', ['init', '-q', folder]);
  Object.assign(process.env, {
    SEXTANT_TEST_RESULTS: results,
    SEXTANT_TEST_EDITOR: which,
    SEXTANT_TEST_VSIX: vsix ?? '',
  });
  const { runTests } = await import('@vscode/test-electron');
  try {
    await runTests({
      // Where the server from npm runs, it stands in for VS Code; elsewhere VS Code itself is downloaded.
      ...(serverRunsHere
        ? { vscodeExecutablePath: join(root, 'scripts/codeShim.mjs') }
        : { version: which === 'oldest' ? '1.103.2' : 'stable' }),
      extensionDevelopmentPath: [
        vsix === undefined ? root : join(root, 'test/vscode/driver'),
        join(root, 'test/vscode/model'),
      ],
      extensionTestsPath: join(root, 'out/test/vscode/index.cjs'),
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
 * A window waits as long as it works, so that two at a time take little more than half as long: each has a server, a
 * profile and folders of its own. `npm start` builds what all others run, and so has the machine to itself.
 */
function browsers() {
  // On a machine that does much else a browser may drop a click.
  const common = ['--timeout', '300000', ...TRY_AGAIN];
  const start = 'test/browser/start.test.ts';
  return all([
    mocha('start', ['--spec', start, ...common]),
    mocha('browser', ['--spec', 'test/browser/**/*.test.ts', '--ignore', start, ...TWO_AT_A_TIME, ...common]),
  ]);
}

/** The command and the library on the oldest Node that package.json claims; the tests themselves need a newer one. */
async function oldestNode() {
  if (!serverRunsHere) {
    say('The oldest Node is tested on Linux only, where npm has it for this machine.');
    return { passed: 0, failed: [] };
  }
  process.env.SEXTANT_TEST_NODE = await ensureOldestNode();
  // One at a time: mocha would start its own processes with that Node, too.
  const common = ['--require', './test/support/commandNode.mjs', '--timeout', '120000'];
  const specs = ['cli', 'serve', 'contextCommands'].flatMap((name) => ['--spec', `test/integration/${name}.test.ts`]);
  try {
    return all([
      mocha('command on the oldest Node', [...specs, ...common]),
      mocha('library on the oldest Node', ['--spec', 'test/package/**/*.test.ts', '--grep', 'at run time', ...common]),
    ]);
  } finally {
    delete process.env.SEXTANT_TEST_NODE;
  }
}

/** The .vsix and the npm package: made, small enough, and with nothing in them that does not belong there. */
async function packages() {
  const args = ['package', ...VSCE_OPTIONS, '--out', 'out/sextant-code.vsix'];
  const made = await check(
    'vsce package',
    'node_modules/@vscode/vsce/vsce',
    args,
    isBuilt ? { SEXTANT_IS_BUILT: '1' } : {},
  );
  if (made.failed.length > 0) return made;
  return all([
    made,
    checkSize('the .vsix', join(root, 'out/sextant-code.vsix'), MAX_VSIX_BYTES),
    checkSize('the npm package', packNpm(), MAX_NPM_BYTES),
    mocha('package', ['--spec', 'test/package/**/*.test.ts', '--timeout', '120000']),
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

/** @param {string} name */
function freshResultsFile(name) {
  const file = join(root, `out/results-${name}.json`);
  rmSync(file, { force: true });
  return file;
}

/**
 * @param {string} file
 * @param {string} title
 * @returns {Outcome}
 */
function readResults(file, title) {
  if (!existsSync(file)) return { passed: 0, failed: [`${title} ended without results`] };
  /** @type {{ title: string, state: string, error?: string }[]} */
  const results = JSON.parse(readFileSync(file, 'utf8'));
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
