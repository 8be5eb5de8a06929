import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { runs } from '../../../test/support/runs.ts';
import { isIndexable, splitIdentifier, stem } from '../analyze/words.ts';
import { documentId } from '../documentId.ts';
import { MemorySegment } from '../index/memorySegment.ts';
import { Segment, noDeletions, setBit } from '../index/snapshot.ts';
import { editDistance } from './similar.ts';
import { nearestWords } from './spelling.ts';

function segmentOf(texts: readonly string[]): Segment {
  return new MemorySegment(
    texts.map((text, i) => ({ id: documentId(`${i}`, Buffer.from(text)), path: `${i}`, text: Buffer.from(text) })),
  );
}

function withDeleted({ entry, reader }: Segment, documents: readonly number[]): Segment {
  const bits = noDeletions(reader.documents);
  for (const document of documents) setBit(bits, document);
  return new Segment(entry, reader, bits);
}

describe('nearestWords', () => {
  const words = (typed: string, segments: readonly Segment[], limit?: number): string[] =>
    nearestWords(typed, segments, limit).map(({ word }) => word);

  it('finds words that a text has with accents', () => {
    const segment = segmentOf(['configuração do serviço', 'Größe']);
    assert.deepEqual(words('configuracoa', [segment]), ['configuracao']);
    assert.deepEqual(words('grsose', [segment]), ['grosse']);
  });

  it('finds words with one typing mistake of each kind', () => {
    const segment = segmentOf(['request parser receive configuration', 'width length']);
    const cases: Record<string, string> = {
      reqest: 'request',
      requestt: 'request',
      reqyest: 'request',
      reuqest: 'request',
      recieve: 'receive',
      cnofiguraiton: 'configuration',
      lenght: 'length',
      Widht: 'width',
    };
    for (const [typed, word] of Object.entries(cases)) assert.deepEqual(words(typed, [segment]), [word], typed);
  });

  it('keeps the first letter, and allows one edit in short words', () => {
    const segment = segmentOf(['parser tree value gets']);
    for (const typed of ['barser', 'treee2', 'vaule1', 'aprser', 'pxrsxr', 'gts', 'tre', 'größe', '']) {
      assert.deepEqual(words(typed, [segment]), [], typed);
    }
    assert.deepEqual(words('pqrqers', [segmentOf(['parser'])]), []);
    assert.deepEqual(words('parserxx', [segment]), ['parser']);
  });

  it('returns the nearest first, then the most frequent over all segments', () => {
    const segments = [segmentOf(['marker marker', 'market']), segmentOf(['market', 'market', 'marvel'])];
    assert.deepEqual(words('markxr', segments), ['marker']);
    assert.deepEqual(words('markerx', segments), ['marker', 'market']);
    assert.deepEqual(words('markeqq', segments), ['market', 'marker']);
    assert.deepEqual(words('markeqq', segments, 1), ['market']);
    assert.deepEqual(nearestWords('markeqq', segments, 1), [{ word: 'market', edits: 2, frequency: 3 }]);
  });

  it('returns one word of each stem', () => {
    assert.deepEqual(words('configurd', [segmentOf(['configured configure', 'configures'])]), ['configure']);
  });

  it('finds words of paths, which no text has', () => {
    const text = Buffer.from('x');
    const segment = new MemorySegment([{ id: documentId('a', text), path: 'src/governor.ts', text }]);
    assert.deepEqual(words('govenror', [segment]), ['governor']);
  });

  it('returns nothing for a word that is there, and no word of removed documents alone', () => {
    const segment = segmentOf(['governor', 'governors cabinet', 'cabinets']);
    assert.deepEqual(words('governor', [segment]), []);
    assert.deepEqual(words('govenror', [segment]), ['governor']);
    assert.deepEqual(words('govenror', [withDeleted(segment, [0, 1])]), []);
    assert.deepEqual(words('cabinat', [withDeleted(segment, [1])]), ['cabinet']);
    assert.deepEqual(words('governor', [withDeleted(segment, [0, 1]), segmentOf(['governer'])]), ['governer']);
  });

  it('finds what comparing with each word finds', () => {
    const letters = fc.constantFrom('a', 'b', 'c', 'd');
    const word = fc.string({ unit: letters, minLength: 2, maxLength: 10 }).map((rest) => `q${rest}`);
    const segments = fc.array(fc.array(fc.array(word, { maxLength: 12 }), { maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(segments, word, (texts, typed) => {
        const all = texts.map((documents) => segmentOf(documents.map((some) => some.join(' '))));
        const listed = [...new Set(texts.flat(2))];
        const maxEdits = typed.length < 4 ? -1 : typed.length < 7 ? 1 : 2;
        const expected = listed.includes(typed)
          ? []
          : listed
              .map((one) => ({ word: one, edits: editDistance(one, typed) }))
              .filter(({ edits }) => edits <= maxEdits);
        const found = nearestWords(typed, all, Infinity);
        for (const { word: one, edits } of found) {
          assert.ok(
            expected.some((other) => other.word === one && other.edits === edits),
            one,
          );
        }
        const stems = new Set(found.map((near) => stem(near.word)));
        assert.equal(stems.size, found.length);
        for (const near of expected) assert.ok(stems.has(stem(near.word)), near.word);
        for (const [i, near] of found.entries()) {
          const next = found[i + 1];
          assert.ok(!next || near.edits < next.edits || near.frequency >= next.frequency || near.edits === next.edits);
        }
        for (const { reader } of all) reader.close();
      }),
      { numRuns: runs(100) },
    );
  });

  describe('in an index of the sources of Sextant', () => {
    const root = join(import.meta.dirname, '../..');
    const texts = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(root, file), 'utf8'));
    const segments = [segmentOf(texts.slice(0, texts.length / 2)), segmentOf(texts.slice(texts.length / 2))];
    const indexed = new Set(texts.flatMap((text) => text.match(/[\w\u0080-\uffff]+/g) ?? []).flatMap(splitIdentifier));

    it('corrects everyday typing mistakes', () => {
      const cases: Record<string, string> = {
        serach: 'search',
        docuemnt: 'document',
        segmnet: 'segment',
        resutls: 'results',
        phrsae: 'phrase',
        dictonary: 'dictionary',
        retreival: 'retrieval',
        webhok: 'webhook',
      };
      for (const [typed, word] of Object.entries(cases)) {
        assert.equal(stem(words(typed, segments)[0] ?? ''), stem(word), typed);
      }
    });

    it('finds what comparing with each word finds', () => {
      const listed = [...indexed].filter((one) => /^[a-z]{3,24}$/.test(one) && isIndexable(one));
      for (const one of listed.filter((other, i) => other.length >= 5 && i % 23 === 0)) {
        const typed = `${one.slice(0, 2)}${one[3]}${one[2]}${one.slice(4)}`;
        if (indexed.has(typed) && isIndexable(typed)) {
          assert.deepEqual(nearestWords(typed, segments), [], typed);
          continue;
        }
        const maxEdits = typed.length < 7 ? 1 : 2;
        const near = new Set(
          listed.filter((other) => other.startsWith(typed[0]!) && editDistance(other, typed) <= maxEdits).map(stem),
        );
        assert.deepEqual(new Set(words(typed, segments, Infinity).map(stem)), near, typed);
      }
    });

    it('takes less than two milliseconds', () => {
      words('serahc', segments);
      // The shortest of many times: the machine may be busy.
      let least = Infinity;
      for (let i = 0; i < 50; i++) {
        const start = performance.now();
        words('docuemtn', segments);
        least = Math.min(least, performance.now() - start);
      }
      assert.ok(least < 2, `${least}`);
    });
  });
});
