import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import { assertGolden } from '../../test/support/golden.ts';
import { splitPrompt, promptOf } from './contract.ts';
import { readRetrieval, formatRetrieval, type RetrievedFile, type RetrievedPlace } from './formatRetrieval.ts';

const numbered = (count: number, text: (line: number) => string = (line) => `line ${line}`): string =>
  Array.from({ length: count }, (_, i) => `${text(i + 1)}\n`).join('');

describe('a formatted retrieval', () => {
  it('counts lines as the index does, also those that end with a carriage return alone', () => {
    const files = [{ path: 'old.txt', text: 'one\rtwo\rthree\r', places: [{ startLine: 2, endLine: 2 }] }];
    assert.deepEqual(readRetrieval(formatRetrieval(files, 1000)), [{ path: 'old.txt', startLine: 2, lines: ['two'] }]);
  });

  it('has files in the given order, whole definitions, numbers, and marks where lines are left out', () => {
    const files: RetrievedFile[] = [
      {
        path: 'src/retry.ts',
        text: [
          "import { wait } from './wait.ts';",
          '',
          '/** Tries again. */',
          'export async function retry(times: number): Promise<void> {',
          '\tfor (let i = 0; i < times; i++) {',
          '',
          '\t\tawait wait(i);',
          '\t}',
          '}',
          '',
          'export const unrelated = 1;',
          ...Array.from({ length: 9 }, (_, i) => `const filler${i} = ${i};`),
          'export function last(): void {}',
        ].join('\n'),
        places: [
          { startLine: 7, endLine: 7, definition: { startLine: 3, endLine: 9 } },
          { startLine: 21, endLine: 21, definition: { startLine: 21, endLine: 21 } },
        ],
      },
      { path: 'docs/päth with\nbreak.md', text: 'Retries.\r\nAnd more.\r\n', places: [{ startLine: 1, endLine: 2 }] },
      { path: 'empty.txt', text: '', places: [{ startLine: 1, endLine: 1 }] },
      {
        path: 'long.json',
        text: `${'x'.repeat(999)}😀${'y'.repeat(2000)}\n{}\n`,
        places: [{ startLine: 1, endLine: 1 }],
      },
      {
        path: 'src/large.ts',
        text: numbered(500),
        places: [{ startLine: 200, endLine: 203, definition: { startLine: 100, endLine: 400 } }],
      },
    ];
    assertGolden('retrieval.txt', `${formatRetrieval(files, 6000)}\n`);
  });

  it('reports that nothing was found', () => {
    assert.equal(formatRetrieval([], 20_000), 'No code was found for this.');
  });

  it('shows the beginning of the best place if that alone is too long', () => {
    const text = formatRetrieval(
      [{ path: 'a.ts', text: numbered(1000), places: [{ startLine: 11, endLine: 900 }] }],
      200,
    );
    assert.match(text, /^.*\nPath: a\.ts\n\.\.\.\n {4}11\tline 11\n {4}12\tline 12\n/);
    assert.ok(text.length <= 200 && text.endsWith('\n...'), text);
  });

  it('shows the beginning of a place that is too large a share of the whole', () => {
    const places = [{ startLine: 11, endLine: 900, definition: { startLine: 11, endLine: 900 } }];
    const text = formatRetrieval([{ path: 'a.ts', text: numbered(1000), places }], 6000);
    const [shown] = readRetrieval(text);
    assert.deepEqual([shown?.startLine, shown?.lines.length], [11, 60]);
  });

  it('shows the best places of several files before the further places of one', () => {
    const places = [1, 101, 201, 301].map((startLine) => ({ startLine, endLine: startLine + 19 }));
    const files = ['a', 'b', 'c'].map((path) => ({ path, text: numbered(400), places }));
    const text = formatRetrieval(files, 1300);
    assert.deepEqual(
      [...text.matchAll(/^Path: (.)$/gm)].map(([, path]) => path),
      ['a', 'b', 'c'],
    );
  });

  it('is never too long, and each line of it is one of the file, with its number, in order, with gaps marked', () => {
    const place = fc
      .tuple(fc.integer({ min: 1, max: 120 }), fc.nat(30), fc.nat(40), fc.nat(40), fc.boolean())
      .map(([start, length, before, after, isIn]): RetrievedPlace => {
        const lines = { startLine: start, endLine: start + length };
        const definition = { startLine: Math.max(1, start - before), endLine: start + length + after };
        return isIn ? { ...lines, definition } : lines;
      });
    const file = fc.record({
      text: fc
        .array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 150 })
        .map((lines) => lines.join('\n')),
      places: fc.array(place, { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(file, { maxLength: 6 }), fc.integer({ min: 0, max: 4000 }), (found, maxLength) => {
        const files = found.map((one, i) => ({ path: `f${i}`, ...one }));
        const text = formatRetrieval(files, maxLength);
        assert.ok(text.length <= maxLength);
        // The shown lines can be parsed back, line for line.
        const shown = readRetrieval(text).flatMap(({ path, startLine, lines }) =>
          lines.map((line, i) => `${path} ${startLine + i} ${line}`),
        );
        const expected: string[] = [];
        let of = '';
        for (const line of text.split('\n')) {
          const numbered = /^ *(\d+)\t(.*)$/.exec(line);
          if (numbered) expected.push(`${of} ${numbered[1]} ${numbered[2]}`);
          else of = /^Path: (.*)$/.exec(line)?.[1] ?? of;
        }
        assert.deepEqual(shown, expected);
        assert.equal(splitPrompt(promptOf(text, 'the\n\nquestion'))?.question, 'the\n\nquestion');
        let lines: readonly string[] = [];
        let last = 0;
        let isGap = false;
        let lastFile = -1;
        for (const line of text.split('\n').slice(1)) {
          const path = /^Path: f(\d)$/.exec(line)?.[1];
          const at = /^ *(\d+)\t/.exec(line);
          if (path !== undefined) {
            assert.ok(Number(path) > lastFile, 'in rank order');
            assert.ok(last === lines.length || isGap, 'a gap at the end');
            lastFile = Number(path);
            lines = files[lastFile]!.text.replace(/\n$/, '').split('\n');
            if (files[lastFile]!.text === '') lines = [];
            [last, isGap] = [0, false];
          } else if (line === '...') isGap = true;
          else {
            assert.ok(at, line);
            const number = Number(at[1]);
            assert.equal(line, `${String(number).padStart(6)}\t${lines[number - 1]}`);
            assert.equal(number !== last + 1, isGap);
            assert.ok(number > last);
            [last, isGap] = [number, false];
          }
        }
      }),
      { numRuns: times(500) },
    );
  });
});
