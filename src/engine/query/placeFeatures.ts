import { TEXT_KINDS, TYPE_KINDS } from '../analyze/language.ts';
import { ARE_IMPORTS, MAX_TOKENS } from '../index/format.ts';
import type { LineRange, SymbolSpan } from '../index/documents.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { DEFINING } from './bestChunk.ts';
import {
  CHUNK_COMMENT,
  CHUNK_DEFINITION,
  CHUNK_MASK,
  CHUNK_SUMS,
  CHUNK_TEXT,
  float64Rows,
  masked,
  type Evidence,
} from './evidence.ts';
import { keep } from './keep.ts';
import type { MereNames } from './mereNames.ts';
import type { Query } from './query.ts';
import { placeOf, wordsOf, type NameWords, type SourceRange } from './sourceRange.ts';
import { likenessOf } from './wordMatch.ts';

/**
 * Features of a place, in the order of the weights. Shares are of the query's words, each weighted by its rarity. See
 * docs/ranking.md for the worth of each.
 */
export const PLACE_FEATURES = [
  // The name: share of the query in it, share of it in the query, both, early words; its first word, all its words.
  'name',
  'nameExplained',
  'nameBoth',
  'nameEarly',
  'nameFirst',
  'nameAll',
  'nameWords',
  // The query names it; words of the query in its container; words that the path has not, and its words in the path.
  'asked',
  'container',
  'nameBeyondPath',
  'nameInPath',
  // Text of the chunk: BM25, comments, defined names; the words in it, early ones, and those of name and chunk together.
  'text',
  'comment',
  'chunkDefined',
  'coverage',
  'coverageEarly',
  'together',
  // The best text among all chunks of the definition.
  'inside',
  // Size: of the chunk, of the place.
  'tokens',
  'lines',
  'oneLine',
  // Kind: `part` is a chunk within a definition, `head` the first chunk of one that goes on.
  'function',
  'type',
  'extension',
  'constant',
  'heading',
  'unnamed',
  'part',
  'head',
  'member',
  'test',
  'underscore',
  'imports',
] as const;
export type PlaceFeature = (typeof PLACE_FEATURES)[number];

/** The column of each feature. */
export const P = Object.fromEntries(PLACE_FEATURES.map((feature, i) => [feature, i])) as Readonly<
  Record<PlaceFeature, number>
>;

/** Features that count once more as a share of the highest in the document. */
export const PLACE_RELATIVE = [
  'nameBoth',
  'text',
  'comment',
  'coverage',
  'together',
] as const satisfies readonly PlaceFeature[];

export const PLACE_COLUMNS: readonly string[] = [...PLACE_FEATURES, ...PLACE_RELATIVE.map((name) => `${name}/max`)];
const RELATIVE_COLUMNS = PLACE_RELATIVE.map((name) => P[name]);

/** Number of chunks of a document, and of named definitions in each, that are compared. */
const MAX_CHUNKS = 6;
const MAX_NAMED = 3;
/** Size of the largest definition that is no place without a word of the query in its name. */
const SMALL = 2;
/** Weight of words in a chunk of imports alone: searches are for the use of a name. */
export const IMPORTED = 0.3;
const OF_IMPORTS = [P.text, P.inside, P.coverage, P.coverageEarly, P.together];
/** Decay of weights by position, as for files. */
const EARLY = 0.85;
const TEST_WORDS: ReadonlySet<string> = new Set(['test', 'spec', 'mock', 'bench']);

/** Input of the comparison of places. */
export interface PlaceWords {
  readonly query: Query;
  /** Weights of the query's words, and their sum. */
  readonly weights: readonly number[];
  readonly total: number;
  /** Cache of the words of names. */
  readonly names: Map<string, NameWords>;
}

/** The document of places. */
interface PlaceDocument {
  readonly reader: SegmentReader;
  readonly document: number;
  readonly evidence: Evidence;
  readonly mere: MereNames | undefined;
}

/** A place that may be shown, and its features. */
export interface PlaceCandidate {
  readonly range: SourceRange;
  readonly row: Float64Array;
}

/** Fit of a name to the query. */
interface NameFit {
  readonly share: number;
  readonly early: number;
  readonly explained: number;
  /** Bits of the query's words that it has, exactly or nearly. */
  readonly mask: number;
  readonly isFirst: boolean;
  /** Number of its words. */
  readonly words: number;
  readonly isAsked: boolean;
  readonly isTest: boolean;
}

/** Computes the features of places for one query. */
export class PlaceFeatures {
  readonly #words: PlaceWords;
  readonly #early: readonly number[];
  readonly #earlyTotal: number;
  readonly #fits = new Map<string, NameFit>();
  /** By word of the query: how well a part of one name agrees with it. */
  readonly #likes: Float64Array;
  readonly #isTestAsked: boolean;

  constructor(words: PlaceWords) {
    this.#words = words;
    this.#likes = new Float64Array(words.query.words.length);
    this.#early = words.weights.map((weight, i) => weight * EARLY ** i);
    this.#earlyTotal = this.#early.reduce((sum, weight) => sum + weight, 0) || 1;
    this.#isTestAsked = words.query.words.some((word) => TEST_WORDS.has(word));
  }

