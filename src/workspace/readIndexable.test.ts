import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, type FolderOptions } from './folderOptions.ts';
import { readIndexable } from './readIndexable.ts';
import { Searcher } from './searcher.ts';

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n';

describe('Reading a file to show it', () => {
  const folder = temporaryFolder();

  function open(): FolderOptions {
    const root = join(folder(), 'project');
    writeFiles(root, {
      'src/a.ts': 'export const a = "ä";\n',
      '.env': 'TOKEN=1\n',
      'deploy.txt': KEY,
      '.gitignore': 'dist/\n',
      'dist/main.js': 'x\n',
      '../outside.txt': 'outside\n',
    });
    execFileSync('git', ['init', '-q', root]);
    symlinkSync('../outside.txt', join(root, 'link.txt'));
    symlinkSync('..', join(root, 'up'));
    return { root, stateFolder: folder(), exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
  }

  it('returns the text on disk', () => {
    assert.deepEqual(readIndexable(open(), 'src/a.ts', Date.now()), { text: 'export const a = "ä";\n' });
  });

  it('returns a file whose name has a backslash where that separates no folders', function () {
    if (process.platform === 'win32') return this.skip();
    const options = open();
    writeFiles(options.root, { 'src/dev-by\\x2dlabel.swap': 'What=/dev/sda\n' });
    const path = String.raw`src/dev-by\x2dlabel.swap`;
    assert.deepEqual(readIndexable(options, path, Date.now()), { text: 'What=/dev/sda\n' });
    assert.ok('refused' in readIndexable(options, String.raw`src\a.ts`, Date.now()));
    assert.ok('refused' in readIndexable(options, String.raw`..\outside.txt`, Date.now()));
  });

  it('refuses secrets, skipped files and paths outside the folder, with the reason', () => {
    const options = open();
    const refused: Readonly<Record<string, RegExp>> = {
      '.env': /keys or passwords/,
      'deploy.txt': /keys or passwords/,
      'dist/main.js': /ignored/,
      '.git/config': /excluded/,
      'link.txt': /symbolic link/,
      'up/outside.txt': /symbolic link/,
      src: /folder/,
      'nowhere.ts': /no file/,
      '': /folder|not in/,
    };
    for (const [path, why] of Object.entries(refused)) {
      const read = readIndexable(options, path, Date.now());
      assert.match('refused' in read ? read.refused : `read ${path}`, why);
    }
    const outside = join(dirname(options.root), 'outside.txt');
    for (const path of [
      '../outside.txt',
      'src/../../outside.txt',
      'src/../.env',
      './.env',
      '.env/',
      outside,
      'a\0b',
      String.raw`..\outside.txt`,
    ])
      assert.ok('refused' in readIndexable(options, path, Date.now()), path);
  });

  it('returns an unsaved text, and refuses it once it is a secret', () => {
    const options = open();
    const searcher = new Searcher();
    searcher.setUnsaved({ root: options.root, path: 'src/a.ts', text: 'typed' });
    assert.deepEqual(searcher.read(options, 'src/a.ts'), { text: 'typed' });
    searcher.setUnsaved({ root: options.root, path: 'src/a.ts', text: KEY });
    assert.ok('refused' in searcher.read(options, 'src/a.ts'));
    searcher.close();
  });
});
