import { checkGlob, MAX_STARS, type GlobProblem } from './glob.ts';
import { languagesNamed, similarLanguages } from './languageNames.ts';
import { WORD } from '../analyze/numbers.ts';
import { checkText } from '../../base/given.ts';
import { adviceFor, didYouMean } from './otherFilters.ts';
import { MAX_QUERY_LENGTH, MAX_WORDS } from './query.ts';
import { isFault, parseRegex } from './regexSyntax.ts';
import { editDistance } from './similar.ts';

/* The query language of docs/query-language.md: words, "phrases", /expressions/, filters, and what `-` excludes. */

export const FILTER_FIELDS = ['path', 'file', 'lang', 'sym', 'changed'] as const;
/** Subject of a filter: the text before its colon. */
export type FilterField = (typeof FILTER_FIELDS)[number];

/** A part of a query's text: offsets in UTF-16 units, end exclusive. */
export interface QuerySpan {
  readonly start: number;
  readonly end: number;
}

/** Words in quotes, which a document must contain literally, or must not. */
export interface QueryPhrase extends QuerySpan {
  /** Text between the quotes, never blank. */
  readonly text: string;
  readonly exclude: boolean;
  /** Whether it is a negative number without quotes, as in `-1`, which is no part of a longer number or a difference. */
  readonly isNumber?: true;
}

/** A regular expression between slashes, in the syntax of RE2, which a document must match, or must not. */
export interface QueryRegex extends QuerySpan {
  /** Text between the slashes. */
  readonly text: string;
  /** `i` (ignores case), `s` (a dot matches line breaks), both or neither. */
  readonly flags: string;
  readonly exclude: boolean;
}

/** `field:pattern`, which leaves out the documents that do not match, or, if it excludes, those that do. */
export interface QueryFilter extends QuerySpan {
  readonly field: FilterField;
  /** Text as typed, without quotes; docs/query-language.md gives its meaning. Empty for a bare `changed:` only. */
  readonly pattern: string;
  readonly exclude: boolean;
}

/** A word that a document must not contain. */
export interface ExcludedWord extends QuerySpan {
  readonly text: string;
}

/** Stable code of a mistake in a query; {@link QueryProblem} describes it in words. */
export type QueryProblemCode =
  | 'UnclosedQuote'
  | 'EmptyPhrase'
  | 'EmptyFilter'
  | 'UnknownFilter'
  | 'UnknownLanguage'
  | 'UnclosedBracket'
  | 'InvalidRange'
  | 'TooManyWildcards'
  | 'FolderInFileName'
  | 'InvalidRevision'
  | 'InvalidRegex'
  | 'NoWord'
  | 'TooManyWords'
  /* The search finds no document with a phrase, and takes the phrase for words. */
  | 'PhraseNotFound'
  /* The search finds nothing, and the index leaves out all words of the query. */
  | 'UnindexedWords'
  /* The search finds nothing, and no file of the index passes a filter. */
  | 'FilterNotFound'
  /* The search finds no document with a word, and takes it for another. */
  | 'CorrectedWord'
  /* Problems that only a lookup of changes finds. */
  | 'UnknownRevision'
  | 'NoRepository'
  | 'GitMissing'
  | 'GitFailed'
  | 'NotTrusted'
  /* The search leaves out a folder whose index another version of Sextant wrote. */
  | 'IndexFormat';

/**
 * A part of the query that was not understood; the rest of the query is searched all the same. Or, with a span of 0 to 0, a folder
 * that was not searched.
 */
export interface QueryProblem extends QuerySpan {
  readonly code: QueryProblemCode;
  /** The mistake and its remedy, in sentences. */
  readonly message: string;
}

/** A parsed query. */
export interface ParsedQuery {
  /** The query as typed. */
  readonly text: string;
  /** The text to rank by: the query without expressions, filters and exclusions, and the phrases without their quotes. */
  readonly words: string;
  readonly phrases: readonly QueryPhrase[];
  readonly regexes: readonly QueryRegex[];
  readonly filters: readonly QueryFilter[];
  readonly excludedWords: readonly ExcludedWord[];
  readonly problems: readonly QueryProblem[];
}

/**
 * Parses a typed query. Never throws: a malformed part gives a problem. Code is full of colons, dashes and quotes, so
 * these are operators only where a token begins: `foo::bar`, `http://x`, `a->b`, `--flag`, `f("x")` are words. `-1` alone is
 * a number to find as typed.
 */
export function parseQueryLanguage(text: string): ParsedQuery {
  checkText(text, 'query');
  return new Parser(text.slice(0, MAX_QUERY_LENGTH)).parse();
}

