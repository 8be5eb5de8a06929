import { WORD } from '../analyze/numbers.ts';
import { foldName } from '../analyze/symbolNames.ts';
import { hasIndexable, isIndexable, isNumber, isStopword, isUnspaced, MAX_WORD, splitToken } from '../analyze/words.ts';
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
  /** The words as typed that are no compound name and no number, in typed order. */
  readonly singles: readonly string[];
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
/** Largest length of a query in UTF-16 units: a text of megabytes must not keep a thread busy for seconds. */
export const MAX_QUERY_LENGTH = 100_000;
const CAPITALIZED = /^\p{Lu}/u;
/** A name that a command line defines: `-DNAME=value`. */
const DEFINING = /(?<!\S)-D([A-Za-z_][\w.]*)=\S*/g;
/**
 * How a question asks for a decision, up to what is decided: _How does it decide whether_ a file is binary? Its words are rare in
 * code, so that they would count much.
 */
const DECIDING =
  /^(?<start>\W*(?:how|when|where|what|which|who)\s+(?:\S+\s+){0,4}?)(?:decide|determine)[ds]?\s+(?:whether|if|that|which|what|when|where|how|who|why)\s/i;

/**
 * Converts typed text to terms. `page fault handler` searches three words, and names made of neighbours, such as
 * `page_fault`; `handleMmFault` searches the name and its words.
 */
export function parseQuery(text: string): Query {
  const plain = text.normalize().replace(DEFINING, '$1');
  const typed = tokensOf(withoutDeciding(plain));
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
  const trimmed = plain.trim();
  const isOne = names.length === 1 ? !isNumber(names[0]!.join('')) : /^[\p{L}_]/u.test(trimmed);
  const isSymbol = names.length > 0 && !/\s/.test(trimmed) && isOne && !isSentence(trimmed);
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
    singles: typed.filter((_, i) => names[i]!.length === 1 && !isNumber(names[i]![0]!) && !isStopword(names[i]![0]!)),
    possibleNames: folded((parts, i) => parts.length === 1 && !isName(parts, i) && !isStopword(parts[0]!)),
    pairs: isSymbol && names.length === 1 ? [] : [...pairs].slice(0, MAX_WORDS),
    symbol: isSymbol ? trimmed : undefined,
  };
}

/** The words of a query that count, as typed. */
export function tokensOf(text: string): string[] {
  return [...text.matchAll(WORD)].slice(0, MAX_WORDS).map(([token]) => token);
}

/** A question without the words that ask for a decision, if others are left. */
function withoutDeciding(text: string): string {
  const rest = text.replace(DECIDING, '$<start>');
  return hasIndexable(rest) ? rest : text;
}

/** Length of the longest name in a script without spaces between words. */
const MAX_UNSPACED_NAME = 8;

/** Whether a text without spaces is no name, as a question in Chinese: it is long, or has punctuation of such a script. */
function isSentence(text: string): boolean {
  return isUnspaced(text) && (text.length > MAX_UNSPACED_NAME || /[?\u3000-\u303f\uff01-\uff1f]/.test(text));
}

/** Counts the documents with a folded word, and all documents. */
export interface Counts {
  readonly documents: number;
  definedIn(folded: string): number;
  /** Number of documents with the word in their text. */
  writtenIn(folded: string): number;
}

/** Most definitions of a name in a question; most documents with a name in small letters, and their greatest share. */
const MAX_DEFINITIONS = 2;
const MAX_DOCUMENTS = 8;
const MAX_SHARE = 0.02;

/**
 * The query with the names that an index shows to be names. A word in capitals alone, such as `JSON`, is rather a format, and a
 * capital at the beginning shows nothing; a word in small letters may be a name if few documents have and define it.
 */
export function withDefinedNames(query: Query, counts: Counts): Query {
  if (query.symbol !== undefined) return query;
  const added = new Set<string>();
  const removed = new Set<string>();
  for (const typed of query.singles) {
    const folded = foldName(typed);
    const isKnown = query.names.includes(folded);
    const definitions = counts.definedIn(folded);
    const isFew = definitions > 0 && definitions <= MAX_DEFINITIONS;
    if (/^\P{Ll}{2,}$/u.test(typed)) {
      if (!isFew) removed.add(folded);
    } else if (CAPITALIZED.test(typed)) {
      if (isFew && !isKnown) added.add(folded);
    } else if (isFew && counts.writtenIn(folded) <= Math.min(MAX_DOCUMENTS, MAX_SHARE * counts.documents)) {
      added.add(folded);
    }
  }
  const names = [...new Set([...query.names.filter((name) => !removed.has(name)), ...added])];
  const isName = new Set(names);
  return {
    ...query,
    names,
    nameWords: names.map((name) => query.nameWords[query.names.indexOf(name)] ?? query.words.indexOf(stemOf(name))),
    possibleNames: [...query.possibleNames, ...removed].filter((name) => !isName.has(name)),
  };
}
