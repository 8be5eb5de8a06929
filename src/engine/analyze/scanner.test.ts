import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs, times } from '../../../test/support/runs.ts';
import { IdentifierTable } from './identifiers.ts';
import { MAX_NUMBER, WORD } from './numbers.ts';
import { SourceScan, scan } from './scanner.ts';

interface Line {
  readonly text: string;
  readonly indent: number;
  readonly tokens: readonly string[];
}

function scanned(text: string): Line[] {
  const out = new SourceScan();
  const names: string[] = [];
  const bytes = Buffer.from(text);
  scan(bytes, out, new IdentifierTable(), (identifier, start, end) => {
    assert.equal(identifier, names.length);
    names.push(bytes.toString('utf8', start, end));
  });
  return Array.from({ length: out.lineCount }, (_, line) => ({
    text: out.line(line),
    indent: out.indent[line]!,
    tokens: Array.from(out.tokens.subarray(out.firstToken[line], out.firstToken[line + 1]), (number) => names[number]!),
  }));
}

/** Reads lines by regular expressions, as a reference. */
function naive(text: string): Line[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => {
    const lead = /^[ \t]*/.exec(line)![0];
    let indent = 0;
    for (const character of lead) indent = character === '\t' ? (Math.floor(indent / 8) + 1) * 8 : indent + 1;
    const tokens = (line.match(WORD) ?? []).filter(
      (token) => !/^[0-9]/.test(token) || (token.length > 1 && (token.length <= MAX_NUMBER || /[^\w.+-]/.test(token))),
    );
    return { text: line, indent: lead === line ? -1 : indent, tokens };
  });
}

describe('scan', () => {
  it('agrees with a naive reading of any text', () => {
    const piece = fc.constantFrom(
      'foo',
      'Bar_2',
      'x',
      '12',
      '1',
      '1234567',
      '0xff',
      ' ',
      '  ',
      '\t',
      '\n',
      '\r\n',
      '\r',
      '(',
      ';',
      'ünï',
      '字',
      '"',
      ...['.', '-', '+', 'v', 'V', 'e', 'E', '_', '1e', '7'.repeat(60)],
      ...['、', '\u3000', '—', '“', '\u00a0', '😀', '𠮷', '１', 'サーバー', 'ไทย', 'e\u0301'],
    );
    const character = fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 1 }));
    fc.assert(
      fc.property(fc.array(character, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('').replaceAll('\ufeff', '');
        assert.deepEqual(scanned(text), naive(text));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('reads bytes that are no UTF-8', () => {
    const scanOf = new SourceScan();
    fc.assert(
      fc.property(fc.uint8Array({ min: 0x20, maxLength: 60 }), (bytes) => {
        scan(bytes, scanOf, new IdentifierTable(), () => undefined);
        assert.ok(scanOf.tokenCount <= bytes.length);
      }),
      { numRuns: times(2000) },
    );
  });

  it('grows its arrays with the file', () => {
    const text = Array.from({ length: 40_000 }, (_, i) => `name${i} = ${i % 7}`).join('\n');
    const lines = scanned(text);
    assert.equal(lines.length, 40_000);
    assert.deepEqual(lines[39_999]?.tokens, ['name39999']);
  });

  it('limits the long numbers in tables of data, not those after names', () => {
    const hex = (i: number): string => `0x${(0x10000 + i).toString(16)}`;
    const table = Array.from({ length: 20_000 }, (_, i) => hex(i));
    const one = scanned(`static const table[] = { ${table.join(', ')} };\n`).flatMap(({ tokens }) => tokens);
    const lines = scanned(`${table.join(',\n')}\n12345\n`).flatMap(({ tokens }) => tokens);
    const named = scanned(table.map((number, i) => `#define NAME${i} ${number}\n`).join(''));
    assert.equal(one.length, 3 + 16 + 4096);
    assert.deepEqual([lines.length, lines.at(-1)], [4096 + 1, '12345']);
    assert.ok(named.every(({ tokens }, i) => tokens.at(-1) === hex(i)));
  });

  it('skips a byte order mark', () => {
    assert.deepEqual(scanned('\ufefffoo')[0]?.tokens, ['foo']);
  });
});
