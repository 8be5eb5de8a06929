import { splitToken } from '../analyze/words.ts';
import type { Segment } from '../index/snapshot.ts';
import { nearestName } from './nearestName.ts';
import { tokensOf } from './query.ts';
import type { ParsedQuery } from './queryLanguage.ts';
import { nearestWords } from './spelling.ts';
import { stemOf } from './wordMatch.ts';

/** A typed word or name that no document has, and the indexed one that is nearest to it. */
export interface Correction {
  readonly typed: string;
  readonly word: string;
}

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
  for (const token of tokensOf(words)) {
    const parts = splitToken(token);
    const name = parts.length > 1 ? nearestName(parts.join(''), segments) : undefined;
    if (name !== undefined) {
      corrections.set(token, { typed: token, word: name });
      continue;
    }
    for (const typed of parts) {
      if (!unknown.has(stemOf(typed)) || corrections.has(typed)) continue;
      const [near] = nearestWords(typed, segments, 1);
      // A part may have lost its accents.
      const written = parts.length === 1 ? token.toLowerCase() : typed;
      if (near && token.toLowerCase().includes(written)) corrections.set(typed, { typed: written, word: near.word });
    }
  }
  return [...corrections.values()];
}
