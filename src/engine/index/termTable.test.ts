import assert from 'node:assert/strict';
import { Field, termHash } from './format.ts';
import { TermTable } from './termTable.ts';

describe('the table of terms', () => {
  const inOrder = (table: TermTable): boolean => {
    const terms = [...table.sorted()];
    const ordered = terms.toSorted((a, b) => table.highOf(a) - table.highOf(b) || table.keyOf(a) - table.keyOf(b));
    return terms.length === table.size && terms.every((term, i) => term === ordered[i]);
  };

  it('numbers terms in the order in which they come, and each once', () => {
    const table = new TermTable();
    const numbers = Array.from({ length: 100_000 }, (_, i) => table.number(Field.body, `word${i}`));
    assert.ok(numbers.every((number, i) => number === i));
    assert.equal(table.number(Field.body, 'word77'), 77);
    assert.equal(table.number(Field.symbol, 'word77'), 100_000);
    assert.ok(inOrder(table));
  });

  it('sorts the terms of a bucket, few or many, by their keys', () => {
    const table = new TermTable();
    for (let i = 0; table.size < 150; i++) {
      const text = i.toString(36);
      if (termHash(Field.body, text).bucket === 7) for (const field of Object.values(Field)) table.number(field, text);
      else if (i < 100) table.number(Field.body, text);
    }
    assert.ok(inOrder(table));
  });
});
