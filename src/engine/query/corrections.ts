import { escapeRegExp } from '../../base/regExp.ts';
import { WORD } from '../analyze/numbers.ts';
import { splitToken } from '../analyze/words.ts';
import { Field, termHash } from '../index/format.ts';
import type { Segment } from '../index/snapshot.ts';
import { isLiving, sumOf } from './collection.ts';
import type { ParsedQuery, QueryProblem } from './queryLanguage.ts';
import { editsUpTo } from './similar.ts';
import { nearestWords } from './spelling.ts';
import { stemOf } from './wordMatch.ts';

/** A typed word or name that no document has, and the indexed one that is nearest to it. */
export interface Correction {
  readonly typed: string;
  readonly word: string;
}

const MAX_NAME_EDITS = 2;
/** Lengths of the beginnings that agree, in turn: few names have a long one; where none of them is near, a mistake is in it. */
const NAME_PREFIXES = [5, 4, 3, 2];
const MIN_NAME = 6;
/** Names with one beginning that are compared, in all segments: a millisecond or two. */
const MAX_NAMES = 5_000;

/**
 * Corrections of words that no document has, given by their stems, and of names of several words that are nowhere and no beginning of
 * a defined one.
 */
export function correctionsOf(
  unknown: ReadonlySet<string>,
  { words }: ParsedQuery,
  segments: readonly Segment[],
): Correction[] {
  const corrections = new Map<string, Correction>();
  for (const [token] of words.matchAll(WORD)) {
    const parts = splitToken(token);
    const name = parts.length > 1 ? nearestName(parts.join(''), segments) : undefined;
    if (name !== undefined) {
      corrections.set(token, { typed: token, word: name });
      continue;
    }
    for (const typed of parts) {
      if (!unknown.has(stemOf(typed)) || corrections.has(typed)) continue;
      const [near] = nearestWords(typed, segments, 1);
      if (near) corrections.set(typed, { typed, word: near.word });
    }
  }
  return [...corrections.values()];
}

/** The defined name that differs from a folded one by few edits, if nothing has that one and no name begins with it. */
function nearestName(folded: string, segments: readonly Segment[]): string | undefined {
  if (folded.length < MIN_NAME || !/^[a-z0-9]+$/.test(folded)) return undefined;
  const has = (field: Field): boolean => segments.some(({ reader }) => reader.has(termHash(field, folded)));
  if (has(Field.identifier) || has(Field.symbol)) return undefined;
  for (const length of new Set([Math.max(5, folded.length >> 1), ...NAME_PREFIXES])) {
    const name = nearestFrom(folded.slice(0, length), folded, segments);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The nearest name with a beginning; none where a name begins with the whole typed one. */
function nearestFrom(prefix: string, folded: string, segments: readonly Segment[]): string | undefined {
  let best: string | undefined;
  let least = MAX_NAME_EDITS + 1;
  const documents = sumOf(segments, ({ reader }) => reader.documents);
  for (const { reader } of segments) {
    const names = reader.names(prefix);
    for (let left = (MAX_NAMES * reader.documents) / documents; left > 0 && names.next(); left--) {
      if (names.keyLength < folded.length - MAX_NAME_EDITS) continue;
      const key = Buffer.from(names.key.buffer, 0, names.keyLength).toString('latin1');
      if (key.startsWith(folded)) return undefined;
      if (key.length > folded.length + MAX_NAME_EDITS) continue;
      const edits = editsUpTo(MAX_NAME_EDITS, folded, key);
      if (edits > least) continue;
      const name = names.text();
      if (edits === least && best !== undefined && best <= name) continue;
      const term = { field: Field.symbol, text: key };
      if (name.includes('.') || !segments.some((segment) => isLiving(segment, term))) continue;
      least = edits;
      best = name;
    }
  }
  return least > MAX_NAME_EDITS ? undefined : best;
}

/** The query with the nearest words in place of those that no document has, and a problem for each. */
export function corrected(parsed: ParsedQuery, corrections: readonly Correction[]): ParsedQuery {
  let { words } = parsed;
  const problems: QueryProblem[] = [];
  for (const { typed, word } of corrections) {
    const start = parsed.text.toLowerCase().indexOf(typed.toLowerCase());
    words = words.replaceAll(new RegExp(escapeRegExp(typed), 'giu'), word);
    problems.push({
      code: 'CorrectedWord',
      message: `No file has “${typed}”. Showing results for “${word}”.`,
      start: Math.max(0, start),
      end: start < 0 ? parsed.text.length : start + typed.length,
    });
  }
  return { ...parsed, words, problems: [...parsed.problems, ...problems] };
}
