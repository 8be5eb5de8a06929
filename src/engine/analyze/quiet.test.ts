import assert from 'node:assert/strict';
import { Analyzer } from './analyzer.ts';

/** The numbers, from 1, of the lines in which nothing is defined. */
function quietOf(path: string, lines: readonly string[]): number[] {
  const { quiet } = new Analyzer().analyze(path, Buffer.from(lines.join('\n')));
  return [...quiet].flatMap((is, line) => (is ? [line + 1] : []));
}

describe('quietLines', () => {
  const python: Readonly<Record<string, readonly [lines: readonly string[], quiet: readonly number[]]>> = {
    'a docstring': [
      ['def f():', '  """', '  def g():', '  """', '  x'],
      [3, 4],
    ],
    'a docstring on one line': [['def f():', '  """What."""', 'x'], []],
    'the other kind of quotes in a docstring': [
      ['"""', "it'''s", '"""', 'x'],
      [2, 3],
    ],
    'quotes in a comment': [
      ['# begins with """', 'x', 'y = """', 'text', '"""'],
      [1, 4, 5],
    ],
    'quotes in a string': [['x = \'"""\'', 'y', `z = "'''"`, 'y'], []],
    'a comment sign in a string': [
      ['x = "#"; y = """', 'text', '"""', 'z'],
      [2, 3],
    ],
    'quotes after a backslash': [
      ['x = """', '\\"""', 'text', '\\\\"""', 'y'],
      [2, 3, 4],
    ],
    'an apostrophe without its twin': [
      ["it's", '"""', 'text', '"""', 'y'],
      [3, 4],
    ],
    'empty strings': [['x = ""', "y = ''", 'z = """"""', 'y'], []],
    'two docstrings on a line': [
      ['x = """a""" + """', 'text', '"""', 'y'],
      [2, 3],
    ],
    'quotes that never close': [
      ['x = """', 'y', "z = '''", 'text', "'''"],
      [4, 5],
    ],
  };
  for (const [what, [lines, quiet]] of Object.entries(python)) {
    it(`knows ${what} in Python`, () => assert.deepEqual(quietOf('a.py', lines), quiet));
  }

  it('knows the heredocs of Elixir', () => {
    const lines = ['@doc """', "it's a ''' here", 'def f do', '"""', "x = ~s'''", 'text', "'''", 'def g do'];
    assert.deepEqual(quietOf('a.ex', lines), [2, 3, 4, 6, 7]);
  });

  it('knows block comments where the language has them', () => {
    const lines = ['case $x in', '/*)', '  y', '*/*)', '# z', 'f() {'];
    assert.deepEqual(quietOf('a.c', lines), [2, 3, 4]);
    assert.deepEqual(quietOf('a.sh', lines), [5]);
    assert.deepEqual(quietOf('a.pl', lines), [5]);
    assert.deepEqual(quietOf('a.R', lines), [5]);
  });

  it('knows fenced code in Markdown', () => {
    assert.deepEqual(quietOf('a.md', ['# A', '```', '# no', '```', '# B']), [3, 4]);
  });
});
