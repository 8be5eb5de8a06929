import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { cellAt, notebookText } from './notebook.ts';

interface Cell {
  readonly type: 'code' | 'markdown';
  readonly lines: readonly string[];
}

/** A notebook as Jupyter writes it. */
function notebookOf(cells: readonly Cell[]): string {
  const source = (lines: readonly string[]): string[] =>
    lines.map((line, i) => (i < lines.length - 1 ? `${line}\n` : line));
  const outputs = [{ output_type: 'stream', name: 'stdout', text: ['printed\n'] }];
  return JSON.stringify(
    {
      cells: cells.map(({ type, lines }, i) => ({
        cell_type: type,
        ...(type === 'code' && { execution_count: i, outputs }),
        metadata: { source: ['not a line'] },
        source: source(lines),
      })),
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    },
    undefined,
    1,
  );
}

describe('notebook', () => {
  const lines = fc.array(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\r\n]/.test(text) && text.trim() !== ''),
    { minLength: 1, maxLength: 5 },
  );
  const cells = fc.array(fc.record({ type: fc.constantFrom('code' as const, 'markdown' as const), lines }), {
    maxLength: 5,
  });

  it('has the text of the cells at the lines of the file, and nothing else', () => {
    fc.assert(
      fc.property(cells, (all) => {
        const json = notebookOf(all);
        const found = notebookText(json)!.split('\n');
        assert.equal(found.length, json.split('\n').length);
        const wanted = all.flatMap(({ type, lines: own }) =>
          own.map((line) => (type === 'code' ? line : `# ${line}`.trimEnd())),
        );
        assert.deepEqual(
          found.filter((line) => line !== ''),
          wanted,
        );
        const places = all.flatMap(({ lines: own }, cell) => own.map((_, i) => ({ cell, line: i + 1 })));
        const numbers = found.flatMap((line, i) => (line === '' ? [] : [i + 1]));
        assert.deepEqual(
          numbers.map((number) => cellAt(json, number)),
          places,
        );
        const inFile = numbers.map((number) => json.split('\n')[number - 1]!.trim().replace(/,$/, ''));
        assert.deepEqual(
          inFile.map((line) => (JSON.parse(line) as string).replace(/\n$/, '')),
          all.flatMap((one) => one.lines),
        );
      }),
    );
  });

  it('leaves other JSON, notebooks of other forms, and damaged ones as they are', () => {
    const code = (source: unknown): string =>
      JSON.stringify({ cells: [{ cell_type: 'code', source }], nbformat: 4 }, undefined, 1);
    assert.ok(notebookText(code(['a\n', 'b'])));
    assert.ok(notebookText(code('a')));
    assert.equal(notebookText(code('a\nb')), undefined);
    assert.match(notebookText(code('# A\n\nb').replace('"code"', '"markdown"'))!, /\n# # A b\n/);
    assert.equal(notebookText(code(['a\nb'])), undefined);
    assert.equal(notebookText(JSON.stringify(JSON.parse(code(['a\n', 'b'])))), undefined, 'on one line');
    assert.equal(notebookText(code(['a']).replace('4', '3')), undefined);
    assert.equal(notebookText(code(['a']).slice(0, -3)), undefined);
    for (const other of ['', '[]', '{"cells": []}', 'x = 1', '{"nbformat": 4'])
      assert.equal(notebookText(other), undefined, other);
    assert.equal(cellAt('{}', 1), undefined);
  });
});
