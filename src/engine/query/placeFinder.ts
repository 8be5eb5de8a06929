import { IGNORING_CASE } from '../analyze/languages.ts';
import { foldName, foldQualified, ownName } from '../analyze/symbolNames.ts';
import { ARE_IMPORTS } from '../index/format.ts';
import { meets, type LineRange, type SymbolSpan } from '../index/documents.ts';
import type { SegmentScores } from './collect.ts';
import { CHUNK_COMMENT, CHUNK_DEFINITION, CHUNK_SUMS, CHUNK_TEXT, type Evidence } from './evidence.ts';
import { DEFINING } from './bestChunk.ts';
import type { SymbolTermInfo } from './features.ts';
import { IMPORTED, PlaceFeatures, type PlaceCandidate } from './placeFeatures.ts';
import { bestPlaces } from './placeRanker.ts';
import { definitionNames, type Nearness } from './filters.ts';
import { MereNames } from './mereNames.ts';
import {
  overlap,
  placeInChunk,
  placeOf,
  scoreSymbol,
  type NameScore,
  type NameWords,
  type SourceRange,
} from './sourceRange.ts';
import type { Query } from './query.ts';

const MORE_PLACES = 3;
/** Worth of the wanted name: more than any other name can score by the words of a query. */
const ASKED_SYMBOL = 100;
/** Worth of a step of nearness to the pattern of `sym:`, as a share of all words of the query. */
const NEARNESS = 0.25;
/** Number of chunks of a file that may be put back because they only repeat its name. */
const MAX_MERE = 4;

/** Input of the search inside documents. */
export interface PlaceQuery {
  readonly query: Query;
  /** Cache of {@link scoreSymbol}. */
  readonly names: Map<string, NameWords>;
  /** Weights of the query's words, and their sum. */
  readonly weights: readonly number[];
  readonly total: number;
  /** Terms by the numbers passed to {@link SegmentScores.addSymbol}. */
  readonly symbols: readonly SymbolTermInfo[];
  /** Nearness of a name to the patterns of `sym:`; 0 for no match; `undefined` without such a filter. */
  readonly nearness: Nearness | undefined;
}

/** The chunks of a document that precede those with most of the words. */
interface WantedChunks {
  /** The line that defines the name. */
  readonly line: number | undefined;
  /** The lines that define matches of `sym:`, with the nearness of their names. */
  readonly asked: ReadonlyMap<number, number> | undefined;
  readonly mere: MereNames | undefined;
  /** The chunks that have a name which the document does not define. */
  readonly using: readonly number[];
}

/** Finds the places to show in the found documents. */
export class PlaceFinder {
  readonly #wanted: PlaceQuery;
  readonly #features: PlaceFeatures;

  constructor(wanted: PlaceQuery) {
    this.#wanted = wanted;
    this.#features = new PlaceFeatures(wanted);
  }

  /** Whether places are ranked by {@link candidates}: a name, and the pattern of `sym:`, say themselves which is meant. */
  get isRanked(): boolean {
    const { query, nearness } = this.#wanted;
    return query.symbol === undefined && nearness === undefined && query.words.length > 0;
  }

  /** The places of a document that may answer a question, with their features, in the order of the file. */
  candidates(scores: SegmentScores, document: number, evidence: Evidence): PlaceCandidate[] {
    const mere = this.#mereNames(scores, document, evidence);
    return this.#features.placesOf({ reader: scores.reader, document, evidence, mere });
  }

