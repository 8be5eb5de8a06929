import assert from 'node:assert/strict';
import { pathIn } from './pathIn.ts';

describe('the path of a file in a folder', () => {
  it('is relative also to the root of a disk, and missing for the folder itself and files outside', () => {
    const cases: readonly (readonly [folder: string, file: string, path: string | undefined])[] = [
      ['/work', '/work/src/a.ts', 'src/a.ts'],
      ['/', '/src/a.ts', 'src/a.ts'],
      ['/d:/', '/d:/src/a.ts', 'src/a.ts'],
      ['/work', '/work', undefined],
      ['/', '/', undefined],
      ['/work', '/workshop/a.ts', undefined],
      ['/d:/', '/c:/a.ts', undefined],
    ];
    for (const [folder, file, path] of cases)
      assert.equal(pathIn({ path: folder }, { path: file }), path, `${folder} ${file}`);
  });
});
