import { foldName, foldQualified, nameSegments } from '../analyze/symbolNames.ts';
import { meets, type LineRange, type SymbolSpan } from '../index/documents.ts';
import { CHUNK_DEFINITION, CHUNK_SUMS, CHUNK_TEXT, DEFINING, type Evidence, type SegmentScores } from './collect.ts';
import type { SymbolTermInfo } from './features.ts';
import { isNamed, type Test } from './filters.ts';
import { placeInChunk, scoreSymbol, type NameScore, type Place } from './place.ts';
import type { Query } from './query.ts';

const MORE_PLACES = 3;
/** More than the words of a query can make a name worth that is not the one that is looked for. */
const ASKED_SYMBOL = 100;

/** What is looked for in a document. */
export interface Wanted {
  readonly query: Query;
  /** The weight of all words of the query. */
  readonly total: number;
  /** By the numbers that {@link SegmentScores.addSymbol} was given. */
  readonly symbols: readonly SymbolTermInfo[];
  /** What `sym:` asks for. */
  readonly symbol: Test | undefined;
}

/** Finds the places to show of documents that were found. */
export class PlaceFinder {
  readonly #wanted: Wanted;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  /** The best place and up to three more; only the one around `line`, if it is given. Definitions elsewhere are not read. */
  find(scores: SegmentScores, document: number, evidence: Evidence, line?: number): [Place, ...Place[]] {
    const { reader } = scores;
    const { symbol, query } = this.#wanted;
    const named = symbol && reader.definitionsOf(document).filter((span) => isNamed(span, symbol));
    const namedLines = named?.map((span) => span.line) ?? [];
    const defining = line ?? this.#definingLine(scores, document, namedLines);
    const best = this.#bestChunks(scores, document, evidence, defining, namedLines);
    const ranges = (line === undefined ? best : best.slice(0, 1)).map((chunk) => reader.linesOfChunk(chunk));
    const spans = reader.definitionsOf(document, ranges);
    const nameScore: NameScore = (i) => {
      const span = spans[i]!;
      const isAsked = span.line === defining || namedLines.includes(span.line);
      if (line === undefined) return scoreSymbol(span, query) + (isAsked ? ASKED_SYMBOL : 0);
      // The innermost definition around a phrase.
      return contains(span, line) ? 1 / (span.endLine - span.startLine + 1) : 0;
    };
    const [first, ...more] = ranges.map(([startLine, endLine]) => {
      const place = placeInChunk(spans, startLine, endLine, nameScore);
      // Where a phrase is in no definition, the one that makes up most of the chunk is not meant.
      const isElsewhere = line !== undefined && contains({ startLine, endLine }, line) && !contains(place, line);
      return isElsewhere ? { startLine, endLine } : place;
    });
    return [first!, ...more];
  }

  /** The line that defines the name that is looked for, if the query is one. */
  #definingLine(
    { reader, symbols }: SegmentScores,
    document: number,
    namedLines: readonly number[],
  ): number | undefined {
    const { query } = this.#wanted;
    const hits = symbols.get(document);
    if (query.symbol === undefined || !hits) return undefined;
    const ranges = hits.map(({ chunk }) => reader.linesOfChunk(chunk));
    let best: number | undefined;
    let bestScore = 0;
    for (const span of reader.definitionsOf(document, ranges)) {
      if (!meets(ranges, span.line, span.line)) continue;
      const names = namesOf(span);
      for (const [i, { term }] of hits.entries()) {
        const { folded, qualified = folded, value } = this.#wanted.symbols[term]!;
        if (!isIn(span.line, ranges[i]!) || !names.includes(qualified)) continue;
        const asked = namedLines.includes(span.line) ? ASKED_SYMBOL : 0;
        const score = value * (1 + scoreSymbol(span, query) + asked);
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
    namedLines: readonly number[],
  ): number[] {
    const { total } = this.#wanted;
    const first = reader.firstChunk[document]!;
    const values = new Float64Array(chunks.length / CHUNK_SUMS);
    for (let i = 0; i < values.length; i++) {
      const at = i * CHUNK_SUMS;
      values[i] = chunks[at + CHUNK_TEXT]! + DEFINING * chunks[at + CHUNK_DEFINITION]!;
    }
    for (const { term, chunk } of symbols.get(document) ?? []) {
      values[chunk - first]! += total * this.#wanted.symbols[term]!.value;
    }
    const linesOf = (i: number): LineRange => reader.linesOfChunk(first + i);
    if (namedLines.length > 0) {
      for (let i = 0; i < values.length; i++) {
        if (namedLines.some((at) => isIn(at, linesOf(i)))) values[i]! += total + 1;
      }
    }
    let least = 0;
    for (let i = 0; i < values.length; i++) if (values[i]! / 2 > least) least = values[i]! / 2;
    if (line !== undefined) {
      for (let i = 0; i < values.length; i++) if (isIn(line, linesOf(i))) values[i] = Number.MAX_VALUE;
    }
    const found: number[] = [];
    for (let i = 0; i < values.length; i++) if (values[i]! > 0 && values[i]! >= least) found.push(i);
    found.sort((a, b) => values[b]! - values[a]! || a - b);
    return found.length === 0 ? [first] : found.slice(0, 1 + MORE_PLACES).map((i) => first + i);
  }
}

/** The terms by which a definition may be found: of all its name, of the last part, and with what it is a member of. */
function namesOf({ name, container }: SymbolSpan): string[] {
  const qualified = foldQualified(container === undefined ? name : `${container}.${name}`);
  return [foldName(name), foldName(nameSegments(name).at(-1) ?? name), qualified];
}

function isIn(line: number, [first, last]: LineRange): boolean {
  return first <= line && line <= last;
}

function contains({ startLine, endLine }: Pick<SymbolSpan, 'startLine' | 'endLine'>, line: number): boolean {
  return startLine <= line && line <= endLine;
}
