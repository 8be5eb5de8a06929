/**
 * Methods to find the last line of a definition from its first: by braces, by indentation, by `end`, or it is the same
 * line.
 */
export type BlockStyle = 'brace' | 'indent' | 'end' | 'line';

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

/**
 * Rules of a language that suffice to find its definitions from the shape of single lines. Only lines that begin with
 * one of `leaders`, or have one of `shapes`, are decoded and tried against `patterns`. Group `name`, or 1, is the name;
 * a pattern with a group `key` applies only within braces.
 *
 * Heuristics rather than syntax trees: they need no 21 MB of grammars, take a tenth of the time and cover every
 * language alike. Code that does not parse (preprocessor, templates, an unfinished edit) is no special case.
 */
export interface Language {
  readonly id: string;
  readonly extensions: readonly string[];
  readonly fileNames?: readonly string[];
  readonly interpreters?: readonly string[];
  readonly style: BlockStyle;
  /** Beginnings of comments. Each ends with its line, but after a `/*` at its own end. */
  readonly comments: readonly string[];
  readonly leaders: readonly string[];
  /**
   * Lines to try even if they begin with no leader:
   *
   * - `call` contains `(` and opens a block;
   * - `column0` begins at the left edge with a letter;
   * - `heading` begins with `#`;
   * - `binding` binds a name or key to a function;
   * - `constant` begins with a capital letter.
   */
  readonly shapes: readonly ('binding' | 'call' | 'column0' | 'constant' | 'heading')[];
  readonly patterns: readonly (readonly [RegExp, DefinitionKind])[];
  /**
   * Pattern of a method right inside a class or interface, where a line of its form can be nothing else: group `name`.
   */
  readonly signature?: RegExp;
  /** Set if a function counts only when its body follows; without one the line is a prototype or a call of a macro. */
  readonly needsBody?: boolean;
  /** Set if an equation at the same indentation that begins with the name of a definition belongs to it. */
  readonly repeatsName?: boolean;
  /** Set if `namespace X;` holds for the rest of the file. */
  readonly fileModules?: boolean;
  /** First byte of an annotation or attribute, which may be on the line of its definition. */
  readonly attributes?: '@' | '#' | '[';
  /** Keywords that may begin a list of definitions in parentheses, one a line: Go's `const (`. */
  readonly groups?: readonly string[];
}

function words(text: string): string[] {
  return text.split(' ');
}

const JS_NAME = String.raw`([\w$]+)`;
const JS_MODIFIERS =
  '(?:(?:public|private|protected|static|async|override|abstract|declare|accessor|readonly|get|set)\\s+)*';
const JS_NOT_A_NAME =
  '(?!(?:if|for|while|switch|catch|function|return|with|else|do|new|await|super|typeof|throw|yield|case)\\b)';
const JAVA_MODIFIERS =
  '(?:(?:public|private|protected|internal|static|final|abstract|sealed|async|override|virtual|readonly|partial|' +
  'synchronized|native|default|strictfp|extern|unsafe|new|non-sealed|record)\\s+)*';

/** Pattern of `export default` and its equivalent in a CommonJS module, `module.exports =`. */
const JS_EXPORT = String.raw`(?:export\s+(?:default\s+)?|module\.exports\s*=\s*)?(?:declare\s+)?`;

/** Pattern of a function after `=` or `:`, whose parameters may have function types. */
const JS_FUNCTION = String.raw`(?:async\b\s*)?(?:function\b|(?:<[^()=]*>\s*)?\((?:[^()]|\([^()]*\))*\)\s*(?::[^=;]+)?=>|[\w$]+\s*=>|\(\s*$)`;

