import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND, copySample } from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The commands of the console blocks of a page, each with its output. */
function examples(page: string): { readonly command: string; readonly output: string }[] {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^( *)```console\n([^]*?)^ *```/gm);
  return [...blocks].map(([, indent = '', block = '']) => {
    const [command = '', ...output] = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '').split('\n');
    return { command: command.replace(/^\$ /, ''), output: output.join('\n') };
  });
}

describe('The examples of a command and its output', () => {
  const folder = temporaryFolder();

  for (const page of ['README.md', 'docs/command.md', 'docs/query-language.md']) {
    it(`are as in ${page}`, function () {
      if (process.platform === 'win32') this.skip();
      const place = folder();
      const sample = copySample(join(place, 'harbour'));
      writeFiles(sample, { 'dist/main.js': 'start();\n' });
      execFileSync('git', ['init', '-q', sample]);
      const env = { ...process.env, NODE: process.execPath, COMMAND, XDG_CACHE_HOME: folder() };
      const all = examples(page);
      assert.ok(all.length > 0);
      for (const { command, output } of all) {
        const cwd = page === 'README.md' ? ROOT : command.includes(' harbour ') ? place : sample;
        const script = `sextant() { "$NODE" "$COMMAND" "$@"; }; ${command}`;
        const { stdout, stderr } = spawnSync('sh', ['-c', script], { cwd, env, encoding: 'utf8' });
        assert.ok(`${stderr}${stdout}`.includes(output), `${command}\n${stderr}${stdout}`);
      }
    });
  }
});
