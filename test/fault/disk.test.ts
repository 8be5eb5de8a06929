import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary.ts';
import { namespace, runScript } from './smallDisk.ts';

describe('An index on a disk', () => {
  const folder = temporaryFolder();

  it('that becomes full at any moment stays unchanged, throws DiskFull, and continues when there is space', function () {
    this.timeout(600_000);
    assert.match(runScript(namespace(this, folder()), 'fullDisk.ts', [folder(), folder()]), /full at \d+ degrees/);
  });

  it('that is read-only is searched, and throws ReadOnly on a write', function () {
    assert.match(runScript(namespace(this, folder()), 'readOnly.ts', ['ro', folder()]), /read-only/);
  });

  it('whose files are read-only is searched, and throws ReadOnly on a write', function () {
    if (process.platform === 'win32') {
      console.log('      skipped: Windows has no such modes');
      this.skip();
    }
    const place = folder();
    assert.match(runScript([], 'readOnly.ts', ['modes', place]), /read-only/);
    for (const path of [place, join(place, 'index')]) chmodSync(path, 0o755);
  });
});

describe('A command on a disk', () => {
  const folder = temporaryFolder();

  it('that is full fails without an index, searches the index that there is, and builds one when there is space', function () {
    this.timeout(600_000);
    assert.match(runScript(namespace(this, folder()), 'fullCommand.ts', [folder(), folder()]), /^searched/);
  });
});

describe('A server on a disk', () => {
  const folder = temporaryFolder();

  for (const [what, how] of [
    ['full', 'full'],
    ['read-only', 'ro'],
  ] as const)
    it(`that is ${what} at the start is read, refuses changes with 507, and recovers without a restart`, function () {
      this.timeout(600_000);
      assert.match(runScript(namespace(this, folder()), 'fullStart.ts', [how, folder()]), /recovered/);
    });

  it('that is full at the first start reports nothing as lost after it has had room', function () {
    this.timeout(600_000);
    assert.match(runScript(namespace(this, folder()), 'fullFirst.ts', [folder()]), /started first/);
  });

  it('that is full refuses deliveries with 507, loses no acknowledged one, and recovers without a restart', function () {
    this.timeout(600_000);
    const said = runScript(namespace(this, folder()), 'fullJournal.ts', [folder()]);
    assert.match(said, /\d+ events, \d+ refused/);
    console.log(`      ${said.trim()}`);
  });
});

describe('A context on a disk', () => {
  const folder = temporaryFolder();

  it('that is full or read-only at the start is searched, refuses changes, and accepts them when there is space', function () {
    this.timeout(600_000);
    assert.match(runScript(namespace(this, folder()), 'fullContext.ts', [folder()]), /^context/m);
  });
});
