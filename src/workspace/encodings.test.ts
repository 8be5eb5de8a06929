import assert from 'node:assert/strict';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { silentLogger } from '../base/log.ts';
import { FileDecoder, type EncodingRule } from './encodings.ts';
import { FolderIndex } from './folderIndex.ts';
import { MAX_FILE_BYTES, type FolderOptions } from './folderOptions.ts';
import { readIndexable } from './readIndexable.ts';
import { Searcher } from './searcher.ts';

describe("Encodings of the editor's settings", () => {
  const all = (encoding: string): EncodingRule[] => [{ files: ['*'], encoding }];
  const read = (rules: readonly EncodingRule[], bytes: Buffer, path = 'src/a.txt'): string =>
    new FileDecoder(rules).decode(path, bytes).toString('utf8');

  it('decode Shift-JIS, GBK, Big5, EUC, KOI8 and the code pages of Windows', () => {
    for (const [encoding, hex, text] of [
      ['shiftjis', '93fa967b8cea', '日本語'],
      ['eucjp', 'c6fccbdcb8ec', '日本語'],
      ['gbk', 'd6d0cec4', '中文'],
      ['gb18030', 'd6d0cec4', '中文'],
      ['cp950', 'a4a4a4e5', '中文'],
      ['euckr', 'c7d1b1db', '한글'],
      ['windows1250', '9a9e', 'šž'],
      ['windows1251', 'efee', 'по'],
      ['windows1252', '939c94', '“œ”'],
      ['windows1253', 'e1e2', 'αβ'],
      ['windows1258', 'fe', '₫'],
      ['koi8r', 'd0cf', 'по'],
      ['koi8u', 'a4', 'є'],
      ['iso88592', 'b9', 'š'],
      ['iso885915', 'a4', '€'],
      ['cp866', 'afae', 'по'],
      ['macroman', '8e', 'é'],
      ['windows874', 'a1', 'ก'],
    ] as const) {
      assert.equal(read(all(encoding), Buffer.from(hex, 'hex')), text, encoding);
    }
  });

  it('decode UTF-16 without a mark, by a rule or by its zeros as the editor does', () => {
    const little = Buffer.from('const café = 1;\n', 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const rules of [[], all('utf8')]) {
      assert.equal(read(rules, little), 'const café = 1;\n');
      assert.equal(read(rules, big), 'const café = 1;\n');
    }
    const chinese = Buffer.from('中文\n字', 'utf16le');
    assert.equal(read(all('utf16le'), chinese), '中文\n字');
    assert.equal(read(all('utf16be'), Buffer.from(chinese).swap16()), '中文\n字');
    assert.equal(read(all('utf16le'), Buffer.from('{"a":1}!')), '{"a":1}!', 'a file that is none');
  });

  it('leave UTF-8, marks, and what does not fit', () => {
    const bytes = Buffer.from('ünï');
    assert.equal(new FileDecoder().decode('a', bytes), bytes, 'the same memory');
    assert.equal(new FileDecoder(all('utf8bom')).decode('a', bytes), bytes);
    const marked = Buffer.from('\ufeff日本');
    assert.equal(new FileDecoder(all('shiftjis')).decode('a', marked), marked);
    const invalid = Buffer.from('ff8020', 'hex');
    assert.equal(new FileDecoder(all('shiftjis')).decode('a', invalid), invalid);
    const binary = Buffer.from([1, 0, 2, 0]);
    for (const encoding of ['windows1251', 'utf16le', 'cp437', 'nonsense']) {
      assert.equal(new FileDecoder(all(encoding)).decode('a', binary), binary, encoding);
    }
  });

  it('come behind Unicode and a guess where the editor guesses first', () => {
    const rules = [{ files: ['*'], encoding: 'gbk', isGuessedFirst: true }] as const;
    const unicode = Buffer.from('重试支付');
    assert.equal(read(rules, unicode), '重试支付');
    assert.notEqual(read(all('gbk'), unicode), '重试支付', 'as the editor shows it');
    const japanese = Buffer.from('8eb8947382b582bd8e7895a582a2', 'hex');
    assert.equal(new FileDecoder(rules).decode('a', japanese), japanese, 'to be guessed');
    const rare = Buffer.from('d8c1d8c2', 'hex');
    assert.equal(read(rules, rare), new TextDecoder('gbk').decode(rare), 'no letter is frequent');
  });

  it('are taken from the first rule for a name or path', () => {
    const rules = [
      { files: ['legacy/**/*.bas'], encoding: 'windows1251' },
      { files: ['*.BAS', 'Makefile'], encoding: 'shiftjis' },
      { files: ['*.md'], encoding: 'utf8' },
      { files: ['*'], encoding: 'gbk' },
    ];
    const decoder = new FileDecoder(rules);
    const found = ['legacy/x/a.bas', 'src/a.bas', 'x/Makefile', 'x/.hidden', 'docs/a.md'];
    assert.deepEqual(
      found.map((path) => decoder.ruleOf(path)?.encoding),
      ['windows1251', 'shiftjis', 'shiftjis', 'gbk', undefined],
    );
  });

  it('name what was tried for a file that is no text', () => {
    const why = (encoding: string): string => new FileDecoder(all(encoding)).whyNotText('a.bas');
    assert.equal(why('utf8'), 'not text in UTF-8, UTF-16 or a guessed encoding');
    assert.equal(why('windows1252'), 'not text in UTF-8, UTF-16, Windows-1252 or a guessed encoding');
    assert.equal(why('shiftjis'), 'not text in UTF-8, UTF-16, Shift-JIS or a guessed encoding');
    assert.equal(why('windows1251'), 'not text in UTF-8, UTF-16, Windows-1251 or a guessed encoding');
    assert.equal(why('cp437'), 'not text in UTF-8, UTF-16 or a guessed encoding; Sextant cannot read cp437');
  });

  describe('of a folder', () => {
    const folder = temporaryFolder();
    const japanese = Buffer.from('2f2f2093fa967b8cea0a6c616e7465726e0a', 'hex');
    const russian = Buffer.from('2320eff0e8e2e5f20a', 'hex');

    /** Paths and lines of the results, after the index is brought up to date. */
    async function find(options: FolderOptions, query: string): Promise<{ lines: string[]; filesRead: number }> {
      const dependencies = { logger: silentLogger, now: () => Date.now() + 60_000, onStatus: () => undefined };
      const index = FolderIndex.open(options, dependencies);
      await index.reconcile();
      const { filesRead } = index.work();
      await index.close();
      const searcher = new Searcher();
      const { results } = await searcher.search({ folders: [options], query, limit: 10 });
      searcher.close();
      return { lines: results.map(({ path, text }) => `${path}: ${text}`), filesRead };
    }

    it('are used when it is indexed, searched and read', async () => {
      const root = folder();
      writeFiles(root, { 'a.txt': japanese, 'b.py': russian, 'c.ts': '// 日本語 привет\n' });
      const encodings = [
        { files: ['*.txt'], encoding: 'shiftjis' },
        { files: ['*.py'], encoding: 'windows1251' },
      ];
      const options = { root, stateFolder: folder(), exclude: [], maxFileBytes: MAX_FILE_BYTES, encodings };
      assert.deepEqual((await find(options, '日本語')).lines.sort(), ['a.txt: // 日本語', 'c.ts: // 日本語 привет']);
      assert.deepEqual((await find(options, 'привет lang:python')).lines, ['b.py: # привет']);
      assert.deepEqual(readIndexable(options, 'a.txt', Date.now()), { text: '// 日本語\nlantern\n' });
      const searcher = new Searcher();
      const { results } = await searcher.search({ folders: [options], query: 'привет', limit: 10 });
      const kept = searcher.relocate({ folders: [options], places: results });
      searcher.close();
      assert.deepEqual(
        kept.map((place) => place?.line),
        [1, 1],
      );
    });

    it('are guessed without settings', async () => {
      const root = folder();
      const chinese = Buffer.from('2f2f20d6d8cad4caa7b0dcb5c4d6a7b8b60a', 'hex');
      writeFiles(root, { 'a.ts': chinese, 'b.txt': japanese, 'c.py': russian });
      const options = { root, stateFolder: folder(), exclude: [], maxFileBytes: MAX_FILE_BYTES };
      assert.deepEqual((await find(options, '支付')).lines, ['a.ts: // 重试失败的支付']);
      assert.deepEqual((await find(options, 'привет')).lines, ['c.py: # привет']);
    });

    it('are applied to the files concerned when they change, which alone are read again', async () => {
      const root = folder();
      const stateFolder = folder();
      const polish = Buffer.from('23209f72f364b36f0a', 'hex');
      writeFiles(root, { 'a.txt': japanese, 'b.py': polish, 'c.ts': 'lantern' });
      const options = { root, stateFolder, exclude: [], maxFileBytes: MAX_FILE_BYTES };
      const before = await find(options, 'źródło');
      assert.deepEqual(before, { lines: [], filesRead: 3 });
      const set = { ...options, encodings: [{ files: ['*.py'], encoding: 'windows1250' }] };
      assert.deepEqual(await find(set, 'źródło'), { lines: ['b.py: # źródło'], filesRead: 1 });
      assert.deepEqual(await find(set, 'źródło'), { lines: ['b.py: # źródło'], filesRead: 0 });
      assert.deepEqual(await find(options, 'źródło'), { lines: [], filesRead: 1 });
      assert.deepEqual((await find(options, 'lantern lang:ts')).lines, ['c.ts: lantern']);
    });

    it('are UTF-8 for a file of UTF-8 with an invalid byte, whose matches are where the editor shows them', async () => {
      const root = folder();
      writeFiles(root, {
        'a.ts': Buffer.concat([Buffer.from('// größe '), Buffer.from([0xe9]), Buffer.from(' straße\n')]),
      });
      const options = { root, stateFolder: folder(), exclude: [], maxFileBytes: MAX_FILE_BYTES };
      assert.deepEqual((await find(options, 'größe')).lines, ['a.ts: // größe \ufffd straße']);
      const searcher = new Searcher();
      const { results } = await searcher.search({ folders: [options], query: 'straße', limit: 10 });
      searcher.close();
      assert.deepEqual(results[0]?.ranges, [{ start: 11, end: 17 }]);
    });

    it('do not let a secret in UTF-16 pass', async () => {
      const root = folder();
      const key = Buffer.from('-----BEGIN PRIVATE KEY-----\nlantern\n', 'utf16le');
      writeFiles(root, { 'key.txt': key });
      const options = { root, stateFolder: folder(), exclude: [], maxFileBytes: MAX_FILE_BYTES };
      assert.deepEqual((await find(options, 'lantern')).lines, []);
      const { refused } = readIndexable(options, 'key.txt', Date.now()) as { refused: string };
      assert.match(refused, /holds keys or passwords/);
    });
  });
});
