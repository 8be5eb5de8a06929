import { isIndexable, stem, wordsIn } from '../engine/analyze/words.ts';
import { likenessOf } from '../engine/query/wordMatch.ts';
import { relatedWords } from './relatedWords.ts';

/** Lines of a file that may answer a question. */
export interface PassageCandidate {
  /** Rank of the file in the search, from 0. */
  readonly fileRank: number;
  /** Rank of the place in its file, from 0, if the search found it. */
  readonly placeRank: number | undefined;
  readonly path: string;
  readonly text: string;
  readonly name: string | undefined;
  readonly kind: string | undefined;
  /** Whether it is a page or a part of one. */
  readonly isProse: boolean;
  readonly isTest: boolean;
}

/** Properties of a passage, from 0 to about 1, that its score sums with their weights. */
export interface PassageFeatures {
  /** Words in the text, each by its rarity and more for repetitions; and related ones of words that the text has not. */
  readonly text: number;
  readonly related: number;
  /** Words in the name of the definition, and related ones. */
  readonly name: number;
  readonly relatedName: number;
  /** Words in those adjacent lines that have most. */
  readonly near: number;
  readonly path: number;
  /** The file's rank, the place's rank in it, and whether search did not find the place. */
  readonly file: number;
  readonly place: number;
  readonly unfound: number;
  /** A heading that has the words of the question, and no others. */
  readonly heading: number;
  /** A test, if the question asks for tests, and if it does not. */
  readonly test: number;
  readonly unwantedTest: number;
  /** Branches and loops: what does something rather answers than what declares it. */
  readonly code: number;
  readonly short: number;
  readonly long: number;
  /** A class or another type, rather than what it does. */
  readonly type: number;
}

export type PassageWeights = Readonly<Record<keyof PassageFeatures, number>>;

/** Stems of words that make a question, and rarely say what it is about. */
export const FILLERS: ReadonlySet<string> = new Set(
  'may come happen work get give make keep go see take want need way thing long many much large put mean say tell else'
    .split(' ')
    .map(stem),
);
/** Share of its rarity that such a word has. */
const FILLER = 0.5;
/** Saturation of the number of times that a text has a word. */
const SATURATION = 0.6;
/** Length of a text, in words, at which its words count fully. */
const LENGTH = 120;
const LENGTH_SHARE = 0.35;
/** Number of lines that count as near, of branches that count fully, and of lines of a long passage. */
const NEAR_LINES = 6;
const MANY_BRANCHES = 4;
const LONG = 60;
/** A page also answers, as a function with few branches does. */
const PROSE_CODE = 0.5;

const BRANCH = /\b(?:if|for|while|switch|case|return|match|when|unless|elif|elsif|throw|raise)\b/g;
const TYPES: ReadonlySet<string> = new Set('class interface type struct enum trait module namespace'.split(' '));

/**
 * Scores passages of the best files against each other: a word counts more the fewer of them have it. `undefined` for one that search
 * did not find and that has no word.
 */
export function scorePassages(
  candidates: readonly PassageCandidate[],
  words: readonly string[],
  weights: PassageWeights,
  isAboutTests: boolean,
): (number | undefined)[] {
  return featuresOf(candidates, words, isAboutTests).map(
    (one) =>
      one && Object.entries(one).reduce((sum, [key, value]) => sum + weights[key as keyof PassageFeatures] * value, 0),
  );
}

