import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { runs, times } from '../../../test/support/runs.ts';
import { splitIdentifier } from '../analyze/words.ts';
import type { PhraseMatch } from './phrase.ts';
import { compileRegex } from './regex.ts';
import { literalsOf } from './regexLiterals.ts';
import { isFault, parseRegex } from './regexSyntax.ts';

/** An expression, and what decides whether JavaScript and RE2 read it alike. */
interface Expression {
  readonly source: string;
  readonly canBeEmpty: boolean;
  /** Whether it prefers one way to match over another that may be longer. */
  readonly hasChoice: boolean;
  /**
   * Whether it repeats what has a choice and can be empty. After an empty turn JavaScript tries the next way, and RE2 ends the
   * repetition: in `x`, `(?:\b|x)*` matches the letter by JavaScript, and is empty by RE2.
   */
  readonly differs: boolean;
}

function join(parts: readonly Expression[], sign: string): Expression {
  const isChoice = sign === '|' && parts.length > 1;
  return {
    source: parts.map(({ source }) => source).join(sign),
    canBeEmpty: isChoice ? parts.some((one) => one.canBeEmpty) : parts.every((one) => one.canBeEmpty),
    hasChoice: isChoice || parts.some((one) => one.hasChoice),
    differs: parts.some((one) => one.differs),
  };
}

