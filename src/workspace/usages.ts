import { prefixOf } from '../base/format.ts';
import { escapeInAnyForm } from '../base/regExp.ts';
import { Analyzer } from '../engine/analyze/analyzer.ts';
import { IMPORT, COMMENT, Literals } from '../engine/analyze/lexer.ts';
import { rulesOf } from '../engine/analyze/lexerRules.ts';
import { ALL_LANGUAGES, DOCUMENTS, IGNORING_CASE, PLAIN_TEXT } from '../engine/analyze/languages.ts';
import { ownName } from '../engine/analyze/symbolNames.ts';
import { toSymbolSpan, type SymbolSpan } from '../engine/index/documents.ts';
import { Position } from '../engine/query/phrase.ts';

/** How a name is used: by its own definition, an import, a call, otherwise in code, in a comment, in a string or in prose. */
export type UsageKind = 'definition' | 'import' | 'call' | 'reference' | 'comment' | 'string' | 'prose';

/** An occurrence of a name. Lines count from 1, UTF-16 columns from 1. */
export interface Usage {
  readonly line: number;
  readonly column: number;
  readonly kind: UsageKind;
  /** Name of the innermost definition around it. */
  readonly within?: string;
  /** The line without indentation, or its beginning. */
  readonly text: string;
}

const MAX_TEXT = 200;
const MAX_NAME = 200;
const SCRIPTS: ReadonlySet<string> = new Set(['javascript', 'typescript']);
const PROSE: ReadonlySet<string> = new Set([...DOCUMENTS, PLAIN_TEXT.id]);
/** A call, also of a macro, of an optional function, and with arguments for its type. */
const CALL = /^(?:!|\?\.)?\s?(?:::)?(?:<[^<>()]{1,80}>)?\s?\(/;

/** What goes on in a name. */
const NAME_LETTERS = String.raw`\p{L}\p{M}\p{N}_$`;
const NAME_LETTER = `[${NAME_LETTERS}]`;
const NAME_PART = String.raw`[\p{L}_]${NAME_LETTER}*`;
const NAME = new RegExp(String.raw`^[@$#]?${NAME_PART}(?:(?:\.|::|->|#)${NAME_PART})*[?!]?$`, 'u');

/** Whether a text is one name, perhaps of a member: `foo`, `Foo.bar`, `foo::bar`, `@media`, `$x`, `empty?`. */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME && NAME.test(text);
}

/** Pattern of names of PowerShell, CSS, Lisp, Haskell, COBOL: `Get-Item`, `--main-color`, `make-hash!`, `total'`, `1000-READ`. */
const OTHER_NAME = new RegExp(
  String.raw`^(?:--|(?:\d${NAME_LETTER}*-)+)?${NAME_PART}(?:-${NAME_LETTER}+)*[?!']*$`,
  'u',
);

/** Whether a text is a name of any language: one {@link isName}, or with dashes in it. */
export function isAnyName(text: string): boolean {
  return isName(text) || (text.length <= MAX_NAME && OTHER_NAME.test(text));
}

/** The characters, for a class of a regular expression, that go on a name: a dash does where the name has one. */
export function lettersOf(name: string): string {
  return name.includes('-') ? String.raw`${NAME_LETTERS}\-` : NAME_LETTERS;
}

/**
 * Finds the occurrences of names in texts, by name alone: two things of one name are not distinguished. The language of a text
 * decides whether case counts.
 */
export class UsageFinder {
  readonly #name: string;
  readonly #last: string;
  /** Matches the name in any case. */
  readonly #pattern: RegExp;
  readonly #analyzer = new Analyzer();

  /** `name` is one {@link isAnyName}. */
  constructor(name: string) {
    this.#name = name.normalize();
    this.#last = ownName(this.#name);
    const letter = `[${lettersOf(name)}]`;
    this.#pattern = new RegExp(`(?<!${letter})${escapeInAnyForm(name)}(?!${letter})`, 'giu');
  }

  /** All occurrences in a text, in their order. */
  findIn(path: string, text: string): Usage[] {
    const inAnyCase = [...text.matchAll(this.#pattern)];
    if (inAnyCase.length === 0) return [];
    const { language, definitions, quiet, scan } = this.#analyzer.analyze(path, Buffer.from(text));
    const ignoresCase = IGNORING_CASE.has(language);
    const matches = inAnyCase.filter(([found]) => ignoresCase || found.normalize() === this.#name);
    const spans = definitions.map(toSymbolSpan);
    const rules = rulesOf(ALL_LANGUAGES.find(({ id }) => id === language) ?? PLAIN_TEXT);
    const literals = rules && new Literals(scan, rules);
    let isWithin = literals?.next() ?? false;
    const lines = text.split(/\r\n|\r|\n/);
    const position = new Position(text);
    const used: Usage[] = [];
    for (let i = 0, at = 0, byte = 0; i < matches.length; i++) {
      const { 0: found, index } = matches[i]!;
      byte += Buffer.byteLength(text.slice(at, index));
      at = index;
      while (isWithin && literals!.end < byte) isWithin = literals!.next();
      const bits = isWithin && literals!.start <= byte ? literals!.is : 0;
      // The private member of JavaScript is another name.
      if (bits === 0 && text[index - 1] === '#' && SCRIPTS.has(language)) continue;
      const { line, column } = position.at(index);
      const within = spans.filter(({ startLine, endLine }) => startLine <= line && line <= endLine).at(-1);
      used.push({
        line,
        column: column + 1,
        kind: PROSE.has(language)
          ? 'prose'
          : this.#kindAt(bits, quiet[line - 1]!, line, spans, text, index, found.length, ignoresCase),
        ...(within && within.line !== line && { within: within.name }),
        text: prefixOf(lines[line - 1]!.trim(), MAX_TEXT),
      });
    }
    return used;
  }

  #kindAt(
    bits: number,
    lineBits: number,
    line: number,
    spans: readonly SymbolSpan[],
    text: string,
    index: number,
    length: number,
    ignoresCase: boolean,
  ): UsageKind {
    const behind = text.slice(index + length, index + 100);
    const isPartOfPath = bits !== 0 && (text[index - 1] === '-' || behind.startsWith('-'));
    if ((lineBits & IMPORT) !== 0 && !isPartOfPath) return 'import';
    if ((bits & COMMENT) !== 0) return 'comment';
    if (bits !== 0) return 'string';
    const fold = (name: string): string => (ignoresCase ? name.toLowerCase() : name);
    const isDefinition = spans.some(({ line: own, name }) => {
      const isName = fold(name) === fold(this.#name) || fold(ownName(name)) === fold(this.#last);
      return own === line && isName;
    });
    if (isDefinition) return 'definition';
    return CALL.test(behind) ? 'call' : 'reference';
  }
}