function featuresOf(
  candidates: readonly PassageCandidate[],
  words: readonly string[],
  isAboutTests: boolean,
): (PassageFeatures | undefined)[] {
  const counter = new WordCounter(words);
  const counted = candidates.map(({ text }) => counter.count(text));
  const rarity = words.map((one, word) => {
    const having = counted.filter(({ counts }) => counts[word]! > 0).length;
    const value = Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5));
    return FILLERS.has(one) ? value * FILLER : value;
  });
  const total = rarity.reduce((sum, one) => sum + one, 0) || 1;
  const sum = (valueOf: (word: number) => number): number =>
    rarity.reduce((all, one, word) => all + one * valueOf(word), 0) / total;
  return candidates.map(({ fileRank, placeRank, path, name, kind, text: own, isTest, isProse }, i) => {
    const { counts, related, length, lines, near } = counted[i]!;
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / LENGTH);
    const saturated = (count: number): number => (count * (1 + SATURATION)) / (count + norm || 1);
    const text = sum((word) => saturated(counts[word]!));
    const relatedText = sum((word) => (counts[word]! > 0 ? 0 : saturated(related[word]!)));
    if (text === 0 && relatedText === 0 && placeRank === undefined) return undefined;
    const nameStems = name === undefined ? [] : counter.stemsOf(name);
    const likeness = words.map((word) => best(nameStems, word));
    const inName = sum((word) => likeness[word]!);
    const explained =
      nameStems.length === 0 ? 0 : nameStems.filter((one) => best(words, one) > 0).length / nameStems.length;
    const pathStems = counter.stemsOf(path);
    return {
      text,
      related: relatedText,
      name: inName * (0.5 + 0.5 * explained),
      relatedName: sum((word) => (likeness[word] === 0 && counter.hasRelated(nameStems, word) ? 1 : 0)),
      near: Math.max(0, ...near.map((has) => sum((word) => (has.has(word) ? 1 : 0)))),
      path: sum((word) => (pathStems.includes(words[word]!) ? 1 : 0)),
      file: Math.log2(1 + fileRank) / 3,
      place: placeRank === undefined ? 0 : placeRank / 4,
      unfound: placeRank === undefined ? 1 : 0,
      heading: kind === 'heading' && explained === 1 ? Math.max(0, 4 * inName - 3) : 0,
      test: isAboutTests && isTest ? 1 : 0,
      unwantedTest: !isAboutTests && isTest ? 1 : 0,
      code: isProse ? PROSE_CODE : Math.min(1, (own.match(BRANCH)?.length ?? 0) / MANY_BRANCHES),
      short: lines <= 3 ? 1 : lines <= 6 ? 0.5 : 0,
      long: Math.min(1, lines / LONG),
      type: kind !== undefined && TYPES.has(kind) ? 1 : 0,
    };
  });
}

function best(stems: readonly string[], word: string): number {
  return Math.max(0, ...stems.map((one) => likenessOf(one, word)));
}

interface CountedWords {
  /** By word. */
  readonly counts: readonly number[];
  readonly related: readonly number[];
  /** Number of words and of lines. */
  readonly length: number;
  readonly lines: number;
  /** The words of each few adjacent lines. */
  readonly near: readonly ReadonlySet<number>[];
}

/** Counts the words of a question, and those related to them. */
class WordCounter {
  readonly #words: readonly string[];
  readonly #index: ReadonlyMap<string, number>;
  /** The words to which a stem is related. */
  readonly #related = new Map<string, number[]>();
  /** Many passages share their words. */
  readonly #stems = new Map<string, string>();

  constructor(words: readonly string[]) {
    this.#words = words;
    this.#index = new Map(words.map((word, i) => [word, i]));
    for (const [word, one] of words.entries())
      for (const other of new Set(relatedWords(one).map(stem)))
        this.#related.set(other, [...(this.#related.get(other) ?? []), word]);
  }

  hasRelated(stems: readonly string[], word: number): boolean {
    return stems.some((one) => this.#related.get(one)?.includes(word));
  }

  stemsOf(name: string): string[] {
    return [...wordsIn(name)].filter(isIndexable).map((one) => this.#stem(one));
  }

  count(text: string): CountedWords {
    const counts = this.#words.map(() => 0);
    const related = this.#words.map(() => 0);
    const near: Set<number>[] = [];
    const lines: Set<number>[] = [];
    let length = 0;
    for (const line of text.split('\n')) {
      const has = new Set<number>();
      for (const one of wordsIn(line)) {
        length++;
        const stemmed = this.#stem(one);
        for (const word of this.#related.get(stemmed) ?? []) related[word]!++;
        const word = this.#index.get(stemmed);
        if (word === undefined) continue;
        counts[word]!++;
        has.add(word);
      }
      lines.push(has);
      if (has.size > 0) near.push(new Set(lines.slice(-NEAR_LINES).flatMap((at) => [...at])));
    }
    return { counts, related, length, lines: lines.length, near };
  }

  #stem(word: string): string {
    const known = this.#stems.get(word) ?? stem(word);
    this.#stems.set(word, known);
    return known;
  }
}
