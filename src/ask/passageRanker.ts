import { groupBy } from '../base/collections.ts';
import { stem } from '../engine/analyze/words.ts';
import { likenessOf } from '../engine/query/wordMatch.ts';
import { WordCounter, type CountedWords } from './wordCounter.ts';

/** What the searches know about a file. */
export interface FileEvidence {
  /** Its rank among code and pages together, from 0. */
  readonly rank: number;
  /** How far its score is below the best one, for the question and for it with related words. */
  readonly below: number;
  readonly relatedBelow: number;
}

/** Lines of a file that may answer a question. */
export interface PassageCandidate extends FileEvidence {
  /** Rank of the place in its file, from 0, if the search found it. */
  readonly placeRank: number | undefined;
  readonly path: string;
  readonly text: string;
  /** The lines that begin the definitions around it. */
  readonly context: string;
  readonly name: string | undefined;
  readonly kind: string | undefined;
  /** Whether it is a page or a part of one. */
  readonly isProse: boolean;
  readonly isTest: boolean;
}

/** A question as passages are scored for it. */
export interface ScoredQuestion {
  /** The stems of its words. */
  readonly words: readonly string[];
  /** Those that only the question before has. */
  readonly earlier: ReadonlySet<string>;
  /** Whether words related to them count. */
  readonly withRelated: boolean;
  readonly isAboutTests: boolean;
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
  /** The file's rank, how far its scores are below the best ones, the place's rank in it, and whether search did not find the place. */
  readonly file: number;
  readonly below: number;
  readonly relatedBelow: number;
  readonly place: number;
  readonly unfound: number;
  /** A heading that has the words of the question, and no others. */
  readonly heading: number;
  /** A test, if the question asks for tests, and if it does not. */
  readonly test: number;
  readonly unwantedTest: number;
  /** Branches and loops: what does something rather answers than what declares it. */
  readonly code: number;
  readonly long: number;
  /** Its number of words, and the share of its lines that are comments. */
  readonly words: number;
  readonly comments: number;
  /** A page: it rather says that something is done than how. */
  readonly prose: number;
  /** A class or another type, rather than what it does. */
  readonly type: number;
  /** Words in lines that are no comment, and in the first such lines. */
  readonly inCode: number;
  readonly signature: number;
  /** Words that the definitions around it have and it has not. */
  readonly context: number;
  /** Number of passages of its file, and the share of the words that the best of them has. */
  readonly fileSize: number;
  readonly bestInFile: number;
}

/** A property without a weight counts nothing. */
export type PassageWeights = Readonly<Partial<Record<keyof PassageFeatures, number>>>;

/** Stems of words that make a question, and rarely say what it is about. */
export const FILLERS: ReadonlySet<string> = new Set(
  'may come happen work get give make keep go see take want need way thing long many much large put mean say tell else'
    .split(' ')
    .map(stem),
);
/** Share of its rarity that such a word has. */
const FILLER = 0.5;
/** Share of its rarity that a word of the question before has. */
const EARLIER = 0.5;
/** Saturation of the number of times that a text has a word. */
const SATURATION = 0.6;
/** Length of a text, in words, at which its words count fully. */
const LENGTH = 120;
const LENGTH_SHARE = 0.35;
/** Numbers that count fully: of branches, of lines of a long passage, of its words, and of the lines that comments are a share of. */
const MANY_BRANCHES = 4;
const LONG = 60;
const MANY_WORDS = 400;
const LEAST_COMMENTED = 4;
/** Difference between scores of files at which one counts least. */
const FAR_BELOW = 4;
/** Files with fewer passages are equally small. */
const FEW_PASSAGES = 8;
/** What a related word counts beside a word itself. */
const RELATED_SHARE = 0.6;
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
  question: ScoredQuestion,
  weights: PassageWeights,
): (number | undefined)[] {
  return featuresOf(candidates, question).map(
    (one) =>
      one &&
      Object.entries(one).reduce((sum, [key, value]) => sum + (weights[key as keyof PassageFeatures] ?? 0) * value, 0),
  );
}

