import { escapeGlob } from './glob.ts';
import { FILTER_FIELDS, parseQueryLanguage, type FilterField } from './queryLanguage.ts';

/** A filter at the end of a query that may still be incomplete. */
export interface UnfinishedFilter {
  readonly field: FilterField;
  /** The value so far, without quotes. */
  readonly typed: string;
  readonly exclude: boolean;
  /** Offset in the query, in UTF-16 units; the filter reaches to the end. */
  readonly start: number;
}

const LAST = new RegExp(
  `(?:^|\\s)(?<filter>(?<minus>-?)(?<field>${FILTER_FIELDS.join('|')}):(?<value>"[^"]*|[^\\s"]*))$`,
);

/** The filter at the end of a query, unless a space or a quote has ended it. */
export function unfinishedFilter(query: string): UnfinishedFilter | undefined {
  const { filter, minus, field, value } = LAST.exec(query)?.groups ?? {};
  if (filter === undefined || value === undefined) return undefined;
  const start = query.length - filter.length;
  // Inside a phrase this is text.
  const before = parseQueryLanguage(query.slice(0, start));
  if (before.problems.some(({ code }) => code === 'UnclosedQuote')) return undefined;
  return { field: field as FilterField, typed: value.replace(/^"/, ''), exclude: minus === '-', start };
}

/** A filter for exactly this text, in the syntax of queries: in quotes, and with backslashes, where needed. */
export function formatFilter(field: FilterField, value: string, exclude: boolean): string {
  const escaped = escapeGlob(value);
  const quoted = /[\s"]/.test(escaped) ? `"${escaped.replace(/\\(?![*?[\]{},])|"/g, String.raw`\$&`)}"` : escaped;
  return `${exclude ? '-' : ''}${field}:${quoted}`;
}
