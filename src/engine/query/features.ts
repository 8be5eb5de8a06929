import type { SegmentScores } from './collect.ts';
import type { Evidence } from './evidence.ts';
import type { PathInfo } from './paths.ts';
import type { Query } from './query.ts';
import type { WordMatcher } from './wordMatch.ts';

/**
 * Features of ranking, in the order of the weights, each part of a group after its name in docs/ranking.md. Shares are of the query's
 * words, each word weighted by its rarity; "like" words are the same or begin alike. See docs/ranking.md for the worth of each.
 */
export const GROUPED_FEATURES = [
  // BM25 of the document, of its best chunk, of the mean of its best three and eight.
  ['text of the document', 'body'],
  ['best chunks', 'best', 'top3', 'top8'],
  // Words in comments, in the comment at the top, in the comments of one chunk.
  ['comments', 'comment', 'head', 'bestComment'],
  // Frequency, density and coverage of the words.
  ['text of the document', 'spread', 'density', 'coverage'],
  // Share of the query in it, share of it in the query, both, and early words in it.
  ['file name', 'name', 'nameExplained', 'nameBoth', 'nameEarly', 'nameWords'],
  // All, the innermost, the rarest, the whole path; the depth; the share of the workspace in the same package.
  ['folders', 'folder', 'lastFolder', 'folderRare', 'path', 'depth', 'packageShare'],
  // Other results in its folder: their number and their scores.
  ['folders', 'neighbours', 'neighbourhood'],
  // Share of the query in the names of definitions, with early words weighted more.
  ['words of definitions', 'defined', 'definedEarly'],
  // The best fit of all, of those at the top level, and of types.
  ['best definition', 'definition', 'topDefinition', 'typeDefinition'],
  // The number with a word in the name, and their share of all; the best chunk.
  ['words of definitions', 'definitions', 'definitionDensity', 'chunkDefined', 'chunkBoth'],
  ['best definition', 'definitionDepth', 'definitionShare'],
  // A name in the query: defined here, as a type or function, at the top level, and equal to the file name; a plain
  // word that is one; used here; defined in few files.
  ['queried names', 'symbol', 'symbolType', 'symbolTop', 'symbolFile', 'symbolWord', 'symbolUse', 'symbolRare'],
  // Neighbours in the query that form one name here, a defined name, the file name.
  ['neighbours as one name', 'pair', 'pairDefined', 'pairFile'],
  ['kind of file', 'test', 'testAsked', 'testFolder', 'example', 'vendor', 'internal', 'compat', 'plainName', 'header'],
  ['text of the document', 'length'],
  ['references and language', 'definitionTotal', 'references', 'languageShare'],
  // A form beside code that the query does not ask for.
  ['kind of file', 'prose', 'data', 'built', 'history', 'tooling'],
] as const satisfies readonly (readonly [group: string, ...features: string[]])[];

type FeaturesOf<Part> = Part extends readonly [string, ...infer Features] ? Features[number] : never;
export type Feature = FeaturesOf<(typeof GROUPED_FEATURES)[number]>;

export const FEATURES: readonly Feature[] = GROUPED_FEATURES.flatMap(([, ...features]): Feature[] => features);

/** The column of each feature. */
export const F = Object.fromEntries(FEATURES.map((feature, i) => [feature, i])) as Readonly<Record<Feature, number>>;

/** Features that count once more as a share of the highest among the candidates. */
export const RELATIVE = [
  'body',
  'best',
  'top3',
  'comment',
  'head',
  'bestComment',
  'nameBoth',
  'definition',
  'definitions',
  'chunkBoth',
  'density',
] as const satisfies readonly Feature[];

export const FEATURE_COLUMNS: readonly string[] = [...FEATURES, ...RELATIVE.map((name) => `${name}/max`)];

/** A document that may be a result. */
export interface Candidate {
  readonly scores: SegmentScores;
  readonly document: number;
  readonly evidence: Evidence;
  readonly info: PathInfo;
}

/** Weights of the query's words, and other facts of the corpus. */
export interface Corpus {
  readonly query: Query;
  /** Matcher of the query's words. */
  readonly matcher: WordMatcher;
  /** Inverse document frequency of each word of the query; 0 for one that no document has. */
  readonly weights: readonly number[];
  /** Inverse document frequency of each word among names of folders: a word above all files distinguishes nothing. */
  readonly folderWeights: readonly number[];
  /** Terms by the symbol numbers passed to {@link SegmentScores.addSymbol}. */
  readonly symbols: readonly SymbolTermInfo[];
  /** Whether the query is a name that no document has, but defined names begin with it. */
  readonly isHalfName: boolean;
  languageShare(language: string): number;
  /** The share of the documents that are below an outer folder of a searched folder. */
  packageShare(folder: number, name: string): number;
  /** Number of documents in which a folded name occurs. */
  references(folded: string): number;
}

export interface SymbolTermInfo {
  readonly folded: string;
  /** Name with its container, if that was typed: `foo.bar`. */
  readonly qualified: string | undefined;
  /** Index of the query's word, or -1. */
  readonly word: number;
  /** 1 for the name as typed, less for a similar one, 0 for a word among others. */
  readonly value: number;
  /** Number of documents that define the symbol. */
  readonly documents: number;
}

/** Contribution of one feature, or a rule, to a hit's score. */
export interface Contribution {
  readonly feature: string;
  readonly value: number;
  readonly share: number;
}
