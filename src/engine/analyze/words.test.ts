import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { AsciiParts, isIndexable, splitIdentifier, stem, withoutAccents, writtenWords } from './words.ts';

describe('splitIdentifier', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['indexHtmlMiddleware', ['index', 'html', 'middleware']],
    ['handle_mm_fault', ['handle', 'mm', 'fault']],
    ['__init__', ['init']],
    ['HTTPServer2', ['http', 'server', '2']],
    ['XMLHttpRequest', ['xml', 'http', 'request']],
    ['MAX_FILE_SIZE', ['max', 'file', 'size']],
    ['größeÄndern', ['grosse', 'andern']],
    ['ＡＰＩキー', ['api', 'キー']],
    ['İstanbul', ['istanbul']],
    ['ΧΡΗΣΤΗΣ', ['χρηστησ']],
    ['учётныйЙод', ['учетный', 'йод']],
    ['בָּרוּךְ', ['ברוך']],
    ['أَحْمَد', ['احمد']],
    ['पासवर्ड', ['पासवर्ड']],
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
        assert.equal(splitIdentifier(text).join(''), withoutAccents(text).replaceAll('_', '').toLowerCase());
      }),
    );
  });

  it('applies the same rules to letters outside ASCII', () => {
    const ascii = fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/);
    fc.assert(
      // A trailing word in another script takes the general path; the text before it must split alike.
      fc.property(ascii, (text) => {
        assert.deepEqual(splitIdentifier(`${text}_ж`), [...splitIdentifier(text), 'ж']);
      }),
    );
  });
});

describe('writtenWords', () => {
  it('adds each character of Chinese and Korean, which may be a word', () => {
    assert.deepEqual(writtenWords('分布式锁'), ['分布', '布式', '式锁', '分', '布', '式', '锁']);
    assert.deepEqual(writtenWords('값을'), ['값을', '값', '을']);
    assert.deepEqual(writtenWords('锁'), ['锁']);
    assert.deepEqual(writtenWords('getUser'), ['get', 'user']);
    assert.deepEqual(writtenWords('größe'), ['grosse']);
  });
});

describe('AsciiParts', () => {
  const parts = new AsciiParts();
  function split(text: string): string[] | undefined {
    // Neither at the beginning nor at the end, to check that the split stays within its bounds.
    const bytes = Buffer.from(`aB1${text}aB1`);
    if (!parts.split(bytes, 3, bytes.length - 3)) return undefined;
    return Array.from({ length: parts.count }, (_, part) =>
      bytes.toString('latin1', parts.starts[part], parts.ends[part]).toLowerCase(),
    );
  }

  /** The definition of parts. */
  const PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g;

  it('splits any text in ASCII as the regular expression and splitIdentifier do', () => {
    const pieces = fc.array(fc.constantFrom('A', 'B', 'c', 'd', '0', '1', '_', '-', '$', '/'), { maxLength: 40 });
    const text = fc.oneof(
      pieces.map((list) => list.join('')),
      fc.string({ unit: 'binary-ascii', maxLength: 300 }),
    );
    fc.assert(
      fc.property(text, (text) => {
        assert.deepEqual(split(text), text.match(PARTS)?.map((part) => part.toLowerCase()) ?? []);
        assert.deepEqual(split(text), splitIdentifier(text));
      }),
      { numRuns: times(2000) },
    );
  });

  it('leaves other text to splitIdentifier', () => assert.equal(split('größeÄndern'), undefined));
});

describe('stem', () => {
  it('leaves out the endings of Russian words', () => {
    const forms = {
      настройк: ['настройка', 'настройки', 'настройками', 'настройке'],
      сервер: ['сервер', 'сервера', 'серверов'],
      важност: ['важность', 'важности'],
      проверя: ['проверяет', 'проверяются', 'проверял'],
      длин: ['длинный', 'длинных', 'длина'],
      для: ['для'],
    };
    for (const [expected, words] of Object.entries(forms)) for (const word of words) assert.equal(stem(word), expected);
  });

  it('joins the forms of a word and leaves names alone', () => {
    assert.equal(stem('connections'), stem('connected'));
    for (const word of ['add', 'adds', 'added', 'adding']) assert.equal(stem(word), 'add');
    for (const word of ['err', 'errs', 'erred']) assert.equal(stem(word), 'err');
    for (const word of ['use', 'used', 'using']) assert.equal(stem(word), 'us');
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
