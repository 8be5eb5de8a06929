import { escapeRegExp } from '../../base/regExp.ts';
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

/**
 * A phrase matches its own characters, in the middle of words as well, ignoring case. A run of spaces, tabs and line
 * breaks matches any other. `text` must not be empty. 1 MB takes a few milliseconds.
 */
export function compilePhrase(text: string): Phrase {
  // Match only at the beginning of a run of spaces: starting at each of its spaces takes quadratic time.
  const source = text.split(/(\s+)/).map((part, i) => (i % 2 === 0 ? escapeRegExp(part) : String.raw`\s+`));
  return matcherOf(new RegExp(source.join('').replace(/^\\s\+/, String.raw`(?<!\s)\s+`), 'giu'));
}

/** Matches a negative number, but not a part of a longer one, nor a difference such as `x-1`. */
export function compileNegative(text: string): Phrase {
  return matcherOf(new RegExp(String.raw`(?<![\w)\]])${escapeRegExp(text)}(?!\w|\.\d)`, 'gi'));
}

/** Letters of any script, without the tables of Unicode, which take a millisecond to compile. */
const LETTERS = String.raw`\w\u00aa-\u1fff\u2c00-\u2fef\u3040-\ufaff`;

/** Likewise, without digits and the underscore, which divide a name into words. */
const PART_LETTERS = LETTERS.replace(String.raw`\w`, 'a-zA-Z');

/**
 * Matches the words of any of the texts in their order, ignoring case and what is between them; `undefined` for texts of one
 * word alone.
 */
export function compileWords(texts: readonly string[]): Phrase | undefined {
  const rows = texts.map((text) => [...text.matchAll(WORD)].map(([word]) => escapeRegExp(word)));
  if (rows.some(({ length }) => length < 2)) return undefined;
  const source = rows.map((words) => words.join(`[^${LETTERS}]+`)).join('|');
  return matcherOf(new RegExp(`(?<![${LETTERS}])(?:${source})(?![${LETTERS}])`, 'gi'));
}

/**
 * Matches a line with all the words, in any order and ignoring case; `undefined` for words without a number, which are in too
 * many lines. A number may have its sign, and words may be parts of a name with underscores.
 */
export function compileLine(words: readonly string[]): Pick<Phrase, 'firstIn'> | undefined {
  const number = words.find((word) => numberTerm(word.replace('-', '')) !== undefined);
  if (number === undefined || words.length < 2) return undefined;
  const whole = (word: string): string => `(?<![${LETTERS}])${escapeRegExp(word)}(?![${LETTERS}])`;
  const ofNumber = new RegExp(whole(number), 'gi');
  const others = words
    .filter((word) => word !== number)
    .map((word) => new RegExp(`(?<![${PART_LETTERS}])${escapeRegExp(word)}(?![${PART_LETTERS}])`, 'i'));
  return {
    firstIn: (content) => {
      const position = new Position(content);
      for (const { index } of content.matchAll(ofNumber)) {
        const { line, column } = position.at(index);
        const [text = ''] = /^.*/.exec(content.slice(index - column))!;
        if (others.every((other) => other.test(text)))
          return { line, column: 0, endLine: line, endColumn: text.length };
      }
      return undefined;
    },
  };
}

function matcherOf(expression: RegExp): Phrase {
  return {
    firstIn: (content) => matches(expression, content, 1)[0],
    allIn: (content, limit = Infinity) => matches(expression, content, limit),
  };
}

function matches(expression: RegExp, content: string, limit: number): PhraseMatch[] {
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
