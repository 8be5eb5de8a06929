/** A function or a type, as its line defines it. */
export interface Definition {
  readonly name: string;
  readonly kind: 'function' | 'type';
  /** From 1. */
  readonly line: number;
}

export type LineKind = 'code' | 'comment' | 'blank';

/**
 * Patterns for the lines of a language. They are independent of the engine under test: definitions that the engine misses
 * must not be missing from the queries.
 */
export interface Syntax {
  readonly language: string;
  readonly lineComment: RegExp;
  /** Comments of several lines. */
  readonly blocks: readonly (readonly [start: RegExp, end: RegExp])[];
  readonly strings: RegExp;
  readonly functions: readonly RegExp[];
  readonly types: readonly RegExp[];
}

const DOUBLE = String.raw`"(?:[^"\\]|\\.)*"`;
const SINGLE = String.raw`'(?:[^'\\]|\\.)*'`;
const TEMPLATE = '`(?:[^`\\\\]|\\\\.)*`';
const DOUBLE_QUOTED = new RegExp(DOUBLE, 'g');
const QUOTED = new RegExp(`${DOUBLE}|${SINGLE}`, 'g');
const QUOTED_OR_TEMPLATE = new RegExp(`${DOUBLE}|${SINGLE}|${TEMPLATE}`, 'g');

const SLASHES = /^\s*\/\//;
const HASH = /^\s*#/;
const STARS = [/^\s*\/\*/, /\*\//] as const;
const KEYWORDS = String.raw`(?!if\b|for\b|while\b|switch\b|catch\b|return\b|else\b|new\b|function\b|do\b|sizeof\b|throw\b|lock\b|using\b|foreach\b|await\b|super\b)`;
const MODIFIERS = String.raw`(?:(?:public|private|protected|internal|static|final|abstract|async|override|virtual|sealed|readonly|synchronized|default|export|get|set)\s+)`;

const script: Omit<Syntax, 'language'> = {
  lineComment: SLASHES,
  blocks: [STARS],
  strings: QUOTED_OR_TEMPLATE,
  functions: [
    /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([\w$]+)/,
    new RegExp(String.raw`^\s+${MODIFIERS}*\*?\s*${KEYWORDS}([\w$]+)\s*(?:<[^>]*>)?\((?:[^()]|\([^()]*\))*\)[^;=]*\{$`),
    /^\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>)/,
  ],
  types: [/^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:class|interface|enum)\s+([\w$]+)/],
};

/** Java and C#: a type or a modifier stands before the name of a method. */
const classes: Omit<Syntax, 'language'> = {
  lineComment: SLASHES,
  blocks: [STARS],
  strings: DOUBLE_QUOTED,
  functions: [
    new RegExp(String.raw`^\s+${MODIFIERS}+(?:<[^>]+>\s*)?(?:[\w.<>,?[\]]+\s+)?${KEYWORDS}(\w+)\s*\([^;=]*$`),
  ],
  types: [new RegExp(String.raw`^\s*${MODIFIERS}*(?:partial\s+)?(?:class|interface|enum|struct|record)\s+(\w+)`)],
};

