import { Position, type Phrase, type PhraseMatch } from './phrase.ts';
import { literalsOf, type RegexLiterals } from './regexLiterals.ts';

/** An expression of a query: its text between the slashes, and `i`, `s` or both as flags. */
export interface RegexText {
  readonly text: string;
  readonly flags: string;
}

/** Positions of an expression's matches in a text; none is empty. */
export type Regex = Phrase;

/** Finds matches in their order, as first and last offsets. */
type Finder = (content: string) => Iterable<readonly [start: number, end: number]>;

/** Escapes of line breaks, and of the text's beginning and end, and the flag `s` within an expression. */
const ACROSS_LINES = /(?:^|[^\\])(?:\\\\)*(?:\\[nrAz]|\(\?[imU]*s)|\n/;

/**
 * Prepares an expression that {@link parseRegex} accepts. As in other searches of code, `^` and `$` match at each line, and a
 * match is within one line unless the expression has `\n` or the flag `s`. A line break is `\n` of whatever kind it is, unless
 * the expression has `\r`.
 *
 * Matching takes linear time. Of 1 MB it takes some milliseconds if there is literal text to look for first, and about 100
 * without. The library is loaded at the first call.
 */
export async function compileRegex({ text, flags }: RegexText): Promise<Regex> {
  const { RE2JS } = await import('re2js');
  const bits =
    RE2JS.MULTILINE | (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('s') ? RE2JS.DOTALL : 0);
  const expression = RE2JS.compile(text, bits);
  const literals = literalsOf(text, flags);
  const isWithinLine = !flags.includes('s') && !ACROSS_LINES.test(text);
  const hasReturns = text.includes('\\r');

  const finder = function* (content: string): Generator<readonly [number, number]> {
    const matcher = expression.matcher(content);
    while (matcher.find()) if (matcher.end() > matcher.start()) yield [matcher.start(), matcher.end()];
  };

  const matchesIn = (content: string, limit: number): PhraseMatch[] => {
    const plain = !hasReturns && content.includes('\r') ? content.replace(/\r\n?/g, '\n') : content;
    const searched = foldedFor(literals, plain);
    if (literals.anyOf.length > 0 && !literals.anyOf.some((piece) => searched.includes(piece))) return [];
    if (isWithinLine && literals.anyOf.length > 0)
      return inLines(plain, linesWith(searched, literals.anyOf), limit, finder);
    if (!expression.test(plain)) return [];
    if (!isWithinLine) return positions(plain, finder, limit);
    return inLines(
      plain,
      linesThat(plain, (line) => expression.test(line)),
      limit,
      finder,
    );
  };
  return {
    firstIn: (content) => matchesIn(content, 1)[0],
    allIn: (content, limit = Infinity) => matchesIn(content, limit),
  };
}

/** The text in which literal pieces are looked for, of the same length. */
function foldedFor({ ignoresCase }: RegexLiterals, content: string): string {
  if (!ignoresCase) return content;
  // Two letters outside of ASCII are other forms of s and k. No other letter may change the length.
  return content.replace(/[\u017f\u212a]|[A-Z]+/g, (text) =>
    text === '\u017f' ? 's' : text === '\u212a' ? 'k' : text.toLowerCase(),
  );
}

function positions(content: string, finder: Finder, limit: number): PhraseMatch[] {
  const found: PhraseMatch[] = [];
  const position = new Position(content);
  if (limit <= 0) return found;
  for (const [from, to] of finder(content)) {
    const { line, column } = position.at(from);
    const end = position.at(to);
    found.push({ line, column, endLine: end.line, endColumn: end.column });
    if (found.length >= limit) break;
  }
  return found;
}

/** Matches in lines, which are given by their first offsets. */
function inLines(content: string, starts: Iterable<number>, limit: number, finder: Finder): PhraseMatch[] {
  const found: PhraseMatch[] = [];
  const position = new Position(content);
  if (limit <= 0) return found;
  for (const start of starts) {
    const { line } = position.at(start);
    for (const [column, endColumn] of finder(content.slice(start, lineEnd(content, start)))) {
      found.push({ line, column, endLine: line, endColumn });
      if (found.length >= limit) return found;
    }
  }
  return found;
}

function* linesWith(content: string, pieces: readonly string[]): Generator<number> {
  const next = pieces.map((piece) => content.indexOf(piece));
  for (let done = 0; ;) {
    let at = Infinity;
    for (const [i, piece] of pieces.entries()) {
      if (next[i]! >= 0 && next[i]! < done) next[i] = content.indexOf(piece, done);
      if (next[i]! >= 0) at = Math.min(at, next[i]!);
    }
    if (at === Infinity) return;
    yield at === 0 ? 0 : content.lastIndexOf('\n', at - 1) + 1;
    done = lineEnd(content, at) + 1;
  }
}

function* linesThat(content: string, matches: (line: string) => boolean): Generator<number> {
  for (let start = 0; start <= content.length;) {
    const end = lineEnd(content, start);
    if (matches(content.slice(start, end))) yield start;
    start = end + 1;
  }
}

function lineEnd(content: string, from: number): number {
  const end = content.indexOf('\n', from);
  return end < 0 ? content.length : end;
}
