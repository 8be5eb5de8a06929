import { isIndexable, splitIdentifier, stem, wordsIn } from '../engine/analyze/words.ts';
import { likenessOf } from '../engine/query/wordMatch.ts';

/** Lines of a file that may answer a question. */
export interface PassageCandidate {
  /** Rank of the file in the search, from 0. */
  readonly fileRank: number;
  /** Rank of the place in its file, from 0, if the search found it. */
  readonly placeRank: number | undefined;
  readonly text: string;
  readonly name: string | undefined;
  readonly isHeading: boolean;
  /** Whether the question asks for tests, and this is one. */
  readonly isWantedTest: boolean;
}

/** Weights of what makes a passage an answer. */
export interface PassageWeights {
  /** Of words in the text, each by its rarity. */
  readonly text: number;
  /** Of words in the name of the definition. */
  readonly name: number;
  /** Of the file's rank. */
  readonly file: number;
  /** Of the place's rank in its file. */
  readonly place: number;
  /** Of a place that search did not find. */
  readonly unfound: number;
  /** Share of its rarity that a filler of questions has. */
  readonly filler: number;
  /** Of a test, if the question is about tests. */
  readonly test: number;
  /** Of a heading that has the words of the question, and no others. */
  readonly heading: number;
}

/** Stems of words that make a question, and rarely say what it is about. */
const FILLERS: ReadonlySet<string> = new Set(
  'may come happen work get give make keep go see take want need way thing long many much large put mean say tell else'
    .split(' ')
    .map(stem),
);
/** Saturation of the number of times that a text has a word. */
const SATURATION = 0.6;
/** Length of a text, in words, at which its words count fully. */
const LENGTH = 120;
const LENGTH_SHARE = 0.35;

/**
 * Scores passages of the best files against each other: a word counts more the fewer of them have it. `undefined` for one that search
 * did not find and that has no word.
 */
export function scorePassages(
  candidates: readonly PassageCandidate[],
  words: readonly string[],
  weights: PassageWeights,
): (number | undefined)[] {
  const counted = candidates.map(({ text }) => countWords(text, words));
  const rarity = words.map((_, word) => {
    const having = counted.filter(({ counts }) => counts[word]! > 0).length;
    const value = Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5));
    return FILLERS.has(words[word]!) ? value * weights.filler : value;
  });
  const total = rarity.reduce((sum, one) => sum + one, 0) || 1;
  return candidates.map(({ fileRank, placeRank, name, isHeading, isWantedTest }, i) => {
    const { counts, length } = counted[i]!;
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / LENGTH);
    const sum = (valueOf: (word: number) => number): number =>
      rarity.reduce((all, one, word) => all + one * valueOf(word), 0) / total;
    const nameStems = name === undefined ? [] : splitIdentifier(name).filter(isIndexable).map(stem);
    const text = sum((word) => (counts[word]! * (1 + SATURATION)) / (counts[word]! + norm || 1));
    if (text === 0 && placeRank === undefined) return undefined;
    const inName = sum((word) => best(nameStems, words[word]!));
    const explained =
      nameStems.length === 0 ? 0 : nameStems.filter((one) => best(words, one) > 0).length / nameStems.length;
    return (
      weights.text * text +
      weights.name * inName * (0.5 + 0.5 * explained) +
      (isHeading && explained === 1 ? weights.heading * Math.max(0, 4 * inName - 3) : 0) +
      (isWantedTest ? weights.test : 0) -
      weights.file * Math.log2(1 + fileRank) -
      (placeRank === undefined ? weights.unfound : weights.place * placeRank)
    );
  });
}

function best(stems: readonly string[], word: string): number {
  return Math.max(0, ...stems.map((one) => likenessOf(one, word)));
}

function countWords(text: string, words: readonly string[]): { readonly counts: number[]; readonly length: number } {
  const index = new Map(words.map((word, i) => [word, i]));
  const counts = words.map(() => 0);
  let length = 0;
  for (const one of wordsIn(text)) {
    length++;
    const word = index.get(stem(one));
    if (word !== undefined) counts[word]!++;
  }
  return { counts, length };
}
