import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { folderOfTest, writeFiles } from '../../test/support/temporary.ts';
import { gitExecutable } from './gitExecutable.ts';

describe("Git's program on Windows", () => {
  const folder = folderOfTest();

  function program(...names: string[]): string {
    const file = join(folder(), ...names, 'git.exe');
    writeFiles(join(file, '..'), { 'git.exe': 'MZ' });
    chmodSync(file, 0o755);
    return file;
  }
  const found = (path: string, root = join(folder(), 'shop')): string => gitExecutable(root, { Path: path }, 'win32');
  const pathOf = (...folders: string[]): string => folders.join(delimiter);

  it('comes from PATH, and never from the repository or a relative folder', () => {
    const git = program('Git', 'cmd');
    const own = program('shop');
    const tools = program('shop', 'tools');
    assert.equal(found(pathOf('.', '', 'tools', join(own, '..'), join(tools, '..'), join(git, '..'))), git);
    assert.throws(() => found(pathOf('.', '', join(own, '..'), join(tools, '..'))), { code: 'ENOENT' });
  });

  it('is the first of PATH, in quotes or not, with a folder whose name begins as that of the repository', () => {
    const [beside, git] = [program('shop.tools'), program('Git')];
    assert.equal(found(pathOf(`"${join(beside, '..')}"`, join(git, '..'))), beside);
    mkdirSync(join(folder(), 'x', 'git.exe'), { recursive: true });
    assert.equal(found(pathOf(join(folder(), 'x'), join(git, '..'))), git);
  });

  it('is that of the system elsewhere', () => {
    assert.equal(gitExecutable(folder(), { PATH: '' }, 'linux'), 'git');
  });
});