/** The properties of passages; `undefined` as for {@link scorePassages}. */
export function featuresOf(
  candidates: readonly PassageCandidate[],
  { words, earlier, withRelated, isAboutTests }: ScoredQuestion,
): (PassageFeatures | undefined)[] {
  const counter = new WordCounter(words, withRelated);
  const counted = candidates.map(({ text }) => counter.count(text));
  const rarity = words.map((one, word) => {
    const having = counted.filter(({ counts }) => counts[word]! > 0).length;
    const value = Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5));
    return value * (FILLERS.has(one) ? FILLER : 1) * (earlier.has(one) ? EARLIER : 1);
  });
  const total = rarity.reduce((sum, one) => sum + one, 0) || 1;
  const sum = (valueOf: (word: number) => number): number =>
    rarity.reduce((all, one, word) => all + one * valueOf(word), 0) / total;
  const inFiles = filesOf(candidates, counted, sum);
  const contexts = new Map<string, CountedWords>();
  const countContext = (context: string): CountedWords => {
    const known = contexts.get(context) ?? counter.count(context);
    contexts.set(context, known);
    return known;
  };
  return candidates.map((candidate, i) => {
    const { placeRank, path, name, kind, text: own, isTest, isProse } = candidate;
    const { counts, related, inCode, inSignature, length, lines, comments, near } = counted[i]!;
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
    const around = countContext(candidate.context).counts;
    return {
      text,
      related: relatedText,
      name: inName * (0.5 + 0.5 * explained),
      relatedName: sum((word) => (likeness[word] === 0 && counter.hasRelated(nameStems, word) ? 1 : 0)),
      near:
        near.reduce(
          (most, has) =>
            Math.max(
              most,
              has.reduce((all, word) => all + rarity[word]!, 0),
            ),
          0,
        ) / total,
      path: sum((word) => (pathStems.includes(words[word]!) ? 1 : 0)),
      file: Math.log2(1 + candidate.rank) / 3,
      below: Math.min(1, candidate.below / FAR_BELOW),
      relatedBelow: Math.min(1, candidate.relatedBelow / FAR_BELOW),
      place: placeRank === undefined ? 0 : placeRank / 4,
      unfound: placeRank === undefined ? 1 : 0,
      heading: kind === 'heading' && explained === 1 ? Math.max(0, 4 * inName - 3) : 0,
      test: isAboutTests && isTest ? 1 : 0,
      unwantedTest: !isAboutTests && isTest ? 1 : 0,
      code: isProse ? PROSE_CODE : Math.min(1, (own.match(BRANCH)?.length ?? 0) / MANY_BRANCHES),
      long: Math.min(1, lines / LONG),
      words: Math.min(1, length / MANY_WORDS),
      comments: Math.min(1, comments / Math.max(LEAST_COMMENTED, lines)),
      prose: isProse ? 1 : 0,
      type: kind !== undefined && TYPES.has(kind) ? 1 : 0,
      inCode: sum((word) => (inCode.has(word) ? 1 : 0)),
      signature: sum((word) => (inSignature.has(word) ? 1 : 0)),
      context: sum((word) => (counts[word] === 0 && around[word]! > 0 ? 1 : 0)),
      ...inFiles.get(path)!,
    };
  });
}

/** What all passages of a file say about each one, by its path. */
function filesOf(
  candidates: readonly PassageCandidate[],
  counted: readonly CountedWords[],
  sum: (valueOf: (word: number) => number) => number,
): Map<string, Pick<PassageFeatures, 'fileSize' | 'bestInFile'>> {
  const shares = counted.map(({ counts, related }) =>
    sum((word) => (counts[word]! > 0 ? 1 : related[word]! > 0 ? RELATED_SHARE : 0)),
  );
  const byPath = groupBy([...candidates.keys()], (i) => candidates[i]!.path);
  return new Map(
    [...byPath].map(([path, same]) => [
      path,
      {
        fileSize: Math.log2(Math.max(FEW_PASSAGES, same.length)) / 6,
        bestInFile: Math.max(...same.map((i) => shares[i]!)),
      },
    ]),
  );
}

function best(stems: readonly string[], word: string): number {
  return Math.max(0, ...stems.map((one) => likenessOf(one, word)));
}
