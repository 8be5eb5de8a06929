import type { Language } from './language.ts';
import { IMPORT, isWord } from './lexer.ts';
import type { SourceScan } from './scanner.ts';

/** Length of the longest list of imported names. */
const MAX_LINES = 200;

const CLOSING = new Set(Buffer.from(')}]'));

/** The beginning of lines that import, or re-export, definitions of other files. */
interface ImportRule {
  /** First words of such a line. */
  readonly words: readonly string[];
  /** Pattern that the line must match too. */
  readonly pattern?: RegExp;
  /** Set if the line may be indented. */
  readonly isIndented?: boolean;
}

const IMPORTS: ImportRule = { words: ['import'] };
const INCLUDES: ImportRule = { words: ['#include', '#import', '# include'] };
const JAVASCRIPT: ImportRule = {
  words: ['import', 'export', 'const', 'let', 'var'],
  pattern:
    /^(?:import\b(?!\s*[(.])|export\s+(?:type\s+)?(?:\*|\{)|(?:const|let|var)\s[^=]+=\s*require\s*\([^()]*\)[\w.]*;?\s*$)/,
};

const RULES: Readonly<Record<string, ImportRule>> = {
  c: INCLUDES,
  cpp: INCLUDES,
  csharp: { words: ['using', 'global'], pattern: /^(?:global\s+)?using\s+(?!var\b)[^(]*;/ },
  dart: { words: ['import', 'export', 'part'] },
  elixir: { words: ['alias', 'import', 'require', 'use'], isIndented: true },
  go: IMPORTS,
  haskell: IMPORTS,
  java: IMPORTS,
  javascript: JAVASCRIPT,
  kotlin: IMPORTS,
  lua: { words: ['local'], pattern: /=\s*require\s*\(?\s*["'][^"']*["']\s*\)?[\w.]*\s*;?\s*(?:--.*)?$/ },
  ocaml: { words: ['open', 'include'] },
  perl: { words: ['use', 'require', 'no'], pattern: /^(?!use\s+(?:constant|overload|fields)\b)/ },
  php: { words: ['use', 'require', 'require_once', 'include', 'include_once'] },
  proto: IMPORTS,
  python: { words: ['import', 'from'], pattern: /^(?:import\s|from\s+[\w.]+\s+import\b)/ },
  r: { words: ['library', 'require', 'source'], pattern: /^\w+\(/ },
  ruby: { words: ['require', 'require_relative', 'autoload', 'load'] },
  rust: { words: ['use', 'pub', 'extern'], pattern: /^(?:pub(?:\([^)]*\))?\s+)?(?:use|extern\s+crate)\s/ },
  scala: IMPORTS,
  shellscript: { words: ['source', '.'], pattern: /^\S+\s+(?![({])/ },
  swift: { words: ['import', '@testable'] },
  typescript: JAVASCRIPT,
  zig: { words: ['const', 'pub'], pattern: /=\s*@import\("[^"]*"\)[\w.]*;/ },
};

const FIRST_WORDS: ReadonlyMap<ImportRule, readonly Buffer[]> = new Map(
  Object.values(RULES).map((rule) => [rule, rule.words.map((word) => Buffer.from(word))] as const),
);

/** Marks the lines that import definitions of other files, with the further lines of lists in brackets. */
export function markImports(scan: SourceScan, { id }: Language, quiet: Uint8Array): void {
  const rule = RULES[id];
  if (!rule) return;
  const words = FIRST_WORDS.get(rule)!;
  for (let line = 0; line < scan.lineCount; line++) {
    if (quiet[line] !== 0 || scan.indent[line]! < 0 || (scan.indent[line]! > 0 && !rule.isIndented)) continue;
    if (!beginsWith(scan, line, words) || rule.pattern?.test(scan.line(line, 300)) === false) continue;
    for (const end = lastLine(scan, id, line); line < end; line++) quiet[line]! |= IMPORT;
    quiet[line]! |= IMPORT;
  }
}

function beginsWith({ bytes, lineStart, firstByte }: SourceScan, line: number, words: readonly Buffer[]): boolean {
  for (const word of words) {
    if (word[0] !== firstByte[line]) continue;
    let from = lineStart[line]!;
    while (bytes[from] !== word[0]) from++;
    let at = 1;
    while (at < word.length && bytes[from + at] === word[at]) at++;
    if (at === word.length && !isWord(bytes[from + at]!)) return true;
  }
  return false;
}

/** The line that closes all open brackets; in Haskell, the last that is indented. */
function lastLine({ bytes, lineStart, lineCount, indent, firstByte }: SourceScan, id: string, line: number): number {
  const limit = Math.min(lineCount - 1, line + MAX_LINES);
  let end = line;
  if (id === 'haskell') {
    while (end < limit && indent[end + 1]! > 0) end++;
    return end;
  }
  for (let depth = 0; end <= limit; end++) {
    // The bracket was in a comment: the code at the left edge is not part of the list.
    if (end > line && indent[end] === 0 && !CLOSING.has(firstByte[end]!)) return line;
    for (let at = lineStart[end]!; at < lineStart[end + 1]!; at++) {
      const byte = bytes[at]!;
      if (byte === 0x28 || byte === 0x7b) depth++;
      else if (byte === 0x29 || byte === 0x7d) depth--;
    }
    if (depth <= 0) return end;
  }
  return line;
}
