import { WORD } from '../engine/analyze/numbers.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import { formatFilter } from '../engine/query/unfinished.ts';

/** A pattern may have 8 stars. */
const MAX_WORDS = 6;

/**
 * The query for definitions by name: a name, its beginning, or several of its words in order. The typed text stays in front,
 * so that problems keep their offsets. A text with `sym:` stays as it is.
 */
export function symbolQuery(typed: string): string {
  const { words, filters } = parseQueryLanguage(typed);
  const names = [...words.matchAll(WORD)].slice(0, MAX_WORDS).map(([name]) => name);
  const [name] = names;
  if (name === undefined || filters.some(({ field, exclude }) => field === 'sym' && !exclude)) return typed;
  if (names.length === 1) return `${typed} ${formatFilter('sym', name, false)}`;
  return `${typed} sym:*${names.join('*').toLowerCase()}*`;
}
