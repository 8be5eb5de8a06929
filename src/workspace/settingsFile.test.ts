import assert from 'node:assert/strict';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { FileDecoder } from './encodings.ts';
import { encodingsInSettings } from './settingsFile.ts';

describe('Encodings in .vscode/settings.json', () => {
  const folder = temporaryFolder();

  function encodings(settings: string, ...paths: string[]): (string | undefined)[] {
    const root = folder();
    writeFiles(root, { '.vscode/settings.json': settings });
    const decoder = new FileDecoder(encodingsInSettings(root));
    return paths.map((path) => decoder.ruleOf(path)?.encoding);
  }

  it('are of the folder, of languages and of associated names', () => {
    const settings = `{
      // Old programs.
      "files.encoding": "shiftjis",
      "[python][vb]": { "files.encoding": "windows1251" },
      "[markdown]": { "files.encoding": "utf8" },
      "files.associations": { "*.inc": "vb", "*.txt": "plaintext" },
    }`;
    const paths = ['src/a.c', 'src/a.py', 'a.bas', 'docs/a.md', 'src/a.inc', 'a.txt', 'Makefile'];
    assert.deepEqual(encodings(settings, ...paths), [
      'shiftjis',
      'windows1251',
      'windows1251',
      undefined,
      'windows1251',
      'shiftjis',
      'shiftjis',
    ]);
  });

  it('are guessed first if the editor does', () => {
    const root = folder();
    const rulesOf = (settings: object): unknown => {
      writeFiles(root, { '.vscode/settings.json': JSON.stringify(settings) });
      return encodingsInSettings(root);
    };
    const gbk = { files: ['*'], encoding: 'gbk' };
    assert.deepEqual(rulesOf({ 'files.encoding': 'gbk', 'files.autoGuessEncoding': true }), [
      { ...gbk, isGuessedFirst: true },
    ]);
    assert.deepEqual(rulesOf({ 'files.encoding': 'gbk', 'files.autoGuessEncoding': false }), [gbk]);
    assert.deepEqual(rulesOf({ 'files.autoGuessEncoding': true }), []);
  });

  it('are none where the file is missing, malformed or of another form', () => {
    assert.deepEqual(encodingsInSettings(folder()), []);
    for (const settings of ['', '{', '[]', '7', '{"files.encoding": 7}', '{"files.encoding": "utf8", "[c]": {}}'])
      assert.deepEqual(encodings(settings, 'a.c'), [undefined], settings);
  });
});
