import { addNeighbours, addRelative, favourNewestVersions } from './candidateFeatures.ts';
import {
  CHUNK_COMMENT,
  CHUNK_DEFINITION,
  CHUNK_SUMS,
  CHUNK_TEXT,
  float64Rows,
  masked,
  type Evidence,
} from './evidence.ts';
import { DEFINING } from './bestChunk.ts';
import { addBestDefinitions, addSymbols } from './definitionFeatures.ts';
import { FEATURE_COLUMNS, F, type Candidate, type Contribution, type Corpus } from './features.ts';
import { asksFor } from './fileForms.ts';
import type { PathInfo } from './paths.ts';
import { likenessOf, type WordMatcher } from './wordMatch.ts';

/** Decay of weights by position: an early word names the subject, a late one the place. */
const EARLY = 0.85;
/** More than any other difference between two documents. */
export const HAS_NAME = 100;
/** Of two documents that are nearly equal, prefer the one that spells the name as typed. */
const SPELT = 4;
/** Capitals or `_` in a query show the intended spelling; `router` may be lazy for `Router`. */
const SAYS_SPELLING = /\p{Lu}|_/u;
/**
 * Size limit of definitions in detail, in bytes. A document with more of them is about none of thousands, and reading
 * them would cost.
 */
const MAX_DETAILS = 100_000;
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
    const begun = this.#corpus.isHalfName ? this.#begun(candidate) : 0;
    if (begun > 0) add('beginsName', HAS_NAME * (1 + begun));
    if (this.#spelt.has(candidate)) add('spelt', SPELT);
    return rules;
  }

  /** Worth of the most similar defined name that begins with the typed one. */
  #begun({ scores, document }: Candidate): number {
    const hits = scores.symbols.get(document) ?? [];
    return Math.max(0, ...hits.map(({ term }) => this.#corpus.symbols[term]!.value));
  }

  #hasName({ scores, document, evidence }: Candidate): boolean {
    if (this.#corpus.query.symbol === undefined || this.#corpus.query.names.length !== 1) return false;
    const hits = scores.symbols.get(document);
    return this.#named(evidence) > 0 || hits?.some(({ term }) => this.#corpus.symbols[term]!.value === 1) === true;
  }

  /** One row of {@link FEATURE_COLUMNS} per candidate, one for each step. */
  *rows(candidates: readonly Candidate[]): Generator<undefined, Float64Array[], void> {
    const rows = float64Rows(candidates.map(() => FEATURE_COLUMNS.length));
    for (let i = 0; i < candidates.length; i++) {
      this.#fill(rows[i]!, candidates[i]!);
      yield;
    }
    addNeighbours(candidates, rows);
    if (this.#corpus.query.symbol !== undefined) favourNewestVersions(candidates, rows);
    addRelative(rows);
    return rows;
  }

  #fill(row: Float64Array, candidate: Candidate): void {
    const { scores, document, evidence, info } = candidate;
    const { reader } = scores;
    const { query } = this.#corpus;
    const total = this.#total;
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
    row[F.packageShare] = Math.log(this.#corpus.packageShare(scores.folder, reader.outerFolderOf(document)));

    row[F.defined] = this.#covered(evidence.definitionMask);
    row[F.definedEarly] = this.#coveredEarly(evidence.definitionMask);
    row[F.definitions] = evidence.definitions / total;
    const definitions = reader.detailsLengthOf(document) > MAX_DETAILS ? NO_BYTES : reader.detailsOf(document);
    const count = addBestDefinitions(row, definitions, reader.linesOf(document), this.#corpus, total);
    row[F.definitionDensity] = evidence.definitionCount / (count + 2) / total;
    row[F.definitionTotal] = Math.log1p(count);

    row[F.symbolFile] = query.names.includes(info.folded) ? 1 / Math.max(1, query.names.length) : 0;
    row[F.symbolUse] = this.#named(evidence) / Math.max(1, query.names.length);
    const hits = scores.symbols.get(document);
    if (hits) {
      const defined = addSymbols(row, hits, definitions, reader, this.#corpus, total);
      if (defined.some(({ spelling, isNew }) => isNew && spelling === this.#spelling)) this.#spelt.add(candidate);
    }
    row[F.pair] = this.#pairs(evidence.identifierMask);
    row[F.pairFile] = query.pairs.includes(info.folded) ? 1 : 0;

    for (const [side, word] of info.sides) {
      if (side === 'test') row[this.#isTestAsked ? F.testAsked : F.test] = 1;
      else if (!this.#wanted.has(word)) row[F[side]] = 1;
    }
    if (info.form !== undefined && !asksFor(info.form, info.path, this.#wanted)) row[F[info.form]] = 1;
    row[F.testFolder] = info.isInTests ? 1 : 0;
    row[F.plainName] = info.isPlain ? 1 : 0;
    row[F.header] = info.isHeader ? 1 : 0;
    row[F.length] = Math.log1p(reader.documentTokens[document]!);
    row[F.references] = Math.log1p(Math.max(0, this.#corpus.references(info.folded) - 1));
    row[F.languageShare] = this.#corpus.languageShare(reader.languageOf(document));
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

const NO_BYTES = new Uint8Array(0);
