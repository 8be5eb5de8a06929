import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { readCommands } from './commands.ts';

describe('the file of commands', () => {
  const folder = temporaryFolder();

  function written(value: unknown, place = folder()): string {
    const file = join(place, 'commands.json');
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 });
    return file;
  }

  it('has experts with defaults, which run in its folder', () => {
    const place = folder();
    const commands = [
      { name: 'a', argv: ['x', ''] },
      { name: 'b', argv: ['y'], cwd: 'sub', env: { KEY: 'v' }, input: 'event', concurrency: 2 },
    ];
    const [a, b] = readCommands(written({ commands }, place));
    const rest = { input: 'body', timeout_ms: 60_000, max_attempts: 3, concurrency: 1 };
    assert.deepEqual(a, { name: 'a', type: 'command', argv: ['x', ''], env: {}, ...rest, cwd: a!.cwd });
    assert.deepEqual([b!.cwd, b!.env, b!.input, b!.concurrency], [join(a.cwd, 'sub'), { KEY: 'v' }, 'event', 2]);
  });

  it('may begin with a byte order mark', () => {
    const [a] = readCommands(written(`\ufeff${JSON.stringify({ commands: [{ name: 'a', argv: ['x'] }] })}`));
    assert.equal(a!.name, 'a');
  });

  it('is refused with the place of what is wrong', () => {
    const command = { name: 'a', argv: ['x'] };
    const refused = (value: unknown, message: RegExp, code = 'InvalidDefinition'): void =>
      assert.throws(() => readCommands(written(value)), { code, message });
    refused('{', /is no JSON/);
    refused({}, /^file of commands: commands must be an array$/);
    refused({ commands: [{ name: 'a', argv: 'rm -rf x' }] }, /^command: argv must be an array$/);
    refused({ commands: [{ ...command, argv: [] }] }, /argv must be 1 to 100 texts/);
    refused({ commands: [{ ...command, argv: ['a\0b'] }] }, /argv\.0 must have no zero character/);
    refused({ commands: [{ ...command, shell: true }] }, /^command: shell is unknown$/);
    refused({ commands: [{ ...command, max_attempts: 21 }] }, /must be 1 to 20/);
    refused({ commands: [command, command] }, /There is an expert named a already/, 'NameTaken');
    refused({ commands: [{ ...command, name: 'record' }] }, /named record already/, 'NameTaken');
    assert.throws(() => readCommands(join(folder(), 'none')), { code: 'NoCommands', message: /cannot be read/ });
  });

  it('is refused in a work tree, also behind a link', function () {
    const tree = folder();
    mkdirSync(join(tree, '.git'));
    mkdirSync(join(tree, 'sub'));
    const file = written({ commands: [] }, join(tree, 'sub'));
    assert.throws(() => readCommands(file), { code: 'UnsafeCommands', message: /is in the work tree/ });
    if (process.platform === 'win32') this.skip();
    const link = join(folder(), 'link.json');
    symlinkSync(file, link);
    assert.throws(() => readCommands(link), { code: 'UnsafeCommands' });
  });

  it('is refused if others may write it', function () {
    if (process.platform === 'win32') this.skip();
    const file = written({ commands: [] });
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(file, mode);
      assert.throws(() => readCommands(file), { code: 'UnsafeCommands', message: /chmod go-w/ });
    }
    chmodSync(file, 0o644);
    assert.deepEqual(readCommands(file), []);
  });
});
