import type { Definition } from './definitions.ts';
import type { DefinitionKind } from './language.ts';
import { IMPORT } from './lexer.ts';
import type { SourceScan } from './scanner.ts';

/** Length of the longest chunk that is found and shown as one. */
export const MAX_CHUNK_LINES = 60;
/** Length up to which neighbours are joined: a lone constant is too little to jump to. */
const JOINED_LINES = 30;
/** Length from which a function, type or section is a chunk of its own. */
const WHOLE_LINES = 4;
/** Length from which adjacent imports are a chunk of their own. */
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

/** A piece of a file: lines `start` to `end`, from 0, both inclusive. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  /** Set if the chunk only imports definitions of other files. */
  readonly isImports?: boolean;
}

interface Piece extends Chunk {
  /** Set if the piece must not be joined with its neighbours. */
  readonly whole: boolean;
}

/**
 * Cuts a file into chunks of at most {@link MAX_CHUNK_LINES} lines that cover it without overlap. A definition that
 * fits is one chunk; a larger one is cut at the definitions inside it. Text between definitions is cut at blank lines.
 */
export function cutChunks(scan: SourceScan, definitions: readonly Definition[], quiet: Uint8Array): Chunk[] {
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

  // Definitions come in line order, so one pass with lookahead suffices. Nesting needs no stack: the pass simply
  // continues into a definition that is too large for a chunk.
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

/** Runs of adjacent imports, with the blank lines between them. */
function* importsIn(scan: SourceScan, quiet: Uint8Array, from: number, to: number): Generator<Chunk> {
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
function cutLines(scan: SourceScan, start: number, end: number, pieces: Piece[]): void {
  let at = start;
  while (end - at + 1 > MAX_CHUNK_LINES) {
    const cut = bestCut(scan, at + Math.floor((MAX_CHUNK_LINES * 2) / 3), at + MAX_CHUNK_LINES);
    pieces.push({ start: at, end: cut - 1, whole: false });
    at = cut;
  }
  if (at <= end) pieces.push({ start: at, end, whole: false });
}

/** The line in [from, to] that begins the next piece: after a blank line if there is one, else the least indented. */
function bestCut(scan: SourceScan, from: number, to: number): number {
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

function joinSmall(scan: SourceScan, pieces: readonly Piece[]): Chunk[] {
  const joined: Chunk[] = [];
  /** Whether the last joined chunk may still grow. */
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

function isBlank(scan: SourceScan, start: number, end: number): boolean {
  for (let line = start; line <= end; line++) if (scan.indent[line]! >= 0) return false;
  return true;
}
