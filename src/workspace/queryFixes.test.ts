import assert from 'node:assert/strict';
import { unindexedWords, withoutQuotes } from '../engine/query/fallbacks.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import { fixesOf } from './queryFixes.ts';

describe('Fixes of a query', () => {
  const fixes = (query: string): string[] =>
    parseQueryLanguage(query).problems.flatMap((problem) =>
      fixesOf(query, problem).map((fix) => `${problem.code} ${fix.kind} ${fix.text} → ${fix.query}`),
    );

  it('changes the malformed part alone', () => {
    assert.deepEqual(
      [
        'retry lang:pyhton now',
        'retry language:python',
        'say "hello',
        'say "" now',
        'retry lang: path:src',
        'path:src/[a-z retry',
        'path:[ retry',
        'file:[z-a].ts retry',
        'file:src/a.ts retry',
        'retry changed:-x',
        String.raw`/a(b/ retry`,
      ].flatMap(fixes),
      [
        'UnknownLanguage use python → retry lang:python now',
        'UnknownLanguage remove lang:pyhton → retry now',
        'UnknownFilter use lang: → retry lang:python',
        'UnclosedQuote add " → say "hello"',
        'EmptyPhrase remove "" → say now',
        'EmptyFilter remove lang: → retry path:src',
        'UnclosedBracket add ] → path:src/[a-z] retry',
        String.raw`UnclosedBracket use \[ → path:src/\[a-z retry`,
        String.raw`UnclosedBracket use \[ → path:\[ retry`,
        'InvalidRange use [a-z] → file:[a-z].ts retry',
        'FolderInFileName use path: → path:src/a.ts retry',
        'InvalidRevision remove changed:-x → retry',
        'InvalidRegex quote "a(b" → "a(b" retry',
      ],
    );
  });

  it('leaves a query without the problem that it fixes', () => {
    for (const query of ['retry lang:pyhton', 'path:a[b x', 'file:[z-a] x', 'x /a(b/', 'file:a/b', 'x dir:y', 'x "']) {
      for (const problem of parseQueryLanguage(query).problems) {
        for (const fix of fixesOf(query, problem)) {
          const left = parseQueryLanguage(fix.query).problems.map(({ code }) => code);
          assert.ok(!left.includes(problem.code), `${query} → ${fix.query}`);
        }
      }
    }
  });

  it('searches words that the index leaves out as a phrase', () => {
    for (const [query, fixed] of [
      ['path:"a the" the 5" lang:ts', String.raw`path:"a the" "the 5\"" lang:ts`],
      ['x lang:ts y', '"x lang:ts y"'],
      ['-x path:x x', '-x path:x "x"'],
      [`${'-x '.repeat(300_000)}x`, `${'-x '.repeat(300_000)}"x"`],
    ] as const)
      for (const problem of unindexedWords(parseQueryLanguage(query)))
        assert.deepEqual(
          fixesOf(query, problem).map((fix) => fix.query),
          [fixed],
        );
    for (const query of ['', '->', 'lang:ts', 'the lantern', '7 "a"', '水'])
      assert.deepEqual(unindexedWords(parseQueryLanguage(query)), []);
  });

  it('searches the words of a phrase that nothing contains', () => {
    const query = 'retry "no such thing" lang:ts';
    const [problem] = withoutQuotes(parseQueryLanguage(query)).problems;
    assert.deepEqual(
      fixesOf(query, problem!).map((fix) => fix.query),
      ['retry no such thing lang:ts'],
    );
  });
});
