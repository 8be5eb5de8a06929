import type { DefinitionKind, Language } from './language.ts';
import { COMMENT, TRAILING } from './lexer.ts';
import type { SourceScan } from './scanner.ts';

const AT = '@'.charCodeAt(0);
const HASH = '#'.charCodeAt(0);
const OPEN_BRACKET = '['.charCodeAt(0);
const CLOSERS: readonly number[] = [...Buffer.from(')]}>')];
const CLOSE_BRACKET = ']'.charCodeAt(0);
/** Last characters of a line that is no head. */
const ENDS: readonly number[] = [...Buffer.from(';,:{}\\')];
/** Length of the longest attribute that is found. */
const MAX_ATTRIBUTE_LINES = 24;

/** The lines of a file, with the bits of `lexer.ts`. */
export interface FileLines {
  readonly scan: SourceScan;
  readonly language: Language;
  readonly quiet: Uint8Array;
}

/**
 * First line of the comments, decorators and attributes right above a definition, and of what else may be between them and
 * its name: a type alone on its line, a template's head. Stops after the line `previous`.
 */
export function leadingLines(file: FileLines, line: number, kind: DefinitionKind, previous: number): number {
  const { scan, quiet } = file;
  let start = line;
  while (start - 1 > previous) {
    const above = start - 1;
    const isInComment = isComment(quiet[above]!);
    if (scan.indent[above]! < 0 && !isInComment) break;
    const begin = isInComment ? above : headBegin(file, above, line, kind, previous);
    if (begin < 0) break;
    start = begin;
  }
  return start;
}

/** The first line of the attribute or head that ends on line `end`; -1 if none does. */
function headBegin(file: FileLines, end: number, line: number, kind: DefinitionKind, previous: number): number {
  const { scan } = file;
  if (isHead(file, end, line, kind)) return end;
  const limit = Math.max(previous, end - MAX_ATTRIBUTE_LINES);
  for (let at = end; at > limit && scan.indent[at]! >= 0; at--) {
    if (scan.indent[at]! > scan.indent[line]! || CLOSERS.includes(scan.firstByte[at]!)) continue;
    if (at === end || (scan.firstByte[at] === OPEN_BRACKET && file.language.attributes !== '[')) return -1;
    return beginsHead(file, at, line, kind) ? at : -1;
  }
  return -1;
}

/** Whether an attribute, or a part of a definition's head, begins and ends on a line. */
function isHead(file: FileLines, at: number, line: number, kind: DefinitionKind): boolean {
  const first = file.scan.firstByte[at]!;
  const last = file.scan.lastByte[at]!;
  if (first === HASH) return last === CLOSE_BRACKET;
  return (first === AT || first === OPEN_BRACKET || !ENDS.includes(last)) && beginsHead(file, at, line, kind);
}

/** Whether an attribute, or a part of a definition's head, begins on a line. */
function beginsHead({ scan, language, quiet }: FileLines, at: number, line: number, kind: DefinitionKind): boolean {
  const first = scan.firstByte[at]!;
  if (first === HASH) {
    return language.attributes === '#' && scan.bytes[scan.lineStart[at]! + scan.indent[at]! + 1] === OPEN_BRACKET;
  }
  if (scan.indent[at] !== scan.indent[line] || quiet[at] !== 0) return false;
  if (first === AT || first === OPEN_BRACKET) return true;
  return kind !== 'macro' && language.head?.test(scan.line(at, 300).trimEnd()) === true;
}

/** Whether a line begins in a comment that did not begin after code. */
function isComment(quiet: number): boolean {
  return (quiet & (COMMENT | TRAILING)) === COMMENT;
}