const javascriptPatterns: Language['patterns'] = [
  [new RegExp(String.raw`^\s*${JS_EXPORT}(?:async\s+)?function\b\s*\*?\s*${JS_NAME}`), 'function'],
  [new RegExp(String.raw`^\s*${JS_EXPORT}(?:abstract\s+)?class\s+(?!extends\b)${JS_NAME}`), 'class'],
  [new RegExp(String.raw`^\s*(?:export\s+)?(?:const|let|var)\s+${JS_NAME}\s*(?::[^=]+)?=\s*class\b`), 'class'],
  [new RegExp(String.raw`^\s*(?:[\w$]+\.)*exports\.${JS_NAME}\s*=\s*class\b`), 'class'],
  [new RegExp(String.raw`^\s*(?:export\s+)?(?:declare\s+)?interface\s+${JS_NAME}`), 'interface'],
  [new RegExp(String.raw`^\s*(?:export\s+)?(?:declare\s+)?type\s+${JS_NAME}\s*(?:[<=]|$)`), 'type'],
  [new RegExp(String.raw`^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+${JS_NAME}`), 'enum'],
  [new RegExp(String.raw`^\s*(?:export\s+)?(?:declare\s+)?(?:namespace|module)\s+${JS_NAME}`), 'module'],
  [
    new RegExp(
      String.raw`^\s*(?:export\s+)?(?:const|let|var)\s+${JS_NAME}\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>|\($|<)`,
    ),
    'function',
  ],
  [new RegExp(String.raw`^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+${JS_NAME}`), 'variable'],
  [/^\s*(?:[\w$]+\.)*?(?<container>[\w$]+)\.prototype\.(?<name>[\w$]+)\s*=/, 'function'],
  [new RegExp(String.raw`^\s*(?:[\w$]+\.)*exports\.${JS_NAME}\s*=`), 'function'],
  [new RegExp(String.raw`^\s*(?:[\w$]+\.)*?(?<container>[\w$]+)\.(?<name>#?[\w$]+)\s*=\s*${JS_FUNCTION}`), 'function'],
  [new RegExp(String.raw`^\s+(?<key>['"]?)(?<name>[\w$-]+)\k<key>\??\s*:\s*${JS_FUNCTION}`), 'method'],
  [
    new RegExp(
      String.raw`^\s+${JS_MODIFIERS}\*?\s*${JS_NOT_A_NAME}(#?[\w$]+)\s*(?:<[^>]*>)?\((?!['"\`]|[^;]*\bfunction\b)[^;]*\)\s*(?::[^={]+)?\{.*$`,
    ),
    'method',
  ],
  [new RegExp(String.raw`^\s+${JS_MODIFIERS}\*?\s*${JS_NOT_A_NAME}(#?[\w$]+)\s*(?:<[^>]*>)?\(\s*$`), 'method'],
  [/^\s+(constructor)\s*\(/, 'method'],
  [
    new RegExp(
      String.raw`^\s+(?<key>)${JS_MODIFIERS}(?<name>#?[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>|\($|<.+>\()`,
    ),
    'method',
  ],
];

const JS_SIGNATURE = new RegExp(
  String.raw`^\s*${JS_MODIFIERS}\*?\s*(?!(?:new|function|if|for|while|switch|await)\b)(?<name>#?[\w$]+)\??\s*[(<]`,
);

const javascriptLeaders = words(
  'export default async function class interface type enum namespace module declare abstract const let var exports ' +
    'prototype public private protected static override readonly get set constructor accessor',
);

const cPatterns: Language['patterns'] = [
  [/^\s*#\s*define\s+(\w+)/, 'macro'],
  [
    /^\s*(?:typedef\s+)?(?:struct|union)\s+(?:__\w+\s+|\w+\([^)]*\)\s*)*(\w+)\s*(?:<[^{;]*>\s*)?(?:final\s*)?(?::[^:].*)?(?:\{.*)?$/,
    'struct',
  ],
  [/^\s*(?:typedef\s+)?enum\s+(?:class\s+|struct\s+)?(\w+)\s*(?::[^:{]*)?(?:\{.*)?$/, 'enum'],
  [/^typedef\b.*?(\w+)\s*(?:\[[^\]]*\])?;/, 'type'],
  [/^typedef\b.*?\(\s*(?:\w+\s*)?\*\s*(\w+)\s*\)\s*\(/, 'type'],
  [/^\}\s*(?:__\w+\s+)*(\w+)\s*;/, 'type'],
  // TEST(Suite, Name) {
  [/^(?:\w+_)?TEST(?:_\w+)?\s*\(\s*(?<container>\w+)\s*,\s*(?<name>\w+)\s*\)/, 'function'],
  [/^[A-Z][A-Z0-9_]*_IMPL\s*\(\s*(\w+)\s*\)/, 'function'],
  // Macros that define, with the name as first argument: SYSCALL_DEFINE3(name, …), DEFINE_PER_CPU(type, name).
  [/^(?:static\s+)?[A-Z][A-Z0-9_]*_?DEFINE[A-Z0-9_]*\s*\(\s*(\w+)/, 'function'],
  [
    /^(?!\s+[A-Z][A-Z0-9]*_[A-Z0-9_]*\(|\s*(?::[^:]|,|(?:return|else|typedef|case|goto|sizeof)\b))(?:[\w*&:<>,\s[\]]*?[\s*&])?(?!(?:if|for|while|switch|do|constexpr|noexcept|decltype|alignas|__attribute__)\b)([a-zA-Z_]\w*)\s*(?:<[^()<>]*>\s*)?\((?!.*;\s*$)/,
    'function',
  ],
  [/^(?!\s)(?:static\s+)?(?:const\s+)?(?:struct\s+)?[\w\s*]+?[\s*](\w+)\s*(?:\[[^\]]*\]\s*)*=\s*\{?\s*$/, 'variable'],
];

/** Pattern of a method in a class, where the block may open on a later line. */
const CPP_SIGNATURE =
  /^\s*(?!:[^:]|,|(?:using|typedef|friend|return|static_assert)\b)(?:[\w:*&<>,\s[\]~]*?[\s*&])?(?!(?:void|decltype|noexcept|alignas)\b|[A-Z][A-Z0-9]*_[A-Z0-9_]*\()(?<name>~?[a-zA-Z_]\w*)\s*\(/;

const cppPatterns: Language['patterns'] = [
  [
    /^(?=[^(]*?\boperator\b)\s*(?!(?:return|using)\b)(?:[\w:*&<>,\s[\]~]*?[\s*&])?(?:(?<container>\w+)(?:<[^<>]*>)?::)?(?<name>operator\s*(?:\(\)|\[\]|[^\s\w()[\]]{1,3}|bool))\s*\((?!.*;\s*$)/,
    'method',
  ],
  [
    /^\s*(?:template\s*<.*>\s*)?class\s+(?:[A-Z_]+(?:\([^)]*\))?\s+|\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*)*(\w+)(?:<[^{;]*>)?\s*(?:final\s*)?(?::[^:;].*)?(?:\{.*)?$/,
    'class',
  ],
  [/^\s*template\s*<.*>\s*struct\s+(\w+)(?:<[^{;]*>)?\s*(?:final\s*)?(?::[^:;].*)?(?:\{.*)?$/, 'struct'],
  [/^\s*(?:inline\s+)?namespace\s+([\w:]+)\s*\{?/, 'module'],
  [/^\s*using\s+(\w+)\s*=/, 'type'],
  [/^\s*(?:template\s*<.*>\s*)?concept\s+(\w+)/, 'type'],
  [
    /^(?=[^(]*?::)(?:[\w:*&<>,\s[\]~]*?[\s*&])?(?:\w+(?:<[^>]*>)?::)*(?<container>\w+)(?:<[^>]*>)?::(?<name>~?\w+|operator\s*\S{1,3})\s*\((?!.*;\s*$)/,
    'method',
  ],
  [
    /^\s+(?!:[^:]|,|(?:if|for|while|switch|return|else|do|case|catch|new|delete|throw|co_return)\b)(?:[\w:*&<>,[\]~][\w:*&<>,\s[\]~]*?[\s*&])?(?!(?:if|for|while|switch|catch)\b|[A-Z][A-Z0-9]*_[A-Z0-9_]*\()(~?[a-zA-Z_]\w*)\s*\([^{;]*(?:\{[^}]*\}[^{;]*)?\{.*$/,
    'method',
  ],
  ...cPatterns,
];

const javaPatterns: Language['patterns'] = [
  [new RegExp(String.raw`^\s*${JAVA_MODIFIERS}(?:class|record)\s+(?:(?:class|struct)\s+)?(\w+)`), 'class'],
  [new RegExp(String.raw`^\s*${JAVA_MODIFIERS}@?interface\s+(\w+)`), 'interface'],
  [new RegExp(String.raw`^\s*${JAVA_MODIFIERS}enum\s+(?:class\s+|struct\s+)?(\w+)`), 'enum'],
  [new RegExp(String.raw`^\s*${JAVA_MODIFIERS}struct\s+(\w+)`), 'struct'],
  [new RegExp(String.raw`^\s*namespace\s+([\w.]+)`), 'module'],
  [new RegExp(String.raw`^\s*${JAVA_MODIFIERS}(?:delegate\s+)[\w<>[\],.?\s]+\s+(\w+)\s*[(<]`), 'type'],
  [
    new RegExp(
      String.raw`^\s*${JAVA_MODIFIERS}(?:<[^>]+(?:<[^>]*>)?[^>]*>\s+)?(?!(?:return|new|else|throw|if|for|while|switch|catch|await|using|lock|do|assert|yield|goto|case)\b)\w[\w<>[\],.?&\s]*?\s+(?!(?:if|for|foreach|while|switch|catch|using|lock|fixed)\b)(\w+)\s*(?:<[^>]*>)?\s*\(`,
    ),
    'method',
  ],
  [new RegExp(String.raw`^\s*(?:(?:public|private|protected|internal)\s+)(\w+)\s*\([^;]*$`), 'method'],
  [
    new RegExp(
      String.raw`^\s*(?:(?:public|private|protected|internal|static|final|const|readonly)\s+){2,}[\w<>[\],.?]+\s+(\w+)\s*=`,
    ),
    'constant',
  ],
  [
    new RegExp(
      String.raw`^\s*(?:(?:public|protected|internal|static|override|virtual|abstract)\s+)+[\w<>[\],.?]+\s+(\w+)\s*(?:\{|=>|$)`,
    ),
    'variable',
  ],
];

/** Pattern of a method without a modifier, or a constructor, right inside a class or interface. */
const JAVA_SIGNATURE = new RegExp(
  String.raw`^\s*${JAVA_MODIFIERS}(?:(?:<[^()]*>\s*)?(?!(?:return|new|else|throw|await|try|using|case)\b)\w[\w<>[\],.?&\s]*[\s.](?<name>\w+)|(?<type>\w+))\s*(?:<[^<>()]*>\s*)?\(`,
);

const javaLeaders = words(
  'public private protected internal static final abstract sealed async override virtual readonly partial synchronized ' +
    'native default strictfp extern unsafe new non class interface enum record struct namespace delegate void int long ' +
    'boolean bool char byte short float double string String',
);

const pythonPatterns: Language['patterns'] = [
  [/^\s*(?:async\s+)?def\s+(\w+)\s*[([]/, 'function'],
  [/^\s*class\s+(\w+)\s*[([:]/, 'class'],
  [/^([A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=[^=]/, 'constant'],
  [/^([A-Za-z_]\w*)\s*(?::[^=]+)?=[^=]/, 'variable'],
];

/** Lets `\w` in a pattern match letters of any script: names need not be English. */
function allLetters(pattern: RegExp): RegExp {
  const source = pattern.source.replace(/\[(?:[^\]\\]|\\.)*\]|\\w/g, (part) =>
    part === '\\w' ? String.raw`[\w\u0080-\uffff]` : part.replaceAll('\\w', String.raw`\w\u0080-\uffff`),
  );
  return new RegExp(source, pattern.flags);
}

const WRITTEN: readonly Language[] = [
  {
    id: 'python',
    extensions: ['py', 'pyi', 'pyw', 'pyx', 'bzl', 'star'],
    fileNames: ['SConstruct', 'BUILD', 'WORKSPACE'],
    interpreters: ['python', 'python2', 'python3'],
    style: 'indent',
    comments: ['#'],
    leaders: ['def', 'class', 'async'],
    shapes: ['column0'],
    patterns: pythonPatterns,
  },
  {
    id: 'typescript',
    extensions: ['ts', 'tsx', 'mts', 'cts', 'vue', 'svelte', 'astro'],
    style: 'brace',
    comments: ['//', '/*'],
    attributes: '@',
    leaders: javascriptLeaders,
    shapes: ['call', 'binding'],
    patterns: javascriptPatterns,
    signature: JS_SIGNATURE,
  },
  {
    id: 'javascript',
    extensions: ['js', 'jsx', 'mjs', 'cjs'],
    interpreters: ['node', 'deno', 'bun'],
    style: 'brace',
    comments: ['//', '/*'],
    attributes: '@',
    leaders: javascriptLeaders,
    shapes: ['call', 'binding'],
    patterns: javascriptPatterns,
    signature: JS_SIGNATURE,
  },
  {
    id: 'go',
    extensions: ['go'],
    style: 'brace',
    comments: ['//', '/*'],
    leaders: ['func', 'type', 'const', 'var'],
    groups: ['const', 'type', 'var'],
    shapes: [],
    patterns: [
      [/^func\s+\(\s*(?:\w+\s+)?\*?\s*(?<container>\w+)[^)]*\)\s*(?<name>\w+)/, 'method'],
      [/^func\s+(\w+)/, 'function'],
      [/^type\s+(\w+)(?:\[[^\]]*\])?\s+struct\b/, 'struct'],
      [/^type\s+(\w+)(?:\[[^\]]*\])?\s+interface\b/, 'interface'],
      [/^type\s+(\w+)/, 'type'],
      [/^const\s+(?!_\b)(\w+)/, 'constant'],
      [/^var\s+(?!_\b)(\w+)/, 'variable'],
    ],
  },
  {
    id: 'rust',
    extensions: ['rs'],
    style: 'brace',
    comments: ['//', '/*'],
    attributes: '#',
    leaders: words(
      'pub fn struct enum trait impl mod macro_rules const static type async unsafe extern union default auto',
    ),
    shapes: [],
    patterns: [
      [
        /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern(?:\s+"[^"]*")?)\s+)*fn\s+(\w+)/,
        'function',
      ],
      [/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|union)\s+(\w+)/, 'struct'],
      [/^\s*(?:pub(?:\([^)]*\))?\s+)?enum\s+(\w+)/, 'enum'],
      [/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:auto\s+)?trait\s+(\w+)/, 'interface'],
      [
        /^\s*(?:unsafe\s+)?impl\b(?:\s*<.*?>)?\s+(?:.*\s+for\s+)?(?:[&[(]\s*)*(?:'\w+\s+)?(?:mut\s+|dyn\s+)*(?:[\w:]+::)?(\w+)/,
        'extension',
      ],
      [/^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)/, 'module'],
      [/^\s*macro_rules!\s*(\w+)/, 'macro'],
      [/^\s*(?:pub(?:\([^)]*\))?\s+)?type\s+(\w+)/, 'type'],
      [/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const|static)\s+(?:mut\s+)?(\w+)\s*:/, 'constant'],
    ],
  },
  {
    id: 'java',
    extensions: ['java'],
    style: 'brace',
    comments: ['//', '/*'],
    attributes: '@',
    leaders: javaLeaders,
    shapes: ['call'],
    patterns: javaPatterns,
    signature: JAVA_SIGNATURE,
  },
  {
    id: 'csharp',
    extensions: ['cs', 'csx'],
    style: 'brace',
    fileModules: true,
    comments: ['//', '/*'],
    attributes: '[',
    leaders: javaLeaders,
    shapes: ['call'],
    patterns: javaPatterns,
    signature: JAVA_SIGNATURE,
  },
  {
    id: 'kotlin',
    extensions: ['kt', 'kts'],
    style: 'brace',
    comments: ['//', '/*'],
    attributes: '@',
    leaders: words(
      'fun class object interface val var data sealed enum abstract open override private protected internal public ' +
        'inner inline infix operator suspend tailrec companion typealias annotation value const lateinit expect actual ' +
        'external',
    ),
    shapes: [],
    patterns: [
      [
        /^\s*(?:[a-z]+\s+)*fun\s+(?:<.*?>\s*)?(?:(?:\w+\.)*(?<container>\w+)(?:<[\w<>?,*\s.]*>)?\??\.)?`?(?<name>\w+)`?\s*\(/,
        'function',
      ],
      [/^\s*(?:[a-z]+\s+)*enum\s+class\s+(\w+)/, 'enum'],
      [/^\s*(?:[a-z]+\s+)*(?:class|object)\s+(\w+)/, 'class'],
      [/^\s*(?:[a-z]+\s+)*(?:fun\s+)?interface\s+(\w+)/, 'interface'],
      [/^\s*(?:[a-z]+\s+)*typealias\s+(\w+)/, 'type'],
      [/^\s*(?:[a-z]+\s+)*(?:val|var)\s+(?:<[^>]*>\s*)?(?:[\w<>?]+\.)?(\w+)/, 'variable'],
    ],
  },
  {
    id: 'scala',
    extensions: ['scala', 'sbt', 'sc'],
    style: 'brace',
    comments: ['//', '/*'],
    attributes: '@',
    leaders: words(
      'def class object trait val var type case given implicit sealed abstract final override private protected lazy ' +
        'package inline opaque open infix transparent extension enum',
    ),
    shapes: [],
    patterns: [
      [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*def\s+([\w$]+|[^\s\w([]+)/, 'function'],
      [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*(?:class|object)\s+(\w+)/, 'class'],
      [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*trait\s+(\w+)/, 'interface'],
      [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*enum\s+(\w+)/, 'enum'],
      [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*type\s+(\w+)/, 'type'],
      [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*given\s+(\w+)/, 'variable'],
      [/^\s{0,2}(?:[a-z]+(?:\[[^\]]*\])?\s+)*(?:val|var)\s+(\w+)/, 'variable'],
    ],
  },
  {
    id: 'swift',
    extensions: ['swift'],
    style: 'brace',
    comments: ['//', '/*'],
    attributes: '@',
    leaders: words(
      'func class struct enum protocol extension var let init typealias public private internal fileprivate open static ' +
        'final override mutating nonmutating convenience required lazy weak unowned indirect dynamic nonisolated package ' +
        'prefix postfix infix actor subscript associatedtype',
    ),
    shapes: [],
    patterns: [
      [/^\s*(?:[a-z]+(?:\([^)]*\))?\s+)*func\s+`?([^\s(<`]+)/, 'function'],
      [/^\s*(?:[a-z]+(?:\([^)]*\))?\s+)*(?:class|actor)\s+(?!func|var|let)(\w+)/, 'class'],
      [/^\s*(?:[a-z]+(?:\([^)]*\))?\s+)*struct\s+(\w+)/, 'struct'],
      [/^\s*(?:[a-z]+(?:\([^)]*\))?\s+)*enum\s+(\w+)/, 'enum'],
      [/^\s*(?:[a-z]+(?:\([^)]*\))?\s+)*protocol\s+(\w+)/, 'interface'],
      [/^\s*(?:[a-z]+(?:\([^)]*\))?\s+)*extension\s+([\w.]+)/, 'extension'],
      [/^\s*(?:[a-z]+(?:\([^)]*\))?\s+)*(init)\??\s*[(<]/, 'method'],
      [/^\s*(?:[a-z]+(?:\([^)]*\))?\s+)*typealias\s+(\w+)/, 'type'],
      [/^\s{0,4}(?:[a-z]+(?:\([^)]*\))?\s+)*(?:var|let)\s+(\w+)/, 'variable'],
    ],
  },
  {
    id: 'cpp',
    extensions: ['cc', 'cpp', 'cxx', 'c++', 'hpp', 'hh', 'hxx', 'h++', 'inl', 'ipp', 'tpp', 'cu', 'cuh', 'mm', 'm'],
    style: 'brace',
    comments: ['//', '/*'],
    leaders: words('class struct union enum namespace template using typedef define inline concept'),
    attributes: '[',
    shapes: ['column0', 'call'],
    needsBody: true,
    patterns: cppPatterns,
    signature: CPP_SIGNATURE,
  },
  {
    id: 'c',
    extensions: ['c', 'h', 'S', 's'],
    style: 'brace',
    comments: ['//', '/*'],
    // A header may be C++, so the patterns of C++ serve both; .h files are far more often C.
    leaders: words('struct union enum typedef define class namespace template using inline concept'),
    shapes: ['column0'],
    needsBody: true,
    patterns: cppPatterns,
  },
  {
    id: 'ruby',
    extensions: ['rb', 'rake', 'gemspec', 'ru'],
    fileNames: ['Rakefile', 'Gemfile', 'Guardfile', 'Vagrantfile'],
    interpreters: ['ruby'],
    style: 'end',
    comments: ['#'],
    leaders: words(
      'def class module attr_reader attr_accessor attr_writer attr alias alias_method define_method mattr_accessor cattr_accessor ' +
        'scope private',
    ),
    shapes: ['constant'],
    patterns: [
      [/^\s*(?:private\s+)?def\s+(?:self\.|(?<container>[A-Z]\w*)\.|\w+\.)?(?<name>[\w?!=]+|[^\s\w(]+)/, 'method'],
      [/^\s*class\s+(?:::)?(?:\w+::)*?(?:(?<container>\w+)::)?(?<name>\w+)(?!\w|::)/, 'class'],
      [/^\s*module\s+(?:::)?(?:\w+::)*?(?:(?<container>\w+)::)?(?<name>\w+)(?!\w|::)/, 'module'],
      [
        /^\s*(?:attr_reader|attr_accessor|attr_writer|mattr_accessor|cattr_accessor|attr|scope|define_method|alias_method)(?:\s+|\()[:"'](\w+[?!=]?)/,
        'method',
      ],
      [/^\s*alias\s+:?(\w+[?!=]?)\s/, 'method'],
      [/^\s*([A-Z][A-Z0-9_]*)\s*=(?![=~>])/, 'constant'],
    ],
  },
  {
    id: 'php',
    extensions: ['php', 'phtml', 'inc'],
    interpreters: ['php'],
    style: 'brace',
    comments: ['//', '/*', '#'],
    attributes: '#',
    leaders: words(
      'function class interface trait enum abstract final public private protected static const namespace readonly',
    ),
    shapes: [],
    patterns: [
      [/^\s*(?:(?:abstract|final|public|private|protected|static)\s+)*function\s+&?(\w+)/, 'function'],
      [/^\s*(?:(?:abstract|final|readonly)\s+)*class\s+(\w+)/, 'class'],
      [/^\s*interface\s+(\w+)/, 'interface'],
      [/^\s*trait\s+(\w+)/, 'class'],
      [/^\s*enum\s+(\w+)/, 'enum'],
      [/^\s*(?:(?:final|public|private|protected)\s+)*const\s+(?:\w+\s+)?(\w+)\s*=/, 'constant'],
    ],
  },
  {
    id: 'elixir',
    extensions: ['ex', 'exs', 'heex'],
    interpreters: ['elixir'],
    style: 'end',
    comments: ['#'],
    leaders: words(
      'def defp defmodule defmacro defmacrop defprotocol defimpl defguard defguardp defdelegate type typep opaque ' +
        'callback macrocallback',
    ),
    shapes: [],
    patterns: [
      [/^\s*(?:def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate)\s+([\w?!]+)/, 'function'],
      [/^\s*(?:defmodule|defprotocol)\s+([\w.]+)/, 'module'],
      [/^\s*defimpl\s+([\w.]+)/, 'extension'],
      [/^\s*@(?:type|typep|opaque|callback|macrocallback)\s+(\w+)/, 'type'],
    ],
  },
  {
    id: 'lua',
    extensions: ['lua'],
    interpreters: ['lua', 'luajit'],
    style: 'end',
    comments: ['--'],
    leaders: ['function', 'local'],
    shapes: ['column0'],
    patterns: [
      [/^\s*(?:local\s+)?function\s+(?:\w+[.:])*?(?:(?<container>\w+)[.:])?(?<name>\w+)(?![\w.:])/, 'function'],
      [/^\s*(?:local\s+)?(?:\w+\.)*?(?:(?<container>\w+)\.)?(?<name>\w+)\s*=\s*function\b/, 'function'],
      [/^(?:local\s+)?(?:\w+\.)*?(?:(?<container>\w+)\.)?(?<name>\w+)\s*=\s*/, 'variable'],
    ],
  },
  {
    id: 'zig',
    extensions: ['zig', 'zon'],
    style: 'brace',
    comments: ['//'],
    leaders: words('pub fn const var test export extern inline noinline'),
    shapes: [],
    patterns: [
      [/^\s*(?:(?:pub|export|extern|inline|noinline)\s+(?:"[^"]*"\s+)?)*fn\s+(\w+)/, 'function'],
      [/^\s*(?:pub\s+)?const\s+(\w+)\s*(?::[^=]*)?=\s*(?:extern\s+|packed\s+)?(?:struct|union|opaque)\b/, 'struct'],
      [/^\s*(?:pub\s+)?const\s+(\w+)\s*(?::[^=]*)?=\s*(?:enum|error)\b/, 'enum'],
      [/^(?:pub\s+)?(?:const|var)\s+(\w+)/, 'constant'],
      [/^test\s+"([^"]+)"/, 'function'],
    ],
  },
  {
    id: 'haskell',
    extensions: ['hs', 'lhs', 'hsc'],
    style: 'indent',
    comments: ['--', '{-'],
    leaders: words('data newtype type class instance module'),
    shapes: ['column0'],
    repeatsName: true,
    patterns: [
      [/^(?:data|newtype)\s+(?:family\s+|instance\s+)?(?:[^=]*=>\s*)?(\w+)/, 'struct'],
      [/^type\s+(?:family\s+|instance\s+)?(\w+)/, 'type'],
      [/^class\s+(?:.*=>\s*)?(\w+)/, 'interface'],
      [/^instance\s+(?:.*=>\s*)?(\w+)/, 'extension'],
      [/^module\s+([\w.]+)/, 'module'],
      [/^([a-z_][\w']*)(?:\s*,\s*[a-z_][\w']*)*\s*::/, 'function'],
    ],
  },
  {
    id: 'shellscript',
    extensions: ['sh', 'bash', 'zsh', 'ksh', 'bats', 'fish'],
    fileNames: ['.bashrc', '.zshrc', '.profile', 'PKGBUILD'],
    interpreters: ['sh', 'bash', 'zsh', 'dash', 'ksh', 'bats'],
    style: 'brace',
    comments: ['#'],
    leaders: ['function', 'test'],
    shapes: ['column0', 'call'],
    patterns: [
      [/^\s*function\s+([\w:.-]+)/, 'function'],
      [/^\s*([\w:.-]+)\s*\(\)/, 'function'],
      [/^@test\s+["'](.+?)["']/, 'function'],
      [/^([A-Z_][A-Z0-9_]*)=/, 'variable'],
    ],
  },
  {
    id: 'dart',
    extensions: ['dart'],
    style: 'brace',
    comments: ['//', '/*'],
    attributes: '@',
    leaders: words('class abstract sealed base mixin extension enum typedef static final const void Future Stream'),
    shapes: ['call'],
    patterns: [
      [/^\s*(?:abstract\s+|sealed\s+|base\s+|final\s+)*(?:class|mixin)\s+(\w+)/, 'class'],
      [/^\s*extension\s+(\w+)/, 'class'],
      [/^\s*enum\s+(\w+)/, 'enum'],
      [/^\s*typedef\s+(\w+)/, 'type'],
      [/^\s*(?!(?:if|for|while|switch|catch|return|else)\b)(?:[\w<>,?\s]+\s)?(\w+)\s*\([^;]*\{\s*$/, 'method'],
    ],
  },
  {
    id: 'perl',
    extensions: ['pl', 'pm', 't'],
    interpreters: ['perl'],
    style: 'brace',
    fileModules: true,
    comments: ['#'],
    leaders: ['sub', 'package'],
    shapes: [],
    patterns: [
      [/^\s*sub\s+(\w+)/, 'function'],
      [/^package\s+([\w:]+)/, 'module'],
    ],
  },
  {
    id: 'r',
    extensions: ['r', 'R'],
    style: 'brace',
    comments: ['#'],
    leaders: [],
    shapes: ['column0'],
    patterns: [[/^([\w.]+)\s*(?:<-|=)\s*function\b/, 'function']],
  },
  {
    id: 'erlang',
    extensions: ['erl', 'hrl'],
    style: 'line',
    comments: ['%'],
    leaders: [],
    shapes: ['column0'],
    patterns: [[/^([a-z]\w*)\s*\(.*->/, 'function']],
  },
  {
    id: 'clojure',
    extensions: ['clj', 'cljs', 'cljc', 'edn'],
    style: 'indent',
    comments: [';'],
    leaders: words('def defn defmacro defprotocol defrecord ns deftest'),
    shapes: [],
    patterns: [[/^\(def\w*-?\s+(?:\^\S+\s+)*([^\s()[\]]+)/, 'function']],
  },
  {
    id: 'ocaml',
    extensions: ['ml', 'mli'],
    style: 'indent',
    comments: ['(*'],
    leaders: words('let and type module val external exception'),
    shapes: [],
    patterns: [
      [/^(?:let|and|val|external)\s+(?:rec\s+|inline\s+)?(\w+)/, 'function'],
      [/^type\s+(?:[^=\s]+\s+)?(\w+)\s*(?:=|$)/, 'type'],
      [/^module\s+(?:type\s+)?(\w+)/, 'module'],
    ],
  },
  {
    id: 'proto',
    extensions: ['proto'],
    style: 'brace',
    comments: ['//', '/*'],
    leaders: words('message service enum rpc'),
    shapes: [],
    patterns: [
      [/^\s*message\s+(\w+)/, 'struct'],
      [/^\s*service\s+(\w+)/, 'interface'],
      [/^\s*enum\s+(\w+)/, 'enum'],
      [/^\s*rpc\s+(\w+)/, 'method'],
    ],
  },
  {
    id: 'sql',
    extensions: ['sql'],
    style: 'line',
    comments: ['--'],
    leaders: words('CREATE create Create'),
    shapes: [],
    patterns: [
      [
        /^\s*create\s+(?:or\s+replace\s+)?(?:temp\w*\s+|unique\s+|materialized\s+)*\w+\s+(?:if\s+not\s+exists\s+)?[`"[]?(?:\w+\.)?(\w+)/i,
        'struct',
      ],
    ],
  },
  {
    id: 'markdown',
    extensions: ['md', 'mdx', 'markdown'],
    style: 'indent',
    comments: [],
    leaders: [],
    shapes: ['heading'],
    patterns: [[/^#{1,6}\s+(.+?)\s*#*$/, 'heading']],
  },
  {
    id: 'makefile',
    extensions: ['mk', 'mak'],
    fileNames: ['Makefile', 'makefile', 'GNUmakefile', 'Kbuild'],
    style: 'indent',
    comments: ['#'],
    leaders: [],
    shapes: ['column0'],
    patterns: [[/^([\w./%-]+)\s*:(?!=)/, 'function']],
  },
];

/** All languages with definitions. If two have the same extension, the first wins. */
export const LANGUAGES: readonly Language[] = WRITTEN.map((language) => ({
  ...language,
  patterns: language.patterns.map(([pattern, kind]) => [allLetters(pattern), kind] as const),
  ...(language.signature && { signature: allLetters(language.signature) }),
}));

/** Languages without definitions that are still worth a name, for `lang:` filters and statistics. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  json: ['json', 'jsonc', 'json5', 'ndjson', 'jsonl'],
  yaml: ['yaml', 'yml'],
  toml: ['toml'],
  xml: ['xml', 'xsd', 'xsl', 'svg', 'plist', 'csproj', 'props', 'targets'],
  html: ['html', 'htm', 'xhtml', 'hbs', 'ejs'],
  css: ['css', 'scss', 'sass', 'less'],
  restructuredtext: ['rst'],
  asciidoc: ['adoc', 'asciidoc'],
  dockerfile: ['dockerfile'],
  ini: ['ini', 'cfg', 'conf', 'properties'],
  groovy: ['groovy', 'gradle'],
  terraform: ['tf', 'hcl'],
  graphql: ['graphql', 'gql'],
  powershell: ['ps1', 'psm1'],
  bat: ['bat', 'cmd'],
  vim: ['vim'],
  tex: ['tex'],
  csv: ['csv', 'tsv'],
  dts: ['dts', 'dtsi'],
  cmake: ['cmake'],
};

/** Any text: paragraphs, no definitions. */
export const PLAIN_TEXT: Language = {
  id: 'plaintext',
  extensions: ['txt'],
  style: 'line',
  comments: [],
  leaders: [],
  shapes: [],
  patterns: [],
};

const byExtension = new Map<string, Language>();
const byFileName = new Map<string, Language>();
const byInterpreter = new Map<string, Language>();
/** Every language a file can be in, with those without definitions. */
export const ALL_LANGUAGES: readonly Language[] = [
  ...LANGUAGES,
  PLAIN_TEXT,
  ...Object.entries(PLAIN).map(([id, extensions]): Language => ({ ...PLAIN_TEXT, id, extensions })),
];
for (const language of ALL_LANGUAGES.toReversed()) {
  for (const extension of language.extensions) byExtension.set(extension, language);
  for (const name of language.fileNames ?? []) byFileName.set(name, language);
  for (const name of language.interpreters ?? []) byInterpreter.set(name, language);
}

/** The language of a file, by its name or else by its `#!` line. `head` is the beginning of its text. */
export function languageOf(path: string, head = ''): Language {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const extension = dot < 0 ? '' : name.slice(dot + 1);
  const known =
    byFileName.get(name) ??
    byExtension.get(extension) ??
    byExtension.get(extension.toLowerCase()) ??
    byExtension.get(name.toLowerCase());
  if (known) return known;
  const interpreter = /^#!\s*\S*?([\w.+-]+?)[\d.]*(?:\s+(?:-\S+\s+)*([\w.+-]+?)[\d.]*)?(?:\s|$)/.exec(head);
  const program = interpreter?.[1] === 'env' ? interpreter[2] : interpreter?.[1];
  return (program !== undefined ? byInterpreter.get(program) : undefined) ?? PLAIN_TEXT;
}
