// npm run bench:all [-- --only NAME]… [--kernel FOLDER] [--list] [-- OPTION…]
// Runs the benchmarks one after another, and writes their tables and growth curves into docs/benchmarks.md and docs/images, each with
// date, machine, versions and load. Use a quiet machine, for some hours; --only runs a part, and replaces only its tables; OPTION… goes to its command.
// The kernel is Debian's linux-source-6.1, which apt brings to out/bench-kernel unless --kernel names it. Parts that need the data of
// bench:quality (BENCH_DIR), or a program that is missing, are left out, and named at the end.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fillPlaces, markdownTable, svgOf } from './lib/benchPage.mjs';
import { hasApt, openArchive } from './lib/debian.mjs';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { build } from './lib/package.mjs';
import { REPORT_VARIABLE } from './lib/report.mjs';
import { fail, say, sinceStart, step } from './lib/say.mjs';

const PAGE = join(root, 'docs/benchmarks.md');
const KERNEL = 'linux-source-6.1';
const EARLIER_MS = 4_000;

/**
 * In the order in which they run. KERNEL and DATA in the arguments stand for folders.
 * @type {Record<string, { script: string, args?: string[], with?: string[] }>}
 */
const PARTS = {
  engine: { script: 'benchEngine', args: ['KERNEL'], with: ['sqlite', 'minisearch', 'rg'] },
  small: { script: 'benchEngine', args: ['--small', 'DATA'], with: ['sqlite', 'minisearch'] },
  growth: { script: 'benchGrowth', args: ['KERNEL'] },
  editor: { script: 'bench', args: ['KERNEL'] },
  typing: { script: 'benchTyping' },
  budget: { script: 'benchBudget' },
  workspace: { script: 'benchWorkspace', args: ['KERNEL'] },
  quality: { script: 'benchQuality', args: ['DATA'] },
  commits: { script: 'benchCommits' },
  citations: { script: 'benchCitations', args: ['DATA'] },
  ask: { script: 'benchAsk' },
  typed: { script: 'benchTyped', with: ['rg'] },
  usages: { script: 'benchUsages', with: ['ctags'] },
  definitions: { script: 'benchDefinitions', with: ['ctags'] },
  agent: { script: 'benchAgent' },
  server: { script: 'benchServer' },
  webhooks: { script: 'benchWebhooks' },
  simulation: { script: 'benchSimulation' },
  dashboard: { script: 'benchDashboard' },
  groups: { script: 'benchGroups' },
  insights: { script: 'benchInsights' },
  context: { script: 'benchContext', args: ['KERNEL/drivers/net'] },
  team: { script: 'benchTeam', args: ['DATA'], with: ['java'] },
  load: { script: 'benchTeam', args: ['DATA', '--part', 'load', '--also', 'KERNEL'], with: ['java'] },
};

