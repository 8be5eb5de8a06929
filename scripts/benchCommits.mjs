// npm run bench:commits [-- FOLDER…] [--most N] [--json FILE]
// Measures which file search finds first, with the subjects of commits as questions: each asks for the only file that its commit
// changed. Beside it runs MiniSearch over the same files. FOLDER is a Git repository, also a bare one. Without one it asks the
// repositories of test/bench/commits/repositories.tsv, to which no weight is fitted.
import { spawnSync } from 'node:child_process';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bringCommits } from './lib/commits.mjs';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { build } from './lib/package.mjs';
import { fail } from './lib/say.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { most: { type: 'string', default: '60' }, json: { type: 'string' } },
});
const at = (/** @type {string} */ path) => resolve(process.env.INIT_CWD ?? '.', path);
await ensureDependencies();
const named = positionals.map((folder) => ({ name: basename(folder), folder: at(folder), revision: 'HEAD' }));
const repositories = named.length > 0 ? named : bringCommits();
if (repositories.length === 0) fail('There is no repository to ask. Name one: npm run bench:commits -- FOLDER');
build();
const options = {
  repositories,
  most: Number(values.most),
  ...(values.json !== undefined && { json: at(values.json) }),
};
const script = join(root, 'test/bench/commits/run.ts');
const args = ['--max-old-space-size=8192', script, JSON.stringify(options)];
process.exitCode = spawnSync(pinnedNode(), args, { stdio: 'inherit' }).status ?? 1;
