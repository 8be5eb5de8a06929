import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary.ts';

/** Ways to run a program with mounts of its own, which nobody else sees and which end with it. */
const NAMESPACES = [
  ['unshare', '--mount'],
  ['unshare', '--map-root-user', '--mount'],
];

describe('An index on a disk', () => {
  const folder = temporaryFolder();

  function run(before: readonly string[], script: string, args: readonly string[]): string {
    const command = [...before, process.execPath, join(import.meta.dirname, script), ...args];
    const { status, stdout, stderr } = spawnSync(command[0]!, command.slice(1), { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout;
  }

  /** How to mount here; without a way the test is left out, and says why. */
  function namespace(test: Mocha.Context): readonly string[] {
    const place = folder();
    for (const command of NAMESPACES) {
      const mount = ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place];
      if (spawnSync(command[0]!, [...command.slice(1), ...mount]).status === 0) return command;
    }
    console.log('      skipped: a small disk cannot be mounted here (it needs Linux, and root or user namespaces)');
    return test.skip();
  }

  it('that is full at any moment stays as it was, says DiskFull, and goes on when there is space', function () {
    this.timeout(120_000);
    assert.match(run(namespace(this), 'fullDisk.ts', [folder(), folder()]), /full at \d+ degrees/);
  });

  it('that is read-only is searched, and says ReadOnly to whoever writes', function () {
    assert.match(run(namespace(this), 'readOnly.ts', ['ro', folder()]), /read-only/);
  });

  it('whose files may not be written is searched, and says ReadOnly to whoever writes', function () {
    if (process.platform === 'win32') {
      console.log('      skipped: Windows has no such modes');
      this.skip();
    }
    const place = folder();
    assert.match(run([], 'readOnly.ts', ['modes', place]), /read-only/);
    for (const path of [place, join(place, 'index')]) chmodSync(path, 0o755);
  });
});
