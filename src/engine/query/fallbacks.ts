import { escapeInAnyForm } from '../../base/regExp.ts';
import { hasIndexable } from '../analyze/words.ts';
import type { Correction } from './corrections.ts';
import { GLOB, type ParsedQuery, type QueryProblem, type QuerySpan } from './queryLanguage.ts';

/* What to search for instead of a query that finds nothing, and the reasons why it finds nothing. */

/**
 * The query in which each required phrase is words, with a problem for each: for a search whose phrases are in no document. The
 * same query if it has none. `isPartial` if some documents were not read.
 */
export function withoutQuotes(parsed: ParsedQuery, isPartial = false): ParsedQuery {
  const quoted = parsed.phrases.filter(({ exclude }) => !exclude);
  if (quoted.length === 0) return parsed;
  const { filters, regexes, excludedWords } = parsed;
  const isAlone = parsed.phrases.length + filters.length + regexes.length + excludedWords.length === 1;
  const subject = isPartial ? 'No file read so far' : isAlone ? 'Nothing' : 'No file that matches the rest';
  const problems = quoted.map(({ text, start, end }): QueryProblem => ({
    code: 'PhraseNotFound',
    message: `${subject} contains “${text}” exactly; searched for its words.`,
    start,
    end,
  }));
  return {
    ...parsed,
    phrases: parsed.phrases.filter(({ exclude }) => exclude),
    problems: [...parsed.problems, ...problems].sort((a, b) => a.start - b.start),
  };
}

/** A glob alone as words, for a search that finds no such path: `image/*` may be a type, and `*.example.com` a host. Other queries as they are. */
export function withoutGlob(parsed: ParsedQuery): ParsedQuery {
  const [glob] = parsed.filters;
  if (!glob || !GLOB.test(parsed.text)) return parsed;
  const message = `No file in the index matches ${parsed.text.trim()}; searched for its words.`;
  const problem: QueryProblem = { code: 'FilterNotFound', message, start: glob.start, end: glob.end };
  return { ...parsed, words: parsed.text, filters: [], problems: [...parsed.problems, problem] };
}

/** The reason why a query finds nothing, if the index leaves out all its words. */
export function unindexedWords(parsed: ParsedQuery): readonly QueryProblem[] {
  const { text, filters, excludedWords, phrases, regexes } = parsed;
  const words = parsed.words.trim();
  if (phrases.length + regexes.length > 0 || !/[\p{L}\p{N}]/u.test(words) || hasIndexable(words)) return [];
  let rest = '';
  for (const { start, end } of [...filters, ...excludedWords].sort((a, b) => a.start - b.start))
    rest += text.slice(rest.length, start).padEnd(end - rest.length, '\0');
  const start = (rest + text.slice(rest.length)).indexOf(words);
  const span = start < 0 ? { start: 0, end: text.length } : { start, end: start + words.length };
  const message =
    'Words such as “the”, single letters and digits are not in the index: add another word, or put them in quotes.';
  return [{ code: 'UnindexedWords', message, ...span }];
}

/** The reason why a query finds nothing, if no document passes a filter. */
export function filterNotFound(typed: string, { start, end }: QuerySpan): QueryProblem {
  return {
    code: 'FilterNotFound',
    message: `No file in the index matches ${typed}; files may be left out.`,
    start,
    end,
  };
}

/** The query with the nearest words in place of those that no document has, and a problem for each. */
export function corrected(parsed: ParsedQuery, corrections: readonly Correction[]): ParsedQuery {
  let { words } = parsed;
  const problems: QueryProblem[] = [];
  for (const { typed, word } of corrections) {
    const start = parsed.text.toLowerCase().indexOf(typed.toLowerCase());
    words = words.replaceAll(new RegExp(escapeInAnyForm(typed), 'giu'), word);
    problems.push({
      code: 'CorrectedWord',
      message: `No file has “${typed}”. Showing results for “${word}”.`,
      start: Math.max(0, start),
      end: start < 0 ? parsed.text.length : start + typed.length,
    });
  }
  return { ...parsed, words, problems: [...parsed.problems, ...problems] };
}
