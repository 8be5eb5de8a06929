/**
 * Methods to find the last line of a definition from its first: by braces, by indentation, by `end`, it is the same line, the
 * end of an SQL statement, or the line above the next definition.
 */
export type BlockStyle = 'brace' | 'indent' | 'end' | 'label' | 'line' | 'statement';

/**
 * Kinds of definitions. An `extension` adds to a type defined elsewhere: Rust's `impl`, Swift's `extension`, Haskell's
 * `instance`.
 */
export type DefinitionKind =
  | 'class'
  | 'constant'
  | 'enum'
  | 'extension'
  | 'function'
  | 'heading'
  | 'interface'
  | 'macro'
  | 'method'
  | 'module'
  | 'section'
  | 'struct'
  | 'type'
  | 'variable';

/** The kinds that define a type or a module. */
export const TYPE_KINDS: ReadonlySet<DefinitionKind> = new Set([
  'class',
  'struct',
  'interface',
  'enum',
  'type',
  'module',
]);

/** The kinds that name a part of a text, rather than of a program. */
export const TEXT_KINDS: ReadonlySet<string> = new Set<DefinitionKind>(['heading', 'section']);

/** Rules of the fields and properties of types, of which there may be one on each line of a body. */
export interface FieldRules {
  /**
   * Pattern of a line that declares some: group `name` or `also` is the name of the first, `more` the others behind commas.
   */
  readonly pattern: RegExp;
  /** Pattern of a line that opens a type without a name, whose fields are those of the type around it. */
  readonly inner?: RegExp;
  /** Set if a module has such, too. */
  readonly ofModules?: boolean;
}

/**
 * Rules of a language that suffice to find its definitions from the shape of single lines. Only lines that begin with
 * one of `leaders`, or have one of `shapes`, are decoded and tried against `patterns`. Group `name`, or 1, is the name;
 * a pattern with a group `key` applies only within braces.
 * With a group `late`, the name follows the closing brace, if there is any.
 * To save time, a pattern may come with a text that all its matches contain.
 *
 * Heuristics rather than syntax trees: they need no 21 MB of grammars, take a tenth of the time and cover every
 * language alike. Code that does not parse (preprocessor, templates, an unfinished edit) is no special case.
 */
export interface Language {
  readonly id: string;
  readonly extensions: readonly string[];
  readonly fileNames?: readonly string[];
  readonly interpreters?: readonly string[];
  /** Set if each file is a definition, too, that has its name from the file's: a template, a component. */
  readonly isNamedByFile?: boolean;
  readonly style: BlockStyle;
  /** Set if `dgemm` and `DGEMM` are one name. */
  readonly ignoresCase?: boolean;
  /** Beginnings of comments. Each ends with its line, but after a `/*` at its own end. */
  readonly comments: readonly string[];
  readonly leaders: readonly string[];
  /**
   * Lines to try even if they begin with no leader:
   *
   * - `any` has text;
   * - `call` contains `(` and opens a block;
   * - `column0` begins at the left edge with a letter;
   * - `binding` binds a name or key to a function;
   * - `constant` begins with a capital letter;
   * - `sign` begins with a sign that is no bracket.
   */
  readonly shapes: readonly ('any' | 'binding' | 'call' | 'column0' | 'constant' | 'sign')[];
  readonly patterns: readonly (readonly [pattern: RegExp, kind: DefinitionKind, contained?: string | undefined])[];
  /**
   * Pattern of a method right inside a class or interface, where a line of its form can be nothing else: group `name`.
   */
  readonly signature?: RegExp;
  readonly fields?: FieldRules;
  /** How a document marks its headings, which are its definitions. */
  readonly headings?: 'asciidoc' | 'markdown' | 'org' | 'restructuredtext' | 'tex';
  /** How data marks its sections, which are its definitions. */
  readonly sections?: 'json' | 'table' | 'xml' | 'yaml';
  /** Set if a function counts only when its body follows; without one the line is a prototype or a call of a macro. */
  readonly needsBody?: boolean;
  /** Set if an equation at the same indentation that begins with the name of a definition belongs to it. */
  readonly repeatsName?: boolean;
  /** Set if `namespace X;` holds for the rest of the file. */
  readonly fileModules?: boolean;
  /** First byte of an annotation or attribute, which may be on the line of its definition. */
  readonly attributes?: '@' | '#' | '[';
  /** Set if a call of a macro may stand before the type of a function: `EXPORT(1) int f(void) {`. */
  readonly attributeMacros?: boolean;
  /** Pattern of a line that belongs to the definition below it: the head of a template, a type alone on its line. */
  readonly head?: RegExp;
  /** Pattern of the line that ends a definition at its own indentation: `@end`, `endfunction()`, `END SUBROUTINE`. */
  readonly closer?: RegExp;
  /** Pattern of the lines at the indentation of a definition that are within it, where blocks end with a word: `begin`. */
  readonly clauses?: RegExp;
  /** Pattern of the line that ends a module, of which any line may have the indentation: `endmodule`. */
  readonly modules?: RegExp;
  /** Keywords that may begin a list of definitions in parentheses, one a line: Go's `const (`. */
  readonly groups?: readonly string[];
}

/** The words of a list, for {@link Language.leaders}. */
export function words(text: string): string[] {
  return text.split(' ');
}

/** Ranges of letters and digits outside ASCII: the General Punctuation, and that of full width, are no part of a name. */
export const LETTERS = String.raw`\u00aa-\u1fff\u3005-\u3007\u3021-\ufeff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc`;

/** Lets `\w` in a pattern match letters of any script: names need not be English. */
export function allLetters(pattern: RegExp): RegExp {
  const source = pattern.source.replace(/\[(?:[^\]\\]|\\.)*\]|\\w/g, (part) =>
    part === '\\w' ? String.raw`[\w${LETTERS}]` : part.replaceAll('\\w', String.raw`\w${LETTERS}`),
  );
  return new RegExp(source, pattern.flags);
}