const { values, positionals: more } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    kernel: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const names = Object.keys(PARTS);
const unknown = values.only.filter((name) => !names.includes(name));
if (unknown.length > 0) fail(`There is no part ${unknown.join(', ')}. The parts are: ${names.join(', ')}.`);
if (values.list) {
  console.log(names.join('\n'));
  process.exit();
}
await ensureDependencies();
build();
// Each benchmark would build once more.
process.env.SEXTANT_IS_BUILT = '1';
const wanted = values.only.length > 0 ? names.filter((name) => values.only.includes(name)) : names;
const at = (/** @type {string} */ path) => resolve(process.env.INIT_CWD ?? '.', path);
const folders = {
  DATA: process.env.BENCH_DIR === undefined ? undefined : at(process.env.BENCH_DIR),
  KERNEL: await kernel(wanted.flatMap((name) => PARTS[name]?.args ?? [])),
};
const work = mkdtempSync(join(tmpdir(), 'sextant-bench-all-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
/** @type {string[]} */
const missed = [];
for (const name of wanted) await run(name);
say(`All of it took ${sinceStart()}.`);
if (missed.length > 0) fail(`Left out, or failed (see above): ${missed.join(', ')}.`);

/** Runs a part, and writes what it reports. @param {string} name */
async function run(name) {
  const { script, args = [], with: programs = [] } = PARTS[name] ?? fail(name);
  const lacks = args.flatMap((arg) => Object.entries(folders).flatMap(([key, folder]) => (arg.startsWith(key) && folder === undefined ? [key] : []))); // oxfmt-ignore
  if (lacks.length > 0) {
    say(`${name} is left out: there is no folder for ${lacks.join(' and ')}.`);
    missed.push(name);
    return;
  }
  const given = args.map((arg) => arg.replace(/^(?:KERNEL|DATA)/, (key) => folders[/** @type {'KERNEL' | 'DATA'} */ (key)] ?? '')); // oxfmt-ignore
  const file = join(work, `${name}.ndjson`);
  const busy = await busyShare();
  const load = loadavg()[0] ?? 0;
  say(`${name}: processors ${percent(busy)} busy before …`);
  const began = Date.now();
  const { status } = spawnSync(pinnedNode(), [join(root, 'scripts', `${script}.mjs`), ...given, ...more], {
    stdio: 'inherit',
    env: { ...process.env, [REPORT_VARIABLE]: file },
  });
  if (status !== 0 || !existsSync(file)) {
    missed.push(name);
    return;
  }
  /** @type {import('./lib/benchPage.mjs').Reported[]} */
  const reported = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line)); // oxfmt-ignore
  const [processor] = cpus();
  const notes = [
    `${new Date(began).toISOString().slice(0, 10)}, ${Math.ceil((Date.now() - began) / 60_000)} min`,
    `commit ${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', 'src') === '' ? '' : ' with changes'}`,
    `${cpus().length} × ${processor?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${release().split('-')[0]}`,
    `Node ${said(pinnedNode(), '--version').slice(1)}`,
    ...programs.map(versionOf),
    `${percent(busy)} busy and load ${load.toFixed(1)} before, load ${(loadavg()[0] ?? 0).toFixed(1)} after`,
  ];
  // A path says nothing to others.
  const shown = more.map((one) => (isAbsolute(one) ? 'FOLDER' : one)).join(' ');
  const options = shown === '' ? '' : ` -- ${shown}`;
  const source = `_\`npm run bench:all -- --only ${name}${options}\`: ${notes.join('; ')}_`;
  const texts = new Map(
    reported.map(({ name: place, rows, curves }) => {
      if (curves) writeFileSync(join(root, `docs/images/${place}.svg`), svgOf(curves));
      const text = curves ? `![${curves.title}](images/${place}.svg)` : markdownTable(rows ?? []);
      return [place, `${text}\n\n${source}`];
    }),
  );
  writeFileSync(PAGE, fillPlaces(readFileSync(PAGE, 'utf8'), texts));
  execFileSync(pinnedNode(), [join(root, 'node_modules/oxfmt/bin/oxfmt'), PAGE], { stdio: 'ignore' });
}

/** The share of the processors that other programs take. */
async function busyShare() {
  const ticks = () => {
    const times = cpus().map((one) => one.times);
    const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
    return { all, idle: times.reduce((sum, { idle }) => sum + idle, 0) };
  };
  const before = ticks();
  await setTimeout(EARLIER_MS);
  const after = ticks();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

/** @param {string[]} args of the parts that run */
async function kernel(args) {
  if (values.kernel !== undefined) return at(values.kernel);
  if (!args.some((arg) => arg.startsWith('KERNEL'))) return undefined;
  const folder = join(root, 'out/bench-kernel');
  const unpacked = join(folder, KERNEL);
  if (existsSync(join(unpacked, 'MAINTAINERS'))) return unpacked;
  if (!hasApt) return undefined;
  return step(`Bringing Debian's ${KERNEL}`, () => {
    mkdirSync(folder, { recursive: true });
    openArchive(join(folder, 'apt')).bringPackage(KERNEL, folder);
    execFileSync('tar', ['-xf', join(folder, `usr/src/${KERNEL}.tar.xz`), '-C', folder]);
    return unpacked;
  });
}

/** @param {string} program */
function versionOf(program) {
  switch (program) {
    case 'sqlite':
      return `SQLite ${said(pinnedNode(), '-p', 'process.versions.sqlite')}`;
    case 'minisearch':
      return `MiniSearch ${JSON.parse(readFileSync(join(root, 'node_modules/minisearch/package.json'), 'utf8')).version}`;
    case 'ctags':
      return said('ctags', '--version').split(',', 1).join('');
    default:
      return said(program, '--version').split('\n', 1).join('');
  }
}

/** What a program prints, or that it is missing. @param {string} program @param {string[]} args */
function said(program, ...args) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : `no ${program}`;
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

/** @param {number} share */
function percent(share) {
  return `${Math.round(share * 100)} %`;
}
