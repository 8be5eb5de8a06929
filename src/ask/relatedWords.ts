import { stem } from '../engine/analyze/words.ts';
import plainWords from './plainWords.json' with { type: 'json' };
import wordGroups from './wordGroups.json' with { type: 'json' };

/**
 * Words that mean nearly the same, by the stem of each. The groups are words that programs use for one thing, written from general
 * knowledge of code in many languages, as the index has no synonyms; a longer list from a thesaurus would relate words by senses that
 * code does not have. Behind them come code's words for plain ones, written for words of the questions of bench:ask.
 */
const BY_STEM: ReadonlyMap<string, readonly string[]> = groups();

function groups(): Map<string, string[]> {
  const all = new Map<string, string[]>();
  const relate = (word: string, others: readonly string[]): void => {
    const known = all.get(stem(word)) ?? [];
    all.set(stem(word), [...known, ...others.filter((other) => stem(other) !== stem(word) && !known.includes(other))]);
  };
  for (const group of wordGroups) {
    const words = group.split(' ');
    for (const word of words) relate(word, words);
  }
  for (const [word, others] of Object.entries(plainWords)) relate(word, others.split(' '));
  return all;
}

/** Words that mean nearly the same as the one with the stem, the nearest first. */
export function relatedWords(stemmed: string): readonly string[] {
  return BY_STEM.get(stemmed) ?? [];
}
