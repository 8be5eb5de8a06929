// npm run bench -- FOLDER
// Indexes a folder in a real extension host from scratch, and prints the duration and the delays of the editor.
// A figure depends on the machine: compare figures of one run only.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureDependencies, root } from './lib/dependencies.mjs';
import { build } from './lib/package.mjs';
import { report } from './lib/report.mjs';
import { fail, say } from './lib/say.mjs';

const [named] = process.argv.slice(2);
if (named === undefined)
  fail("Usage: npm run bench -- FOLDER (for example the unpacked sources of Debian's linux-source-6.1)");
const folder = resolve(process.env.INIT_CWD ?? '.', named);
if (!existsSync(folder)) fail(`There is no folder ${folder}.`);

await ensureDependencies();
build();
const { runInEditor } = await import('./lib/workbench.mjs');
mkdirSync(join(root, 'out'), { recursive: true });
const result = join(root, 'out/bench-editor.json');
rmSync(result, { force: true });
say(`Indexing ${folder} in VS Code …`);
const { code, said } = await runInEditor({
  folder,
  extensions: [root],
  tests: join(root, 'out/test/bench/editor.cjs'),
  env: { SEXTANT_BENCH_RESULT: result },
  limitMs: 1_800_000,
});
if (!existsSync(result)) fail(`It did not finish (${code}).\n${said.slice(-20).join('\n').slice(-2000)}`);
/** @type {import('../test/bench/editor.ts').EditorFigures} */
const figures = JSON.parse(readFileSync(result, 'utf8'));
const { p50, p99, 'p99.9': rare, max } = figures.eventLoopDelayMs;
const times = figures.queries.map(({ tookMs }) => Math.round(tookMs)).sort((a, b) => a - b);
report('editor', [
  [`VS Code ${figures.vscode}, ${figures.files} files`, 'figure'],
  ['activation, as another extension sees it', `${figures.activationMs} ms`],
  ['first result', `${figures.firstResultSeconds} s`],
  ['all indexed', `${figures.indexedSeconds} s`],
  ['index on disk', `${figures.indexMB} MB`],
  ['event loop while indexing: delay p50, p99, p99.9, longest', `${p50}, ${p99}, ${rare}, ${max} ms`],
  ['extension host: memory before, peak, 30 s after', `${figures.memoryMB.join(', ')} MB`],
  ['process that indexes: memory at its peak, 30 s after', `${figures.indexingMB.join(', ')} MB`],
  ['a search, files read and checked', `${times[0]}–${times.at(-1)} ms`],
]);
