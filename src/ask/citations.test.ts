import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import type { Passage } from './answer.ts';
import { CitationFilter, withoutCitations } from './citations.ts';
import { CitationScanner } from './citationScanner.ts';

function passages(...numbers: number[]): Passage[] {
  return numbers.map((number) => ({
    number,
    root: '/w',
    path: `p${number}.ts`,
    language: 'typescript',
    startLine: 1,
    endLine: 1,
    text: 'x',
  }));
}

function filtered(markdown: string, ...numbers: number[]): { text: string; cited: number[]; removed: number } {
  const filter = new CitationFilter(passages(...numbers));
  const text = filter.push(markdown) + filter.end();
  return { text, cited: filter.cited.map(({ number }) => number), removed: filter.removedCitations };
}

describe('citations', () => {
  it('of missing passages are removed and counted, the others kept', () => {
    assert.deepEqual(filtered('It waits [2], then stops [7].', 1, 2), {
      text: 'It waits [2], then stops.',
      cited: [2],
      removed: 1,
    });
  });

  it('leave no second comma when removed from a list', () => {
    assert.equal(filtered('It is [1], [9], [2].', 1, 2).text, 'It is [1], [2].');
    assert.equal(filtered('It is [1], [8], [9], [2].', 1, 2).text, 'It is [1], [2].');
  });

  it('do not turn the text around them into code, links or images when removed', () => {
    assert.equal(filtered('[7]```ts\n[1] [8]', 1).text, '\u200b```ts\n[1]');
    assert.equal(filtered('![7][x](http://evil.example)').text, '!\u200b[x](http://evil.example)');
    assert.equal(filtered('`a` [7]`b[1]`', 1).text, '`a`\u200b`b[1]`');
    assert.equal(filtered('[7][1]: http://evil.example', 1).text, '\u200b[1]: http://evil.example');
  });

  it('do not turn the text around them into another citation, or a list with code, when removed', () => {
    assert.equal(filtered('12[7]1. ```ts\n[1]', 1).text, '12\u200b1. ```ts\n[1]');
    assert.equal(filtered('~~[7]~ [1]', 1).text, '~~\u200b~ [1]');
    assert.equal(filtered('see [[7]12]').text, 'see [\u200b12]');
    assert.equal(filtered('see [1[7], 2[8]]', 1, 2).text, 'see [1\u200b, 2]');
    assert.deepEqual(filtered('see [1, [7] 2]', 1, 2).cited, []);
  });

  it('are recognized in the forms in which models write them', () => {
    assert.equal(
      filtered('a [1, 3] b [1-3] c [^2] d [1][2] e [2; 9] f [1 and 2]', 1, 2, 3).text,
      'a [1][3] b [1][2][3] c [2] d [1][2] e [2] f [1][2]',
    );
    assert.deepEqual(filtered('see [3–1] and [1-900]', 1, 3).removed, 1);
  });

  it('are not recognized in code, after a backslash, or among other brackets', () => {
    for (const text of [
      'call `items[0]` and ``a ` [1]``',
      '```ts\nitems[0] = other[9];\n```\n',
      '- list:\n  ~~~\n  a[5]\n  ~~~\n',
      '> ```\n> a[5]\n> ```\n',
      String.raw`not \[5] here`,
      'a [link](http://x/[1000]) and [x] and [] and [1a] and [2024]',
    ])
      assert.deepEqual(filtered(text, 1), { text, cited: [], removed: 0 });
    assert.equal(filtered('``` [5] ` text [5]', 1).text, '``` ` text');
    assert.equal(filtered('```\na[5]\n```\nafter [5].', 1).text, '```\na[5]\n```\nafter.');
    assert.equal(filtered('one ` tick [5]\nand ` another [5]', 1).text, 'one ` tick\nand ` another');
  });

  it('cannot become links, and images become links', () => {
    assert.equal(filtered('[1](http://evil.example) [1][x]', 1).text, String.raw`[1]\(http://evil.example) [1]\[x]`);
    assert.equal(filtered('[1]: http://evil.example', 1).text, String.raw`[1]\: http://evil.example`);
    assert.equal(filtered('as in [1]: so', 1).text, 'as in [1]: so');
    assert.equal(filtered('![1](http://evil.example) wow![1]', 1).text, String.raw`![1]\(http://evil.example) wow![1]`);
    assert.equal(filtered('![x](http://evil.example?q=secret)').text, String.raw`\![x](http://evil.example?q=secret)`);
  });

  it('are removed from earlier answers', () => {
    assert.equal(withoutCitations('It waits [1], `a[1]` [2][3].'), 'It waits, `a[1]`.');
  });

  const piece = fc.oneof(
    fc.constantFrom(
      '[1]',
      '[2]',
      '[7]',
      '[1, 7]',
      '[1-3]',
      ' ',
      '\n',
      '`',
      '``',
      '```',
      '~~~',
      '~',
      '\\',
      '!',
      '[',
      ']',
      '(',
      ':',
      '> ',
    ),
    fc.constantFrom('- ', '1. ', 'word', '12', 'a[0]', '```ts\n', '\n```\n', '\r\n', ',', '^', '[android'),
    fc.string({ maxLength: 3 }),
  );
  const markdown = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

  it('do not depend on how the answer is cut into chunks', () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.nat(60), { maxLength: 30 }), (text, cuts) => {
        const filter = new CitationFilter(passages(1, 2, 3));
        let streamed = '';
        const at = [...new Set(cuts.filter((cut) => cut < text.length))].sort((a, b) => a - b);
        for (const [i, start] of [0, ...at].entries()) streamed += filter.push(text.slice(start, at[i] ?? text.length));
        streamed += filter.end();
        const whole = filtered(text, 1, 2, 3);
        assert.equal(streamed, whole.text);
        assert.deepEqual(
          filter.cited.map(({ number }) => number),
          whole.cited,
        );
        assert.equal(filter.removedCitations, whole.removed);
      }),
      { numRuns: times(3000) },
    );
  });

  it('that remain all point to a passage, and are counted; nothing else is lost', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const { text: out, cited, removed } = filtered(text, 1, 2, 3);
        const left = citationsIn(out);
        assert.ok(left.every((number) => number >= 1 && number <= 3));
        assert.deepEqual([...new Set(left)].sort(), [...cited].sort());
        if (removed === 0 && cited.length === 0) assert.equal(withImages(out), withImages(text));
        assert.deepEqual(filtered(out, 1, 2, 3), { text: out, cited, removed: 0 });
      }),
      { numRuns: times(3000) },
    );
  });

  it('no token loses or adds text', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const scanner = new CitationScanner();
        const tokens = [...scanner.push(text), ...scanner.end()];
        assert.equal(tokens.map((token) => token.text).join(''), text);
      }),
    );
  });
});

/** The Markdown with an image wherever its `!` is escaped. */
function withImages(markdown: string): string {
  return markdown.replace(/(?<!\\)((?:\\\\)*)\\!\[/g, '$1![');
}

/** Finds the citations of a text in another way: it blanks out code line by line, then searches the rest. */
function citationsIn(markdown: string): number[] {
  let fence: string | undefined;
  const prose: string[] = [];
  for (const line of markdown.split('\n')) {
    const start = /^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*(`{3,}|~{3,})(.*)$/s.exec(line);
    const end = /^[ \t>]*(`{3,}|~{3,})[ \t\r]*$/.exec(line);
    if (fence !== undefined) {
      if (end?.[1]!.startsWith(fence)) fence = undefined;
    } else if (start && (start[1]!.startsWith('~') || !start[2]!.includes('`'))) fence = start[1];
    else prose.push(line);
  }
  const found: number[] = [];
  for (const line of prose) {
    // An escaped backtick may stand before those that begin code.
    const plain = line.replace(/\\.|(?<!(?<!\\)`)(`+)(?!`)[^]*?(?<!`)\1(?!`)|`+/gs, '·');
    for (const match of plain.matchAll(/\[(\d{1,3})\]/g)) found.push(Number(match[1]));
  }
  return found;
}
