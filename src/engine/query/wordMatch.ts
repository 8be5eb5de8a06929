/** Numbers words, so that what was found out of one need not be looked up as text. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #words: string[] = [];

  get size(): number {
    return this.#words.length;
  }

  numberOf(word: string): number {
    let number = this.#numbers.get(word);
    if (number === undefined) this.#numbers.set(word, (number = this.#words.push(word) - 1));
    return number;
  }

  word(number: number): string {
    return this.#words[number]!;
  }
}

/** How alike a word is to one of a query's: 0 is unlike all. */
export interface WordMatch {
  /** Which word of the query. */
  readonly word: number;
  readonly value: number;
}

const NONE: WordMatch = { word: 0, value: 0 };

/** Compares stems with those of a query: `config` is nearly `configur`, and `valid` nearly `valid`ator. */
export class WordMatcher {
  readonly #words: readonly string[];
  readonly #known = new Map<string, WordMatch>();
  readonly #tables = new Map<Vocabulary, (WordMatch | undefined)[]>();

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  match(stem: string): WordMatch {
    let match = this.#known.get(stem);
    if (!match) this.#known.set(stem, (match = this.#compare(stem)));
    return match;
  }

  /** The matches of a vocabulary's words by their numbers, as far as they were asked for by {@link fill}. */
  table(vocabulary: Vocabulary): readonly (WordMatch | undefined)[] {
    let table = this.#tables.get(vocabulary);
    if (!table) this.#tables.set(vocabulary, (table = []));
    for (let number = table.length; number < vocabulary.size; number++) table.push(undefined);
    return table;
  }

  /** The match of one word, entered in {@link table}. */
  fill(vocabulary: Vocabulary, number: number): WordMatch {
    return (this.#tables.get(vocabulary)![number] = this.#compare(vocabulary.word(number)));
  }

  #compare(stem: string): WordMatch {
    let word = 0;
    let value = 0;
    for (let i = 0; i < this.#words.length && value < 1; i++) {
      const likeness = likenessOf(this.#words[i]!, stem);
      if (likeness <= value) continue;
      word = i;
      value = likeness;
    }
    return value === 0 ? NONE : { word, value };
  }
}

/** How alike two stems begin. */
export function likenessOf(a: string, b: string): number {
  if (a.charCodeAt(0) !== b.charCodeAt(0)) return 0;
  if (a === b) return 1;
  const shorter = Math.min(a.length, b.length);
  let length = 1;
  while (length < shorter && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  if (length >= 3 && length === shorter) return 0.8;
  return length >= 4 && length >= 0.6 * Math.max(a.length, b.length) ? 0.6 : 0;
}
