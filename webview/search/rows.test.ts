import assert from 'node:assert/strict';
import type { ShownFile } from '../../src/protocol/searchView.ts';
import { marksInView, RowLayout, shownFrom } from './rows.ts';

describe('Rows of the search view', () => {
  const symbol = { name: 'send', icon: 'symbol-method' };
  const file = (at: number): ShownFile => ({
    key: `/r/${at}.ts`,
    name: `${at}.ts`,
    folder: '',
    alike: 0,
    lines: 2,
    places: [
      { id: 3 * at, line: 1, text: 'a', marks: [], symbol },
      { id: 3 * at + 1, line: 9, text: 'b', marks: [], symbol: null },
    ],
  });
  const files = (count: number): ShownFile[] => Array.from({ length: count }, (_, i) => file(i));
  const heights = { line: 20, double: 40 };

  it('places each row below the one before, whatever its height', () => {
    const layout = new RowLayout(files(2), new Set(['/r/0.ts']), heights);
    assert.deepEqual(
      layout.rows.map(({ at, place }, i) => [at, place?.line, layout.topOf(i), layout.heightOf(i)]),
      [
        [0, undefined, 0, 20],
        [1, undefined, 20, 20],
        [1, 1, 40, 40],
        [1, 9, 80, 20],
      ],
    );
    assert.equal(layout.height, 100);
  });

  it('draws the rows in view and a few around them, of any number', () => {
    const layout = new RowLayout(files(100_000), new Set(), heights);
    assert.equal(layout.height, 8_000_000);
    for (const scrollTop of [0, 4_000_010, 8_000_000 - 600]) {
      const { from, to } = layout.inView(scrollTop, 600);
      assert.ok(to - from < 60, `${from} to ${to}`);
      assert.ok(layout.topOf(from) <= scrollTop && layout.topOf(to - 1) + layout.heightOf(to - 1) >= scrollTop + 600);
    }
    assert.deepEqual(new RowLayout([], new Set(), heights).inView(0, 600), { from: 0, to: 0 });
  });

  it('begins a line where its first match is in view, at a word', () => {
    const text = 'export async function withRetries(attempts: number)';
    const start = text.indexOf('Retries');
    const marks = [{ start, end: start + 7 }];
    assert.equal(shownFrom(text, marks, 40), 0);
    assert.equal(text.slice(shownFrom(text, marks, 30), start + 7), 'async function withRetries');
    assert.equal(text.slice(shownFrom(text, marks, 10), start + 7), 'withRetries'.slice(2));
    assert.equal(text.slice(shownFrom(text, marks, 3), start + 7), 'Retries');
    assert.equal(shownFrom(text, [], 3), 0);
    const far = `${'-'.repeat(300)}match`;
    assert.equal(shownFrom(far, [{ start: 300, end: 305 }], 30), 280);
    assert.equal(shownFrom(far, [{ start: 300, end: 305 }], 150), 250);
  });

  it('scrolls no further than a row needs', () => {
    const layout = new RowLayout(files(100), new Set(), heights);
    assert.equal(layout.scrollTo(0, 500, 200), 0);
    assert.equal(layout.scrollTo(1, 0, 200), 0);
    assert.equal(layout.scrollTo(12, 0, 200), 140);
    assert.equal(layout.pageFrom(0, 200), 7);
    assert.equal(layout.pageFrom(3, -200), 0);
  });

  it('finds the row of a place, also after its file is folded or the place is deleted', () => {
    const open = new RowLayout(files(3), new Set(), heights);
    assert.equal(open.find('/r/1.ts', 9), 5);
    assert.equal(open.find('/r/1.ts', 7), 3);
    assert.equal(open.find('/r/9.ts', 1), -1);
    assert.equal(new RowLayout(files(3), new Set(['/r/1.ts']), heights).find('/r/1.ts', 9), 3);
    assert.equal(open.firstPlace(3), 4);
    assert.equal(new RowLayout([], new Set(), heights).firstPlace(), -1);
  });
});

describe('marksInView', () => {
  const marks = [
    { start: 12, end: 19 },
    { start: 25, end: 30 },
  ];
  const startsIn = (from: number, width: number): number[] => marksInView(marks, from, width).map(({ start }) => start);

  it('leaves out matches behind the end of the row, and the one that the ellipsis replaces', () => {
    assert.deepEqual(startsIn(0, Infinity), [12, 25]);
    assert.deepEqual(startsIn(0, 27), [12, 25]);
    assert.deepEqual(startsIn(0, 26), [12]);
    // An ellipsis at the start takes a character, too.
    assert.deepEqual(startsIn(5, 22), [12]);
    assert.deepEqual(startsIn(5, 23), [12, 25]);
  });
});
