import assert from 'node:assert/strict';
import { cutToColumns, formatColumns } from './columns.ts';

describe('Columns of a terminal', () => {
  it('align names of any script', () => {
    const rows = [
      ['name', 'cost'],
      ['山田太郎', '7'],
      ['김철수', '12'],
      ['Zoe\u0308', '3'],
      ['ｶﾅ 🚀', '5'],
    ];
    assert.equal(
      formatColumns(rows, { isNumber: (column) => column === 1 }),
      'name      cost\n山田太郎     7\n김철수      12\nZoe\u0308          3\nｶﾅ 🚀        5\n',
    );
  });

  it('keep characters that move the cursor or turn the text out', () => {
    assert.equal(formatColumns([['a\u202eb\x1b[1m', 'c\nd']]), 'a b [1m  c d\n');
  });

  it('cut a line where it ends on the screen', () => {
    assert.equal(cutToColumns('plain', 5), 'plain');
    assert.equal(cutToColumns('plain text', 5), 'plai…');
    assert.equal(cutToColumns('日本', 4), '日本');
    assert.equal(cutToColumns('日本語', 5), '日本…');
    assert.equal(cutToColumns('日本語', 4), '日…');
    assert.equal(cutToColumns('cafe\u0301', 4), 'cafe\u0301');
    assert.equal(cutToColumns('cafe\u0301s', 4), 'caf…');
  });
});
