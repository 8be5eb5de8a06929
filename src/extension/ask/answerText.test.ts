import assert from 'node:assert/strict';
import type { Passage } from '../../ask/answer.ts';
import { answerAsMarkdown, placeOfPassage } from './answerText.ts';
import type { Turn } from './conversation.ts';

const PASSAGE: Passage = {
  number: 2,
  root: '/work',
  path: 'src/wait.ts',
  language: 'typescript',
  startLine: 5,
  endLine: 8,
  text: '/** Waits for as long as it takes, and then some. */\nfunction wait() {\n  return 1;\n}',
  symbol: { name: 'wait', kind: 'function' },
};

describe('answers as text', () => {
  it('has the question, the answer and its citations', () => {
    const turn: Turn = {
      id: 1,
      question: 'How *long*?',
      state: { kind: 'done' },
      provider: { id: 'extractive', label: 'Passages, no model', isLocal: true },
      sent: { files: 0, characters: 0 },
      passages: [{ ...PASSAGE, number: 1, path: 'src/other.ts' }, PASSAGE],
      markdown: 'As long as it takes [2].\n',
      cited: [2],
      removedCitations: 0,
    };
    assert.equal(
      answerAsMarkdown(turn),
      '## How \\*long\\*?\n\nAs long as it takes [2].\n\n- \\[2\\] `src/wait.ts:5-8` `wait`\n\n*Passages, no model*\n',
    );
  });

  it('finds a passage again by the line that names it', () => {
    const { line, text, symbol } = placeOfPassage(PASSAGE);
    assert.deepEqual([line, text, symbol?.line], [6, 'function wait() {', 6]);
  });

  it('finds a passage without a name by its longest line', () => {
    const { symbol: _none, ...passage } = PASSAGE;
    const { line, text } = placeOfPassage(passage);
    assert.deepEqual([line, text], [5, '/** Waits for as long as it takes, and then some. */']);
  });
});
