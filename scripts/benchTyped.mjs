// npm run bench:typed [-- --list | --failures] [--repository NAME]… [--class NAME]… [--json FILE] [--seed TEXT]
// Measures search with text as people type it: rules make queries from the lines of repositories. Beside it runs ripgrep. See
// test/bench/typed/. Without arguments it measures all; --list prints the queries and the expected answers as JSON without
// a search, --failures also prints each query whose answer is not first. --seed makes other queries by the same rules.
// Repositories are packages of the lockfile and sources of Debian's archive, kept in out/bench-typed, and ripgrep is Debian's
// unless it is installed. Without apt only the packages of the lockfile are measured.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { hasApt } from './lib/debian.mjs';
import { fail, say, step } from './lib/say.mjs';
import { archive, bringTyped, typedFolder as folder } from './lib/typedRepositories.mjs';

const { values } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    failures: { type: 'boolean', default: false },
    repository: { type: 'string', multiple: true, default: [] },
    class: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    seed: { type: 'string' },
  },
});
// The steps must not be part of the list.
if (values.list) console.log = console.error;
await ensureDependencies();
const { REPOSITORIES: known } = await import('../test/bench/typed/repositories.ts');
const unknown = values.repository.filter((name) => !known.some((one) => one.name === name));
if (unknown.length > 0)
  fail(
    `There is no repository ${unknown.join(', ')}. The repositories are: ${known.map(({ name }) => name).join(', ')}.`,
  );
const wanted = known.filter(({ name }) => values.repository.length === 0 || values.repository.includes(name));

const present = [];
for (const repository of wanted) if (await bringTyped(repository)) present.push(repository.name);
if (present.length < wanted.length)
  say(`${wanted.length - present.length} of ${wanted.length} repositories are left out.`);
const ripgrep = await ensureRipgrep();
if (ripgrep === undefined) say('There is no rg here; install ripgrep to compare.');

const script = join(root, 'test/bench/typed/run.ts');
const options = {
  folder,
  repositories: present,
  classes: values.class,
  list: values.list,
  failures: values.failures,
  ...(ripgrep !== undefined && { ripgrep }),
  ...(values.seed !== undefined && { seed: values.seed }),
  ...(values.json !== undefined && { json: resolve(process.env.INIT_CWD ?? '.', values.json) }),
};
const { status } = spawnSync(pinnedNode(), [script, JSON.stringify(options)], { stdio: 'inherit' });
process.exitCode = status ?? 1;

/** The program of the machine, or Debian's, unpacked into the folder. */
async function ensureRipgrep() {
  const own = join(folder, 'ripgrep');
  const places = [
    ...(process.env.PATH ?? '').split(delimiter).map((path) => join(path, 'rg')),
    join(own, 'usr/bin/rg'),
  ];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined || !hasApt) return found;
  try {
    await step("Bringing Debian's ripgrep", () => archive().bringPackage('ripgrep', own));
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return undefined;
  }
  return join(own, 'usr/bin/rg');
}
