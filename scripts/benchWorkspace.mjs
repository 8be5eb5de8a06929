// npm run bench:workspace -- FOLDER
// Measures how an index of a large folder is reopened, updated, and copied for another working tree; without an editor.
// Needs a copy of the folder, which it changes. A figure depends on the machine: compare figures of one run only.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { fail } from './lib/say.mjs';

const [named] = process.argv.slice(2);
if (named === undefined)
  fail("Usage: npm run bench:workspace -- FOLDER (for example the unpacked sources of Debian's linux-source-6.1)");
const folder = resolve(process.env.INIT_CWD ?? '.', named);
if (!existsSync(folder)) fail(`There is no folder ${folder}.`);

await ensureDependencies();
const { status } = spawnSync(pinnedNode(), [join(root, 'test/bench/workspace.ts'), folder], { stdio: 'inherit' });
process.exitCode = status ?? 1;
