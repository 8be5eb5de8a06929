import { TYPE_KINDS } from '../analyze/language.ts';
import { foldName, isPath, nameSegments, ownName } from '../analyze/symbolNames.ts';
import { DefinitionCursor, meets } from '../index/documents.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import type { SymbolHit } from './collect.ts';
import { F, type Corpus } from './features.ts';
import type { WordMatcher } from './wordMatch.ts';

/**
 * Adds the fit of the definition whose name fits the query best: the harmonic mean of both shares. Returns the number
 * of definitions. Most names are not even decoded to strings, as they have nothing in common with the query.
 */
export function addBestDefinitions(
  row: Float64Array,
  bytes: Uint8Array,
  lines: number,
  { query, matcher, weights }: Corpus,
  total: number,
): number {
  const { values } = matcher;
  // A query for a name by itself finds `Acme.Repo` by its own name, `Repo`.
  const isOwn = query.symbol !== undefined;
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
    if (cursor.kind === 'module' && isPath(cursor.name())) continue;
    if (!(isOwn ? matchesOwn(matcher, cursor) : matcher.compareName(cursor.bytes, cursor.nameFrom, cursor.nameTo)))
      continue;
    let share = 0;
    for (let word = 0; word < values.length; word++) share += values[word]! * weights[word]!;
    share /= total;
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

/** Adds the symbol features. Returns the definitions of the query's symbols. */
export function addSymbols(
  row: Float64Array,
  hits: readonly SymbolHit[],
  definitions: Uint8Array,
  reader: SegmentReader,
  { query, symbols: terms, weights }: Corpus,
  total: number,
): readonly NamedDefinition[] {
  const names = Math.max(1, query.names.length);
  let defined: readonly NamedDefinition[] | undefined;
  for (const [i, { term }] of hits.entries()) {
    if (hits.findIndex((hit) => hit.term === term) < i) continue;
    const { folded: text, word, value, documents } = terms[term]!;
    if (value === 0) {
      if (query.pairs.includes(text)) row[F.pairDefined] = Math.min(2, row[F.pairDefined]! + 1);
      else row[F.symbolWord]! += (0.5 * (weights[word] ?? 0)) / total;
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
  return defined ?? [];
}

/** A definition in a chunk that defines a symbol of the query. */
export interface NamedDefinition {
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
  const own = Buffer.from(ownName(name));
  return matcher.compareName(own, 0, own.length);
}

function definedIn(hits: readonly SymbolHit[], bytes: Uint8Array, reader: SegmentReader): NamedDefinition[] {
  const ranges = hits.map(({ chunk }) => reader.linesOfChunk(chunk));
  const named: NamedDefinition[] = [];
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
