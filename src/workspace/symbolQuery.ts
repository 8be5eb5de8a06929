import { WORD } from '../engine/query/query.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import { formatFilter } from '../engine/query/unfinished.ts';

/** A pattern may have 8 stars. */
const MAX_WORDS = 6;

/**
 * The query for definitions whose name has what was typed in it: a name or its beginning, or several of its words in their
 * order. What was typed stays in front, so that problems are at its offsets; who types `sym:` is left alone.
 */
export function symbolQuery(typed: string): string {
  const { words, filters } = parseQueryLanguage(typed);
  const names = [...words.matchAll(WORD)].slice(0, MAX_WORDS).map(([name]) => name);
  const [name] = names;
  if (name === undefined || filters.some(({ field, exclude }) => field === 'sym' && !exclude)) return typed;
  if (names.length === 1) return `${typed} ${formatFilter('sym', name, false)}`;
  return `${typed} sym:*${names.join('*').toLowerCase()}*`;
}