/**
 * Pattern of a token's beginning. A field's colon is followed neither by another, as in C++, nor by `//`, as in a URL.
 */
const BEGINNING = /(?<minus>-?)(?:(?<quote>")|(?<field>\p{L}+):(?!:|\/\/)|[\p{L}_])/uy;
/**
 * Pattern of a regular expression as a whole token. A slash within it is escaped or in brackets, and it has a character that
 * paths rarely have, so `/usr/lib/`, `/src/a.ts` and `/node.js/` are words; so are the signs of comments. JavaScript's flags
 * `g`, `m` and `u` change nothing here.
 */
const REGEX =
  /-?\/(?![\s*/])(?<body>(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n]){0,200}\]|[^/\\[\n]){1,500}(?<!\s))\/(?<flags>[gimsu]{0,5})(?=\s|$)/uy;
/** Pattern of a glob alone: `*.sql`, `src/**`, `conf/*.ini`. Neither `foo.*bar` nor `a/b*c` is one. */
export const GLOB =
  /^\s*(?!\/|\S*\*\/\s*$)(?=\S*[./])(?=\S*\w)(?=\S*(?:(?<![^\s/])\*\*?(?:[./]|\s*$)|\*\.[\w{},]+\s*$))[\w@.*?{},[\]/-]+\s*$/;
/** Pattern of negative numbers with nothing beside. */
const NEGATIVES = /^(?:-(?:0x[\da-f]+|\d[\d_]*(?:\.\d+)*(?:e[+-]?\d+)?)(?:\s+|$))+$/i;
const METACHARACTER = /[\\^$*+?()[\]{}|]/;
const SPACE = /\s/g;
const NO_SPACE = /\S/g;
/** Separators of folders; a backslash counts only where it does not escape the next character. */
const SEPARATOR = /\/|\\(?![*?[\]{},\\])/;