  /**
   * The best place and up to three more; with `line`, only the one around it. Definitions elsewhere are not read. Empty
   * if the document defines no match of `sym:`: terms do not distinguish `JSON` from `json`.
   */
  find(scores: SegmentScores, document: number, evidence: Evidence, line?: number): SourceRange[] {
    const { reader } = scores;
    const { query, names } = this.#wanted;
    if (line === undefined && this.isRanked) return bestPlaces(this.candidates(scores, document, evidence)).ranges;
    const asked = this.#asked(scores, document);
    if (asked?.size === 0) return [];
    const defining = line ?? this.#definingLine(scores, document, asked);
    const mere = this.#mereNames(scores, document, evidence);
    const using = line === undefined && defining === undefined ? this.#chunksWithName(scores, document) : [];
    const best = this.#bestChunks(scores, document, evidence, { line: defining, asked, mere, using });
    const ranges = (line === undefined ? best : best.slice(0, 1)).map((chunk) => reader.linesOfChunk(chunk));
    const spans = reader.definitionsOf(document, ranges);
    const isAsked = (span: SymbolSpan): boolean =>
      line === undefined && (span.line === defining || (asked?.get(span.line) ?? 0) > 0);
    const nameScore: NameScore = (i) => {
      const span = spans[i]!;
      const near = asked?.get(span.line) ?? 0;
      if (near === 0 && mere?.has(span) === true) return 0;
      if (line === undefined) return scoreSymbol(span, query, names) + near + (isAsked(span) ? ASKED_SYMBOL : 0);
      // Prefer the innermost definition around a phrase.
      return contains(span, line) ? 1 / (span.endLine - span.startLine + 1) : 0;
    };
    const places = ranges.map(([startLine, endLine], i): SourceRange => {
      // A definition beside the use may have words of the name.
      if (using.includes(best[i]!)) return placeOf(spans.findLast(isAround(startLine, endLine)), startLine, endLine);
      const place = placeInChunk(spans, startLine, endLine, nameScore);
      const { symbol } = place;
      // The wanted definition is shown whole, also where the chunk has only a part of it.
      if (symbol && isAsked(symbol)) return { startLine: symbol.startLine, endLine: symbol.endLine, symbol };
      // For a phrase outside all definitions, the one that makes up most of the chunk is wrong.
      const isElsewhere = line !== undefined && contains({ startLine, endLine }, line) && !contains(place, line);
      return isElsewhere ? { startLine, endLine } : place;
    });
    return places.filter((place, i) => {
      const { symbol } = place;
      const isWanted = symbol !== undefined && isAsked(symbol);
      return !places.slice(0, i).some((one) => (isWanted ? one.symbol === symbol : overlap(one, place)));
    });
  }

