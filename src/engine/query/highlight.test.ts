import assert from 'node:assert/strict';
import { Highlighter } from './highlight.ts';
import { parseQuery } from './query.ts';

describe('Highlighter', () => {
  /** A line with its marked ranges in brackets. */
  function marked(query: string, line: string): string {
    let text = '';
    let at = 0;
    for (const { start, end } of new Highlighter(parseQuery(query)).ranges(line)) {
      text += `${line.slice(at, start)}[${line.slice(start, end)}]`;
      at = end;
    }
    return text + line.slice(at);
  }

  it('marks words and names by the rules of the index', () => {
    assert.equal(marked('light lamp', 'lightLamp(lights, lampPost)'), '[lightLamp]([lights], [lamp]Post)');
    assert.equal(marked('aa ba', 'aaAaBa'), '[aa][Aa][Ba]');
  });

  it('marks numbers whole, in each of their spellings', () => {
    assert.equal(marked('0x1f 1000', 'x = 0X1FUL + 1_000 + 0x1f0;'), 'x = [0X1FUL] + [1_000] + 0x1f0;');
    assert.equal(marked('1.2.3', 'v1.2.3, 1.2.3.4, -1.2.3'), '[v1.2.3], 1.2.3.4, -[1.2.3]');
    assert.equal(marked('HTTP 429', 'http(429, 4290)'), '[http]([429], 4290)');
  });

  it('marks words whatever their accents and widths, with the columns of the text', () => {
    assert.equal(
      marked('configuracao', '// Configuração, a configurac\u0327a\u0303o'),
      '// [Configuração], a [configurac\u0327a\u0303o]',
    );
    assert.equal(marked('strasse', '// Straße, STRASSE'), '// [Straße], [STRASSE]');
    assert.equal(marked('api リトライ', '// ＡＰＩキーのﾘﾄﾗｲ'), '// [ＡＰＩ]キーの[ﾘﾄﾗｲ]');
    assert.equal(marked('χρήστης istanbul', '// ΧΡΗΣΤΗΣ İstanbul'), '// [ΧΡΗΣΤΗΣ] [İstanbul]');
  });

  it('marks all matching parts of a text without spaces between its words', () => {
    assert.equal(marked('仕組み この', 'この仕組みは'), '[この][仕組み]は');
    assert.equal(marked('仕組み', '// 仕組 と 組み と 仕組み'), '// [仕組] と [組み] と [仕組み]');
    assert.equal(marked('仕組み', 'lamp仕組みLamp'), 'lamp[仕組み]Lamp');
    assert.equal(marked('锁 𠮷', '分布式锁的锁定 𠮷野家'), '分布式[锁]的[锁]定 [𠮷]野家');
    assert.equal(marked('𠮷野家 屋', '𠮷野家の屋根'), '[𠮷野家]の[屋]根');
    assert.equal(marked('仕組み 組 み', '組仕組み組みみ'), '[組][仕組み][組み][み]');
    const line = '锁'.repeat(300_000);
    assert.equal(new Highlighter(parseQuery('锁 钥匙')).ranges(line).length, line.length);
  });
});
