import { SextantError } from '../../base/errors.ts';
import type { QueryProblem } from '../../engine/query/queryLanguage.ts';
import { printable } from '../terminal.ts';

/** Throws `NoWord` for an empty query. */
export function requireQuery(query: string): void {
  if (query.trim() === '') throw new SextantError('NoWord', 'The query is empty. Give a word, a name or a filter.');
}

/**
 * Formats a query and, below the place of each problem, carets and the advice. East Asian characters and emoji take two columns
 * in a terminal.
 */
export function formatProblems(query: string, problems: readonly QueryProblem[]): string {
  const lines = problems.map(({ start, end, message }) => {
    const indent = ' '.repeat(columns(query.slice(0, start)));
    return `${indent}${'^'.repeat(Math.max(1, columns(query.slice(start, end))))} ${message}`;
  });
  return `${[printable(query), ...lines].join('\n')}\n`;
}

function columns(text: string): number {
  let count = 0;
  for (const character of text) {
    if (WIDE.test(character)) count += 2;
    else if (!/\p{M}|\p{Cf}/u.test(character)) count++;
  }
  return count;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;
