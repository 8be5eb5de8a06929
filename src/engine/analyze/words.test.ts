import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isIndexable, splitIdentifier, stem } from './words.ts';

describe('splitIdentifier', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['indexHtmlMiddleware', ['index', 'html', 'middleware']],
    ['handle_mm_fault', ['handle', 'mm', 'fault']],
    ['__init__', ['init']],
    ['HTTPServer2', ['http', 'server', '2']],
    ['XMLHttpRequest', ['xml', 'http', 'request']],
    ['MAX_FILE_SIZE', ['max', 'file', 'size']],
    ['größeÄndern', ['größe', 'ändern']],
    ['検索エンジン', ['検索', '索エ', 'エン', 'ンジ', 'ジン']],
    ['字', ['字']],
    ['', []],
  ];
  for (const [identifier, parts] of cases) {
    it(`splits ${identifier || 'nothing'}`, () => assert.deepEqual(splitIdentifier(identifier), parts));
  }

  it('loses no letter or digit, and adds none', () => {
    const identifier = fc.stringMatching(/^[A-Za-z0-9_éßÑж]{0,30}$/);
    fc.assert(
      fc.property(identifier, (text) => {
        assert.equal(splitIdentifier(text).join(''), text.replaceAll('_', '').toLowerCase());
      }),
    );
  });

  it('treats letters outside ASCII by the same rules', () => {
    const ascii = fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/);
    fc.assert(
      // A trailing word in another script takes the general path; what stands before it must split alike.
      fc.property(ascii, (text) => {
        assert.deepEqual(splitIdentifier(`${text}_ж`), [...splitIdentifier(text), 'ж']);
      }),
    );
  });
});

describe('stem', () => {
  it('joins the forms of a word and leaves names alone', () => {
    assert.equal(stem('connections'), stem('connected'));
    assert.equal(stem('sha256'), 'sha256');
    assert.equal(stem('größen'), 'größen');
  });
});

describe('isIndexable', () => {
  it('leaves out stopwords, single letters and blobs, and keeps single characters of scripts without spaces', () => {
    assert.deepEqual(
      ['fault', 'the', 'x', 'a'.repeat(41), '字'].map((word) => isIndexable(word)),
      [true, false, false, false, true],
    );
  });
});
