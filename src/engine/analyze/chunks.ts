import type { Definition } from './definitions.ts';
import type { DefinitionKind } from './languages.ts';
import { IMPORT } from './literals.ts';
import type { Scan } from './scanner.ts';

/** The longest piece that is found and shown as one. */
export const MAX_CHUNK_LINES = 60;
/** Neighbours are joined up to so many lines: a constant alone is no place to go to. */
const JOINED_LINES = 30;
/** But a function, type or section of at least so many lines stands for itself. */
const WHOLE_LINES = 4;
/** And so do as many lines of imports. */
const IMPORT_LINES = 3;
const WHOLE_KINDS: ReadonlySet<DefinitionKind> = new Set([
  'class',
  'enum',
  'extension',
  'function',
  'heading',
  'interface',
  'method',
  'struct',
]);

/** A piece of a file: lines `start` to `end`, from 0, both in it. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  /** It only takes in what other files define. */
  readonly isImports?: boolean;
}

interface Piece extends Chunk {
  /** Not to be joined with its neighbours. */
  readonly whole: boolean;
}

/**
 * Cuts a file into pieces of at most {@link MAX_CHUNK_LINES} lines that cover it without overlap: a definition that fits is
 * one piece; a larger one is cut at the definitions in it; what lies between is cut at blank lines.
 */
export function cutChunks(scan: Scan, definitions: readonly Definition[], quiet: Uint8Array): Chunk[] {
  const pieces: Piece[] = [];
  const cutText = (from: number, to: number): void => {
    let at = from;
    for (const { start, end } of importsIn(scan, quiet, from, to)) {
      if (start > at) cutLines(scan, at, start - 1, pieces);
      pieces.push({ start, end, whole: true, isImports: true });
      at = end + 1;
    }
    if (at <= to) cutLines(scan, at, to, pieces);
  };
  const last = scan.lineCount - 1;
  if (last < 0) return pieces;
  let index = 0;

  // Definitions come in the order of their lines, so one walk with a look ahead suffices; nesting needs no stack because
  // a definition too large to be a piece simply lets the walk go on into it.
  let at = 0;
  while (index < definitions.length) {
    const { start, end, kind } = definitions[index++]!;
    if (start < at && end <= at - 1) continue;
    const from = Math.max(start, at);
    if (end - from + 1 > MAX_CHUNK_LINES) {
      const inner = index < definitions.length && definitions[index]!.start <= end;
      if (from > at) cutText(at, from - 1);
      if (!inner) cutText(from, end);
      at = inner ? from : end + 1;
      continue;
    }
    if (from > at) cutText(at, from - 1);
    pieces.push({ start: from, end, whole: end - from + 1 >= WHOLE_LINES && WHOLE_KINDS.has(kind) });
    at = end + 1;
  }
  if (at <= last) cutText(at, last);
  return joinSmall(scan, pieces);
}

/** Where imports stand together, blank lines between them included. */
function* importsIn(scan: Scan, quiet: Uint8Array, from: number, to: number): Generator<Chunk> {
  for (let line = from; line <= to; line++) {
    if ((quiet[line]! & IMPORT) === 0) continue;
    let end = line;
    for (let at = line + 1; at <= to && at - line < MAX_CHUNK_LINES; at++) {
      if ((quiet[at]! & IMPORT) !== 0) end = at;
      else if (scan.indent[at]! >= 0) break;
    }
    if (end - line + 1 >= IMPORT_LINES) yield { start: line, end };
    line = end;
  }
}

/** Cuts lines at the best blank line or left edge in the last third before each limit. */
function cutLines(scan: Scan, start: number, end: number, pieces: Piece[]): void {
  let at = start;
  while (end - at + 1 > MAX_CHUNK_LINES) {
    const cut = bestCut(scan, at + Math.floor((MAX_CHUNK_LINES * 2) / 3), at + MAX_CHUNK_LINES);
    pieces.push({ start: at, end: cut - 1, whole: false });
    at = cut;
  }
  if (at <= end) pieces.push({ start: at, end, whole: false });
}

/** The line in [from, to] that begins the next piece: after a blank line if there is one, else the least indented. */
function bestCut(scan: Scan, from: number, to: number): number {
  let best = to;
  let bestScore = Number.POSITIVE_INFINITY;
  for (let line = to; line >= from; line--) {
    const indent = scan.indent[line]!;
    if (indent < 0) continue;
    const score = indent * 2 + (scan.indent[line - 1]! < 0 ? 0 : 3);
    if (score < bestScore) {
      best = line;
      bestScore = score;
    }
  }
  return best;
}

function joinSmall(scan: Scan, pieces: readonly Piece[]): Chunk[] {
  const joined: Chunk[] = [];
  /** Whether the last of them may still grow. */
  let open = false;
  for (const { start, end, whole, isImports } of pieces) {
    const previous = joined.at(-1);
    const fits = previous && end - previous.start < MAX_CHUNK_LINES;
    if (fits && isBlank(scan, start, end)) joined[joined.length - 1] = { ...previous, end };
    else if (previous && open && !whole && end - previous.start < JOINED_LINES) {
      joined[joined.length - 1] = { start: previous.start, end };
    } else {
      joined.push({ start, end, ...(isImports && { isImports }) });
      open = !whole;
    }
  }
  return joined;
}

function isBlank(scan: Scan, start: number, end: number): boolean {
  for (let line = start; line <= end; line++) if (scan.indent[line]! >= 0) return false;
  return true;
}
