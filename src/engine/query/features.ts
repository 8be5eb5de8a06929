import { TYPE_KINDS } from '../analyze/languages.ts';
import { isIndexable, splitIdentifier, stem } from '../analyze/words.ts';
import { foldName, nameSegments } from '../analyze/symbolNames.ts';
import type { SymbolSpan } from '../index/documents.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { DEFINING, type SegmentScores } from './collect.ts';
import { pathInfo, type PathInfo, type Side } from './paths.ts';
import type { Query } from './query.ts';
import { Vocabulary, likenessOf, type WordMatcher } from './wordMatch.ts';

/**
 * What ranking looks at, in the order of the weights. Shares are of the query's words, each word weighed by how rare it is;
 * "like" words are the same or begin alike. See docs/ranking.md for what each is worth.
 */
export const FEATURES = [
  // Text: BM25 of the document, of its best chunk, of the mean of its best three and eight.
  'body',
  'best',
  'top3',
  'top8',
  // Words in comments, in the comment at the top, in the comments of one chunk.
  'comment',
  'head',
  'bestComment',
  // How often, how densely, and which of the words.
  'spread',
  'density',
  'coverage',
  // The file's name: share of the query in it, share of it in the query, both, and early words in it.
  'name',
  'nameExplained',
  'nameBoth',
  'nameEarly',
  'nameWords',
  // Folders, the innermost, and the whole path.
  'folder',
  'lastFolder',
  'path',
  'depth',
  // What else of its folder may be a result: how many files, and how well they do.
  'neighbours',
  'neighbourhood',
  // Definitions: share of the query that they name, with early words weighed more; the one that fits best, of all, of
  // those at the top level, and of types; how many name a word, and which part of all; the best chunk.
  'defined',
  'definedEarly',
  'definition',
  'topDefinition',
  'typeDefinition',
  'definitions',
  'definitionDensity',
  'chunkDefined',
  'chunkBoth',
  'definitionDepth',
  'definitionShare',
  // A name asked for: it is defined here, as a type or function, at the top level, and the file is named so; a plain word
  // that is one; it stands here; it is defined in few files.
  'symbol',
  'symbolType',
  'symbolTop',
  'symbolFile',
  'symbolWord',
  'symbolUse',
  'symbolRare',
  // Neighbours in the query that are one name here, that are defined, that name the file.
  'pair',
  'pairDefined',
  'pairFile',
  // What kind of file it is.
  'test',
  'testAsked',
  'testFolder',
  'example',
  'vendor',
  'internal',
  'compat',
  'plainName',
  'header',
  'length',
  'definitionTotal',
  'references',
  'languageShare',
] as const;
export type Feature = (typeof FEATURES)[number];

/** The column of each feature. */
const F = Object.fromEntries(FEATURES.map((feature, i) => [feature, i])) as Readonly<Record<Feature, number>>;

/** These count once more as a share of the highest among the candidates. */
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

export const COLUMNS: readonly string[] = [...FEATURES, ...RELATIVE.map((name) => `${name}/max`)];

/** A document that may be a result. */
export interface Candidate {
  readonly scores: SegmentScores;
  readonly document: number;
  readonly info: PathInfo;
}

/** What the query's words weigh, and other facts of the corpus. */
export interface Corpus {
  readonly query: Query;
  /** Of the query's words. */
  readonly matcher: WordMatcher;
  /** Inverse document frequency of each word of the query; 0 for one that no document has. */
  readonly weights: readonly number[];
  /** A term of each symbol number that {@link SegmentScores.addSymbol} was given. */
  readonly symbols: readonly SymbolTermInfo[];
  languageShare(language: string): number;
  /** In how many documents a folded name stands. */
  references(folded: string): number;
}

export interface SymbolTermInfo {
  readonly folded: string;
  /** Which word of the query it is, or -1. */
  readonly word: number;
  /** 1 for the name that was typed, less for one that is like it, 0 for a word among others. */
  readonly value: number;
  /** The documents that define it. */
  readonly documents: number;
}

/** An early word says what is asked for, a late one where. */
const EARLY = 0.85;
/** More than any other difference between two documents. */
export const HAS_NAME = 100;
const MAX_DETAILS = 100_000;
const SEPARATOR = /[^\p{L}\p{N}_]/u;
const TEST_WORDS: ReadonlySet<string> = new Set(['test', 'spec', 'mock', 'fixtur', 'bench', 'benchmark']);

