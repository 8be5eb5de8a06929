import { isIndexable, isStopword, splitIdentifier } from '../analyze/words.ts';
import { stemOf } from './wordMatch.ts';

/** What a query asks for, in the terms of the index. */
export interface Query {
  readonly text: string;
  /** Different words, stemmed, in the order in which they were typed. */
  readonly words: readonly string[];
  /** Names that were typed, folded: compound ones, such as `handleMmFault` → `handlemmfault`, and capitalized words. */
  readonly names: readonly string[];
  /** For each name which of the words it is, or -1 if it is compound: `__inline__s` is not the word that `inlines` has for a stem. */
  readonly nameWords: readonly number[];
  /** Words among others that may be the whole name of something, folded. */
  readonly possibleNames: readonly string[];
  /** Neighbours that may be one name: `page fault` → `pagefault`. */
  readonly pairs: readonly string[];
  /** The one name that is looked for, as typed, if the query is nothing else. */
  readonly symbol: string | undefined;
}

/** More words than this say nothing more; a pasted page must not take seconds. Masks of words have 32 bits. */
export const MAX_WORDS = 30;
/** What stands together as one name or word. */
export const WORD = /[\p{L}\p{N}_\p{M}]+/gu;
const CAPITALIZED = /^\p{Lu}/u;

/**
 * What a person typed, as terms. `page fault handler` asks for three words, and for names made of neighbours, such as
 * `page_fault`; `handleMmFault` asks for the name and for its words.
 */
export function parseQuery(text: string): Query {
  const typed = [...text.matchAll(WORD)].slice(0, MAX_WORDS).map(([name]) => name);
  const names = typed.map(splitIdentifier);
  const all = names.flat();
  // A question made of nothing but common words still deserves the best answer there is.
  const isContent = all.some((word) => isIndexable(word)) ? isIndexable : (word: string) => word.length > 0;
  const words = new Set(all.filter(isContent).map(stemOf));
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < names.length; i++) {
    pairs.add([...names[i]!, ...names[i + 1]!].join(''));
    if (i + 2 < names.length) pairs.add([...names[i]!, ...names[i + 1]!, ...names[i + 2]!].join(''));
  }
  const trimmed = text.trim();
  const isSymbol = names.length > 0 && !/\s/.test(trimmed) && (names.length === 1 || /^[\p{L}_]/u.test(trimmed));
  const isName = (parts: readonly string[], i: number): boolean =>
    parts.length > 1 || (parts.length === 1 && (isSymbol || (i > 0 && CAPITALIZED.test(typed[i]!))));
  const folded = (wanted: typeof isName): string[] => [...new Set(names.filter(wanted).map((parts) => parts.join('')))];
  const single = new Set(names.filter((parts) => parts.length === 1).map(([part]) => part!));
  const wordList = [...words].slice(0, MAX_WORDS);
  const nameList = folded(isName);
  return {
    text,
    words: wordList,
    names: nameList,
    nameWords: nameList.map((name) => (single.has(name) ? wordList.indexOf(stemOf(name)) : -1)),
    possibleNames: folded((parts, i) => parts.length === 1 && !isName(parts, i) && !isStopword(parts[0]!)),
    pairs: isSymbol && names.length === 1 ? [] : [...pairs].slice(0, MAX_WORDS),
    symbol: isSymbol ? trimmed : undefined,
  };
}