function repeat(node: Expression, sign: string): Expression {
  return {
    source: `${node.source}${sign}`,
    canBeEmpty: node.canBeEmpty || /^(?:[*?]|\{0)/u.test(sign),
    hasChoice: node.hasChoice || (sign.length > 1 && sign.endsWith('?')),
    differs: node.differs || (node.canBeEmpty && node.hasChoice && sign !== '{2}'),
  };
}

function plain(canBeEmpty: boolean, ...sources: string[]): fc.Arbitrary<Expression> {
  return fc.constantFrom(...sources).map((source) => ({ source, canBeEmpty, hasChoice: false, differs: false }));
}

function grouped(opening: string): (inner: Expression) => Expression {
  return (inner) => ({ ...inner, source: `${opening}${inner.source})` });
}

/** Expressions of all kinds, over few characters, so that texts match. */
const described = fc.letrec<Record<'choice' | 'sequence' | 'part' | 'atom', Expression>>((tie) => ({
  choice: fc.oneof(
    { weight: 4, arbitrary: tie('sequence') },
    fc.tuple(tie('sequence'), tie('sequence')).map((two) => join(two, '|')),
  ),
  sequence: fc.array(tie('part'), { minLength: 1, maxLength: 5 }).map((parts) => join(parts, '')),
  part: fc.oneof(
    { weight: 3, arbitrary: tie('atom') },
    fc
      .tuple(tie('atom'), fc.constantFrom('*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,1}', '{2,}'))
      .map(([node, sign]) => repeat(node, sign)),
    plain(true, '^', '$', '\\b', '\\B'),
  ),
  atom: fc.oneof(
    { weight: 5, arbitrary: plain(false, 'a', 'b', 'err', 'Err', 'or', ' ', '_', '-', 'X', '7', 'foo bar', '\\.') },
    plain(false, '.', '\\w', '\\d', '\\s', '\\W', '[ab]', '[^a]', '[a-zX]', '[E_]'),
    { depthSize: 'small', weight: 1, arbitrary: tie('choice').map(grouped('(')) },
    { depthSize: 'small', weight: 1, arbitrary: tie('choice').map(grouped('(?:')) },
  ),
})).choice;
const expression = described.map(({ source }) => source);

const text = fc
  .array(fc.constantFrom('a', 'b', 'err', 'Err', 'or', ' ', '_', '-', 'X', '7', 'foo bar', '.', '\n', 'é'), {
    maxLength: 20,
  })
  .map((parts) => parts.join(''));
const flags = fc.constantFrom('', 'i', 's', 'is');

/** Where a text matches: offsets of start and end. */
type Finder = (content: string) => (readonly [start: number, end: number])[];

function inJavaScript(source: string, given: string): Finder {
  return (content) =>
    [...content.matchAll(new RegExp(source, `gm${given}`))].map(({ 0: { length }, index }) => [index, index + length]);
}

/** By the library alone, on the whole of each text. */
function inRe2(source: string, given: string): Finder {
  const bits = { i: RE2JS.CASE_INSENSITIVE, s: RE2JS.DOTALL };
  const compiled = RE2JS.compile(
    source,
    given.split('').reduce((all, flag) => all | bits[flag as 'i' | 's'], RE2JS.MULTILINE),
  );
  return (content) => {
    const found = [];
    for (const matcher = compiled.matcher(content); matcher.find();)
      found.push([matcher.start(), matcher.end()] as const);
    return found;
  };
}

/** Matches that are not empty, within lines but with the flag `s`. */
function places(find: Finder, content: string, given: string): PhraseMatch[] {
  if (given.includes('s')) return matches(find, content);
  return content
    .split('\n')
    .flatMap((line, i) => matches(find, line).map((match) => ({ ...match, line: i + 1, endLine: i + 1 })));
}

function matches(find: Finder, content: string): PhraseMatch[] {
  const at = (offset: number): [line: number, column: number] => {
    const lines = content.slice(0, offset).split('\n');
    return [lines.length, lines.at(-1)!.length];
  };
  return find(content)
    .filter(([start, end]) => end > start)
    .map(([start, stop]) => {
      const [line, column] = at(start);
      const [endLine, endColumn] = at(stop);
      return { line, column, endLine, endColumn };
    });
}

describe('compileRegex', () => {
  const all = async (source: string, content: string, given = ''): Promise<PhraseMatch[]> =>
    (await compileRegex({ text: source, flags: given })).allIn(content);

  it('finds what the regular expressions of JavaScript find, or RE2 where they differ', async () => {
    await fc.assert(
      fc.asyncProperty(described, text, flags, async ({ source, differs }, content, given) => {
        const { allIn, firstIn } = await compileRegex({ text: source, flags: given });
        const expected = places((differs ? inRe2 : inJavaScript)(source, given), content, given);
        assert.deepEqual(allIn(content), expected);
        assert.deepEqual(allIn(content, 2), expected.slice(0, 2));
        assert.deepEqual(firstIn(content), expected[0]);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('ends a repetition at an empty turn, as RE2 does', async () => {
    assert.deepEqual(await all('(?:\\b|x)*', 'x'), []);
    assert.equal((await all('(?:\\b|x)*y', 'xy')).length, 1);
    assert.equal((await all('(?:x|\\b)*', 'x')).length, 1);
  });

  it('counts lines by every kind of break, and UTF-16 columns', async () => {
    const end = { endLine: 3, endColumn: 3 };
    assert.deepEqual(await all('^.b$', 'a\r\n\r😀b\r\nxb'), [
      { line: 3, column: 0, ...end },
      { line: 4, column: 0, endLine: 4, endColumn: 2 },
    ]);
    assert.deepEqual(await all('a\\r\\nb', 'a\r\nb'), [{ line: 1, column: 0, endLine: 2, endColumn: 1 }]);
    assert.deepEqual(await all('a\\nb', 'a\r\nb'), [{ line: 1, column: 0, endLine: 2, endColumn: 1 }]);
  });

  it('matches within lines, unless the expression has a line break', async () => {
    assert.equal((await all('a[^b]*b', 'a\nb')).length, 0);
    assert.equal((await all('a\\s*b', 'a\nb')).length, 0);
    for (const source of ['a\\nb', 'a[\\n]b', '(?s)a.b', '(?s:a.b)'])
      assert.equal((await all(source, 'a\nb')).length, 1);
    assert.equal((await all('a[^b]*b', 'a\nb', 's')).length, 1);
    assert.equal((await all('\\Aa', 'b\na')).length, 0);
    assert.equal((await all('\\\\n.b', 'x\\nab')).length, 1);
  });

  it('takes - for the character behind a set and a range', async () => {
    for (const source of ['x[\\d-:]+x', 'x[0-9-:]+x', 'x[[:digit:]-:]+x'])
      assert.deepEqual(
        (await all(source, 'x1-:x x/x')).map(({ endColumn }) => endColumn),
        [5],
        source,
      );
  });

  it('repeats the part before an empty text without meaning', async () => {
    assert.equal((await all('xy\\Q\\E?', 'x')).length, 1);
  });

  it('distinguishes case only without the flag i', async () => {
    assert.equal((await all('Foo\\d', 'foo1 Foo2 FOO3')).length, 1);
    assert.equal((await all('Foo\\d', 'foo1 Foo2 FOO3', 'i')).length, 3);
    assert.equal((await all('sk', 'S\u212a \u017fk', 'i')).length, 2);
  });

  it('takes linear time where backtracking would take for ever', async () => {
    const content = `${'a'.repeat(5000)}b`;
    for (const source of ['(a+)+$', '(a|a)*c', '(a*)*c', '.*.*.*=.*']) {
      const start = performance.now();
      await all(source, content);
      assert.ok(performance.now() - start < 2000, source);
    }
  });

  it('searches a megabyte fast if it has literal text to look for', async () => {
    const content = 'const value = compute(first, second);\n'.repeat(26_000);
    for (const source of ['\\w+Error\\(', 'foo(bar|baz)\\d+', '^import .* from']) {
      const { firstIn } = await compileRegex({ text: source, flags: '' });
      const start = performance.now();
      assert.equal(firstIn(content), undefined);
      assert.ok(performance.now() - start < 1000, source);
    }
  });
});

describe('parseRegex', () => {
  const messageOf = (source: string): string | undefined => {
    const parsed = parseRegex(source, '');
    return isFault(parsed) ? `${parsed.at} ${parsed.message}` : undefined;
  };

  function isAccepted(source: string): boolean {
    try {
      RE2JS.compile(source, RE2JS.MULTILINE);
      return true;
    } catch {
      return false;
    }
  }

  it('accepts what the library accepts', () => {
    const sign = fc.constantFrom(
      ...[
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        '*',
        '+',
        '?',
        '|',
        '^',
        '$',
        '.',
        '\\',
        '-',
        ',',
        ':',
        '=',
        '!',
        '<',
        '>',
        '/',
      ],
      ...['(?', '(?:', '(?i)', '(?i:', '(?-s:', '(?<n>', '(?P<n>', '[^', '[:', ':]', '[:alpha:]', '[[:digit:]]', 'a-z'],
      ...[
        '\\d',
        '\\W',
        '\\b',
        '\\A',
        '\\z',
        '\\Z',
        '\\1',
        '\\0',
        '\\x41',
        '\\x{1F600}',
        '\\pL',
        '\\p{Greek}',
        '\\p{Foo}',
      ],
      ...['\\Q', '\\E', '{2}', '{2,}', '{2,1}', '{1001}', '{0,1000}', '{,3}', '\\C', '\\/', '\\n', '\\c', '\\u0041'],
      ...['a', 'b', '1', '2', ' ', 'é', '😀', 'i', 'z-a'],
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(sign, { maxLength: 7 }).map((parts) => parts.join('')),
          expression,
        ),
        (source) => {
          assert.equal(messageOf(source) === undefined, isAccepted(source), messageOf(source) ?? 'accepted');
        },
      ),
      { numRuns: runs(4000) },
    );
  });

  const faults: Record<string, RegExp> = {
    'a(b': /^1 This \( is not closed/,
    'ab)': /^2 This \) closes nothing/,
    'x[a-': /^1 This \[ is not closed/,
    'x*+*': /^2 This repeats a repetition/,
    '*x': /^0 There is nothing before this \*/,
    'x(?=y)': /^1 Looking ahead and behind is not supported/,
    '(a)\\1': /^3 Repeating a group is not supported/,
    'a\\': /^1 A backslash is at the end/,
    '[z-a]': /^1 A range in these brackets runs backwards/,
    'x{3,2}': /^1 The first number/,
    'x{1001}': /^0 A part may be repeated 1000 times/,
    '(?x)a': /^0 This kind of parentheses/,
    '\\p{Foo}': /^0 No class of characters/,
  };
  for (const [source, message] of Object.entries(faults)) {
    it(`explains the fault of ${source}`, () => assert.match(messageOf(source) ?? '', message));
  }
});

describe('literalsOf', () => {
  const wordsOf = (source: string, given = ''): readonly string[] => literalsOf(source, given).words;

  const cases: Record<string, readonly string[]> = {
    'cannot open file': ['open'],
    'x error code y': ['error', 'code'],
    '\\bfoo\\b': ['foo'],
    '^import foo$': ['import', 'foo'],
    'foo(bar|baz)\\d+': [],
    '\\w+Error\\(': ['error'],
    'get[A-Z]\\w+': [],
    '\\bget[A-Z]\\w+': ['get'],
    'handle_(read|write)_fault\\b': ['fault'],
    '\\bhandle_(read|write)_fault\\b': ['handle', 'fault'],
    '(foo bar|bar foo) baz;': ['baz'],
    '\\b(foo bar|bar foo)\\b': ['foo', 'bar'],
    'HTTPServer;': ['server'],
    '\\bHTTPServer;': ['http', 'server'],
    '(new )?Map\\(': ['map'],
    '"name": *"[^"]+"': ['name'],
    'the foo a': ['foo'],
    'foo\\s+bar;': ['bar'],
    '(\\bfoo;)+': ['foo'],
    '(\\bfoo;)*': [],
  };
  for (const [source, words] of Object.entries(cases)) {
    it(`takes the certain words of ${source}`, () => assert.deepEqual(wordsOf(source), words));
  }

  it('takes no words where case is ignored', () => assert.deepEqual(wordsOf('\\bfoo\\b', 'i'), []));

  it('takes pieces of all alternatives', () => {
    assert.deepEqual(literalsOf('foo(bar|baz)\\d+ (x|yy)?', '').pieces, ['foobar', 'foobaz']);
    assert.deepEqual(literalsOf('\\w+Error\\(', '').pieces, ['Error(']);
  });

  it('returns words and texts that all matching texts have', () => {
    fc.assert(
      fc.property(expression, text, flags, (source, content, given) => {
        const { words, anyOf, ignoresCase } = literalsOf(source, given);
        if (!new RegExp(source, `m${given}`).test(content)) return;
        const found = new Set((content.match(/[\w\u0080-\uffff]+/g) ?? []).flatMap(splitIdentifier));
        const isForeignBorder = source.includes('\\b') && content.includes('é');
        for (const word of words) assert.ok(found.has(word) || isForeignBorder, word);
        const searched = ignoresCase ? content.toLowerCase() : content;
        if (anyOf.length > 0) assert.ok(anyOf.some((piece) => searched.includes(piece)));
      }),
      { numRuns: times(4000) },
    );
  });
});