const SYNTAXES: Readonly<Record<string, Syntax>> = {
  js: { language: 'JavaScript', ...script },
  ts: { language: 'TypeScript', ...script },
  java: { language: 'Java', ...classes },
  cs: { language: 'C#', ...classes },
  py: {
    language: 'Python',
    lineComment: HASH,
    blocks: [
      [/^\s*[rbu]*"""/i, /"""/],
      [/^\s*[rbu]*'''/i, /'''/],
    ],
    strings: QUOTED,
    functions: [/^\s*(?:async\s+)?def\s+(\w+)/],
    types: [/^\s*class\s+(\w+)/],
  },
  go: {
    language: 'Go',
    lineComment: SLASHES,
    blocks: [STARS],
    strings: DOUBLE_QUOTED,
    functions: [/^func\s+(?:\([^)]*\)\s*)?(\w+)\s*[([]/],
    types: [/^type\s+(\w+)\s/],
  },
  rs: {
    language: 'Rust',
    lineComment: SLASHES,
    blocks: [STARS],
    strings: DOUBLE_QUOTED,
    functions: [/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+)*fn\s+(\w+)/],
    types: [/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union)\s+(\w+)/],
  },
  c: {
    language: 'C',
    lineComment: SLASHES,
    blocks: [STARS],
    strings: DOUBLE_QUOTED,
    functions: [
      new RegExp(
        String.raw`^(?:[A-Za-z_][\w\s*]*?[\s*])?${KEYWORDS}([A-Za-z_]\w+)\s*\((?!.*;\s*$)[^;=]*[{,)]\s*(?:\/\*.*\*\/\s*)?$`,
      ),
    ],
    types: [/^(?:typedef\s+)?(?:struct|union|enum)\s+(\w+)\s*\{/],
  },
  rb: {
    language: 'Ruby',
    lineComment: HASH,
    blocks: [[/^=begin/, /^=end/]],
    strings: QUOTED,
    functions: [/^\s*def\s+(?:self\.)?(\w+[?!]?)/],
    types: [/^\s*(?:class|module)\s+(?:\w+::)*(\w+)/],
  },
  php: {
    language: 'PHP',
    lineComment: /^\s*(?:\/\/|#(?!\[))/,
    blocks: [STARS],
    strings: QUOTED,
    functions: [/^\s*(?:(?:abstract|final|public|private|protected|static)\s+)*function\s+&?(\w+)/],
    types: [/^\s*(?:abstract\s+|final\s+)*(?:class|interface|trait|enum)\s+(\w+)/],
  },
  pm: {
    language: 'Perl',
    lineComment: HASH,
    blocks: [
      [/^=[a-z]/, /^=cut/],
      [/^__(?:END|DATA)__/, /^\0/],
    ],
    strings: QUOTED,
    functions: [/^\s*sub\s+(\w+)/],
    types: [/^package\s+(?:\w+::)*(\w+)/],
  },
};

const SAME: Readonly<Record<string, string>> = {
  mjs: 'js',
  cjs: 'js',
  jsx: 'js',
  tsx: 'ts',
  mts: 'ts',
  h: 'c',
  pl: 'pm',
  t: 'pm',
};

/** The syntax of a file by its extension; `undefined` for what is no source, such as documentation and data. */
export function syntaxOf(path: string): Syntax | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return /\.d\.[mc]?ts$|\.min\.js$/.test(path) ? undefined : SYNTAXES[SAME[extension] ?? extension];
}

/** Classifies each line; a docstring is a comment. */
export function kindsOf(lines: readonly string[], { lineComment, blocks }: Syntax): LineKind[] {
  let end: RegExp | undefined;
  return lines.map((line) => {
    if (end) {
      if (end.test(line)) end = undefined;
      return 'comment';
    }
    if (line.trim() === '') return 'blank';
    for (const [opens, closes] of blocks) {
      const start = opens.exec(line);
      if (!start) continue;
      if (!closes.test(line.slice(start[0].length))) end = closes;
      return 'comment';
    }
    return lineComment.test(line) ? 'comment' : 'code';
  });
}

export function definitionsOf(lines: readonly string[], kinds: readonly LineKind[], syntax: Syntax): Definition[] {
  return lines.flatMap((line, i): Definition[] => {
    if (kinds[i] !== 'code' || line.length > 300) return [];
    const type = firstName(syntax.types, line);
    if (type !== undefined) return [{ name: type, kind: 'type', line: i + 1 }];
    const name = firstName(syntax.functions, line);
    return name === undefined ? [] : [{ name, kind: 'function', line: i + 1 }];
  });
}

function firstName(patterns: readonly RegExp[], line: string): string | undefined {
  for (const pattern of patterns) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}
