import { FILTER_FIELDS, parseQueryLanguage, type FilterField } from './queryLanguage.ts';

/** A filter at the end of a query that somebody may still be typing. */
export interface UnfinishedFilter {
  readonly field: FilterField;
  /** What there is of the value, without quotes. */
  readonly typed: string;
  readonly exclude: boolean;
  /** Where in the query it begins, in UTF-16 units; it reaches to the end. */
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
  // Within a phrase it is text.
  const before = parseQueryLanguage(query.slice(0, start));
  if (before.problems.some(({ code }) => code === 'UnclosedQuote')) return undefined;
  return { field: field as FilterField, typed: value.replace(/^"/, ''), exclude: minus === '-', start };
}

/** A filter for exactly this text, as it is to be typed: in quotes, and with backslashes, where it needs them. */
export function formatFilter(field: FilterField, value: string, exclude: boolean): string {
  const escaped = value.replace(/[*?[\]{},]/g, String.raw`\$&`);
  const quoted = /[\s"]/.test(escaped) ? `"${escaped.replace(/\\(?![*?[\]{},])|"/g, String.raw`\$&`)}"` : escaped;
  return `${exclude ? '-' : ''}${field}:${quoted}`;
}
