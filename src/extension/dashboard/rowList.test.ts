import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SortedList, type SourceRow } from './rowList.ts';

const COLUMNS = [
  { name: 'identity', title: 'Person', kind: 'text', about: '' },
  { name: 'share', title: 'Share', kind: 'share', about: '' },
] as const;

const rows: fc.Arbitrary<SourceRow[]> = fc
  .array(
    fc.record({ name: fc.constantFrom('Ada', 'ada', 'Bob', 'Eve'), share: fc.option(fc.nat(4), { nil: undefined }) }),
  )
  .map((all) => all.map(({ name, share }, i) => ({ id: String(i), cells: [name, share], tone: 'plain', used: null })));

describe('a sorted list', () => {
  it('has each row once, unknown values last, and equal ones by name', () => {
    fc.assert(
      fc.property(rows, fc.boolean(), (all, descending) => {
        const list = new SortedList('people', COLUMNS, 'People', 'share');
        list.fill(all, '');
        list.sort('share', descending);
        const sorted = list.table.rows;
        assert.deepEqual(sorted.map((row) => row[1]).sort(), all.map(({ cells }) => cells[1]).sort());
        for (let i = 1; i < sorted.length; i++) {
          const [[name, a], [next, b]] = [sorted[i - 1] as [string, number?], sorted[i] as [string, number?]];
          if (a === undefined) assert.equal(b, undefined);
          else if (b !== undefined) assert.ok(descending ? a >= b : a <= b);
          if (a === b) assert.ok(name.toLowerCase() <= next.toLowerCase());
        }
      }),
    );
  });

  it('has the same rows in parts as in one piece, and ignores case in names', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom('', 'AD', 'b', 'x'), fc.integer({ min: 1, max: 5 }), (all, filter, step) => {
        const list = new SortedList('people', COLUMNS, 'People', 'share');
        list.fill(all, filter);
        const { count } = list.state;
        const pieces = Array.from({ length: Math.ceil(count / step) }, (_, i) => list.rows(i * step, step)).flat();
        assert.deepEqual(pieces, list.rows(0, count));
        const expected = all.filter(({ cells }) => String(cells[0]).toLowerCase().includes(filter.toLowerCase()));
        assert.deepEqual(pieces.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort());
      }),
    );
  });

  it('sorts names with accents beside those without', () => {
    const list = new SortedList('people', COLUMNS, 'People', 'share');
    const names = ['Zürich', 'Österreich', 'ada', 'Émile', 'Bob', 'Ёлка', 'Жук'];
    list.fill(
      names.map((name) => ({ id: name, cells: [name, 1], tone: 'plain', used: null })),
      '',
    );
    list.sort('identity', false);
    assert.deepEqual(
      list.rows(0, 9).map(({ id }) => id),
      ['ada', 'Bob', 'Émile', 'Österreich', 'Zürich', 'Ёлка', 'Жук'],
    );
  });

  it('keeps its order when its rows change, raises its version, and ignores unknown columns', () => {
    const list = new SortedList('people', COLUMNS, 'People', 'share');
    const row = (name: string, share: number): SourceRow => ({
      id: name,
      cells: [name, share],
      tone: 'plain',
      used: null,
    });
    list.fill([row('Ada', 1), row('Bob', 2)], '');
    list.sort('identity', false);
    const { version } = list.state;
    list.fill([row('Eve', 9), row('Ada', 1)], '');
    assert.notEqual(list.state.version, version);
    list.sort('nothing', true);
    assert.deepEqual(
      list.rows(0, 9).map(({ id }) => id),
      ['Ada', 'Eve'],
    );
  });
});
