import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { isForeignShare } from './gitRepository.ts';

describe('gitRepository', () => {
  it('tells a path on another machine, for Windows would sign in there', () => {
    const isForeign = (named: string, here = 'C:\\work\\shop'): boolean => isForeignShare(named, here, win32);
    for (const named of [
      String.raw`\\evil.example\share\repository`,
      '//evil.example/share/repository',
      String.raw`\/evil.example\share`,
      String.raw`\\?\UNC\evil.example\share\x`,
    ])
      assert.ok(isForeign(named), named);
    for (const named of ['../shop.git/worktrees/a', 'D:/shop/.git', '/shop/.git', 'C:\\x', '', '~/ignore', '\\x'])
      assert.ok(!isForeign(named), named);

    const share = String.raw`\\files\team\shop`;
    assert.ok(!isForeign('//FILES/team/shop.git', share));
    assert.ok(!isForeign('../shop.git', share));
    assert.ok(isForeign('//files2/team/shop.git', share));
    assert.ok(!isForeignShare('//data/shop', '/work', posix));
  });
});