class Parser {
  readonly #text: string;
  readonly #phrases: QueryPhrase[] = [];
  readonly #regexes: QueryRegex[] = [];
  readonly #filters: QueryFilter[] = [];
  readonly #excludedWords: ExcludedWord[] = [];
  readonly #problems: QueryProblem[] = [];
  /** The text to rank by, and the beginning of the part not yet added. */
  readonly #words: string[] = [];
  #plainStart = 0;
  /** Spans of the words. */
  readonly #spans: QuerySpan[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  parse(): ParsedQuery {
    const text = this.#text;
    const isGlob = GLOB.test(text);
    for (let at = find(NO_SPACE, text, 0); at < text.length; at = find(NO_SPACE, text, at))
      at = isGlob ? this.#filter(at, 'path', false, at) : this.#token(at);
    this.#takeOptions();
    const isPlain = this.#plainStart === 0;
    this.#endPlain(text.length);
    this.#takeNumbers();
    this.#checkWords();
    return {
      text,
      words: isPlain ? text : this.#words.join(' '),
      phrases: this.#phrases,
      regexes: this.#regexes,
      filters: this.#filters,
      excludedWords: this.#excludedWords,
      problems: this.#problems.sort((a, b) => a.start - b.start),
    };
  }

  /** Parses the token at `start`, and returns its end. */
  #token(start: number): number {
    BEGINNING.lastIndex = start;
    const { minus, quote, field } = BEGINNING.exec(this.#text)?.groups ?? {};
    const exclude = minus === '-';
    if (quote !== undefined) return this.#phrase(start, exclude);
    if (isFilterField(field)) return this.#filter(start, field, exclude, start + (exclude ? 1 : 0) + field.length + 1);
    const regexEnd = this.#regex(start);
    if (regexEnd !== undefined) return regexEnd;
    const end = find(SPACE, this.#text, start);
    const from = exclude ? start + 1 : start;
    if (field !== undefined && from + field.length + 1 < end) this.#checkUnknownField(from, field, end);
    if (exclude) {
      this.#excludedWords.push({ text: this.#text.slice(from, end), start, end });
      this.#cut(start, end);
    }
    return end;
  }

  #phrase(start: number, exclude: boolean): number {
    const value = this.#quoted(exclude ? start + 1 : start);
    const { text, end } = value;
    this.#cut(start, end);
    if (text.trim() !== '') {
      this.#phrases.push({ text, exclude, start, end });
      if (!exclude) this.#addWords(text, start, end);
    } else if (value.isClosed)
      this.#complain('EmptyPhrase', start, end, 'Nothing stands between these quotes: write words there.');
    return end;
  }

  /** Parses an expression, and returns its end; `undefined` if none is there. */
  #regex(start: number): number | undefined {
    REGEX.lastIndex = start;
    const match = REGEX.exec(this.#text);
    const { body = '', flags: typed = '' } = match?.groups ?? {};
    if (!match || !METACHARACTER.test(body)) return undefined;
    const end = start + match[0].length;
    this.#cut(start, end);
    const flags = (typed.includes('i') ? 'i' : '') + (typed.includes('s') ? 's' : '');
    const exclude = match[0].startsWith('-');
    const parsed = parseRegex(body, flags);
    if (isFault(parsed)) {
      const from = start + (exclude ? 2 : 1) + Math.min(parsed.at, body.length - 1);
      this.#complain('InvalidRegex', from, from + 1, parsed.message);
    } else this.#regexes.push({ text: body, flags, exclude, start, end });
    return end;
  }

  /** Parses a filter whose value begins at `from`. */
  #filter(start: number, field: FilterField, exclude: boolean, from: number): number {
    const value = this.#value(from);
    const { text: pattern, end } = value;
    this.#cut(start, end);
    const problem = problemOf(field, value, from);
    if (problem) this.#problems.push(problem);
    else if (pattern.trim() !== '' || (field === 'changed' && end === from))
      // A revision is named as Git has it.
      this.#filters.push({ field, pattern: field === 'changed' ? pattern : pattern.normalize(), exclude, start, end });
    else if (value.isClosed) {
      this.#complain('EmptyFilter', start, end, `${field}: needs a value right after it, such as ${EXAMPLES[field]}.`);
    }
    return end;
  }

  /**
   * Parses a filter's value, which ends at a space outside quotes. Quotes may enclose all of it or a part, as in a
   * shell.
   */
  #value(from: number): Value {
    let text = '';
    const offsets: number[] = [];
    let isClosed = true;
    let at = from;
    while (at < this.#text.length && !/\s/.test(this.#text[at]!)) {
      if (this.#text[at] === '"') {
        const quoted = this.#quoted(at);
        text += quoted.text;
        for (const offset of quoted.offsets) offsets.push(offset);
        isClosed &&= quoted.isClosed;
        at = quoted.end;
      } else {
        text += this.#text.charAt(at);
        offsets.push(at);
        at++;
      }
    }
    return { text, offsets, end: at, isClosed };
  }

  /** Reads from the quote at `start` to the closing one, or to the end. `\"` and `\\` escape the character. */
  #quoted(start: number): Value {
    let text = '';
    const offsets: number[] = [];
    let at = start + 1;
    while (at < this.#text.length && this.#text[at] !== '"') {
      if (this.#text[at] === '\\' && /["\\]/.test(this.#text[at + 1] ?? '')) at++;
      text += this.#text.charAt(at);
      offsets.push(at);
      at++;
    }
    const isClosed = at < this.#text.length;
    if (!isClosed) {
      this.#complain(
        'UnclosedQuote',
        start,
        start + 1,
        'This quote reaches to the end of the query: close it with another.',
      );
    }
    return { text, offsets, end: isClosed ? at + 1 : at, isClosed };
  }

  /**
   * Reports a field that resembles one of ours, or that other code searches have. It is more often code than a mistake
   * (`math:floor`), so it stays a word all the same.
   */
  #checkUnknownField(start: number, typed: string, end: number): void {
    const field = typed.toLowerCase();
    const after = start + typed.length + 1;
    const slip = FILTER_FIELDS.find((known) => isSlip(field, known));
    const advice = adviceFor(field, this.#text.slice(after, end)) ?? (slip && didYouMean(slip));
    if (advice === undefined) return;
    const message = `There is no filter ${typed}:, so this is searched for as words. ${advice}`.trimEnd();
    this.#complain('UnknownFilter', start, after, message);
  }

  #complain(code: QueryProblemCode, start: number, end: number, message: string): void {
    this.#problems.push({ code, message, start, end });
  }

  /** Removes the range from `start` to `end` from the text to rank by. */
  #cut(start: number, end: number): void {
    this.#endPlain(start);
    this.#plainStart = end;
  }

  #endPlain(end: number): void {
    const text = this.#text.slice(this.#plainStart, end);
    const plain = text.trim();
    const start = this.#plainStart + text.indexOf(plain);
    if (plain !== '') this.#addWords(plain, start, start + plain.length);
  }

  #addWords(words: string, start: number, end: number): void {
    this.#words.push(words);
    this.#spans.push({ start, end });
  }

  /** Takes words with a dash for options, as in `-Wall -O2`, where there is nothing to exclude them from. */
  #takeOptions(): void {
    const others = [this.#phrases, this.#regexes, this.#filters, this.#problems, this.#words];
    if (others.some(({ length }) => length > 0) || this.#text.slice(this.#plainStart).trim() !== '') return;
    this.#excludedWords.length = 0;
    this.#plainStart = 0;
  }

  /** Takes negative numbers for phrases where there are no words beside: the index has no signs. */
  #takeNumbers(): void {
    const plain = this.#spans.map(({ start, end }) => this.#text.slice(start, end));
    if (this.#phrases.length + this.#regexes.length > 0 || !plain.every((text) => NEGATIVES.test(text))) return;
    for (const [i, { start }] of this.#spans.entries()) {
      for (const { 0: text, index } of plain[i]!.matchAll(/\S+/g)) {
        const from = start + index;
        this.#phrases.push({ text, exclude: false, isNumber: true, start: from, end: from + text.length });
      }
    }
  }

  /** Reports a query without any word, and words beyond the limit. */
  #checkWords(): void {
    const [first] = this.#spans;
    const last = this.#spans.at(-1);
    if (!first || !last) return;
    if (!this.#phrases.some(({ exclude }) => !exclude) && !this.#words.some((words) => /[\p{L}\p{N}]/u.test(words))) {
      const message = 'This has no word to search for: write one, with letters or digits.';
      this.#complain('NoWord', first.start, first.end, message);
    }
    let count = 0;
    for (const { start, end } of this.#spans) {
      for (const word of this.#text.slice(start, end).matchAll(WORD)) {
        if (++count <= MAX_WORDS) continue;
        const message = `A query may have ${MAX_WORDS} words: from here on they do not count.`;
        this.#complain('TooManyWords', start + word.index, last.end, message);
        return;
      }
    }
  }
}