  /** The places of a document that may answer: definitions with words of the query, and chunks without any. */
  placesOf(at: PlaceDocument): PlaceCandidate[] {
    const { reader, document } = at;
    const chunks = this.#chunksOf(at);
    const first = reader.firstChunk[document]!;
    // An empty file is found by its path.
    if (chunks.length === 0)
      return [{ range: { startLine: 1, endLine: 1 }, row: new Float64Array(PLACE_COLUMNS.length) }];
    const ranges = chunks.map((chunk) => reader.linesOfChunk(first + chunk));
    const spans = reader.definitionsOf(document, ranges);
    const symbols = ranges.map((range) => this.#symbolsIn(spans, range, at.mere));
    const rows = float64Rows(symbols.flatMap((ofChunk) => ofChunk.map(() => PLACE_COLUMNS.length)));
    const found: PlaceCandidate[] = [];
    for (const [i, chunk] of chunks.entries()) {
      for (const symbol of symbols[i]!) {
        const row = rows[found.length]!;
        const range = placeOf(symbol, ranges[i]![0], ranges[i]![1]);
        this.#fill(row, at, chunk, ranges[i]!, range);
        found.push({ range, row });
      }
    }
    addRelative(found);
    return found;
  }

  /** The chunks with most of the words, by their numbers in the document. */
  #chunksOf({ reader, document, evidence: { chunks } }: PlaceDocument): number[] {
    const first = reader.firstChunk[document]!;
    const found: number[] = [];
    const values = new Float64Array(chunks.length / CHUNK_SUMS);
    for (let i = 0; i < values.length; i++) {
      values[i] = chunks[i * CHUNK_SUMS + CHUNK_TEXT]! + DEFINING * chunks[i * CHUNK_SUMS + CHUNK_DEFINITION]!;
      if (values[i]! > 0) found.push(i);
    }
    if (found.length === 0) return reader.firstChunk[document + 1]! > first ? [0] : [];
    if (found.length <= MAX_CHUNKS) return found;
    found.sort((a, b) => values[b]! - values[a]! || a - b);
    return found.slice(0, MAX_CHUNKS).sort((a, b) => a - b);
  }

