import assert from 'node:assert/strict';
import fc from 'fast-check';
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

  it('is understood with any separators, drive letters, shares and long paths of Windows', () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_ -]{0,6}[a-z0-9]$/);
    const separator = fc.constantFrom('/', '\\');
    const base = fc.constantFrom('C:\\work\\Shop', 'd:\\Shop', 'C:\\', '\\\\server\\share\\Shop', '/work/shop');
    fc.assert(
      fc.property(
        base,
        fc.array(name, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(separator),
        fc.nat(4),
        (root, names, separators, form) => {
          const isWindows = !root.startsWith('/');
          const path = names.join('/');
          const whole = `${root.replace(/[\\/]$/, '')}/${path}`;
          const mixed = whole.replace(/[\\/]/g, (one, at: number) =>
            !isWindows || at < 2 ? one : (separators.next().value as string),
          );
          const address = `file:${root.startsWith('\\') ? '' : isWindows ? '///' : '//'}${whole.replaceAll('\\', '/')}`;
          const long = root.startsWith('\\') ? `\\\\?\\UNC\\${mixed.slice(2)}` : `\\\\?\\${mixed}`;
          const swapped = mixed.replace(/^[a-z]/i, (letter) =>
            letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
          );
          const given = [
            path,
            mixed,
            address.replaceAll(' ', '%20'),
            isWindows ? long : mixed,
            isWindows ? swapped : mixed,
          ][form]!;
          assert.equal(first(given, [{ root, prefix: '' }]), `${root} ${path}`, given);
        },
      ),
    );
    assert.equal(first('file:///c%3A/shop/a.ts', [{ root: 'C:\\shop', prefix: '' }]), 'C:\\shop a.ts');
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