  /** Names that repeat the path's, if that has words of the query; a query for one name wants its definition. */
  #mereNames({ reader }: SegmentScores, document: number, evidence: Evidence): MereNames | undefined {
    const { nameMask, folderMask, definitionMask } = evidence;
    const { words, symbol } = this.#wanted.query;
    if (symbol !== undefined || words.length < 2 || ((nameMask | folderMask) & definitionMask) === 0) return undefined;
    return new MereNames(reader.pathOf(document), words);
  }

  /** The lines that define matches of `sym:`, with the nearness of their names; `undefined` without such a filter. */
  #asked({ reader }: SegmentScores, document: number): Map<number, number> | undefined {
    const { nearness } = this.#wanted;
    if (!nearness) return undefined;
    const ignoresCase = IGNORING_CASE.has(reader.languageOf(document));
    const lines = new Map<number, number>();
    for (const span of reader.definitionsOf(document)) {
      const near = Math.max(...definitionNames(span).map((name) => nearness(name, ignoresCase)));
      if (near > (lines.get(span.line) ?? 0)) lines.set(span.line, near);
    }
    return lines;
  }

  /** The line that defines the wanted name, if the query is a single name. */
  #definingLine(
    { reader, symbols }: SegmentScores,
    document: number,
    asked: ReadonlyMap<number, number> | undefined,
  ): number | undefined {
    const { query } = this.#wanted;
    const hits = symbols.get(document);
    if (query.symbol === undefined || !hits) return undefined;
    const ranges = hits.map(({ chunk }) => reader.linesOfChunk(chunk));
    let best: number | undefined;
    let bestScore = 0;
    for (const span of reader.definitionsOf(document, ranges)) {
      if (!meets(ranges, span.line, span.line) || asked?.has(span.line) === false) continue;
      const names = termsOf(span);
      for (const [i, { term }] of hits.entries()) {
        const { folded, qualified = folded, value } = this.#wanted.symbols[term]!;
        if (!isIn(span.line, ranges[i]!) || !names.includes(qualified)) continue;
        const score = value * (1 + scoreSymbol(span, query, this.#wanted.names) + (asked?.get(span.line) ?? 0));
        if (score <= bestScore) continue;
        best = span.line;
        bestScore = score;
      }
    }
    return best;
  }

  /** The chunks that have the name, other than imports, if the query is a single name. */
  #chunksWithName(scores: SegmentScores, document: number): readonly number[] {
    const { symbol, names } = this.#wanted.query;
    if (symbol === undefined || names.length !== 1) return [];
    return [...scores.chunksWithName(document)].filter((chunk) => !(scores.reader.chunkTokens[chunk]! & ARE_IMPORTS));
  }

  /** The chunk to show and up to three more. A chunk that defines the wanted name precedes all that use it. */
  #bestChunks(
    { reader, symbols }: SegmentScores,
    document: number,
    { chunks }: Evidence,
    { line, asked = new Map(), mere, using }: WantedChunks,
  ): number[] {
    const { total } = this.#wanted;
    const first = reader.firstChunk[document]!;
    const values = new Float64Array(chunks.length / CHUNK_SUMS);
    for (let i = 0; i < values.length; i++) {
      const at = i * CHUNK_SUMS;
      values[i] = chunks[at + CHUNK_TEXT]! + DEFINING * chunks[at + CHUNK_DEFINITION]!;
      if (reader.chunkTokens[first + i]! & ARE_IMPORTS) values[i]! *= IMPORTED;
    }
    for (const { term, chunk } of symbols.get(document) ?? []) {
      values[chunk - first]! += total * this.#wanted.symbols[term]!.value;
    }
    const linesOf = (i: number): LineRange => reader.linesOfChunk(first + i);
    // 2 for the chunk around `line`, 1 for those that define a match of `sym:` or have the name.
    const ranks = new Uint8Array(values.length);
    for (const chunk of using) ranks[chunk - first] = 1;
    for (const [i, near] of nearestIn(asked, values.length, linesOf)) {
      values[i]! += total * (1 + NEARNESS * near);
      ranks[i] = 1;
    }
    for (let left = mere ? MAX_MERE : 0; left > 0; left--) {
      const i = values.indexOf(values.reduce((most, value) => Math.max(most, value), 0));
      const at = i * CHUNK_SUMS;
      if (i < 0 || chunks[at + CHUNK_DEFINITION] === 0 || ranks[i]! > 0) break;
      const range = linesOf(i);
      const spans = reader.definitionsOf(document, [range]).filter((span) => isIn(span.line, range));
      if (!mere!.areAll(spans)) break;
      values[i] = chunks[at + CHUNK_TEXT]! * (chunks[at + CHUNK_COMMENT]! > 0 ? 1 : IMPORTED);
    }
    const least = values.reduce((most, value) => Math.max(most, value), 0) / 2;
    if (line !== undefined) {
      for (let i = 0; i < values.length; i++) if (isIn(line, linesOf(i))) ranks[i] = 2;
    }
    const found: number[] = [];
    for (let i = 0; i < values.length; i++) {
      if (ranks[i]! > 0 || (values[i]! > 0 && values[i]! >= least)) found.push(i);
    }
    found.sort((a, b) => ranks[b]! - ranks[a]! || values[b]! - values[a]! || a - b);
    return found.length === 0 ? [first] : found.slice(0, 1 + MORE_PLACES).map((i) => first + i);
  }
}

/** The highest value of the lines in each chunk; both are in order. */
function nearestIn(
  asked: ReadonlyMap<number, number>,
  chunks: number,
  linesOf: (chunk: number) => LineRange,
): Map<number, number> {
  const nearest = new Map<number, number>();
  let i = 0;
  for (const [line, near] of asked) {
    while (i < chunks - 1 && linesOf(i)[1] < line) i++;
    nearest.set(i, Math.max(near, nearest.get(i) ?? 0));
  }
  return nearest;
}

/** The terms that find a definition: its whole name, the last part, and the name with its container. */
function termsOf({ name, container }: SymbolSpan): string[] {
  const qualified = foldQualified(container === undefined ? name : `${container}.${name}`);
  return [foldName(name), foldName(ownName(name)), qualified];
}

function isAround(startLine: number, endLine: number): (span: SymbolSpan) => boolean {
  return (span) => span.startLine <= startLine && span.endLine >= endLine;
}

function isIn(line: number, [first, last]: LineRange): boolean {
  return first <= line && line <= last;
}

function contains({ startLine, endLine }: Pick<SymbolSpan, 'startLine' | 'endLine'>, line: number): boolean {
  return startLine <= line && line <= endLine;
}
