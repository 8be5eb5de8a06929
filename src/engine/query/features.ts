import { TYPE_KINDS } from '../analyze/language.ts';
import { foldName, nameSegments } from '../analyze/symbolNames.ts';
import { DefinitionCursor, meets } from '../index/documents.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import {
  CHUNK_COMMENT,
  CHUNK_DEFINITION,
  CHUNK_SUMS,
  CHUNK_TEXT,
  DEFINING,
  type Evidence,
  type SegmentScores,
  type SymbolHit,
} from './collect.ts';
import type { PathInfo } from './paths.ts';
import type { Query } from './query.ts';
import { likenessOf, type WordMatcher } from './wordMatch.ts';

/**
 * Features of ranking, in the order of the weights. Shares are of the query's words, each word weighted by its rarity;
 * "like" words are the same or begin alike. See docs/ranking.md for the worth of each.
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
  // Frequency, density and coverage of the words.
  'spread',
  'density',
  'coverage',
  // The file's name: share of the query in it, share of it in the query, both, and early words in it.
  'name',
  'nameExplained',
  'nameBoth',
  'nameEarly',
  'nameWords',
  // Folders: all, the innermost, the rarest, the whole path; the depth; the share of the workspace in the same package.
  'folder',
  'lastFolder',
  'folderRare',
  'path',
  'depth',
  'packageShare',
  // Other results in its folder: their number and their scores.
  'neighbours',
  'neighbourhood',
  // Definitions: share of the query in their names, with early words weighted more; the best fit of all, of those at
  // the top level, and of types; the number with a word in the name, and their share of all; the best chunk.
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
  // A name in the query: defined here, as a type or function, at the top level, and equal to the file name; a plain
  // word that is one; used here; defined in few files.
  'symbol',
  'symbolType',
  'symbolTop',
  'symbolFile',
  'symbolWord',
  'symbolUse',
  'symbolRare',
  // Neighbours in the query that form one name here, a defined name, the file name.
  'pair',
  'pairDefined',
  'pairFile',
  // Kind of the file.
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

export const COLUMNS: readonly string[] = [...FEATURES, ...RELATIVE.map((name) => `${name}/max`)];

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
  languageShare(language: string): number;
  /** The share of the documents that are below the same outer folder as a path. */
  packageShare(path: string): number;
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

/** Decay of weights by position: an early word names the subject, a late one the place. */
const EARLY = 0.85;
/** More than any other difference between two documents. */
export const HAS_NAME = 100;
/** Of two documents that are otherwise equal, prefer the one that spells the name as typed. */
const SPELT = 1;
/** Capitals or `_` in a query show the intended spelling; `router` may be lazy for `Router`. */
const SAYS_SPELLING = /\p{Lu}|_/u;
/**
 * Size limit of definitions in detail, in bytes. A document with more of them is about none of thousands, and reading
 * them would cost.
 */
const MAX_DETAILS = 100_000;
/** The path above a folder named by a version, and the version's number. */
const VERSION = /^(.*?)(?:^|\/)v(\d+)\//i;
const TEST_WORDS: ReadonlySet<string> = new Set(['test', 'spec', 'mock', 'fixtur', 'bench', 'benchmark']);

/** Computes the features of candidates for one query. */
export class FeatureExtractor {
  readonly #corpus: Corpus;
  readonly #matcher: WordMatcher;
  readonly #total: number;
  readonly #folderTotal: number;
  readonly #early: readonly number[];
  readonly #earlyTotal: number;
  readonly #wanted: ReadonlySet<string>;
  readonly #isTestAsked: boolean;
  /** Reused for each candidate. */
  readonly #top = new Float64Array(8);
  /** The name in the query, where its spelling matters, and the candidates that define it in that spelling. */
  readonly #spelling: string | undefined;
  readonly #spelt = new Set<Candidate>();

  constructor(corpus: Corpus) {
    const { query, weights } = corpus;
    this.#corpus = corpus;
    this.#matcher = corpus.matcher;
    this.#total = sum(weights) || 1;
    this.#folderTotal = sum(corpus.folderWeights) || 1;
    this.#early = weights.map((weight, i) => weight * EARLY ** i);
    this.#earlyTotal = sum(this.#early) || 1;
    this.#wanted = new Set(query.words);
    this.#isTestAsked = query.words.some((word) => TEST_WORDS.has(word));
    const { symbol = '' } = query;
    if (query.names.length === 1 && SAYS_SPELLING.test(symbol)) this.#spelling = symbol;
  }

