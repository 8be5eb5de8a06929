import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import fc from 'fast-check';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { listedPath, type Disk } from './listedPath.ts';

/** A disk with these files that opens names as `same` compares them: as macOS and Windows do, for instance. */
function diskOf(files: readonly string[], same: (name: string) => string): Disk {
  const parts = (path: string): string[] => path.split(/[\\/]/).slice(1);
  const startsWith = (file: string, path: string): boolean => {
    const names = parts(file);
    return parts(path).every((name, i) => names[i] !== undefined && same(name) === same(names[i]));
  };
  return {
    exists: (path) => files.some((file) => startsWith(file, path)),
    names: (folder) => [
      ...new Set(
        files.filter((file) => startsWith(file, folder)).flatMap((file) => parts(file)[parts(folder).length] ?? []),
      ),
    ],
  };
}

const insensitive = (name: string): string => name.normalize().toLowerCase();
const exact = (name: string): string => name;

describe('The path of a file as its disk lists it', () => {
  const folder = temporaryFolder();

  it('has the case and the letters of the list', () => {
    const disk = diskOf(['/r/Src/Caf\u00e9.ts', '/r/src2/e\u0301.ts', '/r/src2/KEY.pem'], insensitive);
    assert.equal(listedPath('/r', 'src/cafe\u0301.TS', disk), 'Src/Caf\u00e9.ts');
    assert.equal(listedPath('/r', 'src2/\u00e9.ts', disk), 'src2/e\u0301.ts');
    assert.equal(listedPath('/r', 'SRC2/key.pem', disk), 'src2/KEY.pem');
    assert.equal(listedPath('/r', 'Src/missing.ts', disk), undefined);
  });

  it('is unknown by a short name of Windows, and by a stream', () => {
    const short = (name: string): string => {
      const plain = name.replace(/:.*/, '').toLowerCase();
      return plain === 'secret~1.pem' || plain === 'secret-key.pem' ? 'secret' : plain;
    };
    const disk = diskOf(['/r/secret-key.pem', '/r/.env'], short);
    for (const path of ['SECRET~1.PEM', 'secret~1.pem', '.env::$DATA', '.env:note'])
      assert.equal(listedPath('/r', path, disk), undefined, path);
    assert.equal(listedPath('/r', '.ENV', disk), '.env');
    assert.equal(listedPath('/r', 'secret-key.pem', disk), 'secret-key.pem');
  });

  it('keeps two names apart where case counts', () => {
    const disk = diskOf(['/r/a.ts', '/r/A.ts', '/r/\u00e9', '/r/e\u0301'], exact);
    for (const path of ['a.ts', 'A.ts', '\u00e9', 'e\u0301']) assert.equal(listedPath('/r', path, disk), path);
    assert.equal(listedPath('/r', 'a.TS', disk), undefined);
  });

  it('is that of a listed file, or none, on any disk', () => {
    const name = fc.stringMatching(/^[aAbB\u00e9\u00c91~]{1,3}$/);
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), path, fc.boolean(), (files, asked, isInsensitive) => {
        const same = isInsensitive ? insensitive : exact;
        // A disk that ignores case lists one of two names that it does not tell apart.
        const kept = [...new Map(files.map((file) => [same(file.split('/')[0]!), file])).values()].map(
          (one) => `/r/${one}`,
        );
        const disk = diskOf(kept, same);
        const listed = listedPath('/r', asked, disk);
        const isThere = disk.exists(`/r/${asked}`);
        if (listed === undefined) assert.ok(!isThere);
        else {
          assert.equal(same(listed), same(asked));
          assert.ok(kept.some((file) => `${file}/`.startsWith(`/r/${listed}/`)));
        }
      }),
    );
  });

  it('is found on this disk, also through links', () => {
    const root = folder();
    writeFiles(root, { 'src/a.ts': '', 'src/1': '' });
    assert.equal(listedPath(root, 'src/a.ts'), 'src/a.ts');
    assert.equal(listedPath(root, 'src/1'), 'src/1');
    assert.equal(listedPath(root, 'src/2'), undefined);
    assert.equal(listedPath(root, 'src/a.ts/b'), undefined);
    if (process.platform === 'win32') {
      assert.equal(listedPath(root, 'SRC/A.ts'), 'src/a.ts');
      return;
    }
    symlinkSync('src', `${root}/link`);
    assert.equal(listedPath(root, 'link/a.ts'), 'link/a.ts');
  });
});
