import { spawnSync } from 'node:child_process';
import type { Found } from './measure.ts';

/**
 * The files with a text as it is typed, in the order of paths, each with the first line that has it. Ripgrep has no ranks, so
 * the order of paths is what a person reads from the top.
 */
export function runRipgrep(program: string, folder: string, text: string): Found[] {
  const args = ['--fixed-strings', '--sort', 'path', '--max-count', '1', '--line-number', '--no-heading', '--null'];
  const { stdout, status } = spawnSync(program, [...args, '--regexp', text, '.'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (status !== 0 && status !== 1) throw new Error(`ripgrep ended with ${status} for ${text}`);
  return stdout.split('\n').flatMap((row) => {
    const [path = '', rest] = row.split('\0');
    if (rest === undefined) return [];
    const line = Number.parseInt(rest, 10);
    return [{ path: path.replace(/^\.\//, ''), startLine: line, endLine: line }];
  });
}