interface Value {
  readonly text: string;
  /** Offset in the query of each UTF-16 unit of `text`. */
  readonly offsets: readonly number[];
  readonly end: number;
  readonly isClosed: boolean;
}

const EXAMPLES: Readonly<Record<FilterField, string>> = {
  path: 'path:src/net',
  file: 'file:*.test.ts',
  lang: 'lang:python',
  sym: 'sym:parse*',
  changed: 'changed:main',
};

/** Whether `typed` may be a misspelling of `known`; two letters are too few to decide. */
function isSlip(typed: string, known: string): boolean {
  return typed.length > 2 && editDistance(typed, known, 1) <= 1;
}

function isFilterField(name: string | undefined): name is FilterField {
  return FILTER_FIELDS.some((field) => field === name);
}

/** The reason why a filter cannot be applied, if any; `from` is the offset of its value in the query. */
function problemOf(field: FilterField, { text, offsets, end }: Value, from: number): QueryProblem | undefined {
  if (field === 'changed') {
    if (!/^-|[\s\p{Cc}]/u.test(text) || text.trim() === '') return undefined;
    const message =
      'This is no name of a revision: write a branch, a tag or a commit, or nothing for what is not committed.';
    return { code: 'InvalidRevision', message, start: from, end };
  }
  const glob = checkGlob(text);
  if (glob) {
    const start = offsets[glob.at]!;
    return { ...describeGlobProblem(glob, text), start, end: start + 1 };
  }
  const separator = field === 'file' ? text.search(SEPARATOR) : -1;
  if (separator >= 0) {
    const start = offsets[separator]!;
    const message = 'file: looks at the name alone, in which there is no folder. Use path: for a name with folders.';
    return { code: 'FolderInFileName', message, start, end: start + 1 };
  }
  if (field === 'lang' && text.trim() !== '' && languagesNamed(text).size === 0) {
    const similar = similarLanguages(text);
    const advice =
      similar.length > 0
        ? `Did you mean ${similar.join(' or ')}?`
        : 'Name one such as python, or an extension such as py; file:*.xyz finds files by any extension.';
    return { code: 'UnknownLanguage', message: `There is no language “${text}”. ${advice}`, start: from, end };
  }
  return undefined;
}

function describeGlobProblem({ kind, at }: GlobProblem, pattern: string): Pick<QueryProblem, 'code' | 'message'> {
  const character = pattern[at]!;
  switch (kind) {
    case 'unclosed': {
      const closing = character === '[' ? ']' : '}';
      const message = `This ${character} is not closed: add ${closing}, or write \\${character} for the character itself.`;
      return { code: 'UnclosedBracket', message };
    }
    case 'range':
      return { code: 'InvalidRange', message: 'A range in these brackets runs backwards: write it as [a-z].' };
    case 'stars':
      return { code: 'TooManyWildcards', message: `A pattern may have ${MAX_STARS} stars: leave some out.` };
  }
}

/** Offset of the next match of a global expression; the text's length if there is none. */
function find(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  return expression.exec(text)?.index ?? text.length;
}
