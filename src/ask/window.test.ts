import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stem } from '../engine/analyze/words.ts';
import { bestWindow } from './window.ts';

describe('The best window of a long definition', () => {
  const lines = `function send(response, file) {
  const options = {
    root: folder,
    maxAge: 0,
  };
  prepare(
    response,
    options,
  );
  if (file.isLarge) {
    compress(file);
  }

  // Ranges of bytes are sent in parts.
  const ranges = parse(header, file.size)
    .filter(isSatisfiable)
    .map(toPart);
  write(response, ranges);
  return ranges.length;
}`.split('\n');
  const all = { start: 0, end: lines.length - 1 };
  const windowOf = (words: string[], most: number): string[] => {
    const { start, end } = bestWindow(lines, all, words.map(stem), most, false);
    return lines.slice(start, end + 1);
  };

  it('has the lines with the words, and cuts no statement and no comment from it', () => {
    assert.deepEqual(windowOf(['ranges', 'bytes'], 4), lines.slice(13, 17));
    assert.deepEqual(windowOf(['prepare'], 4), lines.slice(5, 9));
    assert.deepEqual(windowOf(['age'], 4), lines.slice(1, 5));
  });

  it('is all of what fits', () => {
    assert.deepEqual(bestWindow(lines, all, ['byte'], 40, false), all);
  });

  it('has whole paragraphs of prose', () => {
    const prose = [
      '# Title',
      '',
      'One line',
      'and another.',
      '',
      '```',
      'code',
      '',
      'more code',
      '```',
      '',
      'Last words.',
    ];
    const { start, end } = bestWindow(prose, { start: 0, end: 11 }, ['code'], 6, true);
    assert.deepEqual(prose.slice(start, end + 1), prose.slice(5, 10));
  });

  it('lies within the given lines, and is never longer than wanted', () => {
    const line = fc.constantFrom('', '  a(', '  )', 'b = 1', '    c,', '}', '// d', 'if x {', '\te', '"""', '](');
    const word = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1 }),
        fc.array(word),
        fc.nat(12),
        fc.boolean(),
        (text, words, most, isProse) => {
          const within = { start: 0, end: text.length - 1 };
          const { start, end } = bestWindow(text, within, words, most + 1, isProse);
          assert.ok(start >= 0 && start <= end && end < text.length && end - start <= most);
        },
      ),
    );
  });
});
