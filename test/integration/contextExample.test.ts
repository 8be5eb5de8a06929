import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

describe('the example of docs/context.md', () => {
  it('prints what it says', () => {
    const text = readFileSync(join(ROOT, 'docs/context.md'), 'utf8');
    const [, code = '', printed] = /```ts\n([^`]*)```\n\nprints\n\n```text\n([^`]*)```/.exec(text) ?? [];
    const example = code.replace("'sextant-code'", "'./src/index.ts'");
    assert.notEqual(example, code);
    const args = ['--input-type=module-typescript', '-e', example];
    assert.equal(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }), printed);
  });
});
