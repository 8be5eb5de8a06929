const NONE: WordMatch = { word: -1, value: 0 };

export interface WordMatch {
  /** Which word of the query, or -1. */
  readonly word: number;
  /** 1 for the same word, less for one that only begins alike, 0 for none. */
  readonly value: number;
}

/** Compares stems with those of a query: `config` is nearly `configur`, and `valid` nearly `valid`ator. */
export class WordMatcher {
  readonly #words: readonly string[];
  readonly #known = new Map<string, WordMatch>();

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  match(stem: string): WordMatch {
    let match = this.#known.get(stem);
    if (!match) {
      match = NONE;
      for (const [word, wanted] of this.#words.entries()) {
        const value = likeness(wanted, stem);
        if (value > match.value) match = { word, value };
      }
      this.#known.set(stem, match);
    }
    return match;
  }
}

/** How alike two stems begin. */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const shorter = Math.min(a.length, b.length);
  let length = 0;
  while (length < shorter && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  if (length >= 3 && length === shorter) return 0.8;
  return length >= 4 && length >= 0.6 * Math.max(a.length, b.length) ? 0.6 : 0;
}
