import { escapeInAnyForm, escapeRegExp } from '../../base/regExp.ts';
import { LETTERS as LETTERS_BEYOND_ASCII } from '../analyze/language.ts';
import { WORD, numberTerm } from '../analyze/numbers.ts';

/** Position of a phrase in a text. Lines count from 1, UTF-16 columns from 0; end exclusive. */
export interface PhraseMatch {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface Phrase {
  readonly firstIn: (content: string) => PhraseMatch | undefined;
  /** Matches without overlap, in order, at most `limit` of them. */
  readonly allIn: (content: string, limit?: number) => PhraseMatch[];
}

/** What of a phrase is one expression: much longer ones overflow the stack of the compiler. Divides no run of spaces. */
const PIECE = /(?:\s+|\S){1,1000}/gu;

/**
 * A phrase matches its own characters, in the middle of words as well, ignoring case and the form of Unicode. A run of
 * spaces, tabs and line breaks matches any other. `text` must not be empty. 1 MB takes a few milliseconds.
 */
export function compilePhrase(text: string): Phrase {
  const [first = '', ...others] = (text.match(PIECE) ?? []).map((piece) => {
    const source = piece.split(/(\s+)/).map((part, i) => (i % 2 === 0 ? escapeInAnyForm(part) : String.raw`\s+`));
    return source.join('');
  });
  // Match only at the beginning of a run of spaces: starting at each of its spaces takes quadratic time.
  const expression = new RegExp(first.replace(/^\\s\+/, String.raw`(?<!\s)\s+`), 'giu');
  return matcherOf(others.length === 0 ? expression : inPieces(expression, others));
}

/** Matches a negative number, but not a part of a longer one, nor a difference such as `x-1`. */
export function compileNegative(text: string): Phrase {
  return matcherOf(new RegExp(String.raw`(?<![\w)\]])${escapeRegExp(text)}(?!\w|\.\d)`, 'gi'));
}

/**
 * All characters of words, without the tables of Unicode, which take a millisecond to compile. If what is between words could
 * begin a word, a match would take exponential time.
 */
const LETTERS =
  String.raw`\w${LETTERS_BEYOND_ASCII}\u2070-\u209c\u20d0-\u20f0\u2102\u2107-\u2115\u2119-\u2121\u2124-\u2149\u214e` +
  String.raw`\u2150-\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u2c00-\u2fef`;

/** Likewise, without digits and the underscore, which divide a name into words. */
const PART_LETTERS = LETTERS.replace(String.raw`\w`, 'a-zA-Z');

/** Most words of {@link compileWords}: many more overflow the stack of the compiler. */
const MAX_WORDS = 1_000;

/**
 * Matches the words of a text in their order, ignoring case and what is between them; `undefined` for one word alone, and for
 * more than {@link MAX_WORDS}: such a text is data.
 */
export function compileWords(text: string): Phrase | undefined {
  const words = [...text.matchAll(WORD)].map(([word]) => escapeInAnyForm(word));
  if (words.length < 2 || words.length > MAX_WORDS) return undefined;
  return matcherOf(new RegExp(`(?<![${LETTERS}])${words.join(`[^${LETTERS}]+`)}(?![${LETTERS}])`, 'gi'));
}

/**
 * Finds the longest part of words in their order with at least `least` of them, which must be more than half. Of parts that
 * overlap, as only repeated words can, the first counts.
 */
export function compilePart(
  words: readonly string[],
  least: number,
): (content: string) => { readonly line: number; readonly length: number } | undefined {
  const gap = `[^${LETTERS}]+`;
  const escaped = words.map((word) => escapeInAnyForm(word));
  const from = words.length - least;
  // Every such part has the words in the middle, so what precedes them is read only behind them.
  const middle = escaped.slice(from, least);
  const before = escaped.slice(0, from).reduce((farther, word) => `(${farther}${word}${gap})?`, '');
  const after = escaped.slice(least).reduceRight((farther, word) => `(${gap}${word}${farther})?`, '');
  const expression = new RegExp(`(?<=(?<![${LETTERS}])${before})${middle.join(gap)}${after}(?![${LETTERS}])`, 'gi');
  return (content) => {
    let best = { start: 0, length: 0 };
    for (const match of content.matchAll(expression)) {
      const length = middle.length + match.slice(1).filter(Boolean).length;
      if (length > best.length) best = { start: match.index - (from > 0 ? (match[1]?.length ?? 0) : 0), length };
    }
    return best.length < least ? undefined : { line: new Position(content).at(best.start).line, length: best.length };
  };
}

/**
 * Matches a line with all the words, in any order and ignoring case; `undefined` for words without a number, which are in too
 * many lines. A number may have its sign, and words may be parts of a name with underscores.
 */
export function compileLine(words: readonly string[]): Pick<Phrase, 'firstIn'> | undefined {
  const number = words.find((word) => numberTerm(word.replace('-', '')) !== undefined);
  if (number === undefined || words.length < 2) return undefined;
  const whole = (word: string): string => `(?<![${LETTERS}])${escapeInAnyForm(word)}(?![${LETTERS}])`;
  const ofNumber = new RegExp(whole(number), 'gi');
  const others = words
    .filter((word) => word !== number)
    .map((word) => new RegExp(`(?<![${PART_LETTERS}])${escapeInAnyForm(word)}(?![${PART_LETTERS}])`, 'i'));
  return {
    firstIn: (content) => {
      const position = new Position(content);
      let end = 0;
      for (const { index } of content.matchAll(ofNumber)) {
        // Each line is read once, however often it has the number.
        if (index < end) continue;
        const { line, column } = position.at(index);
        const [text = ''] = /^.*/.exec(content.slice(index - column))!;
        end = index - column + text.length;
        if (others.every((other) => other.test(text)))
          return { line, column: 0, endLine: line, endColumn: text.length };
      }
      return undefined;
    },
  };
}

/** What {@link matches} needs of an expression. */
type Expression = Pick<RegExp, 'lastIndex' | 'exec'>;

/** Matches an expression, and behind it the others one after the other. Each has one way at most to match at a place. */
function inPieces(first: RegExp, others: readonly string[]): Expression {
  const rest = others.map((source) => new RegExp(source, 'iuy'));
  return {
    get lastIndex() {
      return first.lastIndex;
    },
    set lastIndex(index) {
      first.lastIndex = index;
    },
    exec: (content) => {
      for (let match = first.exec(content); match; match = first.exec(content)) {
        let end = first.lastIndex;
        const isWhole = rest.every((piece) => {
          piece.lastIndex = end;
          const isNext = piece.test(content);
          end = piece.lastIndex;
          return isNext;
        });
        if (isWhole) {
          first.lastIndex = end;
          match[0] = content.slice(match.index, end);
          return match;
        }
        first.lastIndex = match.index + String.fromCodePoint(content.codePointAt(match.index)!).length;
      }
      return null;
    },
  };
}

function matcherOf(expression: Expression): Phrase {
  return {
    firstIn: (content) => matches(expression, content, 1)[0],
    allIn: (content, limit = Infinity) => matches(expression, content, limit),
  };
}

function matches(expression: Expression, content: string, limit: number): PhraseMatch[] {
  const found: PhraseMatch[] = [];
  const position = new Position(content);
  expression.lastIndex = 0;
  while (found.length < limit) {
    const match = expression.exec(content);
    if (!match) break;
    const { line, column } = position.at(match.index);
    const end = position.at(match.index + match[0].length);
    found.push({ line, column, endLine: end.line, endColumn: end.column });
  }
  return found;
}

/** Converts rising offsets to lines and columns in one pass. */
export class Position {
  readonly #breaks: RegExpStringIterator<RegExpExecArray>;
  #next: RegExpExecArray | undefined;
  #line = 1;
  #lineStart = 0;

  constructor(content: string) {
    this.#breaks = content.matchAll(/\r\n|\r|\n/g);
    this.#next = this.#following();
  }

  at(offset: number): { readonly line: number; readonly column: number } {
    while (this.#next && this.#next.index + this.#next[0].length <= offset) {
      this.#line++;
      this.#lineStart = this.#next.index + this.#next[0].length;
      this.#next = this.#following();
    }
    return { line: this.#line, column: offset - this.#lineStart };
  }

  #following(): RegExpExecArray | undefined {
    const { value, done } = this.#breaks.next();
    return done ? undefined : value;
  }
}
