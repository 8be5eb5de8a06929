// npm run bench -- FOLDER
// Indexes a folder in a real extension host from scratch, and prints the duration and the delays of the editor.
// A figure depends on the machine: compare figures of one run only.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureDependencies, root } from './lib/dependencies.mjs';
import { build } from './lib/package.mjs';
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
console.log(readFileSync(result, 'utf8'));
