import assert from 'node:assert/strict';
import { readGivenPath } from './givenPath.ts';

describe('A path that a program gives', () => {
  const one = [{ root: '/work/shop', prefix: '' }];
  const two = [
    { root: '/work/shop', prefix: 'shop/' },
    { root: '/work/bank', prefix: 'bank/' },
  ];
  const first = (given: string, folders = one): string | undefined => {
    const [meant] = readGivenPath(given, folders);
    return meant && `${meant.root} ${meant.path}`;
  };

  it('is understood in any form', () => {
    for (const given of [
      'src/a.ts',
      './src/a.ts',
      'src//a.ts',
      'src/b/../a.ts',
      '/work/shop/src/a.ts',
      'file:///work/shop/src/a.ts',
      'src\\a.ts',
      'src/a.ts:12',
      'src/a.ts:12:3',
      'src/a.ts#L12-L14',
    ]) {
      assert.equal(first(given), '/work/shop src/a.ts', given);
    }
    assert.equal(first('C:\\shop\\src\\a.ts', [{ root: 'C:\\shop', prefix: '' }]), 'C:\\shop src/a.ts');
  });

  it('may be a folder, or have its name before it', () => {
    assert.deepEqual(
      ['.', './', '/work/shop', ''].map((given) => first(given)),
      Array(4).fill('/work/shop '),
    );
    assert.deepEqual(readGivenPath('shop/src', one), [
      { root: '/work/shop', path: 'shop/src' },
      { root: '/work/shop', path: 'src' },
    ]);
    assert.equal(first('bank/src/a.ts', two), '/work/bank src/a.ts');
    assert.equal(first('/work/bank/src', two), '/work/bank src');
  });

  it('is outside', () => {
    for (const given of ['..', '../bank/a.ts', 'src/../../a.ts', '/work/shopping/a.ts', '/etc/passwd'])
      assert.equal(first(given), undefined, given);
  });
});
