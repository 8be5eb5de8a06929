import type { SourceScan } from './scanner.ts';

/** First words of the lines that tell C++ and Objective-C from C. */
export const HEADER_WORDS = ['class', 'end', 'import', 'inline', 'namespace', 'private', 'protected', 'public', 'template', 'using']; // oxfmt-ignore

const CPP_LINE =
  /^\s*(?:(?:inline\s+)?namespace\b(?:\s+[\w:]+(?:\(\w*\))?)*\s*(?:[{=]|$)|template\s*<|class\s[\w\s()]*[:{]|(?:public|private|protected)\s*:\s*$|using\s+[\w:]+\s*[;=])/;
/** Not `@interface` and `@class X`: they are commands of Doxygen, too. */
const OBJECTIVE_C_LINE =
  /^\s*(?:@end\s*(?:\/[/*].*)?$|@class\s[\w\s,<>]*;|@import\s[\w.]+;|#\s*import\s+["<][^">]+\.h[">])/;

/** The language of a `.h` file, which its name does not show. `isHeaderWord` recognizes the identifiers of {@link HEADER_WORDS}. */
export function languageOfHeader(
  scan: SourceScan,
  isHeaderWord: (identifier: number) => boolean,
): 'c' | 'cpp' | 'objective-c' {
  let isCpp = false;
  for (let line = 0; line < scan.lineCount; line++) {
    const token = scan.firstToken[line]!;
    if (token === scan.firstToken[line + 1]! || !isHeaderWord(scan.tokens[token]!)) continue;
    const text = scan.line(line, 200);
    if (OBJECTIVE_C_LINE.test(text)) return 'objective-c';
    isCpp ||= CPP_LINE.test(text);
  }
  return isCpp ? 'cpp' : 'c';
}
