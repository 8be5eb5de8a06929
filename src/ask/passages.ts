import type { Passage } from './answer.ts';
import { isProse } from './sourceFile.ts';
import { lastWholeLine } from './window.ts';

/** The passages in this order, numbered from 1; they keep the number of a passage that calls them, if it is among them. */
export function renumbered(passages: readonly Passage[]): Passage[] {
  const numbers = new Map(passages.map(({ number }, i) => [number, i + 1]));
  return passages.map(({ calledBy, ...one }, i) => {
    const by = calledBy === undefined ? undefined : numbers.get(calledBy);
    return { ...one, number: i + 1, ...(by !== undefined && { calledBy: by }) };
  });
}

/** The first lines of a passage, at most `most`, cut after a statement or sentence. */
export function beginningOf(passage: Passage, most: number): Passage {
  const lines = passage.text.split('\n');
  if (lines.length <= most) return passage;
  const count = lastWholeLine(lines, 0, most - 1, isProse(passage.language)) + 1;
  return { ...passage, endLine: passage.startLine + count - 1, text: lines.slice(0, count).join('\n') };
}
