// Brings the repositories whose commits are questions, as bare clones, into out/bench-commits (or BENCH_COMMITS).
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './dependencies.mjs';
import { say } from './say.mjs';

const clones = resolve(process.env.INIT_CWD ?? '.', process.env.BENCH_COMMITS ?? join(root, 'out/bench-commits'));

/**
 * Clones the repositories of repositories.tsv that are not there yet. One that cannot be cloned is left out, and named.
 * @returns {{ name: string, folder: string, revision: string }[]}
 */
export function bringCommits() {
  const [, ...rows] = readFileSync(join(root, 'test/bench/commits/repositories.tsv'), 'utf8').trim().split('\n');
  return rows.flatMap((row) => {
    const [name = '', revision = ''] = row.split('\t');
    const folder = join(clones, name.replace('/', '+'));
    if (!existsSync(folder)) {
      say(`Cloning ${name} …`);
      const part = join(clones, 'part');
      rmSync(part, { recursive: true, force: true });
      const args = ['clone', '--bare', '--quiet', `https://github.com/${name}`, part];
      if (spawnSync('git', args, { stdio: 'inherit' }).status !== 0) {
        say(`${name} is left out: it cannot be cloned.`);
        return [];
      }
      renameSync(part, folder);
    }
    return [{ name, folder, revision }];
  });
}