/** Works out the features of candidates for one query. */
export class FeatureMaker {
  readonly #corpus: Corpus;
  readonly #matcher: WordMatcher;
  readonly #total: number;
  readonly #early: readonly number[];
  readonly #earlyTotal: number;
  readonly #wanted: ReadonlySet<string>;
  readonly #isTestAsked: boolean;
  /** For each name, which word of the query it is, or -1. */
  readonly #nameWords: readonly number[];
  /** Used again for each definition and each candidate. */
  readonly #values: Float64Array;
  readonly #top = new Float64Array(8);

  constructor(corpus: Corpus) {
    const { query, weights } = corpus;
    this.#corpus = corpus;
    this.#matcher = corpus.matcher;
    this.#total = sum(weights) || 1;
    this.#early = weights.map((weight, i) => weight * EARLY ** i);
    this.#earlyTotal = sum(this.#early) || 1;
    this.#wanted = new Set(query.words);
    this.#nameWords = query.names.map((name) => query.words.indexOf(stem(name)));
    this.#values = new Float64Array(weights.length);
    this.#isTestAsked = query.words.some((word) => TEST_WORDS.has(word));
  }

  /** Whether a document has the one name that is looked for: those that have not come after all that have. */
  hasName({ sums, symbols }: SegmentScores, document: number): boolean {
    if (this.#corpus.query.symbol === undefined || this.#nameWords.length !== 1) return false;
    const hits = symbols.get(document);
    return (
      this.#named(sums.identifierMask[document]!, sums.bodyMask[document]!) > 0 ||
      hits?.some(({ term }) => this.#corpus.symbols[term]!.value === 1) === true
    );
  }

  /** For choosing candidates: what can be said of a document without looking at its path or definitions. */
  base(scores: SegmentScores, document: number): number {
    const { sums, symbols } = scores;
    let symbol = 0;
    for (const { term } of symbols.get(document) ?? []) symbol = Math.max(symbol, this.#corpus.symbols[term]!.value);
    const text = (sums.body[document]! + 0.6 * sums.bestChunk[document]!) / this.#total;
    const { nameMask, definitionMask, folderMask } = sums;
    return (
      text +
      0.8 * this.#covered(nameMask[document]!) +
      0.3 * this.#covered(definitionMask[document]!) +
      0.2 * this.#covered(folderMask[document]!) +
      symbol +
      (this.hasName(scores, document) ? HAS_NAME : 0)
    );
  }

  /** Whether a path says that its file is of a kind that is not asked for. */
  isAside({ sides }: PathInfo, side: Side): boolean {
    return sides.some(([is, word]) => is === side && !this.#wanted.has(word));
  }

  /** A row of {@link COLUMNS} per candidate. */
  rows(candidates: readonly Candidate[]): Float64Array[] {
    const rows = candidates.map((candidate) => this.#row(candidate));
    addNeighbours(candidates, rows);
    for (const [i, name] of RELATIVE.entries()) {
      const column = FEATURES.indexOf(name);
      let highest = 1e-9;
      for (const row of rows) highest = Math.max(highest, row[column]!);
      for (const row of rows) row[FEATURES.length + i] = row[column]! / highest;
    }
    return rows;
  }

  #row(candidate: Candidate): Float64Array {
    const { scores, document, info } = candidate;
    const { reader, sums } = scores;
    const { query } = this.#corpus;
    const total = this.#total;
    const row = new Float64Array(COLUMNS.length);
    const known = definitionsOf(reader, document);
    const isTest = info.sides.some(([side]) => side === 'test');
    const name = this.#like(info.nameAndPairs);
    const nameExplained = this.#explained(info);

    row[F.body] = sums.body[document]! / total;
    row[F.comment] = sums.comment[document]! / total;
    row[F.head] = this.#covered(sums.headMask[document]!);
    row[F.spread] = sums.spread[document]! / total;
    row[F.density] = sums.density[document]! / total;
    row[F.coverage] = this.#covered(sums.bodyMask[document]!);
    this.#addChunks(row, scores, document);

    row[F.name] = name;
    row[F.nameExplained] = nameExplained;
    row[F.nameBoth] = name * nameExplained;
    row[F.nameEarly] = this.#coveredEarly(sums.nameMask[document]!);
    row[F.nameWords] = info.name.length;
    row[F.folder] = this.#like(info.folders);
    row[F.lastFolder] = this.#like(info.lastFolder);
    row[F.path] = this.#covered(sums.nameMask[document]! | sums.folderMask[document]!);
    row[F.depth] = info.depth;

    row[F.defined] = this.#covered(sums.definitionMask[document]!);
    row[F.definedEarly] = this.#coveredEarly(sums.definitionMask[document]!);
    row[F.definitions] = sums.definitions[document]! / total;
    row[F.definitionDensity] = sums.definitionCount[document]! / (known.spans.length + 2) / total;
    row[F.definitionTotal] = Math.log1p(known.spans.length);
    this.#addBestDefinitions(row, known);

    this.#addSymbols(row, candidate, known);
    row[F.pair] = this.#pairs(sums.identifierMask[document]!);
    row[F.pairFile] = query.pairs.includes(info.folded) ? 1 : 0;

    if (isTest) row[this.#isTestAsked ? F.testAsked : F.test] = 1;
    row[F.testFolder] = info.isInTests ? 1 : 0;
    row[F.example] = this.isAside(info, 'example') ? 1 : 0;
    row[F.vendor] = this.isAside(info, 'vendor') ? 1 : 0;
    row[F.internal] = this.isAside(info, 'internal') ? 1 : 0;
    row[F.compat] = this.isAside(info, 'compat') ? 1 : 0;
    row[F.plainName] = info.isPlain ? 1 : 0;
    row[F.header] = info.isHeader ? 1 : 0;
    row[F.length] = Math.log1p(reader.documentTokens[document]!);
    row[F.references] = Math.log1p(Math.max(0, this.#corpus.references(info.folded) - 1));
    row[F.languageShare] = this.#corpus.languageShare(reader.languageOf(document));
    return row;
  }

  #addChunks(row: Float64Array, { reader, sums }: SegmentScores, document: number): void {
    const { chunkScore, chunkDefinition, chunkComment } = sums;
    const total = this.#total;
    const top = this.#top;
    top.fill(0);
    let bestComment = 0;
    let defined = 0;
    let both = 0;
    const end = reader.firstChunk[document + 1]!;
    for (let chunk = reader.firstChunk[document]!; chunk < end; chunk++) {
      const score = chunkScore[chunk]!;
      const definition = chunkDefinition[chunk]!;
      if (score === 0 && definition === 0) continue;
      insert(top, score);
      if (chunkComment[chunk]! > bestComment) bestComment = chunkComment[chunk]!;
      if (definition > defined) defined = definition;
      if (score + DEFINING * definition > both) both = score + DEFINING * definition;
    }
    row[F.best] = top[0]! / total;
    row[F.top3] = (top[0]! + top[1]! + top[2]!) / 3 / total;
    row[F.top8] = top.reduce((sum, score) => sum + score, 0) / 8 / total;
    row[F.bestComment] = bestComment / total;
    row[F.chunkDefined] = defined / total;
    row[F.chunkBoth] = both / total;
  }

  /** How well the definition fits whose name fits the query best: the harmonic mean of both shares. */
  #addBestDefinitions(row: Float64Array, { spans, words, wordStarts, vocabulary, depths, lines }: Definitions): void {
    const { weights } = this.#corpus;
    const table = this.#matcher.table(vocabulary);
    const values = this.#values;
    let best = 0;
    let bestIndex = -1;
    let top = 0;
    let type = 0;
    for (let i = 0; i < spans.length; i++) {
      const end = wordStarts[i + 1]!;
      let like = 0;
      for (let at = wordStarts[i]!; at < end; at++) {
        const match = table[words[at]!] ?? this.#matcher.fill(vocabulary, words[at]!);
        if (match.value === 0) continue;
        if (like === 0) values.fill(0);
        like += match.value;
        if (match.value > values[match.word]!) values[match.word] = match.value;
      }
      if (like === 0) continue;
      let share = 0;
      for (let word = 0; word < values.length; word++) share += values[word]! * weights[word]!;
      share /= this.#total;
      const explained = like / (end - wordStarts[i]!);
      const fit = (2 * share * explained) / (share + explained);
      if (fit > best || (fit === best && bestIndex >= 0 && depths[i]! < depths[bestIndex]!)) {
        best = fit;
        bestIndex = i;
      }
      if (fit > top && depths[i] === 0) top = fit;
      if (fit > type && TYPE_KINDS.has(spans[i]!.kind)) type = fit;
    }
    const span = spans[bestIndex];
    row[F.definition] = best;
    row[F.topDefinition] = top;
    row[F.typeDefinition] = type;
    row[F.definitionDepth] = bestIndex < 0 ? 3 : Math.min(3, depths[bestIndex]!);
    row[F.definitionShare] = span ? (span.endLine - span.startLine + 1) / Math.max(1, lines) : 0;
  }

  #addSymbols(row: Float64Array, { scores, document, info }: Candidate, { spans, folded, depths }: Definitions): void {
    const { query, symbols: terms, weights } = this.#corpus;
    const { sums, symbols } = scores;
    const names = Math.max(1, query.names.length);
    row[F.symbolFile] = query.names.includes(info.folded) ? 1 / names : 0;
    row[F.symbolUse] = this.#named(sums.identifierMask[document]!, sums.bodyMask[document]!) / names;
    const hits = symbols.get(document);
    if (!hits) return;
    for (const [i, { term }] of hits.entries()) {
      if (hits.findIndex((hit) => hit.term === term) < i) continue;
      const { folded: text, word, value, documents } = terms[term]!;
      if (value === 0) {
        if (query.pairs.includes(text)) row[F.pairDefined] = Math.min(2, row[F.pairDefined]! + 1);
        else row[F.symbolWord]! += (0.5 * (weights[word] ?? 0)) / this.#total;
        continue;
      }
      let isType = false;
      let isTop = false;
      for (let at = 0; at < spans.length; at++) {
        if (folded[at] !== text) continue;
        isType ||= TYPE_KINDS.has(spans[at]!.kind) || spans[at]!.kind === 'function';
        isTop ||= depths[at] === 0;
      }
      row[F.symbol]! += value / names;
      row[F.symbolRare]! += value / Math.max(1, documents) / names;
      if (isType) row[F.symbolType]! += value / names;
      if (isTop) row[F.symbolTop]! += value / names;
    }
  }

  /** The share of the query's words that a mask has. */
  #covered(mask: number): number {
    return masked(mask, this.#corpus.weights) / this.#total;
  }

  #coveredEarly(mask: number): number {
    return masked(mask, this.#early) / this.#earlyTotal;
  }

  /** The share of the query's words that are like one of `words`. */
  #like(words: readonly string[]): number {
    const { query, weights } = this.#corpus;
    let share = 0;
    for (let i = 0; i < query.words.length; i++) {
      let like = 0;
      for (const word of words) like = Math.max(like, likenessOf(query.words[i]!, word));
      share += like * weights[i]!;
    }
    return share / this.#total;
  }

  /** The share of the words of a file's name that the query has. */
  #explained({ name }: PathInfo): number {
    if (name.length === 0) return 0;
    let like = 0;
    for (const word of name) {
      like += this.#corpus.query.pairs.includes(word) ? 1 : this.#matcher.match(word).value;
    }
    return like / name.length;
  }

  /** How many of the names stand in a document: compound ones by themselves, a single word as the word it is. */
  #named(identifiers: number, body: number): number {
    let count = 0;
    for (const [i, word] of this.#nameWords.entries()) {
      if (identifiers & (1 << i) || (word >= 0 && body & (1 << word))) count++;
    }
    return count;
  }

  #pairs(identifiers: number): number {
    const { names, pairs } = this.#corpus.query;
    let count = 0;
    for (let i = 0; i < pairs.length && names.length + i < 32; i++)
      if (identifiers & (1 << (names.length + i))) count++;
    return Math.min(3, count);
  }
}

