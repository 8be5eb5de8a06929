import { foldName, foldQualified, nameSegments } from '../analyze/symbolNames.ts';
import { ARE_IMPORTS } from '../index/format.ts';
import { meets, type LineRange, type SymbolSpan } from '../index/documents.ts';
import { CHUNK_DEFINITION, CHUNK_SUMS, CHUNK_TEXT, DEFINING, type Evidence, type SegmentScores } from './collect.ts';
import type { SymbolTermInfo } from './features.ts';
import { namesOf } from './filters.ts';
import { placeInChunk, scoreSymbol, type NameScore, type Place } from './place.ts';
import type { Query } from './query.ts';

const MORE_PLACES = 3;
/** More than the words of a query can make a name worth that is not the one that is looked for. */
const ASKED_SYMBOL = 100;
/** What a name that is nearer to what `sym:` asks for is worth, as a share of all words of the query. */
const NEARNESS = 0.25;
/** What the words of a chunk of nothing but imports count: one looks for what is done with them. */
const IMPORTED = 0.3;

/** What is looked for in a document. */
export interface Wanted {
  readonly query: Query;
  /** The weight of all words of the query. */
  readonly total: number;
  /** By the numbers that {@link SegmentScores.addSymbol} was given. */
  readonly symbols: readonly SymbolTermInfo[];
  /** How near a name is to what `sym:` asks for, if it does; 0 where it is not that at all. */
  readonly nearness: ((name: string) => number) | undefined;
}

/** Finds the places to show of documents that were found. */
export class PlaceFinder {
  readonly #wanted: Wanted;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  /**
   * The best place and up to three more; only the one around `line`, if it is given. Definitions elsewhere are not read.
   * None if the document does not define what `sym:` asks for: its terms do not tell `JSON` from `json`.
   */
  find(scores: SegmentScores, document: number, evidence: Evidence, line?: number): Place[] {
    const { reader } = scores;
    const { query } = this.#wanted;
    const asked = this.#asked(scores, document);
    if (asked?.size === 0) return [];
    const defining = line ?? this.#definingLine(scores, document, asked);
    const best = this.#bestChunks(scores, document, evidence, defining, asked);
    const ranges = (line === undefined ? best : best.slice(0, 1)).map((chunk) => reader.linesOfChunk(chunk));
    const spans = reader.definitionsOf(document, ranges);
    const nameScore: NameScore = (i) => {
      const span = spans[i]!;
      const near = asked?.get(span.line) ?? 0;
      const isAsked = near > 0 || span.line === defining;
      if (line === undefined) return scoreSymbol(span, query) + near + (isAsked ? ASKED_SYMBOL : 0);
      // The innermost definition around a phrase.
      return contains(span, line) ? 1 / (span.endLine - span.startLine + 1) : 0;
    };
    return ranges.map(([startLine, endLine]) => {
      const place = placeInChunk(spans, startLine, endLine, nameScore);
      // Where a phrase is in no definition, the one that makes up most of the chunk is not meant.
      const isElsewhere = line !== undefined && contains({ startLine, endLine }, line) && !contains(place, line);
      return isElsewhere ? { startLine, endLine } : place;
    });
  }

  /** The lines that define what `sym:` asks for, with how near their names are to it; `undefined` if it asks for nothing. */
  #asked({ reader }: SegmentScores, document: number): Map<number, number> | undefined {
    const { nearness } = this.#wanted;
    if (!nearness) return undefined;
    const lines = new Map<number, number>();
    for (const span of reader.definitionsOf(document)) {
      const near = Math.max(...namesOf(span).map(nearness));
      if (near > (lines.get(span.line) ?? 0)) lines.set(span.line, near);
    }
    return lines;
  }

  /** The line that defines the name that is looked for, if the query is one. */
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
        const score = value * (1 + scoreSymbol(span, query) + (asked?.get(span.line) ?? 0));
        if (score <= bestScore) continue;
        best = span.line;
        bestScore = score;
      }
    }
    return best;
  }

  /** The chunk to show and up to three more. One that defines what was asked for goes before all that use it. */
  #bestChunks(
    { reader, symbols }: SegmentScores,
    document: number,
    { chunks }: Evidence,
    line: number | undefined,
    asked: ReadonlyMap<number, number> = new Map(),
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
    // 2 for the chunk around `line`, 1 for those that define what `sym:` asks for.
    const ranks = new Uint8Array(values.length);
    for (const [i, near] of nearestIn(asked, values.length, linesOf)) {
      values[i]! += total * (1 + NEARNESS * near);
      ranks[i] = 1;
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

/** By chunk, of the lines in it the highest value; both are in order. */
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

/** The terms by which a definition may be found: of all its name, of the last part, and with what it is a member of. */
function termsOf({ name, container }: SymbolSpan): string[] {
  const qualified = foldQualified(container === undefined ? name : `${container}.${name}`);
  return [foldName(name), foldName(nameSegments(name).at(-1) ?? name), qualified];
}

function isIn(line: number, [first, last]: LineRange): boolean {
  return first <= line && line <= last;
}

function contains({ startLine, endLine }: Pick<SymbolSpan, 'startLine' | 'endLine'>, line: number): boolean {
  return startLine <= line && line <= endLine;
}
