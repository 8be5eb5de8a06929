import assert from 'node:assert/strict';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { makeFolder } from './makeFolder.ts';

describe('makeFolder', () => {
  const folder = temporaryFolder();

  it('creates missing folders, with their mode, and leaves existing ones unchanged', () => {
    const deep = join(folder(), 'a/b/c');
    makeFolder(deep, 0o700);
    makeFolder(deep);
    makeFolder(parse(deep).root);
    if (process.platform !== 'win32') assert.equal(statSync(join(deep, '..')).mode & 0o777, 0o700);
  });

  it('reports a file in the way', () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'a'), join(file, 'a/b')])
      assert.throws(() => makeFolder(path), { code: 'NotAFolder', message: /is a file, or in one\. Choose/ }, path);
  });

  it('gives up where no folder can be created', function () {
    if (process.platform !== 'linux') this.skip();
    for (const path of ['/proc/x', '/proc/x/y/z'])
      assert.throws(() => makeFolder(path), { code: 'ReadOnly', message: /cannot be made\. Choose another/ });
    const link = join(folder(), 'link');
    symlinkSync(join(folder(), 'nowhere'), link);
    for (const path of [link, join(link, 'a')])
      assert.throws(() => makeFolder(path), {
        code: 'NotAFolder',
        message: /link is a symbolic link whose target is missing/,
      });
  });
});
