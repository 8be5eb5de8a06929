import type { Contribution } from '../engine/query/features.ts';
import type { FolderHit } from '../engine/query/hits.ts';
import type { SourceRange } from '../engine/query/sourceRange.ts';
import type { Excerpt, Excerpter } from './excerpt.ts';
import type { FileText } from './fileTexts.ts';
import type { ResultPlace } from './resultPlace.ts';

/** What results have besides the best place of each file. */
export interface ResultOptions {
  /** Whether further places in a file have an excerpt each. */
  readonly excerpts?: boolean;
  /** Number of further lines with a phrase or an expression of the query to list of each file; 0 by default. */
  readonly maxLines?: number;
}

/** A file that answers, and the best place in it. */
export interface SearchResult extends ResultPlace, Excerpt {
  readonly root: string;
  readonly path: string;
  readonly language: string;
  readonly score: number;
  /** Up to three more places in the file, best first; for a phrase or an expression, further lines that have it, in their order. */
  readonly more: readonly (ResultPlace & Partial<Excerpt>)[];
  /** Number of lines with a phrase or an expression of the query, if `maxLines` is set. */
  readonly matchingLines?: number;
  /** Number of its translations, versions and copies, which rank behind all other files; missing without any. */
  readonly alike?: number;
  /** What makes up the score, the largest share first; missing for a query of filters alone, which ranks nothing. */
  readonly explanation?: readonly Contribution[];
}

/** A hit as it is shown. */
export function toResult(
  root: string,
  { hit, line }: FolderHit,
  { text }: FileText,
  excerpter: Excerpter,
  { excerpts = false, maxLines = 0 }: ResultOptions,
): SearchResult {
  const lines = linesOf(text);
  const { path, language, score, explanation, alike } = hit;
  const best = excerpter.excerpt(lines, hit, line);
  const matching = maxLines > 0 ? excerpter.matchingLines(lines) : [];
  const listed = matching.filter((one) => one !== best.line).slice(0, maxLines);
  // Where text must match, the hit itself has one place.
  const more: SourceRange[] = [...listed.map((one) => ({ startLine: one, endLine: one })), ...hit.more];
  return {
    root,
    path,
    language,
    score,
    ...toResultPlace(hit),
    ...best,
    more: more.map((one) => ({ ...toResultPlace(one), ...(excerpts && excerpter.excerpt(lines, one)) })),
    ...(matching.length > 0 && { matchingLines: matching.length }),
    ...(alike !== undefined && { alike }),
    ...(explanation && { explanation }),
  };
}

/** The lines of a text; none without one. */
export function linesOf(text: Buffer | undefined): string[] {
  if (text === undefined) return [];
  const whole = text.toString('utf8');
  // Splitting by one character takes a third of the time of an expression.
  return whole.includes('\r') ? whole.split(/\r\n|\r|\n/) : whole.split('\n');
}

function toResultPlace({ startLine, endLine, symbol }: SourceRange): ResultPlace {
  return { startLine, endLine, ...(symbol && { symbol: { name: symbol.name, kind: symbol.kind, line: symbol.line } }) };
}
