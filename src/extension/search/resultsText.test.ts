import assert from 'node:assert/strict';
import type { KeptPlace } from '../../workspace/resultPlace.ts';
import { asLines, resultsAsMarkdown, asSearchEditor, groupByFile } from './resultsText.ts';

describe('Results as text', () => {
  const place = (path: string, line: number, text: string): KeptPlace => ({
    root: '/work/harbour',
    path,
    startLine: line,
    endLine: line,
    line,
    text,
    ranges: [],
  });
  const places = [place('b.ts', 12, 'lantern(`x`);'), place('a b.ts', 1, '# **lantern**'), place('b.ts', 3, 'let b;')];

  it('lists files in the order of the results, and lines in the order of the file', () => {
    assert.deepEqual(
      groupByFile(places).map(({ path, places: own }) => [path, own.map(({ line }) => line)]),
      [
        ['b.ts', [3, 12]],
        ['a b.ts', [1]],
      ],
    );
  });

  it('writes lines, Markdown and a search editor', () => {
    assert.equal(asLines(places.slice(0, 1)), 'b.ts:12: lantern(`x`);\n');
    assert.equal(
      resultsAsMarkdown('lantern', places),
      '# `lantern`\n\n## `b.ts`\n\n- 3: `let b;`\n- 12: `` lantern(`x`); ``\n\n## `a b.ts`\n\n- 1: `# **lantern**`\n',
    );
    const expected =
      '# Query: lantern\n\n3 results - 2 files\n\nb.ts:\n   3: let b;\n  12: lantern(`x`);\n\na b.ts:\n  1: # **lantern**\n';
    assert.equal(asSearchEditor('lantern', places), expected);
    const nameOf = (): string => 'Books';
    assert.equal(asLines(places.slice(0, 1), nameOf), 'Books/b.ts:12: lantern(`x`);\n');
    assert.match(resultsAsMarkdown('lantern', places, nameOf), /\n## `Books\/a b\.ts`\n/);
    assert.match(asSearchEditor('lantern', places.slice(0, 1), nameOf), /1 result - 1 file\n\nBooks • b.ts:\n/);
  });
});
