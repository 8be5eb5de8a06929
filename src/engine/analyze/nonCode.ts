import type { Language } from './language.ts';
import { rulesOf } from './lexerRules.ts';
import { COMMENT, Literals, TRAILING } from './lexer.ts';
import type { SourceScan } from './scanner.ts';

/**
 * Marks the lines that define nothing with the bits of `lexer.ts`: those that begin with or in a comment, or in a
 * string.
 */
export function nonCodeLines(scan: SourceScan, language: Language): Uint8Array {
  const quiet = new Uint8Array(scan.lineCount);
  const rules = rulesOf(language);
  if (!rules) return quiet;
  const literals = new Literals(scan, rules);
  let line = 0;
  while (literals.next()) {
    const { start, end, is } = literals;
    const isComment = is === COMMENT && literals.isFirst(start);
    if (!isComment && scan.lineStart[line + 1]! > end) continue;
    while (scan.lineStart[line + 1]! <= start) line++;
    const bits = is === COMMENT && !isComment ? is | TRAILING : is;
    if (isComment) quiet[line]! |= bits;
    while (line + 1 < scan.lineCount && scan.lineStart[line + 1]! <= end) quiet[++line]! |= bits;
  }
  return quiet;
}
