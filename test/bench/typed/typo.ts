import type { Choices } from './random.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** A word with a number of random edits from its second letter on: swapped, missing, wrong and doubled characters. */
export function misspelt(word: string, edits: number, choices: Choices): string {
  for (;;) {
    let wrong = word;
    for (let i = 0; i < edits; i++) wrong = edited(wrong, choices);
    // Edits may cancel each other.
    if (distance(word, wrong) === edits) return wrong;
  }
}

function edited(word: string, choices: Choices): string {
  // Underscores before the first letter are kept as well.
  const second = word.search(/[a-z]/i) + 1;
  const at = second + choices.below(word.length - second);
  const [before, after] = [word.slice(0, at), word.slice(at)];
  const letter = LETTERS[choices.below(LETTERS.length)]!;
  switch (choices.below(4)) {
    case 0:
      return at + 1 < word.length ? `${before}${after[1]!}${after[0]!}${after.slice(2)}` : before;
    case 1:
      return before + after.slice(1);
    case 2:
      return before + letter + after.slice(1);
    default:
      return before + after[0]! + after;
  }
}

/** The number of edits between words, where a swap of neighbours is one (optimal string alignment). */
export function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1));
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
