import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { COMMAND, copySample } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary.ts';

describe('A command whose output is closed', () => {
  const folder = temporaryFolder();

  /** Runs a script of bash with the command as `$0 $1`; returns its exit code and what it wrote. */
  function bash(script: string): { code: number | null; stdout: string; stderr: string } {
    const home = folder();
    const cwd = copySample(join(folder(), 'project'));
    const env = { ...process.env, HOME: home, XDG_CACHE_HOME: join(home, 'cache'), NO_COLOR: '1' };
    const options = { cwd, env, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, COMMAND], options);
    return { code: status, stdout, stderr };
  }

  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('does its work where no process reads the standard error', () => {
    // The pipe has no reader once `true` has ended.
    const closed = (command: string): string => `exec 3> >(true); wait $!; ${command} 2>&3; echo "code $?"`;
    const found = bash(closed('"$0" "$1" search verifyPassword'));
    assert.match(found.stdout, /passwordHash\.ts:13 [^]*code 0\n$/);
    assert.equal(found.stderr, '');
    assert.equal(bash(closed('"$0" "$1" search quuxNowhere')).stdout, 'code 1\n');
    assert.equal(bash(closed('"$0" "$1" search x ./missing')).stdout, 'code 2\n');
    assert.equal(bash(closed('"$0" "$1" serch')).stdout, 'code 2\n');
  });

  it('does its work without a standard error', () => {
    const { stdout } = bash('"$0" "$1" search verifyPassword 2>&-; echo "code $?"');
    assert.match(stdout, /passwordHash\.ts:13 [^]*code 0\n$/);
  });

  it('ends in silence where no process reads the standard output', () => {
    for (const command of ['--version', '--help', 'search verifyPassword', 'status --json', 'completion bash']) {
      const { stdout, stderr } = bash(`exec 3> >(true); wait $!; "$0" "$1" ${command} >&3; echo "code $?"`);
      assert.deepEqual([stdout, stderr.replace(/^sextant: Indexing.*\n/gm, '')], ['code 0\n', ''], command);
    }
  });
});
