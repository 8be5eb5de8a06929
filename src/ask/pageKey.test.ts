import assert from 'node:assert/strict';
import { pageKey } from './pageKey.ts';

describe('Translations and versions of a page', () => {
  const same = (...paths: string[]): void => assert.equal(new Set(paths.map(pageKey)).size, 1, paths.join(', '));

  it('have one key, by folder or by name', () => {
    same('docs/en/install.md', 'docs/de/install.md', 'docs/zh-CN/install.md', 'docs/install.md');
    same('README.md', 'README.fr.md', 'README_zh-CN.md', 'readme.pt-br.md');
    same('docs/v1/api.md', 'docs/v2.3/api.md', 'docs/version-1.x/api.md');
  });

  it('are not confused with other pages', () => {
    const paths = ['docs/install.md', 'docs/api.md', 'docs/no.md', 'docs/it.md', 'guide/install.md', 'install.txt'];
    assert.equal(new Set(paths.map(pageKey)).size, paths.length);
  });

  it('are not the pages of different years and chapters', () => {
    assert.notEqual(pageKey('posts/2023/05/index.md'), pageKey('posts/2024/11/index.md'));
    assert.notEqual(pageKey('book/1/intro.md'), pageKey('book/2/intro.md'));
  });
});
