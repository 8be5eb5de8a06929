import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, toNamespacedPath } from 'node:path';
import { silentLogger } from '../../src/base/log.ts';
import { FolderIndex } from '../../src/workspace/folderIndex.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, type FolderOptions } from '../../src/workspace/folderOptions.ts';
import { readIndexable } from '../../src/workspace/readIndexable.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { documentsOf, find, freshDocuments, openIndex } from '../workspace/support.ts';

/** Names that only programs with paths such as `\\?\C:\…` can create on Windows: Git, WSL and Node, for instance. */
const ODD_NAMES = ['aux.ts', 'nul', 'com1.md', 'con/a.ts', 'dot.ts.', 'space.ts ', 'end./b.ts', 'LPT9/x.ts'];
/** 300 characters, in folders of 50. */
const LONG = `${Array.from({ length: 6 }, (_, i) => `${i}`.padEnd(49, 'x')).join('/')}/long.ts`;

function write(root: string, path: string, text: string): void {
  const file = toNamespacedPath(join(root, dirname(path))) + (process.platform === 'win32' ? '\\' : '/');
  mkdirSync(file.slice(0, -1), { recursive: true });
  writeFileSync(`${file}${path.slice(path.lastIndexOf('/') + 1)}`, text);
}

describe('Names of Windows', () => {
  const folder = temporaryFolder();
  const optionsOf = (root: string, stateFolder: string): FolderOptions => ({
    ...{ root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES },
  });

  it('that are reserved, end with a dot or a space, or are long, are found and read', async () => {
    const [root, state] = [folder(), folder()];
    for (const path of [...ODD_NAMES, LONG]) write(root, path, 'export const lantern = 1;\n');
    const index = openIndex(root, state);
    await index.reconcile();
    await index.close();
    const found = await find(root, state, 'lantern');
    assert.deepEqual(found, [...ODD_NAMES, LONG].sort());
    for (const path of found)
      assert.ok('text' in readIndexable(optionsOf(root, state), path, Date.now()), `${path} can be read`);
  });

  it('do not let other spellings of a name read a file that the rules hide', async () => {
    const [root, state] = [folder(), folder()];
    write(root, '.sextantignore', 'private/\nCaf\u00e9.ts\n');
    for (const path of ['private/a.ts', 'id_rsa', '.env', 'Caf\u00e9.ts', 'open/b.ts']) write(root, path, 'text\n');
    const index = openIndex(root, state);
    await index.reconcile();
    await index.close();
    const read = (path: string): boolean => 'text' in readIndexable(optionsOf(root, state), path, Date.now());
    const spellings = [
      ...[
        'private/a.ts',
        'PRIVATE/a.ts',
        'Private/A.TS',
        'private./a.ts',
        'PRIVAT~1/A.TS',
        'id_rsa',
        'ID_RSA',
        'id_rsa.',
      ],
      ...['.env', '.ENV', '.env ', '.env::$DATA', '.env:x', 'cafe\u0301.ts', 'CAF\u00c9.ts', 'Caf\u00e9.ts'],
    ];
    for (const path of spellings) assert.equal(read(path), false, path);
    assert.equal(read('open/b.ts'), true);
    assert.equal(read('OPEN/B.ts'), existsSync(join(root, 'OPEN/B.ts')), 'a file that may be shown is, by any name');
  });

  it('that change their case are moved in the index', async () => {
    const [root, state] = [folder(), folder()];
    write(root, 'src/Lantern.ts', 'export const lantern = 1;\n');
    const index = openIndex(root, state);
    await index.reconcile();
    const rename = (from: string, to: string): void => {
      // Wine does nothing for a rename to other case.
      renameSync(join(root, from), join(root, 'moving'));
      renameSync(join(root, 'moving'), join(root, to));
    };
    rename('src/Lantern.ts', 'src/lantern.ts');
    await index.reconcile();
    rename('src', 'Src');
    await index.reconcile();
    await index.close();
    assert.deepEqual([...documentsOf(state).keys()], ['Src/lantern.ts']);
    assert.deepEqual(documentsOf(state), await freshDocuments(root, folder()));
  });

  it('of state may be long', async () => {
    const [root, above] = [folder(), folder()];
    write(root, 'a.ts', 'export const lantern = 1;\n');
    const state = join(above, dirname(LONG));
    mkdirSync(state, { recursive: true });
    const index = FolderIndex.open(optionsOf(root, state), {
      ...{ logger: silentLogger, now: Date.now, onStatus: () => undefined },
    });
    await index.reconcile();
    await index.close();
    assert.deepEqual(await find(root, state, 'lantern'), ['a.ts']);
    assert.ok(readdirSync(state).length > 0 && lstatSync(state).isDirectory());
  });
});
