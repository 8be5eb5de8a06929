import type { Language } from './language.ts';
import { PAGES } from './languages/markup.ts';
import { COMMENT, NONE, TEXT, UNCLOSED, isWord, type LexerRule, type Rules } from './lexer.ts';

const code = (character: string): number => character.charCodeAt(0);
const LF = 10;
const SPACE = 32;
const HASH = code('#');
const STAR = code('*');
const SLASH = code('/');
const BACKSLASH = code('\\');
const DOUBLE = code('"');
const GREATER = code('>');
const EQUALS = code('=');
const OPEN_BRACKET = code('[');
const CLOSE_BRACKET = code(']');
const OPEN_PARENTHESIS = code('(');

/** Length of the longest delimiter in real code. */
const MAX_DELIMITER = 60;
const MAX_INLINE = 120;
const MAX_NESTED = 100;

type End = LexerRule['end'];

const rule = (open: string, is: number, end: End): LexerRule => ({ open, is, end });

const enclosed = (open: string, close: string, is: number, escapes = false): LexerRule =>
  rule(open, is, (text, at) => text.find(close, at + open.length, escapes));

/** Rule of comments that may contain others, with two bytes at either end. */
const nested = (open: string, close: string): LexerRule => {
  const [begin, beginning, ending, end] = Buffer.from(open + close);
  return rule(open, COMMENT, ({ bytes, length }, at) => {
    let depth = 0;
    // A search for each sign would take a hundred times as long as a byte.
    for (let i = at; i + 1 < length; i++) {
      if (bytes[i] === begin && bytes[i + 1] === beginning) {
        if (++depth > MAX_NESTED) return UNCLOSED;
        i++;
      } else if (bytes[i] === ending && bytes[i + 1] === end) {
        i++;
        if (--depth === 0) return i;
      }
    }
    return UNCLOSED;
  });
};

const toLineEnd: End = (text, at) => text.lineEnd(at);
/** Ends a string only on its own line; otherwise the quote begins no string. */
const onLine: End = (text, at) => text.quoteEnd(at, false);
const overLines: End = (text, at) => text.quoteEnd(at, true);

/** Matches `'a'`, but not the `'` of a lifetime, of a name or between digits. */
const character: End = (text, at) => {
  const { bytes } = text;
  const first = bytes[at + 1]!;
  if (first === BACKSLASH) return text.quoteEnd(at, false);
  let end = at + 2;
  while (first >= 0xc0 && (bytes[end]! & 0xc0) === 0x80) end++;
  return bytes[end] === bytes[at] ? end : NONE;
};

/** Ends a block comment. Right after a name, `/*` is part of a path unless it ends on its line. */
const block: End = (text, at) => {
  const before = at > 0 ? text.bytes[at - 1]! : LF;
  if (!isWord(before) && before !== STAR) return text.find('*/', at + 2);
  const comment = /^.*?\*\//.exec(text.slice(at + 2, at + MAX_INLINE))?.[0];
  return comment === undefined ? NONE : at + 1 + comment.length;
};

const BEFORE_HASH = new Set(Buffer.from(';()&|'));

/** Ends a comment at the end of its line. Within a word, `#` begins no comment. */
const wordHash: End = (text, at) => {
  const before = at > 0 ? text.bytes[at - 1]! : LF;
  return before <= SPACE || BEFORE_HASH.has(before) ? text.lineEnd(at) : NONE;
};

/** Ends C#'s `@"…"`, in which a doubled quote is not the end. */
const verbatim: End = (text, at) => {
  for (let end = text.indexOf('"', text.indexOf('"', at) + 1); end >= 0; end = text.indexOf('"', end + 2)) {
    if (text.bytes[end + 1] !== DOUBLE) return end;
  }
  return UNCLOSED;
};

/** Ends C#'s raw string at the same number of quotes, three or more, that began it. */
const rawQuotes: End = (text, at) => {
  let from = at;
  while (text.bytes[from] === DOUBLE && from - at <= MAX_DELIMITER) from++;
  return from - at > MAX_DELIMITER ? NONE : text.find('"'.repeat(from - at), from);
};

