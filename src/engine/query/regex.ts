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

/**
 * Prepares an expression that {@link parseRegex} accepts. `^` and `$` match at each line, `.` and `$` before any kind of line
 * break. Matching takes linear time: about 100 ms for 1 MB without literal text to look for first, and some milliseconds
 * with it. The library is loaded at the first call.
 */
export async function compileRegex({ text, flags }: RegexText): Promise<Regex> {
  const { RE2JS } = await import('re2js');
  const bits =
    RE2JS.MULTILINE | (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('s') ? RE2JS.DOTALL : 0);
  const expression = RE2JS.compile(text, bits);
  const literals = literalsOf(text, flags);
  // A line break is one character, unless the expression has another opinion.
  const isLineBreakPlain = !/\\r|\\x/.test(text);

  const finder = function* (content: string): Generator<readonly [number, number]> {
    const matcher = expression.matcher(content);
    while (matcher.find()) if (matcher.end() > matcher.start()) yield [matcher.start(), matcher.end()];
  };

  const matchesIn = (content: string, limit: number): PhraseMatch[] => {
    const plain = isLineBreakPlain && content.includes('\r') ? content.replace(/\r\n?/g, '\n') : content;
    const searched = foldedFor(literals, plain);
    if (literals.anyOf.length > 0 && !literals.anyOf.some((piece) => searched.includes(piece))) return [];
    if (literals.isWithinLine && literals.anyOf.length > 0)
      return inLines(plain, searched, literals.anyOf, limit, finder);
    if (!expression.test(plain)) return [];
    return positions(plain, finder, limit);
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

/** Matches in the lines that have one of the pieces. */
function inLines(
  content: string,
  searched: string,
  pieces: readonly string[],
  limit: number,
  finder: Finder,
): PhraseMatch[] {
  const found: PhraseMatch[] = [];
  const position = new Position(content);
  const next = pieces.map((piece) => searched.indexOf(piece));
  for (let done = 0; found.length < limit;) {
    let at = Infinity;
    for (const [i, piece] of pieces.entries()) {
      if (next[i]! >= 0 && next[i]! < done) next[i] = searched.indexOf(piece, done);
      if (next[i]! >= 0) at = Math.min(at, next[i]!);
    }
    if (at === Infinity) break;
    const start = at === 0 ? 0 : content.lastIndexOf('\n', at - 1) + 1;
    const lineEnd = content.indexOf('\n', at);
    const end = lineEnd < 0 ? content.length : lineEnd;
    const { line } = position.at(start);
    for (const [column, endColumn] of finder(content.slice(start, end))) {
      found.push({ line, column, endLine: line, endColumn });
      if (found.length >= limit) break;
    }
    done = end + 1;
  }
  return found;
}
