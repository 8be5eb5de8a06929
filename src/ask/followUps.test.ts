import assert from 'node:assert/strict';
import type { Answer, Passage } from './answer.ts';
import { followUpsOf } from './followUps.ts';

function answer(question: string, ...symbols: readonly (readonly [kind: string, name: string] | undefined)[]): Answer {
  const cited = symbols.map((symbol, i): Passage => {
    const place = {
      number: i + 1,
      root: '/w',
      path: 'a.ts',
      language: 'typescript',
      startLine: 1,
      endLine: 1,
      text: 'x',
    };
    return symbol ? { ...place, symbol: { kind: symbol[0], name: symbol[1] } } : place;
  });
  const provider = { id: 'extractive', label: 'x', isLocal: true };
  return { question, provider, sent: { files: 0, characters: 0 }, markdown: '', cited, removedCitations: 0 };
}

describe('Follow-ups', () => {
  it('are about the cited definitions, the first most, and never repeat the question', () => {
    const cited = [
      ['heading', 'Usage'],
      undefined,
      ['function', 'pay'],
      ['function', 'pay'],
      ['class', 'Order'],
    ] as const;
    assert.deepEqual(followUpsOf(answer('how?', ...cited)), [
      'Where is pay used?',
      'How is pay tested?',
      'What does Order do?',
    ]);
    assert.deepEqual(followUpsOf(answer(' where is pay used?', ...cited)), [
      'How is pay tested?',
      'What does Order do?',
    ]);
    assert.deepEqual(followUpsOf(answer('how?', undefined)), []);
  });
});
