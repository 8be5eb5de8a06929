import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { assertGolden } from '../../../test/support/golden.ts';
import { Analyzer } from './analyzer.ts';
import { LANGUAGES } from './languages.ts';

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/languages');

/** Definitions as an outline: lines from 1, the first with comments and decorators, the naming one, and the last. */
function outline(path: string, text: string): string {
  const { language, definitions } = new Analyzer().analyze(path, Buffer.from(text));
  const open: number[] = [];
  const lines = definitions.map(({ name, kind, start, line, end }) => {
    while (open.length > 0 && open.at(-1)! < line) open.pop();
    const indent = '  '.repeat(open.length);
    open.push(end);
    return `${indent}${kind} ${name} ${start + 1}:${line + 1}-${end + 1}`;
  });
  return `${language}\n${lines.join('\n')}\n`;
}

describe('findDefinitions', () => {
  for (const name of readdirSync(FIXTURES)) {
    it(`outlines ${name}`, () => {
      assertGolden(`definitions/${name}.txt`, outline(name, readFileSync(join(FIXTURES, name), 'utf8')));
    });
  }

  it('takes names in letters of any script', () => {
    const lines: Record<string, string> = {
      'a.py': 'def größe(x):\n    pass\n',
      'a.ts': 'export function größe() {}\n',
      'a.go': 'func größe() {}\n',
      'a.rs': 'fn größe() {}\n',
      'A.java': 'class A {\n  void größe() {\n  }\n}\n',
    };
    for (const [path, text] of Object.entries(lines)) {
      const { definitions } = new Analyzer().analyze(path, Buffer.from(text));
      assert.equal(definitions.at(-1)?.name, 'größe', path);
    }
  });

  it('stays inside the file, names each by its line, and ends on any text', () => {
    const line = fc.constantFrom(
      ...['class A {', '  void run(int a) {', '}', 'def f(x):', '  return 1', 'end', 'function g() {', '', '/*', '*/'],
      ...[
        'int main(void)',
        '{',
        '#define X \\',
        '"""',
        'template <class T>',
        'pub fn x() -> u8 {',
        '# Title',
        'type T =',
        ');',
      ],
    );
    const path = fc.constantFrom(...LANGUAGES.map(({ extensions }) => `file.${extensions[0]}`));
    fc.assert(
      fc.property(path, fc.array(line, { maxLength: 60 }), (file, lines) => {
        const { definitions, scan } = new Analyzer().analyze(file, Buffer.from(lines.join('\n')));
        let previous = -1;
        for (const { name, start, line, end } of definitions) {
          assert.ok(line > previous && start <= line && line <= end && end < scan.lineCount);
          assert.ok(scan.line(line).includes(name));
          previous = line;
        }
      }),
      { numRuns: 1000 },
    );
  });
});
