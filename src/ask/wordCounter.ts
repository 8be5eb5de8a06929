import { isIndexable, splitToken, stem, wordsIn, writtenWords } from '../engine/analyze/words.ts';
import { WORD } from '../engine/analyze/numbers.ts';
import { relatedWords } from './relatedWords.ts';

/** The words of a question that a text has, by their position in the question. */
export interface CountedWords {
  /** How often the text has each word, and words related to it. */
  readonly counts: readonly number[];
  readonly related: readonly number[];
  /** The words on lines that are no comment, and on the first such lines. */
  readonly inCode: ReadonlySet<number>;
  readonly inSignature: ReadonlySet<number>;
  /** Number of words, of lines, and of lines that are a comment. */
  readonly length: number;
  readonly lines: number;
  readonly comments: number;
  /** The words of each few adjacent lines. */
  readonly near: readonly (readonly number[])[];
}

/** Number of lines that count as near, and of those that begin a definition. */
const NEAR_LINES = 6;
const SIGNATURE_LINES = 2;
const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!include|define|if|endif|else|pragma)|--|"""|;|%)/;

/** A word or name of a text: the number of its parts, and the words of the question that these are, and are related to. */
interface Token {
  readonly parts: number;
  readonly own: readonly number[];
  readonly related: readonly number[];
}

/** Counts the words of a question, and those related to them. */
export class WordCounter {
  readonly #index: ReadonlyMap<string, number>;
  readonly #words: readonly string[];
  /** The words to which a stem is related. */
  readonly #related = new Map<string, number[]>();
  /** Passages share most of their words and names. */
  readonly #tokens = new Map<string, Token>();

  /** `words` are the stems of the question; related ones are counted if `withRelated`. */
  constructor(words: readonly string[], withRelated: boolean) {
    this.#words = words;
    this.#index = new Map(words.map((word, i) => [word, i]));
    if (!withRelated) return;
    for (const [word, one] of words.entries())
      for (const other of new Set(relatedWords(one).map(stem)))
        this.#related.set(other, [...(this.#related.get(other) ?? []), word]);
  }

  hasRelated(stems: readonly string[], word: number): boolean {
    return stems.some((one) => this.#related.get(one)?.includes(word));
  }

  stemsOf(name: string): string[] {
    return [...wordsIn(name)].filter(isIndexable).map(stem);
  }

  count(text: string): CountedWords {
    const counts = this.#words.map(() => 0);
    const related = this.#words.map(() => 0);
    const inCode = new Set<number>();
    const inSignature = new Set<number>();
    const near: number[][] = [];
    /** The last line with each word. */
    const seen = this.#words.map(() => -Infinity);
    const lines = text.split('\n');
    let [length, comments] = [0, 0];
    for (const [at, line] of lines.entries()) {
      const isComment = COMMENT.test(line);
      if (isComment) comments++;
      let hasWord = false;
      for (const token of line.match(WORD) ?? []) {
        const known = this.#token(token);
        length += known.parts;
        for (const word of known.related) related[word]!++;
        for (const word of known.own) {
          hasWord = true;
          counts[word]!++;
          seen[word] = at;
          if (!isComment) inCode.add(word);
          if (!isComment && at - comments < SIGNATURE_LINES) inSignature.add(word);
        }
      }
      if (hasWord) near.push([...seen.keys()].filter((word) => at - seen[word]! < NEAR_LINES));
    }
    return { counts, related, inCode, inSignature, length, lines: lines.length, comments, near };
  }

  #token(text: string): Token {
    const known = this.#tokens.get(text);
    if (known) return known;
    const parts = splitToken(text);
    const stems = writtenWords(text, parts).map(stem);
    const token = {
      parts: parts.length,
      own: stems.flatMap((one) => this.#index.get(one) ?? []),
      related: stems.flatMap((one) => this.#related.get(one) ?? []),
    };
    this.#tokens.set(text, token);
    return token;
  }
}
