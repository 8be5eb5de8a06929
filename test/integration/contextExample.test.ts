import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND, copySample } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Runs an example in a folder; imports of the package lead to the source. */
function run(example: string, cwd = ROOT, env: Readonly<Record<string, string>> = {}): string {
  const code = example.replace("'sextant-code'", JSON.stringify(join(ROOT, 'src/index.ts')));
  assert.notEqual(code, example);
  const args = ['--input-type=module-typescript', '-e', code];
  return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', env: { ...process.env, ...env } });
}

describe('the examples of docs/context.md', () => {
  const folder = temporaryFolder();
  const text = readFileSync(join(ROOT, 'docs/context.md'), 'utf8');

  it('print the documented output', () => {
    const [, code = '', printed] = /```ts\n([^`]*)```\n\nprints\n\n```text\n([^`]*)```/.exec(text) ?? [];
    assert.equal(run(code), printed);
  });

  it('find code in a folder, with the command on the PATH', () => {
    const [, code = ''] = /```ts\n(import \{ FileSystemContext \}[^`]*)```/.exec(text) ?? [];
    const place = folder();
    writeFileSync(join(place, 'sextant'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`, { mode: 0o755 });
    const env = { PATH: `${place}:${process.env.PATH}`, XDG_CACHE_HOME: join(place, 'cache') };
    assert.match(run(code, copySample(folder()), env), /\nPath: src\/orders\/retryPolicy\.ts\n/);
  });
});
