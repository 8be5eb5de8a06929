import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { compileLine, compilePart, compilePhrase, compileWords, type PhraseMatch } from './phrase.ts';

describe('compilePhrase', () => {
  const at = (phrase: string, content: string): PhraseMatch | undefined => compilePhrase(phrase).firstIn(content);
  const place = (line: number, column: number, endLine: number, endColumn: number): PhraseMatch => ({
    ...{ line, column, endLine, endColumn },
  });

  it('finds characters literally, in the middle of words, ignoring case', () => {
    assert.deepEqual(at('a.b(', 'x\nxA.B()'), place(2, 1, 2, 5));
    assert.equal(at('a.b', 'acb'), undefined);
    assert.deepEqual(at('größe', 'GRÖßE'), place(1, 0, 1, 5));
    assert.deepEqual(at('\\n', 'say "\\n"'), place(1, 5, 1, 7));
  });

  it('finds characters in any form of Unicode', () => {
    assert.deepEqual(at('größe Å', 'x größe Å'.normalize('NFD')), place(1, 2, 1, 11));
    assert.deepEqual(at('größe Å'.normalize('NFD'), 'x größe Å'.normalize()), place(1, 2, 1, 9));
    assert.deepEqual(at('\u212b', '\u212b \u00c5'), place(1, 0, 1, 1));
  });

  it('matches any run of spaces and line breaks with any other', () => {
    assert.deepEqual(at('return  x', 'a\r\nreturn\r\n\t x;'), place(2, 0, 3, 3));
    assert.equal(at('return x', 'returnx'), undefined);
    assert.deepEqual(at(' x ', 'a\n  x\n'), place(1, 1, 3, 0));
    assert.equal(at(' x', 'x'), undefined);
  });

  it('counts UTF-16 columns, and lines by every kind of break', () => {
    assert.deepEqual(at('b', '😀\r\r\n\n😀b'), place(4, 2, 4, 3));
    assert.deepEqual(at('😀', 'a😀'), place(1, 1, 1, 3));
  });

  it('lists matches without overlap', () => {
    assert.deepEqual(compilePhrase('aa').allIn('aaaaa\naa'), [place(1, 0, 1, 2), place(1, 2, 1, 4), place(2, 0, 2, 2)]);
    assert.equal(compilePhrase('a').allIn('aaaa', 3).length, 3);
  });

  it('may be of any length, and begin more than once', () => {
    const words = Array.from({ length: 12_000 }, (_, i) => `😀a.${i}(`);
    const content = `${words.slice(0, 9_000).join(' ')} 😀a\n${words.join('\r\n')} end`;
    assert.deepEqual(at(words.join('\t'), content), place(2, 0, 12_001, '😀a.11999('.length));
    assert.deepEqual(at(`😀A\n${words.join('  ')} END`, content)?.column, words.slice(0, 9_000).join(' ').length + 1);
    assert.equal(at(`${words.join(' ')} and`, content), undefined);
    const long = 'x'.repeat(150_000);
    assert.deepEqual(at(long.toUpperCase(), `xx ${long}`), place(1, 3, 1, 150_003));
    assert.equal(compilePhrase(long.slice(0, 3_000)).allIn(long).length, 50);
  });

  it('searches a megabyte of spaces without quadratic time', () => {
    const content = ' '.repeat(1_000_000);
    for (const phrase of [' x', 'x ', ' x ', '  '])
      assert.equal(compilePhrase(phrase).firstIn(content) !== undefined, phrase === '  ');
  });

  it('finds what a naive search finds, at the same positions', () => {
    const unit = fc.constantFrom('a', 'B', 'é', '.', '😀', '𐐀', ' ', '\t', '\r\n', '\n', '\r');
    const phrase = fc.string({ unit, minLength: 1, maxLength: 4 });
    const content = fc.string({ unit, maxLength: 40 });
    fc.assert(
      fc.property(phrase, content, (text, within) => {
        const { firstIn, allIn } = compilePhrase(text);
        const fold = (any: string): string => any.toLowerCase().replace(/\s+/g, ' ');
        const all = allIn(within);
        assert.equal(all.length > 0, fold(within).includes(fold(text)));
        assert.deepEqual(all[0], firstIn(within));
        let previous = 0;
        for (const { line, column, endLine, endColumn } of all) {
          const start = offsetOf(within, line, column);
          const end = offsetOf(within, endLine, endColumn);
          assert.equal(fold(within.slice(start, end)), fold(text));
          assert.ok(start >= previous && start < end);
          previous = end;
        }
      }),
      { numRuns: times(5000) },
    );
  });
});

describe('compileWords', () => {
  it('takes each letter, mark and digit for a part of a word, so that only one way leads through a text', () => {
    const phrase = compileWords('xx yy')!;
    for (let code = 0; code < 0x1_0000; code++) {
      const character = String.fromCharCode(code);
      if (/[\p{L}\p{N}\p{M}_]/u.test(character))
        assert.equal(phrase.firstIn(`xx ${character} yy`), undefined, code.toString(16));
    }
    for (const sign of '.,-+(){}<>"\u2019\u2014\u20ac\u2122\u3001\uff0c')
      assert.ok(phrase.firstIn(`xx ${sign} yy`), sign);
  });

  it('fails in a text of repeated words of any script', () => {
    for (const [word, last] of ['ab z', 'ａｂ ｃ', 'ﾘﾄ ﾗ', 'ⅷⅷ ⅹ'].map((words) => words.split(' '))) {
      const typed = `${`${word} `.repeat(12)}${last}`;
      const text = `${last} ${`${word} `.repeat(1_000)}`;
      assert.equal(compileWords(typed)!.firstIn(text), undefined);
      assert.equal(compilePart(typed.split(' '), 13)(text), undefined);
    }
  });
});

describe('compileLine', () => {
  it('reads a line once, however often it has the number', () => {
    const line = '7 '.repeat(500_000);
    assert.equal(compileLine(['7', 'foo'])!.firstIn(`${line}\n7 bar`), undefined);
    assert.deepEqual(compileLine(['7', 'foo'])!.firstIn(`7\r\n${line}\r\nfoo 7, 7`), {
      line: 3,
      column: 0,
      endLine: 3,
      endColumn: 'foo 7, 7'.length,
    });
  });
});

describe('compilePart', () => {
  it('finds the longest part that compileWords finds, of different words', () => {
    const names = ['amber', 'birch', 'cedar', '1.5', 'delta', 'fjord', 'gulf', 'hub'];
    const typed = fc.shuffledSubarray(names, { minLength: 5 });
    // Most of them in their order.
    const row = typed.chain((words) => {
      const part = fc.tuple(fc.nat(7), fc.nat(9)).map(([from, length]) => words.slice(from, from + length));
      return fc.tuple(fc.constant(words), fc.array(part, { maxLength: 8 }), fc.constantFrom(' ', ', ', '\n'));
    });
    fc.assert(
      fc.property(row, ([words, parts, gap]) => {
        const text = parts.flat().join(gap);
        const least = Math.max(4, Math.ceil(0.75 * words.length));
        let longest = 0;
        for (let from = 0; from + least <= words.length; from++)
          for (let to = from + least; to <= words.length; to++)
            if (compileWords(words.slice(from, to).join(' '))!.firstIn(text)) longest = Math.max(longest, to - from);
        assert.equal(compilePart(words, least)(text)?.length ?? 0, longest);
      }),
      { numRuns: times(2000) },
    );
  });
});

function offsetOf(content: string, line: number, column: number): number {
  const lines = content.split(/(\r\n|\r|\n)/);
  return lines.slice(0, 2 * (line - 1)).join('').length + column;
}
