// Runs where mounting is allowed: commands that search, with their index on a full disk.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND } from '../support/command.ts';
import { Filler } from './smallDisk.ts';

const [disk, root] = process.argv.slice(2) as [string, string];
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
const filler = new Filler(disk);
const state = join(disk, 'state');
writeFileSync(join(root, 'a.ts'), 'export const lantern = 1;\n');
const commands = [
  ['search', 'lantern', root],
  ['find-usages', 'lantern', root],
  ['ask', 'where is lantern', root],
  ['outline', root],
];

function run(args: readonly string[]): {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const all = [COMMAND, ...args, '--state', state];
  const env = { ...process.env, NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: disk };
  const { status: code, stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8', env });
  return { code, stdout, stderr };
}

// From the first byte on, and when only the folders and the lock could be written.
for (const free of [0, 3 * 4096]) {
  filler.leave(free);
  for (const args of commands) {
    const { code, stdout, stderr } = run(args);
    assert.deepEqual([code, stdout], [2, ''], `${args[0]}: ${stderr}`);
    assert.match(stderr, /^sextant: There is no space left for .*\. Free some/);
  }
}
assert.deepEqual(readdirSync(disk).sort(), ['filler', 'state'], 'no empty files of a cache');
filler.remove();
for (const args of commands) assert.equal(run(args).code, 0, args[0]);
filler.leave(0);
writeFileSync(join(root, 'b.ts'), 'export const harbour = lantern;\n');
for (const args of commands) {
  const { code, stderr } = run(args);
  assert.equal(code, 0, args[0]);
  assert.match(stderr, /no space left .* the index as it is\./);
}
const install = [COMMAND, 'mcp', 'install', 'cursor', '--yes'];
const { status, stderr: said } = spawnSync(process.execPath, install, { cwd: disk, encoding: 'utf8' });
assert.equal(status, 2);
assert.match(said, /^sextant: There is no space left for .*mcp\.json\. Free some; nothing was changed\./);
filler.remove();
assert.match(run(['search', 'harbour', root]).stdout, /b\.ts:1/);
console.log('searched');
