// npm run bench:budget [-- FOLDER]
// Indexes a folder with several values of `sextant.index.cpuBudget` in the extension's threads, and prints the duration of
// indexing beside the delay of another job on the same machine. Build first. Without FOLDER, it takes 2,000 files of node_modules.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pinnedNode, root } from './lib/dependencies.mjs';

const [named] = process.argv.slice(2);
const folder = named === undefined ? join(root, 'node_modules/@redocly') : resolve(process.env.INIT_CWD ?? '.', named);
const threads = join(root, 'dist/extension');
const args = [join(root, 'test/bench/budget.ts'), folder, threads];
const { status } = spawnSync(pinnedNode(), args, { stdio: 'inherit' });
process.exitCode = status ?? 1;
