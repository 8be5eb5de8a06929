import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isWebAddress, parseAnswer, plainText } from './markdown.ts';

const any = (): boolean => true;

/** Kinds and contents, in their order. */
function outline(markdown: string, isPassage: (number: number) => boolean = any): string[] {
  const lines: string[] = [];
  const walk = (node: object, depth: number): void => {
    const { type, value, number, url, children = [] } = node as Record<string, string> & { children?: object[] };
    const what = [type, value ?? number, url].filter((part) => part !== undefined).join(' ');
    lines.push(`${'  '.repeat(depth)}${what}`);
    for (const child of children) walk(child, depth + 1);
  };
  for (const node of parseAnswer(markdown, isPassage)) walk(node, 0);
  return lines;
}

describe('an answer as Markdown', () => {
  it('has citations of existing passages, and text elsewhere', () => {
    assert.deepEqual(
      outline('It waits [1][2], see [9].', (number) => number < 3),
      ['paragraph', '  text It waits ', '  citation [1]', '  citation [2]', '  text , see ', '  text [9]', '  text .'],
    );
  });

  it('has citations in emphasis, lists and tables, and none in code', () => {
    const markdown = '- **a [1]**\n\n| b [2] |\n| - |\n| `c [3]` |\n\n```ts\nd[4]\n```';
    const kinds = outline(markdown).map((line) => line.trim());
    assert.deepEqual(
      kinds.filter((line) => line.startsWith('citation')),
      ['citation [1]', 'citation [2]'],
    );
    assert.ok(kinds.includes('inlineCode c [3]') && kinds.includes('code d[4]'));
  });

  it('decodes entities and keeps HTML as literal text', () => {
    assert.deepEqual(outline('a &lt; b <img src=x onerror=y>'), [
      'paragraph',
      '  text a < b ',
      '  html <img src=x onerror=y>',
    ]);
  });

  it('is never lost while it streams: every beginning parses, to growing text', () => {
    const markdown =
      '# Retries\n\nSee **`withRetries`** [1].\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |';
    for (let end = 0; end <= markdown.length; end++) assert.ok(parseAnswer(markdown.slice(0, end), any));
    assert.match(plainText(parseAnswer('```ts\nconst a', any)), /const a/);
  });

  it('accepts any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('[]()`*_<>!#-|\n 1a\\&;:')) }), (text) => {
        assert.ok(typeof plainText(parseAnswer(text, any)) === 'string');
      }),
    );
  });

  it('is read out without marks and numbers', () => {
    assert.equal(
      plainText(parseAnswer('# Wait\n\n*Two* seconds [1].\n\n- a\n- b', any)),
      'Wait\nTwo seconds .\na\n\nb',
    );
  });

  it('links to the web only', () => {
    assert.equal(isWebAddress('https://example.com/a?b#c'), true);
    for (const url of ['javascript:alert(1)', 'command:workbench.action.quit', 'file:///etc/passwd', '//x', 'a.ts', ''])
      assert.equal(isWebAddress(url), false, url);
  });

  it('shows any depth of quotes, lists and emphasis, as text behind a limit', () => {
    const depthOf = (node: object): number =>
      1 + Math.max(0, ...((node as { children?: object[] }).children ?? []).map((child) => depthOf(child)));
    const emphasis = '*a **b '.repeat(500) + '** *'.repeat(500);
    for (const markdown of [
      '> '.repeat(99),
      `${'> '.repeat(50)}| a |\n${'> '.repeat(50)}| - |\n${'> '.repeat(50)}| `,
      '- '.repeat(99),
      '>'.repeat(9000),
      '1. '.repeat(9000),
      emphasis,
    ]) {
      const nodes = parseAnswer(`${markdown}last`, any);
      assert.ok(nodes.every((node) => depthOf(node) < 60));
      assert.match(plainText(nodes), /last$/);
    }
  });

  it('is shown as it is if a model repeats marks without end', () => {
    for (const mark of ['*', '_', '>', '- ', '*a **b '])
      assert.deepEqual(outline(mark.repeat(50_000)), [`code ${mark.repeat(50_000)}`]);
    for (const rule of ['---', '*', '='].map((part) => `a\n\n${part.repeat(300)}`))
      assert.match(outline(rule)[0]!, /para/);
  });
});
