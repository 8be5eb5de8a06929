import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { ProgressLine, formatRows, printable } from './terminal.ts';

describe('ProgressLine', () => {
  function line(
    terminal: { isTTY?: boolean; columns?: number },
    TERM = 'xterm',
  ): {
    progress: ProgressLine;
    wait: (ms: number) => void;
    said: () => string;
  } {
    const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), terminal) as unknown as NodeJS.WriteStream;
    let now = 0;
    const progress = new ProgressLine(stream, () => now, { TERM });
    return { progress, wait: (ms) => (now += ms), said: () => String(stream.read() ?? '') };
  }

  it('overwrites one line of a terminal, and clears it', () => {
    const { progress, said } = line({ isTTY: true, columns: 80 });
    progress.show(['12 % of 100 files', '3 s left']);
    progress.show(['50 % of 100 files']);
    progress.clear();
    progress.clear();
    const over = '\r\u001b[2K';
    assert.equal(said(), `${over}12 % of 100 files · 3 s left${over}50 % of 100 files${over}`);
  });

  it('fits on any terminal: the least important part is left out first', () => {
    const parts = ['Indexing: 12 % of 78,579 files', '31 s left', '2,100 files/s'];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), (columns) => {
        const { progress, said } = line({ isTTY: true, columns });
        progress.show(parts);
        const shown = said().replace('\r\u001b[2K', '');
        assert.ok(shown.length < columns, `${shown} in ${columns}`);
        assert.ok(parts.join(' · ').startsWith(shown));
        if (columns > 45 && columns < 55) assert.equal(shown, parts.slice(0, 2).join(' · '));
      }),
    );
  });

  it('writes plain lines to a terminal that only shows text, as that of Emacs', () => {
    const { progress, wait, said } = line({ isTTY: true, columns: 80 }, 'dumb');
    progress.show(['1 %']);
    wait(10_000);
    progress.show(['2 %']);
    progress.clear();
    assert.equal(said(), 'sextant: 2 %\n');
  });

  it('writes a plain line every 10 seconds without a terminal', () => {
    const { progress, wait, said } = line({});
    progress.show(['1 %']);
    wait(9_999);
    progress.show(['2 %']);
    assert.equal(said(), '');
    wait(1);
    progress.show(['3 %', '1 min left']);
    progress.show(['4 %']);
    wait(10_000);
    progress.show(['5 %']);
    progress.clear();
    assert.equal(said(), 'sextant: 3 %, 1 min left\nsextant: 5 %\n');
  });
});

describe('formatRows', () => {
  it('aligns values, and wraps them to a narrow terminal', () => {
    const rows = [
      ['Files', '15'],
      ['Languages', 'typescript 7, go 2, markdown 1, sql 1'],
    ] as const;
    const write = (): void => undefined;
    assert.equal(formatRows(rows), '  Files      15\n  Languages  typescript 7, go 2, markdown 1, sql 1\n');
    // A terminal may have no size, as in a container.
    assert.equal(formatRows(rows, { columns: 0, write }), formatRows(rows));
    assert.equal(
      formatRows(rows, { columns: 36, write }),
      '  Files      15\n  Languages  typescript 7, go 2,\n             markdown 1, sql 1\n',
    );
  });
});

describe('printable', () => {
  it('replaces all characters that control a terminal, and keeps the length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = printable(text);
        assert.equal(shown.length, text.length);
        assert.doesNotMatch(shown, /[\p{Cc}\u2028\u2029\u202e]/u);
      }),
    );
    assert.equal(printable('a\u001b[31mb\n\u202ec'), 'a [31mb  c');
  });

  it('replaces marks of direction and characters that are not seen, but for those that join letters', () => {
    assert.equal(printable('a\u200e\u200f\u061cb\u200b\u2060\ufeffc'), 'a   b   c');
    const joined = 'می\u200cخواهم 👩\u200d💻';
    assert.equal(printable(joined), joined);
  });
});
