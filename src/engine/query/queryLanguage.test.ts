import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { FILTER_FIELDS, parseQueryLanguage, type FilterField, type ParsedQuery } from './queryLanguage.ts';

/** The parsed query without offsets: `-path:x` for filters, `-"x"` for phrases, `-x` for words. */
function understood(text: string): Record<string, unknown> {
  const { words, phrases, regexes, filters, excludedWords, problems } = parseQueryLanguage(text);
  const minus = ({ exclude }: { exclude: boolean }): string => (exclude ? '-' : '');
  return {
    words,
    ...(phrases.length > 0 && { phrases: phrases.map((phrase) => minus(phrase) + JSON.stringify(phrase.text)) }),
    ...(regexes.length > 0 && {
      regexes: regexes.map((regex) => `${minus(regex)}/${regex.text}/${regex.flags}`),
    }),
    ...(filters.length > 0 && {
      filters: filters.map((filter) => `${minus(filter)}${filter.field}:${filter.pattern}`),
    }),
    ...(excludedWords.length > 0 && { excluded: excludedWords.map((word) => word.text) }),
    ...(problems.length > 0 && { problems: problems.map(({ code, start, end }) => [code, text.slice(start, end)]) }),
  };
}

describe('parseQueryLanguage', () => {
  it('leaves typical code-search text as words', () => {
    const plain = [
      'page fault handler',
      '  two  spaces ',
      'foo::bar std::vector<int> path::Path file::open',
      'http://x file:///etc/hosts https://a.b/c?d=e',
      'a:b a:1 case x: {key: value}',
      '- -1 --flag -- -> x - y a-b i-- -.5',
      'f("x y") don\'t',
      'printf("%d") 5"',
      '->next *ptr a && !b (a|b) [x] {y} $HOME @media #include',
      'PATH: Lang: language: en',
      'path lang sym file',
      '検索 エンジン 😀',
      '/usr/lib/x /src/a.ts /usr/ /src/i a/b a/b+/c /node.js/ /v1.2/',
      '/* a (b) */ // c $d /** e */ /// f </div> />',
      'x / (y) / z 1/2 and/or /a(b /a(b)/c /(group)/[id]/page.tsx /a (b)c / d',
      '/a+b/x /a+/gx (/a+/) x/a+/ =/a+/',
      '',
      ' ',
    ];
    for (const text of plain) assert.deepEqual(understood(text), { words: text });
  });

  const cases: Record<string, Record<string, unknown>> = {
    'retry path:src/net lang:ts payment': { words: 'retry payment', filters: ['path:src/net', 'lang:ts'] },
    '-path:test -lang:md -sym:Test* x': { words: 'x', filters: ['-path:test', '-lang:md', '-sym:Test*'] },
    'path:"my dir/*.ts" x': { words: 'x', filters: ['path:my dir/*.ts'] },
    'path:"my dir"/*.ts x': { words: 'x', filters: ['path:my dir/*.ts'] },
    'sym:operator::new': { words: '', filters: ['sym:operator::new'] },
    'open "page fault" file': { words: 'open page fault file', phrases: ['"page fault"'] },
    'open -"page fault" file': { words: 'open file', phrases: ['-"page fault"'] },
    '"say \\"hi\\" \\\\ \\n"': { words: 'say "hi" \\ \\n', phrases: [JSON.stringify('say "hi" \\ \\n')] },
    '"a"path:b"c"': { words: 'a', phrases: ['"a"'], filters: ['path:bc'] },
    'open -close -größe -_x': { words: 'open', excluded: ['close', 'größe', '_x'] },
    '-Wall': { words: '-Wall' },
    '-DUSE_TLS=OFF -Werror': { words: '-DUSE_TLS=OFF -Werror' },
    '-Wall lang:c': { words: '', filters: ['lang:c'], excluded: ['Wall'] },
    '-Wall -"x"': { words: '', phrases: ['-"x"'], excluded: ['Wall'] },
    'x -a:b -foo::bar': { words: 'x', excluded: ['a:b', 'foo::bar'] },
    'lang: x': { words: 'x', problems: [['EmptyFilter', 'lang:']] },
    '-sym:"" x': { words: 'x', problems: [['EmptyFilter', '-sym:""']] },
    '"" x': { words: 'x', problems: [['EmptyPhrase', '""']] },
    'x "open file': { words: 'x open file', phrases: ['"open file"'], problems: [['UnclosedQuote', '"']] },
    'x path:"my dir': { words: 'x', filters: ['path:my dir'], problems: [['UnclosedQuote', '"']] },
    'x "': { words: 'x', problems: [['UnclosedQuote', '"']] },
    'pth:src x': { words: 'pth:src x', problems: [['UnknownFilter', 'pth:']] },
    '-language:go x': { words: 'x', excluded: ['language:go'], problems: [['UnknownFilter', 'language:']] },
    'Path:src': { words: 'Path:src', problems: [['UnknownFilter', 'Path:']] },
    'constructor:x': { words: 'constructor:x' },
    'path:[ x': { words: 'x', problems: [['UnclosedBracket', '[']] },
    'path:"a \\" {b,[c]" x': { words: 'x', problems: [['UnclosedBracket', '{']] },
    'path:[z-a] x': { words: 'x', problems: [['InvalidRange', '[']] },
    'file:*a*b*c*d*e*f*g*h*': { words: '', problems: [['TooManyWildcards', '*']] },
    'file:src/a.ts x': { words: 'x', problems: [['FolderInFileName', '/']] },
    'file:src\\a.ts x': { words: 'x', problems: [['FolderInFileName', '\\']] },
    'lang:klingon lang:go x': { words: 'x', filters: ['lang:go'], problems: [['UnknownLanguage', 'klingon']] },
    'x changed:': { words: 'x', filters: ['changed:'] },
    'changed: x': { words: 'x', filters: ['changed:'] },
    '-changed:HEAD~2 x': { words: 'x', filters: ['-changed:HEAD~2'] },
    'x changed:""': { words: 'x', problems: [['EmptyFilter', 'changed:""']] },
    'x changed:--output=y': { words: 'x', problems: [['InvalidRevision', '--output=y']] },
    'x changed:"a b"': { words: 'x', problems: [['InvalidRevision', '"a b"']] },
    'changes:main': { words: 'changes:main', problems: [['UnknownFilter', 'changes:']] },
    $: { words: '$', problems: [['NoWord', '$']] },
    ' -> lang:go': { words: '->', filters: ['lang:go'], problems: [['NoWord', '->']] },
    '_ "a b"': { words: '_ a b', phrases: ['"a b"'] },
    '/foo(bar|baz)\\d+/': { words: '', regexes: ['/foo(bar|baz)\\d+/'] },
    'x -/a.*b/i y': { words: 'x y', regexes: ['-/a.*b/i'] },
    'x /^def \\w+\\(self/gms lang:py': { words: 'x', regexes: ['/^def \\w+\\(self/s'], filters: ['lang:py'] },
    '/a\\/b/ /[/(]/': { words: '', regexes: ['/a\\/b/', '/[/(]/'] },
    '/[id]/ /"x y"?/': { words: '', regexes: ['/[id]/', '/"x y"?/'] },
    'x /a(b/': { words: 'x', problems: [['InvalidRegex', '(']] },
    'x -/(?=a)/': { words: 'x', problems: [['InvalidRegex', '(']] },
    '/a\\1/ "b"': { words: 'b', phrases: ['"b"'], problems: [['InvalidRegex', '\\']] },
    ' *.{sql,ddl} ': { words: '', filters: ['path:*.{sql,ddl}'] },
    'src/**': { words: '', filters: ['path:src/**'] },
    'conf/**/*.ini': { words: '', filters: ['path:conf/**/*.ini'] },
    'a/b*c': { words: 'a/b*c' },
    'foo.*': { words: 'foo.*' },
    '*.sql x': { words: '*.sql x' },
    '**/*.{ts': { words: '', problems: [['UnclosedBracket', '{']] },
    'lang:*script': { words: '', filters: ['lang:*script'] },
  };
  for (const [text, expected] of Object.entries(cases)) {
    it(`understands ${text}`, () => assert.deepEqual(understood(text), expected));
  }

  it('reports which words are too many', () => {
    const words = Array.from({ length: 30 }, (_, i) => `w${i}`).join(' ');
    assert.deepEqual(parseQueryLanguage(`${words} lang:go`).problems, []);
    const { problems } = understood(`lang:go ${words} over "and out" -not`);
    assert.deepEqual(problems, [['TooManyWords', 'over "and out"']]);
  });

  it('recognizes languages by ids, other names and extensions', () => {
    const names = 'ts js py c++ cpp c# cs golang rs kt sh bash md C Python .go tsx yml docker node objc';
    for (const name of names.split(' ')) {
      assert.deepEqual(understood(`lang:${name}`), { words: '', filters: [`lang:${name}`] });
    }
  });

  it('suggests similar languages and fields', () => {
    const messageOf = (text: string): string => parseQueryLanguage(text).problems[0]!.message;
    assert.match(messageOf('lang:pyhton'), /Did you mean python\?/);
    assert.match(messageOf('lang:typ'), /Did you mean typescript\?/);
    assert.match(messageOf('lang:xyzzy'), /file:\*\.xyz/);
    assert.match(messageOf('pth:src'), /Did you mean path:\?/);
    assert.match(messageOf('symbol:x'), /Did you mean sym:\?/);
  });

  it('advises on filters of other code searches, but not on code', () => {
    const advice = (text: string): string | undefined =>
      parseQueryLanguage(text).problems[0]?.message.replace(/^There is no filter \S+, so this is searched for as words\./, '').trim(); // oxfmt-ignore
    for (const name of ['class', 'def', 'defs', 'function', 'struct'])
      assert.equal(advice(`x ${name}:Foo`), 'Did you mean sym:?', name);
    assert.equal(advice('type:js x'), 'Did you mean lang:?');
    assert.equal(advice('glob:*.ts x'), 'Did you mean path:?');
    for (const text of ['type:symbol x', 'kind:function x'])
      assert.match(advice(text)!, /^sym: finds definitions/, text);
    assert.match(advice('repo:acme/shop x')!, /path:/);
    assert.match(advice('-repo:acme/shop x')!, /path:/);
    assert.match(advice('refs:x')!, /find-usages/);
    assert.match(advice('full:x')!, /in quotes/);
    assert.match(advice('hist:x')!, /changed:REV/);
    assert.match(advice('patterntype:regexp x')!, /between slashes/);
    assert.match(advice('case:yes x')!, /ignore case/);
    assert.match(advice('count:all x')!, /--limit/);
    assert.equal(advice('select:symbol x'), '');
    for (const text of ['case:x', 'count:n', 'select:all', 'std:vector', 'a::b', 'type: x'])
      assert.equal(advice(text), undefined, text);
  });

  /** Text with likely operators. */
  const query = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '/',
          '/a+',
          '(',
          '"',
          '-',
          ':',
          '\\',
          ' ',
          '[',
          ']',
          '{',
          '}',
          '*',
          '/',
          '\n',
          '😀',
          'a',
          '-x',
          'pth:',
          '""',
        ),
        fc.constantFrom(...FILTER_FIELDS.map((field) => `${field}:`)),
        fc.string({ maxLength: 4, unit: 'binary' }),
      ),
    )
    .map((parts) => parts.join(''));

  it('parses any text, with all offsets inside it', () => {
    fc.assert(
      fc.property(query, (text) => {
        const { phrases, regexes, filters, excludedWords, problems } = parseQueryLanguage(text);
        const parts = [...phrases, ...regexes, ...filters, ...excludedWords].sort((a, b) => a.start - b.start);
        let end = 0;
        for (const part of parts) {
          assert.ok(part.start >= end && part.start < part.end && part.end <= text.length);
          ({ end } = part);
        }
        for (const problem of problems) {
          assert.ok(problem.start >= 0 && problem.start < problem.end && problem.end <= text.length);
          assert.match(problem.message, /^.+[.?]$/s);
        }
      }),
      { numRuns: times(5000) },
    );
  });

  it('keeps a query without operators unchanged', () => {
    // Text in which no quote, dash or colon begins an operator.
    const text = fc.string({ unit: 'binary' }).map((any) => any.replaceAll(/(?<=^|\s)["/-]|:/g, '.'));
    fc.assert(
      fc.property(text, (plain) => {
        const isWordless = /\S/.test(plain) && !/[\p{L}\p{N}]/u.test(plain);
        const { problems, ...rest } = understood(plain);
        assert.deepEqual(rest, { words: plain });
        assert.deepEqual(problems, isWordless ? [['NoWord', plain.trim()]] : undefined);
      }),
      { numRuns: times(2000) },
    );
  });

  it('parses text written by the rules as intended', () => {
    const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
    const unquoted = /^[\w/.*?-]+$/;
    const value = fc.oneof(fc.stringMatching(/^[\w/. -]{1,10}$/), fc.string()).filter((text) => text.trim() !== '');
    const pattern = fc.stringMatching(/^[\w. "\\é😀]{1,10}$/u).filter((text) => text.trim() !== '');
    const exclude = fc.boolean();
    const field = fc.constantFrom(...(['path', 'sym'] as const satisfies FilterField[]));
    const part = fc.oneof(
      fc.record({
        kind: fc.constant('word' as const),
        text: fc.stringMatching(/^[\wé(){}.=>]{1,8}$/),
        exclude: fc.constant(false),
      }),
      fc.record({
        kind: fc.constant('word' as const),
        text: fc.stringMatching(/^[a-zé]{1,8}$/),
        exclude: fc.constant(true),
      }),
      fc.record({ kind: fc.constant('phrase' as const), text: value, exclude }),
      fc.record({ kind: field, text: pattern, exclude }),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts
          .map((item) => {
            const minus = item.exclude ? '-' : '';
            if (item.kind === 'word') return minus + item.text;
            if (item.kind === 'phrase') return minus + quote(item.text);
            return `${minus}${item.kind}:${unquoted.test(item.text) ? item.text : quote(item.text)}`;
          })
          .join(' ');
        const parsed = parseQueryLanguage(text);
        const of = (kind: string): typeof parts => parts.filter((item) => item.kind === kind);
        const words = parts.filter(({ kind, exclude }) => (kind === 'word' || kind === 'phrase') && !exclude);
        // Only options: nothing is left to exclude them from.
        fc.pre(parts.length === 0 || !parts.every(({ kind, exclude }) => kind === 'word' && exclude));
        assert.equal(parsed.words, words.map((word) => word.text).join(' '));
        assert.deepEqual(
          parsed.phrases.map((phrase) => [phrase.text, phrase.exclude]),
          of('phrase').map((phrase) => [phrase.text, phrase.exclude]),
        );
        assert.deepEqual(
          parsed.excludedWords.map((word) => word.text),
          of('word')
            .filter((word) => word.exclude)
            .map((word) => word.text),
        );
        assert.deepEqual(
          parsed.filters.map((filter) => [filter.field, filter.pattern, filter.exclude]),
          [...parts.filter(({ kind }) => kind === 'path' || kind === 'sym')].map((item) => [
            item.kind,
            item.text,
            item.exclude,
          ]),
        );
        const misread = parsed.problems.filter(({ code }) => code !== 'NoWord');
        assert.deepEqual(misread, [] satisfies ParsedQuery['problems']);
      }),
      { numRuns: times(1000) },
    );
  });

  it('reads the first 100,000 characters of a text of megabytes', () => {
    const page = 'word '.repeat(20_000);
    assert.equal(parseQueryLanguage(`${page}more path:src`).text, page);
    const { filters } = parseQueryLanguage(`path:src ${page.repeat(100)}`);
    assert.deepEqual(
      filters.map(({ pattern }) => pattern),
      ['src'],
    );
  });

  it('parses a pasted page at once', () => {
    for (const text of [
      '"'.repeat(1e5),
      'path:'.repeat(1e5),
      '-x '.repeat(1e5),
      `path:${'[a]{b'.repeat(1e5)}`,
      `path:${'['.repeat(1e5)}`,
      `type:${'['.repeat(1e5)}`,
      `lang:${'a'.repeat(1e5)}`,
      '/a(b '.repeat(1e5),
      '/[ '.repeat(1e5),
      '/\\'.repeat(1e5),
    ]) {
      assert.ok(parseQueryLanguage(text).words.length <= text.length);
    }
  });
});
