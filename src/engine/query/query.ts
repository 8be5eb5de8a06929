import { WORD } from '../analyze/numbers.ts';
import { isIndexable, isNumber, isStopword, MAX_WORD, splitToken } from '../analyze/words.ts';
import { stemOf } from './wordMatch.ts';

/** A query in the terms of the index. */
export interface Query {
  readonly text: string;
  /** Different words, stemmed, in typed order. */
  readonly words: readonly string[];
  /**
   * Names in the query, folded: compound ones, such as `handleMmFault` → `handlemmfault`, capitalized words, and numbers:
   * `HTTP 429` is about 429.
   */
  readonly names: readonly string[];
  /**
   * For each name, the index of its word, or -1 if it is compound: `__inline__s` is not the word with the stem of
   * `inlines`.
   */
  readonly nameWords: readonly number[];
  /** Words among others that may be a whole name, folded. */
  readonly possibleNames: readonly string[];
  /** Neighbours that may form one name: `page fault` → `pagefault`. */
  readonly pairs: readonly string[];
  /** The name as typed, if the query is nothing but one name. */
  readonly symbol: string | undefined;
}

/**
 * Largest number of words: more add no information, and a pasted page must not take seconds. Masks of words have 32
 * bits.
 */
export const MAX_WORDS = 30;
export { WORD };
const CAPITALIZED = /^\p{Lu}/u;

/**
 * Converts typed text to terms. `page fault handler` searches three words, and names made of neighbours, such as
 * `page_fault`; `handleMmFault` searches the name and its words.
 */
export function parseQuery(text: string): Query {
  const typed = [...text.matchAll(WORD)].slice(0, MAX_WORDS).map(([name]) => name);
  const names = typed.map(splitToken);
  const all = names.flat();
  // A question of common words alone still deserves the best possible answer.
  const isContent = all.some((word) => isIndexable(word)) ? isIndexable : (word: string) => word.length > 0;
  const words = new Set(all.filter(isContent).map(stemOf));
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < names.length; i++) {
    pairs.add([...names[i]!, ...names[i + 1]!].join(''));
    if (i + 2 < names.length) pairs.add([...names[i]!, ...names[i + 1]!, ...names[i + 2]!].join(''));
  }
  const trimmed = text.trim();
  const isOne = names.length === 1 ? !isNumber(names[0]!.join('')) : /^[\p{L}_]/u.test(trimmed);
  const isSymbol = names.length > 0 && !/\s/.test(trimmed) && isOne;
  const isName = (parts: readonly string[], i: number): boolean => {
    const [part = ''] = parts;
    if (parts.length !== 1 || isNumber(part) || part.length > MAX_WORD) return part !== '';
    return isSymbol || (i > 0 && CAPITALIZED.test(typed[i]!));
  };
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