  /**
   * The definitions in a chunk whose names fit best, and the largest; the one around it, unless the largest is most of it. `undefined`
   * stands for no definition.
   */
  #symbolsIn(
    spans: readonly SymbolSpan[],
    [startLine, endLine]: LineRange,
    mere: MereNames | undefined,
  ): (SymbolSpan | undefined)[] {
    const named: SymbolSpan[] = [];
    let largest: SymbolSpan | undefined;
    let enclosing: SymbolSpan | undefined;
    for (const span of spans) {
      if (span.startLine <= startLine && span.endLine >= endLine) enclosing = span;
      if (span.line < startLine || span.line > endLine) continue;
      const isLarger = sizeOf(span) > Math.max(SMALL, largest ? sizeOf(largest) : 0);
      const isNamed = this.#fit(span.name).share > 0;
      if ((!isLarger && !isNamed) || mere?.has(span)) continue;
      if (isLarger) largest = span;
      if (isNamed) named.push(span);
    }
    if (named.length > MAX_NAMED) {
      named.sort((a, b) => this.#worth(b) - this.#worth(a) || a.line - b.line);
      named.length = MAX_NAMED;
    }
    if (!largest) return [enclosing];
    if (!named.includes(largest)) named.push(largest);
    return 2 * sizeOf(largest) > endLine - startLine ? named : [...named, enclosing];
  }

  #worth({ name }: SymbolSpan): number {
    const { share, explained } = this.#fit(name);
    return (share * explained) / (share + explained || 1);
  }

  #fill(
    row: Float64Array,
    { reader, document, evidence: { chunks, nameMask, folderMask } }: PlaceDocument,
    chunk: number,
    lines: LineRange,
    { startLine, endLine, symbol }: SourceRange,
  ): void {
    const { total } = this.#words;
    const at = chunk * CHUNK_SUMS;
    const first = reader.firstChunk[document]!;
    const tokens = reader.chunkTokens[first + chunk]!;
    let mask = chunks[at + CHUNK_MASK]!;
    row[P.text] = chunks[at + CHUNK_TEXT]! / total;
    row[P.comment] = chunks[at + CHUNK_COMMENT]! / total;
    row[P.chunkDefined] = chunks[at + CHUNK_DEFINITION]! / total;
    row[P.coverage] = masked(mask, this.#words.weights) / total;
    row[P.coverageEarly] = masked(mask, this.#early) / this.#earlyTotal;
    row[P.tokens] = Math.log1p(tokens & MAX_TOKENS);
    row[P.imports] = (tokens & ARE_IMPORTS) === 0 ? 0 : 1;
    row[P.lines] = Math.log1p(endLine - startLine);
    row[P.inside] = row[P.text]!;
    if (symbol) {
      const { name, kind, line } = symbol;
      const { share, early, explained, mask: inName, isFirst, words, isAsked, isTest } = this.#fit(name);
      const container = symbol.container === undefined ? undefined : this.#fit(symbol.container);
      const inPath = nameMask | folderMask;
      const isHere = line >= lines[0] && line <= lines[1];
      row[P.name] = share;
      row[P.nameExplained] = explained;
      row[P.nameBoth] = share === 0 ? 0 : (2 * share * explained) / (share + explained);
      row[P.nameEarly] = early;
      row[P.nameFirst] = isFirst ? 1 : 0;
      row[P.nameAll] = explained > 0.99 && (inName & (inName - 1)) !== 0 ? 1 : 0;
      row[P.nameWords] = words;
      row[P.nameBeyondPath] = masked(inName & ~inPath, this.#words.weights) / total;
      row[P.nameInPath] = inName !== 0 && (inName & ~inPath) === 0 ? explained : 0;
      row[P.asked] = isAsked ? 1 : 0;
      if (container) {
        row[P.container] = masked(container.mask & ~inName, this.#words.weights) / total;
        mask |= container.mask;
      }
      mask |= inName;
      row[P.inside] = this.#inside(reader, first, chunk, chunks, symbol) / total;
      row[P.oneLine] = symbol.endLine === line ? 1 : 0;
      if (kind === 'function' || kind === 'method') row[P.function] = 1;
      else if (TYPE_KINDS.has(kind)) row[P.type] = 1;
      else if (TEXT_KINDS.has(kind)) row[P.heading] = 1;
      else if (kind === 'extension') row[P.extension] = 1;
      else row[P.constant] = 1;
      row[P.part] = isHere ? 0 : 1;
      row[P.head] = isHere && symbol.endLine > lines[1] ? 1 : 0;
      row[P.member] = container ? 1 : 0;
      row[P.test] = !this.#isTestAsked && (isTest || container?.isTest) ? 1 : 0;
      row[P.underscore] = name.startsWith('_') ? 1 : 0;
    } else row[P.unnamed] = 1;
    row[P.together] = masked(mask, this.#words.weights) / total;
    if (row[P.imports] === 1) for (const column of OF_IMPORTS) row[column]! *= IMPORTED;
  }

  /** The best text among the chunks of a definition from `chunk` on. */
  #inside(reader: SegmentReader, first: number, chunk: number, chunks: Float64Array, { endLine }: SymbolSpan): number {
    let best = 0;
    for (let i = chunk; i * CHUNK_SUMS < chunks.length && reader.chunkStarts[first + i]! < endLine; i++)
      best = Math.max(best, chunks[i * CHUNK_SUMS + CHUNK_TEXT]!);
    return best;
  }

  #fit(name: string): NameFit {
    return keep(this.#fits, name, () => this.#makeFit(keep(this.#words.names, name, wordsOf)));
  }

  #makeFit({ own, folded, stems }: NameWords): NameFit {
    const { query, weights, total } = this.#words;
    const { words, names, pairs, possibleNames } = query;
    const likes = this.#likes.fill(0);
    let explained = 0;
    let isFirst = false;
    for (let i = 0; i < stems.length; i++) {
      let best = 0;
      let word = 0;
      for (let j = 0; j < words.length && best < 1; j++) {
        const like = likenessOf(words[j]!, stems[i]!);
        if (like <= best) continue;
        best = like;
        word = j;
      }
      if (best === 0) continue;
      explained += best;
      if (i === 0) isFirst = true;
      if (best > likes[word]!) likes[word] = best;
    }
    const isTest = stems.some((stem) => TEST_WORDS.has(stem));
    if (explained === 0) return { ...NO_FIT, words: stems.length, isTest };
    const isName = (one: string): boolean => names.includes(one) || pairs.includes(one) || possibleNames.includes(one);
    let share = 0;
    let early = 0;
    let mask = 0;
    for (let j = 0; j < words.length; j++) {
      if (likes[j] === 0) continue;
      share += likes[j]! * weights[j]!;
      early += likes[j]! * this.#early[j]!;
      mask |= 1 << j;
    }
    return {
      share: share / total,
      early: early / this.#earlyTotal,
      explained: explained / stems.length,
      mask,
      isFirst,
      words: stems.length,
      isAsked: isName(own) || isName(folded),
      isTest,
    };
  }
}

function sizeOf({ startLine, endLine }: SymbolSpan): number {
  return endLine - startLine + 1;
}

const NO_FIT: NameFit = {
  share: 0,
  early: 0,
  explained: 0,
  mask: 0,
  isFirst: false,
  words: 0,
  isAsked: false,
  isTest: false,
};

function addRelative(candidates: readonly PlaceCandidate[]): void {
  for (let i = 0; i < RELATIVE_COLUMNS.length; i++) {
    const column = RELATIVE_COLUMNS[i]!;
    let highest = 1e-9;
    for (const { row } of candidates) highest = Math.max(highest, row[column]!);
    for (const { row } of candidates) row[PLACE_FEATURES.length + i] = row[column]! / highest;
  }
}