function addNeighbours(candidates: readonly Candidate[], rows: readonly Float64Array[]): void {
  const chunkBoth = F.chunkBoth;
  const folders = new Map<string, { files: number; value: number }>();
  const folderOf = ({ info: { path } }: Candidate): string => path.slice(0, path.lastIndexOf('/') + 1);
  for (const [i, candidate] of candidates.entries()) {
    const folder = folders.get(folderOf(candidate)) ?? { files: 0, value: 0 };
    folders.set(folderOf(candidate), { files: folder.files + 1, value: folder.value + rows[i]![chunkBoth]! });
  }
  for (const [i, candidate] of candidates.entries()) {
    const { files, value } = folders.get(folderOf(candidate))!;
    rows[i]![F.neighbours] = (files - 1) / candidates.length;
    rows[i]![F.neighbourhood] = files > 1 ? (value - rows[i]![chunkBoth]!) / (files - 1) : 0;
  }
}

function masked(mask: number, weights: readonly number[]): number {
  let total = 0;
  for (let rest = mask; rest !== 0;) {
    const bit = 31 - Math.clz32(rest);
    total += weights[bit] ?? 0;
    rest &= ~(1 << bit);
  }
  return total;
}

/** Keeps the highest values, in descending order. */
function insert(top: Float64Array, value: number): void {
  let at = top.length - 1;
  if (value <= top[at]!) return;
  for (; at > 0 && top[at - 1]! < value; at--) top[at] = top[at - 1]!;
  top[at] = value;
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** A document's definitions, ready to be compared with queries. */
export interface Definitions {
  readonly spans: readonly SymbolSpan[];
  /** The words of all names, stemmed, as numbers of the vocabulary, and where each name's begin. */
  readonly words: Uint32Array;
  readonly wordStarts: Uint32Array;
  readonly vocabulary: Vocabulary;
  /** Each name folded, and so its last part: `Acme.Repo` is also `repo`. */
  readonly folded: readonly string[];
  readonly own: readonly string[];
  /** How many definitions enclose each. */
  readonly depths: readonly number[];
  readonly lines: number;
}

interface Kept {
  readonly definitions: Map<number, Definitions>;
  vocabulary: Vocabulary;
  readonly paths: Map<number, PathInfo>;
  /** Names in {@link definitions}. */
  names: number;
}

/** What searches have worked out of segments, for the next search: people look in the same places again. */
const kept = new WeakMap<SegmentReader, Kept>();
const MAX_KEPT_NAMES = 100_000;
const MAX_KEPT_PATHS = 20_000;

function keptOf(reader: SegmentReader): Kept {
  let entry = kept.get(reader);
  if (!entry)
    kept.set(reader, (entry = { definitions: new Map(), vocabulary: new Vocabulary(), paths: new Map(), names: 0 }));
  return entry;
}

export function pathInfoOf(reader: SegmentReader, document: number): PathInfo {
  const { paths } = keptOf(reader);
  let info = paths.get(document);
  if (!info) {
    if (paths.size >= MAX_KEPT_PATHS) paths.clear();
    paths.set(document, (info = pathInfo(reader.pathOf(document))));
  }
  return info;
}

/** A document's definitions; none of one that has thousands: it is about none of them, and it would cost. */
export function definitionsOf(reader: SegmentReader, document: number): Definitions {
  const entry = keptOf(reader);
  let definitions = entry.definitions.get(document);
  if (!definitions) {
    const spans = reader.detailsLengthOf(document) > MAX_DETAILS ? [] : reader.definitionsOf(document);
    entry.names += spans.length;
    if (entry.names > MAX_KEPT_NAMES) {
      entry.definitions.clear();
      entry.vocabulary = new Vocabulary();
      entry.names = spans.length;
    }
    definitions = prepare(spans, reader.linesOf(document), entry.vocabulary);
    entry.definitions.set(document, definitions);
  }
  return definitions;
}

function prepare(spans: readonly SymbolSpan[], lines: number, vocabulary: Vocabulary): Definitions {
  const words: number[] = [];
  const wordStarts = [0];
  const folded: string[] = [];
  const own: string[] = [];
  const depths: number[] = [];
  const open: number[] = [];
  for (const { name, line, endLine } of spans) {
    const parts = splitIdentifier(name);
    for (const part of parts) if (isIndexable(part)) words.push(vocabulary.numberOf(stem(part)));
    wordStarts.push(words.length);
    folded.push(parts.join(''));
    own.push(SEPARATOR.test(name) ? foldName(nameSegments(name).at(-1) ?? name) : folded.at(-1)!);
    while (open.length > 0 && open.at(-1)! < line) open.pop();
    depths.push(open.length);
    open.push(endLine);
  }
  return {
    spans,
    words: Uint32Array.from(words),
    wordStarts: Uint32Array.from(wordStarts),
    vocabulary,
    folded,
    own,
    depths,
    lines,
  };
}
