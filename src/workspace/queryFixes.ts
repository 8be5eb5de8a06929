import { similarLanguages } from '../engine/query/languageNames.ts';
import { parseQueryLanguage, type QueryProblem } from '../engine/query/queryLanguage.ts';

/** A change of a query that removes a problem. */
export interface QueryFix {
  /** `use`: another word; `add`: the missing sign; `quote`: search the text as it is; `remove`: do without. */
  readonly kind: 'use' | 'add' | 'quote' | 'remove';
  /** The new text, or the removed one. */
  readonly text: string;
  readonly query: string;
}

const MAX_LANGUAGES = 3;

/** Ways to solve a problem of a query, the likeliest first; none where only the user knows one. */
export function fixesOf(query: string, problem: QueryProblem): QueryFix[] {
  const { start, end, message } = problem;
  const part = query.slice(start, end);
  const replaced = (text: string, from = start, to = end): string => query.slice(0, from) + text + query.slice(to);
  const use = (text: string, from?: number, to?: number): QueryFix => ({
    kind: 'use',
    text,
    query: replaced(text, from, to),
  });
  switch (problem.code) {
    case 'UnclosedQuote':
      return [{ kind: 'add', text: '"', query: `${query}"` }];
    case 'EmptyPhrase':
    case 'EmptyFilter':
    case 'FilterNotFound':
      return [remove(query, problem)];
    case 'UnknownFilter': {
      // The message names the filter that is meant.
      const meant = /Did you mean (\w+:)\?/.exec(message)?.[1];
      return meant === undefined ? [] : [use(meant)];
    }
    case 'UnknownLanguage':
      return [
        ...similarLanguages(part)
          .slice(0, MAX_LANGUAGES)
          .map((name) => use(name)),
        remove(query, problem),
      ];
    case 'UnclosedBracket':
      return bracketFixes(query, start);
    case 'InvalidRange': {
      const close = query.indexOf(']', start);
      const set = query
        .slice(start, close + 1)
        .replace(/(.)-(.)/gsu, (range, from: string, to: string) => (from > to ? `${to}-${from}` : range));
      return [use(set, start, close + 1)];
    }
    case 'FolderInFileName': {
      const field = query.lastIndexOf('file:', start);
      return [use('path:', field, field + 'file:'.length)];
    }
    case 'InvalidRevision':
    case 'TooManyWildcards':
    case 'UnknownRevision':
    case 'NoRepository':
    case 'GitMissing':
    case 'GitFailed':
    case 'NotTrusted':
      return [remove(query, problem)];
    case 'InvalidRegex':
      return regexFixes(query, start);
    case 'TooManyWords':
      return [{ kind: 'remove', text: part, query: query.slice(0, start).trim() }];
    case 'PhraseNotFound': {
      const words = parseQueryLanguage(query).phrases.find((phrase) => phrase.start === start)?.text;
      return words === undefined ? [] : [use(words.replace(/^-(?=\d)/, ''))];
    }
    case 'UnindexedWords': {
      const text = `"${part.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
      return [{ kind: 'quote', text, query: replaced(text) }];
    }
    case 'NoWord':
    case 'CorrectedWord':
    case 'IndexFormat':
      return [];
  }
}

/** Removes the word of the query around a problem: a filter, its value, or empty quotes. */
function remove(query: string, { start, end }: QueryProblem): QueryFix {
  const from = query.slice(0, start).search(/\S+$/);
  const before = from < 0 ? start : from;
  const after = end + /^\S*/.exec(query.slice(end))![0].length;
  const rest = [query.slice(0, before).trim(), query.slice(after).trim()].filter((text) => text !== '');
  return { kind: 'remove', text: query.slice(before, after), query: rest.join(' ') };
}

/** Closes a bracket at the end of its word, if there is something in it, or makes it a plain character. */
function bracketFixes(query: string, start: number): QueryFix[] {
  const open = query.charAt(start);
  const length = /^\S*/.exec(query.slice(start))![0].length;
  const closing = open === '[' ? ']' : '}';
  const closed = query.slice(0, start + length) + closing + query.slice(start + length);
  const escaped = `${query.slice(0, start)}\\${query.slice(start)}`;
  return [
    ...(length > 1 ? [{ kind: 'add', text: closing, query: closed } as const] : []),
    { kind: 'use', text: `\\${open}`, query: escaped },
  ];
}

/** Searches a malformed expression as text. */
function regexFixes(query: string, start: number): QueryFix[] {
  for (const match of query.matchAll(/(?<=^|\s)-?\/(?<body>.+?)\/[gimsu]{0,5}(?=\s|$)/gu)) {
    const end = match.index + match[0].length;
    if (start < match.index || start >= end) continue;
    const text = `"${match.groups!.body!.replaceAll('"', String.raw`\"`)}"`;
    return [{ kind: 'quote', text, query: query.slice(0, match.index) + text + query.slice(end) }];
  }
  return [];
}