  /**
   * Contributions that precede all fitted weights: documents without the one name of the query come after all that have
   * it. Call it after {@link rows}.
   */
  rules(candidate: Candidate): Contribution[] {
    const rules: Contribution[] = [];
    const add = (feature: string, share: number): void => void rules.push({ feature, value: 1, share });
    if (this.#hasName(candidate)) add('hasName', HAS_NAME);
    if (this.#spelt.has(candidate)) add('spelt', SPELT);
    return rules;
  }

  #hasName({ scores, document, evidence }: Candidate): boolean {
    if (this.#corpus.query.symbol === undefined || this.#corpus.query.names.length !== 1) return false;
    const hits = scores.symbols.get(document);
    return this.#named(evidence) > 0 || hits?.some(({ term }) => this.#corpus.symbols[term]!.value === 1) === true;
  }

  /** One row of {@link COLUMNS} per candidate. */
  rows(candidates: readonly Candidate[]): Float64Array[] {
    const rows = candidates.map((candidate) => this.#row(candidate));
    addNeighbours(candidates, rows);
    if (this.#corpus.query.symbol !== undefined) this.#favourNewestVersions(candidates, rows);
    addRelative(rows);
    return rows;
  }

  /** Favours the newest of several versions, `v3/a.ts` and `v4/b.ts`: a name by itself means that one. */
  #favourNewestVersions(candidates: readonly Candidate[], rows: readonly Float64Array[]): void {
    const versions = candidates.map(({ info: { path } }) => VERSION.exec(path));
    const known = new Map<string, Set<number>>();
    for (const version of versions) {
      if (!version) continue;
      const numbers = known.get(version[1]!) ?? new Set();
      known.set(version[1]!, numbers.add(Number(version[2])));
    }
    for (const [i, version] of versions.entries()) {
      const numbers = version && known.get(version[1]!)!;
      if (numbers && numbers.size > 1 && Number(version[2]) === Math.max(...numbers)) rows[i]![F.compat] = 0;
    }
  }

  #row(candidate: Candidate): Float64Array {
    const { scores, document, evidence, info } = candidate;
    const { reader } = scores;
    const { query } = this.#corpus;
    const total = this.#total;
    const row = new Float64Array(COLUMNS.length);
    const name = this.#like(info.nameAndPairs);
    const nameExplained = this.#explained(info);

    row[F.body] = evidence.body / total;
    row[F.comment] = evidence.comment / total;
    row[F.head] = this.#covered(evidence.headMask);
    row[F.spread] = evidence.spread / total;
    row[F.density] = evidence.density / total;
    row[F.coverage] = this.#covered(evidence.bodyMask);
    this.#addChunks(row, evidence);

    row[F.name] = name;
    row[F.nameExplained] = nameExplained;
    row[F.nameBoth] = name * nameExplained;
    row[F.nameEarly] = this.#coveredEarly(evidence.nameMask);
    row[F.nameWords] = info.name.length;
    row[F.folder] = this.#like(info.folders);
    row[F.lastFolder] = this.#like(info.lastFolder);
    row[F.folderRare] = masked(evidence.folderMask, this.#corpus.folderWeights) / this.#folderTotal;
    row[F.path] = this.#covered(evidence.nameMask | evidence.folderMask);
    row[F.depth] = info.depth;
    row[F.packageShare] = Math.log(this.#corpus.packageShare(info.path));

    row[F.defined] = this.#covered(evidence.definitionMask);
    row[F.definedEarly] = this.#coveredEarly(evidence.definitionMask);
    row[F.definitions] = evidence.definitions / total;
    const definitions = reader.detailsLengthOf(document) > MAX_DETAILS ? NO_BYTES : reader.detailsOf(document);
    const count = this.#addBestDefinitions(row, definitions, reader.linesOf(document));
    row[F.definitionDensity] = evidence.definitionCount / (count + 2) / total;
    row[F.definitionTotal] = Math.log1p(count);

    row[F.symbolFile] = query.names.includes(info.folded) ? 1 / Math.max(1, query.names.length) : 0;
    row[F.symbolUse] = this.#named(evidence) / Math.max(1, query.names.length);
    const hits = scores.symbols.get(document);
    if (hits && this.#addSymbols(row, hits, definitions, reader)) this.#spelt.add(candidate);
    row[F.pair] = this.#pairs(evidence.identifierMask);
    row[F.pairFile] = query.pairs.includes(info.folded) ? 1 : 0;

    for (const [side, word] of info.sides) {
      if (side === 'test') row[this.#isTestAsked ? F.testAsked : F.test] = 1;
      else if (!this.#wanted.has(word)) row[F[side]] = 1;
    }
    row[F.testFolder] = info.isInTests ? 1 : 0;
    row[F.plainName] = info.isPlain ? 1 : 0;
    row[F.header] = info.isHeader ? 1 : 0;
    row[F.length] = Math.log1p(reader.documentTokens[document]!);
    row[F.references] = Math.log1p(Math.max(0, this.#corpus.references(info.folded) - 1));
    row[F.languageShare] = this.#corpus.languageShare(reader.languageOf(document));
    return row;
  }

  #addChunks(row: Float64Array, { chunks }: Evidence): void {
    const total = this.#total;
    const top = this.#top;
    top.fill(0);
    let bestComment = 0;
    let defined = 0;
    let both = 0;
    for (let chunk = 0; chunk < chunks.length; chunk += CHUNK_SUMS) {
      const score = chunks[chunk + CHUNK_TEXT]!;
      const comment = chunks[chunk + CHUNK_COMMENT]!;
      const definition = chunks[chunk + CHUNK_DEFINITION]!;
      if (score === 0 && definition === 0) continue;
      insert(top, score);
      if (comment > bestComment) bestComment = comment;
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

  /**
   * Adds the fit of the definition whose name fits the query best: the harmonic mean of both shares. Returns the number
   * of definitions. Most names are not even decoded to strings, as they have nothing in common with the query.
   */
  #addBestDefinitions(row: Float64Array, bytes: Uint8Array, lines: number): number {
    const { weights } = this.#corpus;
    const matcher = this.#matcher;
    const { values } = matcher;
    // A query for a name by itself finds `Acme.Repo` by its own name, `Repo`.
    const isOwn = this.#corpus.query.symbol !== undefined;
    const cursor = new DefinitionCursor(bytes);
    /** The last lines of the definitions around the current one: the first `around` of them. */
    const open: number[] = [];
    let around = 0;
    let count = 0;
    let best = 0;
    let bestDepth = 3;
    let bestLines = 0;
    let top = 0;
    let type = 0;
    for (; cursor.next(); count++) {
      while (around > 0 && open[around - 1]! < cursor.line) around--;
      const depth = around;
      open[around++] = cursor.endLine;
      if (!(isOwn ? matchesOwn(matcher, cursor) : matcher.compareName(cursor.bytes, cursor.nameFrom, cursor.nameTo)))
        continue;
      let share = 0;
      for (let word = 0; word < values.length; word++) share += values[word]! * weights[word]!;
      share /= this.#total;
      const explained = matcher.like / matcher.parts;
      const fit = (2 * share * explained) / (share + explained);
      if (fit > best || (fit === best && fit > 0 && depth < bestDepth)) {
        best = fit;
        bestDepth = depth;
        bestLines = cursor.endLine - cursor.startLine + 1;
      }
      if (fit > top && depth === 0) top = fit;
      if (fit > type && TYPE_KINDS.has(cursor.kind)) type = fit;
    }
    row[F.definition] = best;
    row[F.topDefinition] = top;
    row[F.typeDefinition] = type;
    row[F.definitionDepth] = Math.min(3, bestDepth);
    row[F.definitionShare] = bestLines / Math.max(1, lines);
    return count;
  }

  /** Adds the symbol features. Returns whether the name is defined as it was typed. */
  #addSymbols(row: Float64Array, hits: readonly SymbolHit[], definitions: Uint8Array, reader: SegmentReader): boolean {
    const { query, symbols: terms, weights } = this.#corpus;
    const names = Math.max(1, query.names.length);
    let defined: readonly Named[] | undefined;
    for (const [i, { term }] of hits.entries()) {
      if (hits.findIndex((hit) => hit.term === term) < i) continue;
      const { folded: text, word, value, documents } = terms[term]!;
      if (value === 0) {
        if (query.pairs.includes(text)) row[F.pairDefined] = Math.min(2, row[F.pairDefined]! + 1);
        else row[F.symbolWord]! += (0.5 * (weights[word] ?? 0)) / this.#total;
        continue;
      }
      // For a name by itself other terms are other readings: many similar ones are worth no more than the best.
      if (query.symbol !== undefined && value <= row[F.symbol]!) continue;
      defined ??= definedIn(hits, definitions, reader);
      const named = defined.filter(({ folded }) => folded === text);
      const isType = named.some((one) => one.isType);
      const top = Math.max(0, ...named.map((one) => one.top));
      const add = (feature: number, share: number): void => {
        row[feature] = query.symbol === undefined ? row[feature]! + share / names : share;
      };
      add(F.symbol, value);
      add(F.symbolRare, value / Math.max(1, documents));
      add(F.symbolType, isType ? value : 0);
      add(F.symbolTop, value * top);
    }
    return defined?.some(({ spelling, isNew }) => isNew && spelling === this.#spelling) === true;
  }

  /** The share of the query's words in a mask. */
  #covered(mask: number): number {
    return masked(mask, this.#corpus.weights) / this.#total;
  }

  #coveredEarly(mask: number): number {
    return masked(mask, this.#early) / this.#earlyTotal;
  }

  /** The share of the query's words that are like a member of `words`. */
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

  /** The share of the words of a file's name that are in the query. */
  #explained({ name }: PathInfo): number {
    if (name.length === 0) return 0;
    let like = 0;
    for (const word of name) {
      like += this.#corpus.query.pairs.includes(word) ? 1 : this.#matcher.compare(word).value;
    }
    return like / name.length;
  }

  /** Number of the query's names in a document: compound ones by themselves, a single word as that word. */
  #named({ identifierMask, bodyMask }: Evidence): number {
    const { nameWords } = this.#corpus.query;
    let count = 0;
    for (let i = 0; i < nameWords.length; i++) {
      const word = nameWords[i]!;
      if (identifierMask & (1 << i) || (word >= 0 && bodyMask & (1 << word))) count++;
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

const RELATIVE_COLUMNS = RELATIVE.map((name) => F[name]);

function addRelative(rows: readonly Float64Array[]): void {
  for (let i = 0; i < RELATIVE_COLUMNS.length; i++) {
    const column = RELATIVE_COLUMNS[i]!;
    let highest = 1e-9;
    for (let at = 0; at < rows.length; at++) if (rows[at]![column]! > highest) highest = rows[at]![column]!;
    for (let at = 0; at < rows.length; at++) rows[at]![FEATURES.length + i] = rows[at]![column]! / highest;
  }
}

function addNeighbours(candidates: readonly Candidate[], rows: readonly Float64Array[]): void {
  const folders = new Map<string, { files: number; value: number }>();
  const folderOf = candidates.map(({ info: { path } }, i) => {
    const name = path.slice(0, path.lastIndexOf('/') + 1);
    let folder = folders.get(name);
    if (!folder) folders.set(name, (folder = { files: 0, value: 0 }));
    folder.files++;
    folder.value += rows[i]![F.chunkBoth]!;
    return folder;
  });
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const { files, value } = folderOf[i]!;
    row[F.neighbours] = (files - 1) / rows.length;
    row[F.neighbourhood] = files > 1 ? (value - row[F.chunkBoth]!) / (files - 1) : 0;
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

/** A definition in a chunk that defines a symbol of the query. */
interface Named {
  /** The name itself, without qualification. */
  readonly spelling: string;
  readonly folded: string;
  /** Set unless the definition is part of something that is defined elsewhere. */
  readonly isNew: boolean;
  readonly isType: boolean;
  /** 1 at the top level, less for each name that qualifies it there (`Acme.Repo`), 0 inside another definition. */
  readonly top: number;
}

/** Compares the own name of the current definition: `Repo` of `Acme.Repo`. */
function matchesOwn(matcher: WordMatcher, cursor: DefinitionCursor): boolean {
  if (!matcher.mayMatch(cursor.bytes, cursor.nameFrom, cursor.nameTo)) return false;
  const name = cursor.name();
  const own = Buffer.from(nameSegments(name).at(-1) ?? name);
  return matcher.compareName(own, 0, own.length);
}

function definedIn(hits: readonly SymbolHit[], bytes: Uint8Array, reader: SegmentReader): Named[] {
  const ranges = hits.map(({ chunk }) => reader.linesOfChunk(chunk));
  const named: Named[] = [];
  const cursor = new DefinitionCursor(bytes);
  const open: number[] = [];
  while (cursor.next()) {
    const { line, endLine, kind } = cursor;
    while (open.length > 0 && open.at(-1)! < line) open.pop();
    const isTop = open.length === 0;
    open.push(endLine);
    if (!meets(ranges, line, line)) continue;
    const segments = nameSegments(cursor.name());
    const spelling = segments.at(-1) ?? '';
    named.push({
      spelling,
      folded: foldName(spelling),
      isNew: kind !== 'extension',
      isType: TYPE_KINDS.has(kind) || kind === 'function',
      top: isTop ? 1 / Math.max(1, segments.length) : 0,
    });
  }
  return named;
}

const NO_BYTES = new Uint8Array(0);
