import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ThoughtFilter } from './thoughts.ts';

/** The answer in a text that comes in pieces, cut at the given places. */
function answerIn(text: string, cuts: readonly number[] = []): string {
  const filter = new ThoughtFilter();
  const at = [0, ...[...new Set(cuts.filter((cut) => cut < text.length))].sort((a, b) => a - b), text.length];
  return at.map((from, i) => filter.push(text.slice(from, at[i + 1]))).join('') + filter.end();
}

describe('The thoughts of a model', () => {
  it('are left out where an answer begins with them', () => {
    assert.equal(answerIn('<think>\nShe asks for <b>.\n</think>\n\nIn `a.ts` [1].'), 'In `a.ts` [1].');
    assert.equal(answerIn('\n<think></think>Yes.'), 'Yes.');
    assert.equal(answerIn('<think>Cut off, </thin'), '');
  });

  it('are part of the answer elsewhere, as is all that only looks like them', () => {
    for (const text of ['', ' ', '<', '<thin', ' <thinking> is a tag.', 'The tag <think> begins </think> them.', 'No.'])
      assert.equal(answerIn(text), text);
    assert.equal(answerIn('<think>a</think> b <think>c</think>'), 'b <think>c</think>');
  });

  it('are the same in any pieces', () => {
    const part = fc.constantFrom('<think>', '</think>', '<', 'think', '>', '/', ' ', '\n', 'a [1]');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.array(fc.nat(60), { maxLength: 8 }), (parts, cuts) => {
        const text = parts.join('');
        const [, answer] = /^\s*<think>(?:[^]*?<\/think>\s*|[^]*$)([^]*)$/.exec(text) ?? [undefined, text];
        assert.equal(answerIn(text, cuts), answer);
      }),
    );
  });
});
