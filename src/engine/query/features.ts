import { isIndexable, splitIdentifier, stem } from '../analyze/words.ts';
import type { SymbolSpan } from '../index/documents.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { DEFINING, type SegmentScores } from './collect.ts';
import { pathInfo, type PathInfo, type Side } from './paths.ts';
import type { Query } from './query.ts';
import { WordMatcher, likeness } from './wordMatch.ts';

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
  /** Inverse document frequency of each word of the query; 0 for one that no document has. */
  readonly weights: readonly number[];
  /** A term of each symbol number that {@link SegmentScores.addSymbol} was given. */
  readonly symbols: readonly SymbolTermInfo[];
  readonly documents: number;
  languageShare(language: string): number;
  /** In how many documents a folded name stands. */
  references(folded: string): number;
}

export interface SymbolTermInfo {
  readonly folded: string;
  /** 1 for the name that was typed, less for one that is like it, 0 for a word among others. */
  readonly value: number;
  /** The documents that define it. */
  readonly documents: number;
}

/** An early word says what is asked for, a late one where. */
const EARLY = 0.85;
const MAX_DETAILS = 100_000;
const TYPES: ReadonlySet<string> = new Set(['class', 'struct', 'interface', 'enum', 'type', 'module']);
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

  constructor(corpus: Corpus) {
    const { query, weights } = corpus;
    this.#corpus = corpus;
    this.#matcher = new WordMatcher(query.words);
    this.#total = sum(weights) || 1;
    this.#early = weights.map((weight, i) => weight * EARLY ** i);
    this.#earlyTotal = sum(this.#early) || 1;
    this.#wanted = new Set(query.words);
    this.#isTestAsked = query.words.some((word) => TEST_WORDS.has(word));
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
      symbol
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

  #row({ scores, document, info }: Candidate): Float64Array {
    const { reader, sums } = scores;
    const { query } = this.#corpus;
    const total = this.#total;
    const chunks = this.#chunkFeatures(scores, document);
    const name = this.#like(info.nameAndPairs);
    const nameExplained = this.#explained(info);
    const known = definitionsOf(reader, document);
    const fit = this.#bestDefinitions(known);
    const symbols = this.#symbolFeatures(scores, document, info, known);
    const tests = info.sides.some(([side]) => side === 'test');
    const definitions = known.spans.length;
    const values: Record<Feature, number> = {
      body: sums.body[document]! / total,
      ...chunks,
      comment: sums.comment[document]! / total,
      head: this.#covered(sums.headMask[document]!),
      spread: sums.spread[document]! / total,
      density: sums.density[document]! / total,
      coverage: this.#covered(sums.bodyMask[document]!),
      name,
      nameExplained,
      nameBoth: name * nameExplained,
      nameEarly: this.#coveredEarly(sums.nameMask[document]!),
      nameWords: info.name.length,
      folder: this.#like(info.folders),
      lastFolder: this.#like(info.lastFolder),
      path: this.#covered(sums.nameMask[document]! | sums.folderMask[document]!),
      depth: info.path.split('/').length,
      neighbours: 0,
      neighbourhood: 0,
      defined: this.#covered(sums.definitionMask[document]!),
      definedEarly: this.#coveredEarly(sums.definitionMask[document]!),
      ...fit,
      definitions: sums.definitions[document]! / total,
      definitionDensity: sums.definitionCount[document]! / (definitions + 2) / total,
      ...symbols,
      pair: this.#pairs(sums.identifierMask[document]!),
      pairFile: query.pairs.includes(info.folded) ? 1 : 0,
      test: tests && !this.#isTestAsked ? 1 : 0,
      testAsked: tests && this.#isTestAsked ? 1 : 0,
      testFolder: info.isInTests ? 1 : 0,
      example: this.isAside(info, 'example') ? 1 : 0,
      vendor: this.isAside(info, 'vendor') ? 1 : 0,
      internal: this.isAside(info, 'internal') ? 1 : 0,
      compat: this.isAside(info, 'compat') ? 1 : 0,
      plainName: info.isPlain ? 1 : 0,
      header: info.isHeader ? 1 : 0,
      length: Math.log1p(reader.documentTokens[document]!),
      definitionTotal: Math.log1p(definitions),
      references: Math.log1p(Math.max(0, this.#corpus.references(info.folded) - 1)),
      languageShare: this.#corpus.languageShare(reader.languageOf(document)),
    };
    const row = new Float64Array(COLUMNS.length);
    for (const [i, feature] of FEATURES.entries()) row[i] = values[feature];
    return row;
  }

  #chunkFeatures(
    { reader, sums }: SegmentScores,
    document: number,
  ): Pick<Record<Feature, number>, 'best' | 'top3' | 'top8' | 'bestComment' | 'chunkDefined' | 'chunkBoth'> {
    const total = this.#total;
    const top: number[] = [];
    let bestComment = 0;
    let chunkDefined = 0;
    let chunkBoth = 0;
    const end = reader.firstChunk[document + 1]!;
    for (let chunk = reader.firstChunk[document]!; chunk < end; chunk++) {
      const score = sums.chunkScore[chunk]!;
      const defined = sums.chunkDefinition[chunk]!;
      if (score === 0 && defined === 0) continue;
      insertTop(top, score, 8);
      bestComment = Math.max(bestComment, sums.chunkComment[chunk]!);
      chunkDefined = Math.max(chunkDefined, defined);
      chunkBoth = Math.max(chunkBoth, score + DEFINING * defined);
    }
    return {
      best: (top[0] ?? 0) / total,
      top3: sum(top.slice(0, 3)) / 3 / total,
      top8: sum(top) / 8 / total,
      bestComment: bestComment / total,
      chunkDefined: chunkDefined / total,
      chunkBoth: chunkBoth / total,
    };
  }

  /** How well the definition fits whose name fits the query best: the harmonic mean of both shares. */
  #bestDefinitions({
    spans,
    words,
    depths,
    lines,
  }: Definitions): Pick<
    Record<Feature, number>,
    'definition' | 'topDefinition' | 'typeDefinition' | 'definitionDepth' | 'definitionShare'
  > {
    const { weights } = this.#corpus;
    const values = new Float64Array(weights.length);
    let best = 0;
    let bestIndex = -1;
    let top = 0;
    let type = 0;
    for (let i = 0; i < spans.length; i++) {
      const name = words[i]!;
      let like = 0;
      for (const word of name) {
        const match = this.#matcher.match(word);
        if (match.value === 0) continue;
        like += match.value;
        values[match.word] = Math.max(values[match.word]!, match.value);
      }
      if (like === 0) continue;
      let share = 0;
      for (let word = 0; word < values.length; word++) share += values[word]! * weights[word]!;
      values.fill(0);
      share /= this.#total;
      const explained = like / name.length;
      const fit = share + explained === 0 ? 0 : (2 * share * explained) / (share + explained);
      if (fit > best || (fit === best && bestIndex >= 0 && depths[i]! < depths[bestIndex]!)) {
        best = fit;
        bestIndex = i;
      }
      if (depths[i] === 0) top = Math.max(top, fit);
      if (TYPES.has(spans[i]!.kind)) type = Math.max(type, fit);
    }
    const span = spans[bestIndex];
    return {
      definition: best,
      topDefinition: top,
      typeDefinition: type,
      definitionDepth: bestIndex < 0 ? 3 : Math.min(3, depths[bestIndex]!),
      definitionShare: span ? (span.endLine - span.startLine + 1) / Math.max(1, lines) : 0,
    };
  }

  #symbolFeatures(
    { symbols, sums }: SegmentScores,
    document: number,
    info: PathInfo,
    { spans, folded, depths }: Definitions,
  ): Pick<
    Record<Feature, number>,
    'symbol' | 'symbolType' | 'symbolTop' | 'symbolFile' | 'symbolWord' | 'symbolUse' | 'symbolRare' | 'pairDefined'
  > {
    const { query, symbols: terms } = this.#corpus;
    const names = Math.max(1, query.names.length);
    const features = {
      symbol: 0,
      symbolType: 0,
      symbolTop: 0,
      symbolFile: query.names.includes(info.folded) ? 1 / names : 0,
      symbolWord: 0,
      symbolUse: this.#named(sums.identifierMask[document]!, sums.bodyMask[document]!) / names,
      symbolRare: 0,
      pairDefined: 0,
    };
    const seen = new Set<number>();
    for (const { term } of symbols.get(document) ?? []) {
      if (seen.has(term)) continue;
      seen.add(term);
      const { folded: text, value, documents } = terms[term]!;
      if (value === 0) {
        if (query.pairs.includes(text)) features.pairDefined = Math.min(2, features.pairDefined + 1);
        else features.symbolWord += (0.5 * (this.#corpus.weights[query.words.indexOf(stem(text))] ?? 0)) / this.#total;
        continue;
      }
      let isType = false;
      let isTop = false;
      for (let i = 0; i < spans.length; i++) {
        if (folded[i] !== text) continue;
        isType ||= TYPES.has(spans[i]!.kind) || spans[i]!.kind === 'function';
        isTop ||= depths[i] === 0;
      }
      features.symbol += value / names;
      features.symbolRare += value / Math.max(1, documents) / names;
      if (isType) features.symbolType += value / names;
      if (isTop) features.symbolTop += value / names;
    }
    return features;
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
    for (const [i, wanted] of query.words.entries()) {
      let like = 0;
      for (const word of words) like = Math.max(like, likeness(wanted, word));
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
    const { names, words } = this.#corpus.query;
    let count = 0;
    for (const [i, name] of names.entries()) {
      const word = words.indexOf(stem(name));
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
  const chunkBoth = FEATURES.indexOf('chunkBoth');
  const folders = new Map<string, { files: number; value: number }>();
  const folderOf = ({ info: { path } }: Candidate): string => path.slice(0, path.lastIndexOf('/') + 1);
  for (const [i, candidate] of candidates.entries()) {
    const folder = folders.get(folderOf(candidate)) ?? { files: 0, value: 0 };
    folders.set(folderOf(candidate), { files: folder.files + 1, value: folder.value + rows[i]![chunkBoth]! });
  }
  for (const [i, candidate] of candidates.entries()) {
    const { files, value } = folders.get(folderOf(candidate))!;
    rows[i]![FEATURES.indexOf('neighbours')] = (files - 1) / candidates.length;
    rows[i]![FEATURES.indexOf('neighbourhood')] = files > 1 ? (value - rows[i]![chunkBoth]!) / (files - 1) : 0;
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

function insertTop(top: number[], value: number, capacity: number): void {
  if (top.length === capacity && value <= top[capacity - 1]!) return;
  let at = top.length < capacity ? top.length : capacity - 1;
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
  /** Of each name its words, stemmed, and all of it folded. */
  readonly words: readonly (readonly string[])[];
  readonly folded: readonly string[];
  /** How many definitions enclose each. */
  readonly depths: readonly number[];
  readonly lines: number;
}

interface Kept {
  readonly definitions: Map<number, Definitions>;
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
  if (!entry) kept.set(reader, (entry = { definitions: new Map(), paths: new Map(), names: 0 }));
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

/** None of a document that has thousands: it is about none of them. */
export function definitionsOf(reader: SegmentReader, document: number): Definitions {
  const entry = keptOf(reader);
  let definitions = entry.definitions.get(document);
  if (!definitions) {
    const spans = reader.detailsLengthOf(document) > MAX_DETAILS ? [] : reader.definitionsOf(document);
    definitions = prepare(spans, reader.linesOf(document));
    entry.names += spans.length;
    if (entry.names > MAX_KEPT_NAMES) {
      entry.definitions.clear();
      entry.names = spans.length;
    }
    entry.definitions.set(document, definitions);
  }
  return definitions;
}

function prepare(spans: readonly SymbolSpan[], lines: number): Definitions {
  const words: string[][] = [];
  const folded: string[] = [];
  const depths: number[] = [];
  const open: number[] = [];
  for (const { name, line, endLine } of spans) {
    const parts = splitIdentifier(name);
    words.push(parts.filter(isIndexable).map(stem));
    folded.push(parts.join(''));
    while (open.length > 0 && open.at(-1)! < line) open.pop();
    depths.push(open.length);
    open.push(endLine);
  }
  return { spans, words, folded, depths, lines };
}
