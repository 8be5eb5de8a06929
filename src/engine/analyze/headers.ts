import type { SourceScan } from './scanner.ts';

/** Words that begin lines of C++ and hardly ever lines of C. */
export const CPP_WORDS = ['class', 'inline', 'namespace', 'private', 'protected', 'public', 'template', 'using'];

const CPP_LINE =
  /^\s*(?:(?:inline\s+)?namespace\b(?:\s+[\w:]+(?:\(\w*\))?)*\s*(?:[{=]|$)|template\s*<|class\s[\w\s()]*[:{]|(?:public|private|protected)\s*:\s*$|using\s+[\w:]+\s*[;=])/;

/**
 * Whether a `.h` file is C++, which its name does not show. `isCppWord` recognizes the identifiers of
 * {@link CPP_WORDS}.
 */
export function isCppHeader(scan: SourceScan, isCppWord: (identifier: number) => boolean): boolean {
  for (let line = 0; line < scan.lineCount; line++) {
    const token = scan.firstToken[line]!;
    if (token === scan.firstToken[line + 1]! || !isCppWord(scan.tokens[token]!)) continue;
    if (CPP_LINE.test(scan.line(line, 200))) return true;
  }
  return false;
}
