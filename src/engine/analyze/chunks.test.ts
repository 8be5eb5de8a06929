import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Analyzer } from './analyzer.ts';
import { MAX_CHUNK_LINES } from './chunks.ts';

const chunksOf = (path: string, text: string): { readonly start: number; readonly end: number }[] => [
  ...new Analyzer().analyze(path, Buffer.from(text)).chunks,
];

describe('cutChunks', () => {
  it('covers any file without overlap, in chunks of limited length', () => {
    const line = fc.constantFrom(
      '',
      '',
      'def f():',
      '  def g():',
      '    return 1',
      'class A:',
      'x = 1',
      '# note',
      '@wrap',
      'import a',
      'from b import (c,',
      'd)',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 400 }), (lines) => {
        const text = lines.join('\n');
        let next = 0;
        for (const { start, end } of chunksOf('a.py', text)) {
          assert.equal(start, next);
          assert.ok(end >= start);
          assert.ok(end - start + 1 <= MAX_CHUNK_LINES, `${end - start + 1} lines`);
          next = end + 1;
        }
        const count = text === '' ? 0 : text.endsWith('\n') ? lines.length - 1 : lines.length;
        assert.equal(next, count);
      }),
    );
  });

  it('puts a definition and its comment in one chunk', () => {
    const body = (name: string): string =>
      [`/** About ${name}. */`, `function ${name}() {`, ...Array<string>(12).fill('  work();'), '}'].join('\n');
    const [first, second] = chunksOf('a.ts', `${body('first')}\n\n${body('second')}\n`);
    assert.deepEqual(first, { start: 0, end: 15 });
    assert.deepEqual(second, { start: 16, end: 30 });
  });

  it('keeps adjacent imports in a chunk of their own and marks it', () => {
    const text = "// About.\nimport a from 'a';\n\nimport {\n  b,\n} from 'b';\n\nconst one = 1;\nrun();\n";
    assert.deepEqual(new Analyzer().analyze('a.ts', Buffer.from(text)).chunks, [
      { start: 0, end: 0 },
      { start: 1, end: 6, isImports: true },
      { start: 7, end: 8 },
    ]);
  });

  it('cuts a class that is too long at its methods', () => {
    const method = (i: number): string =>
      [`  method${i}() {`, ...Array<string>(20).fill('    work();'), '  }'].join('\n');
    const text = `class Big {\n${[0, 1, 2, 3, 4].map(method).join('\n')}\n}\n`;
    const starts = new Set(chunksOf('a.ts', text).map(({ start }) => start));
    for (const i of [1, 2, 3, 4]) assert.ok(starts.has(1 + i * 22), `method${i} begins a piece`);
  });
});