/** Ends `"…"` and, after an `r`, `r#"…"#`. */
const rustString: End = (text, at) => {
  let before = at;
  while (text.bytes[before - 1] === HASH && at - before < MAX_DELIMITER) before--;
  if (text.bytes[before - 1] !== code('r')) return text.quoteEnd(at, true);
  return text.find(`"${'#'.repeat(at - before)}`, at + 1);
};

/** Ends `"…"` and, after an `R`, `R"x(…)x"`. */
const cppString: End = (text, at) => {
  if (text.bytes[at - 1] !== code('R')) return text.quoteEnd(at, false);
  const delimiter = /^[^()\s\\]*(?=\()/.exec(text.slice(at + 1, at + MAX_DELIMITER))?.[0];
  return delimiter === undefined ? NONE : text.find(`)${delimiter}"`, at);
};

/** Rule of Lua's `[[…]]` and `[==[…]==]`, and of comments in that form. */
const longBracket = (open: string, is: number): LexerRule =>
  rule(open, is, (text, at) => {
    const level = /^=*(?=\[)/.exec(text.slice(at + open.length, at + MAX_DELIMITER))?.[0];
    return level === undefined ? NONE : text.find(`]${level}]`, at + open.length);
  });

const BEFORE_REGEX = new Set(Buffer.from('(,=:[!&|?{;+'));
const WORD_BEFORE_REGEX = /\b(?:return|typeof|case|of|in|throw|void|delete|yield|await|else|do)$/;

/** Ends a regular expression, which begins where no operand precedes. */
const regex: End = (text, at) => {
  const { bytes } = text;
  let before = at - 1;
  while (before >= 0 && bytes[before]! <= SPACE) before--;
  const last = before < 0 ? EQUALS : bytes[before]!;
  const mayBe = last === GREATER ? bytes[before - 1] === EQUALS : BEFORE_REGEX.has(last);
  if (!mayBe && !(isWord(last) && WORD_BEFORE_REGEX.test(text.slice(before - 8, before + 1)))) return NONE;
  if (text.isEndless(at)) return NONE;
  let inClass = false;
  let end = at + 1;
  for (; end < text.length && bytes[end] !== LF; end++) {
    const byte = bytes[end]!;
    if (byte === BACKSLASH) end++;
    else if (byte === OPEN_BRACKET) inClass = true;
    else if (byte === CLOSE_BRACKET) inClass = false;
    else if (byte === SLASH && !inClass) return end;
  }
  text.noEnd(SLASH, end);
  return NONE;
};

/** Ends Elixir's `~s[…]` on its line: it may hold the signs of other strings. */
const sigil: End = (text, at) => {
  const line = text.slice(at, Math.min(text.lineEnd(at), at + MAX_INLINE));
  const match = /^~[a-zA-Z]+(?:\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|<[^>]*>|\|[^|]*\||\/[^/]*\/)/.exec(line);
  return match ? at + match[0].length - 1 : NONE;
};

/** Rule of the announcement `<<END`. Only the announcement is skipped here: the heredoc begins on the next line. */
const heredoc = (open: string, announcement: RegExp): LexerRule =>
  rule(open, 0, (text, at) => {
    const match = announcement.exec(text.slice(at, at + MAX_DELIMITER));
    if (!match) return NONE;
    const delimiter = match[2] ?? match[3] ?? match[4] ?? '';
    // A `;` may follow the delimiter in PHP.
    return text.announce(at, delimiter, open === '<<') ? at + match[0].length - 1 : UNCLOSED;
  });

/** Restricts a rule to the left edge. */
const atEdge = ({ open, is, end }: LexerRule): LexerRule =>
  rule(open, is, (text, at) => (at === 0 || text.bytes[at - 1] === LF ? end(text, at) : NONE));

/** Rule of a comment from the left edge to the line that begins with `close`; a letter follows `=`. */
const lines = (open: string, close: string): LexerRule =>
  atEdge(
    rule(open, COMMENT, (text, at) => {
      if (!isWord(text.bytes[at + 1]!)) return NONE;
      const end = text.find(`\n${close}`, at);
      return end < 0 ? end : text.lineEnd(end);
    }),
  );

const SLASHES = rule('//', COMMENT, toLineEnd);
const C_COMMENTS = [SLASHES, rule('/*', COMMENT, block)];
const NESTED_COMMENTS = [SLASHES, nested('/*', '*/')];
const DASHES = rule('--', COMMENT, toLineEnd);
const HASHES = rule('#', COMMENT, toLineEnd);
const WORD_HASHES = rule('#', COMMENT, wordHash);
const PAGE_COMMENT = enclosed('<!--', '-->', COMMENT);
/** Restricts a rule to the beginning of a line; within a line the same signs are text. */
const first = ({ open, is, end }: LexerRule): LexerRule =>
  rule(open, is, (text, at) => (text.isFirst(at) ? end(text, at) : NONE));
/** Rule of Markdown's fenced code: at least the same number of signs, first on a line, ends it. */
const fence = (open: string): LexerRule =>
  first(
    rule(open, COMMENT | TEXT, (text, at) => {
      let from = at;
      while (text.bytes[from] === text.bytes[at]) from++;
      if (text.slice(from, text.lineEnd(at) + 1).includes('`')) return NONE;
      const signs = open[0]!.repeat(Math.min(from - at, MAX_DELIMITER));
      for (let end = text.indexOf(signs, from); end >= 0; end = text.indexOf(signs, text.lineEnd(end) + 1))
        if (text.isFirst(end)) return text.lineEnd(end);
      return UNCLOSED;
    }),
  );
const DOUBLES = rule('"', TEXT, onLine);
const LONG_DOUBLES = rule('"', TEXT, overLines);
const SINGLES = rule("'", TEXT, onLine);
/** Rule of a string on its line in which a backslash is a sign like others. */
const unescaped = (sign: string): LexerRule => rule(sign, TEXT, (text, at) => text.quoteEnd(at, false, false));
/** Ends a comment of Fortran's fixed form, a `C` alone at the left edge. */
const wordC: End = (text, at) => (isWord(text.bytes[at + 1]!) ? NONE : text.lineEnd(at));
const AFTER_QUOTES = new Set(Buffer.from("'$\\"));
/** Ends a comment of COBOL's fixed form, which the seventh sign of a line begins. */
const column7: End = (text, at) => (at === 6 || text.bytes[at - 7] === LF ? text.lineEnd(at) : NONE);
/** Ends Nix's `''…''`, in which `'''`, `''$` and `''\\` are text; right after a name the quotes are part of it. */
const indented: End = (text, at) => {
  if (at > 0 && isWord(text.bytes[at - 1]!)) return NONE;
  for (let end = text.indexOf("''", at + 2); end >= 0; end = text.indexOf("''", end + 3))
    if (!AFTER_QUOTES.has(text.bytes[end + 2]!)) return end + 1;
  return UNCLOSED;
};
const LONG_SINGLES = enclosed("'", "'", TEXT);
const CHARACTER = rule("'", TEXT, character);
const TRIPLE = enclosed('"""', '"""', TEXT, true);
const TRIPLE_SINGLES = enclosed("'''", "'''", TEXT, true);
const RAW_TRIPLE = enclosed('"""', '"""', TEXT);
const DOCSTRINGS = [TRIPLE, TRIPLE_SINGLES].map((triple) => ({ ...triple, is: COMMENT | TEXT }));
const TEMPLATE = rule('`', TEXT, (text, at) => text.interpolatedEnd(at, code('{'), code('}')));
const ESCAPE = rule('\\', 0, (_text, at) => at + 1);
const RUBY_HEREDOC = heredoc('<<', /^<<(?:[~-]?(["'`])([A-Za-z_]\w*)\1|[~-]?([A-Z_]\w*)|[~-]([a-z]\w*))/);
const VERBATIM = ['@"', '$@"', '@$"'].map((open) => rule(open, TEXT, verbatim));
const PYTHON = [HASHES, ...DOCSTRINGS, DOUBLES, SINGLES];
const JAVASCRIPT = [...C_COMMENTS, DOUBLES, SINGLES, TEMPLATE, rule('/', TEXT, regex)];

/** Rule of CoffeeScript's `### … ###`; more signs are a line's comment. */
const HASH_BLOCK = rule('###', COMMENT, (text, at) =>
  text.bytes[at + 3] === HASH ? text.lineEnd(at) : text.find('###', at + 3),
);
/** Comments of pages, and of all kinds of templates. */
const IN_TEMPLATES = [
  PAGE_COMMENT,
  ...[
    ['{#', '#}'],
    ['{{!--', '--}}'],
    ['{{/*', '*/'],
    ['{{- /*', '*/'],
    ['{*', '*}'],
    ['<%#', '%>'],
    ['<%--', '--%>'],
    ['<#--', '-->'],
    ['@*', '*@'],
  ].map(([open, close]) => enclosed(open!, close!, COMMENT)),
];

/** Parts of templates of data, as strings: none of their further lines is data. */
const DIRECTIVES = [enclosed('{%', '%}', TEXT), enclosed('{{', '}}', TEXT)];

/** Rules by language. Of rules with the same beginning, the first that applies wins. */
const RULES: Readonly<Record<string, readonly LexerRule[]>> = {
  ...Object.fromEntries(PAGES.map(({ id }) => [id, IN_TEMPLATES])),
  ...Object.fromEntries(
    ['avro', 'flatbuffers', 'move', 'openscad', 'smithy', 'wit'].map((id) => [id, [...C_COMMENTS, DOUBLES]]),
  ),
  ada: [DASHES, unescaped('"'), CHARACTER],
  abap: [atEdge(rule('*', COMMENT, toLineEnd)), rule('"', COMMENT, toLineEnd), unescaped("'")],
  apex: [...C_COMMENTS, SINGLES],
  asm: [rule(';', COMMENT, toLineEnd), ...C_COMMENTS, DOUBLES],
  awk: [HASHES, DOUBLES],
  bat: ['::', 'rem ', 'REM ', '@rem ', '@REM '].map((open) => first(rule(open, COMMENT, toLineEnd))),
  bicep: [...C_COMMENTS, TRIPLE_SINGLES, SINGLES],
  bsl: [SLASHES, unescaped('"')],
  c: [...C_COMMENTS, DOUBLES, CHARACTER],
  cmake: [HASHES, LONG_DOUBLES],
  clojure: [rule(';', COMMENT, toLineEnd), ESCAPE, LONG_DOUBLES],
  cobol: [rule('*>', COMMENT, toLineEnd), rule('*', COMMENT, column7), unescaped('"'), unescaped("'")],
  cpp: [...C_COMMENTS, rule('"', TEXT, cppString), CHARACTER],
  csharp: [...C_COMMENTS, ...VERBATIM, rule('"""', TEXT, rawQuotes), DOUBLES, CHARACTER],
  coffeescript: [HASH_BLOCK, WORD_HASHES, TRIPLE, TRIPLE_SINGLES, LONG_DOUBLES, LONG_SINGLES],
  crystal: [WORD_HASHES, ESCAPE, DOUBLES, RUBY_HEREDOC],
  css: [rule('/*', COMMENT, block), first(SLASHES), DOUBLES, SINGLES],
  d: [...C_COMMENTS, nested('/+', '+/'), DOUBLES, CHARACTER, enclosed('`', '`', TEXT)],
  dart: [...NESTED_COMMENTS, TRIPLE, TRIPLE_SINGLES, DOUBLES, SINGLES],
  dockerfile: [WORD_HASHES, DOUBLES],
  dts: [...C_COMMENTS, DOUBLES],
  elixir: [HASHES, rule('~', TEXT, sigil), ...DOCSTRINGS, DOUBLES, SINGLES],
  elm: [nested('{-', '-}'), DASHES, TRIPLE, DOUBLES, CHARACTER],
  fortran: [
    rule('!', COMMENT, toLineEnd),
    ...['*', 'C', 'c'].map((open) => atEdge(rule(open, COMMENT, open === '*' ? toLineEnd : wordC))),
    unescaped('"'),
    unescaped("'"),
  ],
  fsharp: [SLASHES, nested('(*', '*)'), ...VERBATIM, TRIPLE, LONG_DOUBLES, CHARACTER],
  gdscript: [HASHES, TRIPLE, TRIPLE_SINGLES, DOUBLES, SINGLES],
  gherkin: [first(HASHES), TRIPLE],
  gleam: [SLASHES, LONG_DOUBLES],
  go: [...C_COMMENTS, DOUBLES, CHARACTER, enclosed('`', '`', TEXT)],
  graphql: [{ ...TRIPLE, is: COMMENT | TEXT }, HASHES, DOUBLES],
  groovy: [...C_COMMENTS, TRIPLE, TRIPLE_SINGLES, DOUBLES, SINGLES],
  haml: [first(rule('-#', COMMENT, toLineEnd))],
  haskell: [nested('{-', '-}'), DASHES, DOUBLES, CHARACTER],
  haxe: [...C_COMMENTS, DOUBLES, SINGLES],
  java: [...C_COMMENTS, TRIPLE, DOUBLES, CHARACTER],
  javascript: JAVASCRIPT,
  jsonnet: [...C_COMMENTS, WORD_HASHES, enclosed('|||', '|||', TEXT), DOUBLES, SINGLES],
  julia: [enclosed('#=', '=#', COMMENT), HASHES, { ...TRIPLE, is: COMMENT | TEXT }, DOUBLES],
  kotlin: [...NESTED_COMMENTS, RAW_TRIPLE, DOUBLES, CHARACTER],
  lean: [nested('/-', '-/'), DASHES, DOUBLES],
  lisp: [rule(';', COMMENT, toLineEnd), enclosed('#|', '|#', COMMENT), ESCAPE, LONG_DOUBLES],
  lua: [longBracket('--[', COMMENT), DASHES, longBracket('[', TEXT), DOUBLES, SINGLES],
  markdown: [fence('```'), fence('~~~'), first(PAGE_COMMENT)],
  matlab: [enclosed('%{', '%}', COMMENT), rule('%', COMMENT, toLineEnd), unescaped('"')],
  meson: [HASHES, TRIPLE_SINGLES, SINGLES],
  nim: [nested('#[', ']#'), HASHES, RAW_TRIPLE, DOUBLES],
  nix: [WORD_HASHES, rule('/*', COMMENT, block), LONG_DOUBLES, rule("''", TEXT, indented)],
  'objective-c': [...C_COMMENTS, DOUBLES, CHARACTER],
  ocaml: [nested('(*', '*)'), enclosed('{|', '|}', TEXT), LONG_DOUBLES, CHARACTER],
  odin: [...NESTED_COMMENTS, DOUBLES, CHARACTER, enclosed('`', '`', TEXT)],
  pascal: [SLASHES, enclosed('{', '}', COMMENT), enclosed('(*', '*)', COMMENT), unescaped("'")],
  perl: [lines('=', '=cut'), WORD_HASHES, ESCAPE, DOUBLES, SINGLES, RUBY_HEREDOC],
  powershell: [enclosed('<#', '#>', COMMENT), HASHES, DOUBLES, SINGLES],
  php: [
    ...C_COMMENTS,
    rule('#[', 0, (_text, at) => at + 1),
    HASHES,
    DOUBLES,
    SINGLES,
    heredoc('<<<', /^<<<[ \t]*(["']?)([A-Za-z_]\w*)\1/),
  ],
  prisma: [SLASHES, DOUBLES],
  proto: [...C_COMMENTS, DOUBLES],
  pug: [first(SLASHES)],
  puppet: [HASHES, DOUBLES, SINGLES],
  purescript: [nested('{-', '-}'), DASHES, TRIPLE, DOUBLES, CHARACTER],
  python: PYTHON,
  qml: JAVASCRIPT,
  rego: [HASHES, DOUBLES, enclosed('`', '`', TEXT)],
  rescript: [...C_COMMENTS, LONG_DOUBLES, CHARACTER, enclosed('`', '`', TEXT)],
  ruby: [lines('=begin', '=end'), WORD_HASHES, ESCAPE, DOUBLES, SINGLES, RUBY_HEREDOC],
  rust: [...NESTED_COMMENTS, rule('"', TEXT, rustString), CHARACTER],
  scala: [...NESTED_COMMENTS, RAW_TRIPLE, DOUBLES, CHARACTER],
  shellscript: [
    WORD_HASHES,
    ESCAPE,
    rule('"', TEXT, (text, at) => text.interpolatedEnd(at, OPEN_PARENTHESIS, code(')'))),
    rule("$'", TEXT, (text, at) => text.quoteEnd(at + 1, true)),
    LONG_SINGLES,
    rule('<<<', 0, (_text, at) => at + 2),
    heredoc('<<', /^<<-?[ \t]*\\?(["']?)([A-Za-z_][\w.-]*)\1/),
  ],
  slim: [first(rule('/', COMMENT, toLineEnd))],
  snakemake: PYTHON,
  solidity: [...C_COMMENTS, DOUBLES, SINGLES],
  // Multi-line strings are rarer than an apostrophe without an end in one of the dialects.
  sql: [...C_COMMENTS, DASHES, SINGLES, DOUBLES],
  tcl: [WORD_HASHES, ESCAPE],
  terraform: [HASHES, ...C_COMMENTS, DOUBLES],
  swift: [...NESTED_COMMENTS, TRIPLE, DOUBLES],
  typescript: [PAGE_COMMENT, ...JAVASCRIPT],
  thrift: [...C_COMMENTS, HASHES, DOUBLES, SINGLES],
  vala: [...C_COMMENTS, RAW_TRIPLE, DOUBLES, CHARACTER],
  vb: [rule("'", COMMENT, toLineEnd), unescaped('"')],
  verilog: [...C_COMMENTS, DOUBLES],
  vhdl: [DASHES, unescaped('"'), CHARACTER],
  vim: [first(rule('"', COMMENT, toLineEnd)), SINGLES],
  wgsl: C_COMMENTS,
  xml: [PAGE_COMMENT],
  // Helm's templates.
  yaml: [enclosed('{{/*', '*/', COMMENT), enclosed('{{- /*', '*/', COMMENT)],
  zig: [SLASHES, rule('\\\\', TEXT, toLineEnd), DOUBLES, CHARACTER],
};

const tables = new Map<Language, Rules | undefined>();

/** The rules of a language; undefined if it has neither comments nor strings. */
export function rulesOf(language: Language): Rules | undefined {
  if (!tables.has(language)) {
    const { id, comments, sections } = language;
    const ofLines = comments.map((open) => rule(open, COMMENT, toLineEnd));
    const own = RULES[id];
    const rules = own && sections ? [...own, ...DIRECTIVES, ...ofLines] : (own ?? ofLines);
    tables.set(language, rules.length > 0 ? tabled(rules) : undefined);
  }
  return tables.get(language);
}

function tabled(rules: readonly LexerRule[]): Rules {
  const byFirst = new Array<LexerRule[] | undefined>(256).fill(undefined);
  for (const one of rules) {
    (byFirst[one.open.charCodeAt(0)] ??= []).push(one);
    // The body of a heredoc begins after the line that announces it.
    if (one.open.startsWith('<<')) byFirst[LF] ??= [];
  }
  return { byFirst, begins: Uint8Array.from(byFirst, (some) => (some ? 1 : 0)) };
}
