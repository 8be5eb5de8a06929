import { words, type Language } from '../language.ts';

const pythonPatterns: Language['patterns'] = [
  [/^\s*(?:async\s+)?def\s+(\w+)\s*[([]/, 'function'],
  [/^\s*class\s+(\w+)\s*[([:]/, 'class'],
  [/^([A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=[^=]/, 'constant'],
  [/^([A-Za-z_]\w*)\s*(?::[^=]+)?=[^=]/, 'variable'],
];

export const python: Language = {
  id: 'python',
  extensions: ['py', 'pyi', 'pyw', 'pyx', 'pxd', 'bzl', 'bazel', 'star', 'mojo', 'vy'],
  fileNames: ['SConstruct', 'SConscript', 'BUILD', 'WORKSPACE', 'Tiltfile', 'wscript'],
  interpreters: ['python', 'python2', 'python3'],
  style: 'indent',
  comments: ['#'],
  leaders: ['def', 'class', 'async'],
  shapes: ['column0'],
  fields: { pattern: /^\s+(?<name>[A-Za-z_]\w*)\s*(?::(?!=)\s*[^\s#]|=(?!=))/ },
  patterns: pythonPatterns,
};

export const ruby: Language = {
  id: 'ruby',
  extensions: ['rb', 'rake', 'gemspec', 'ru', 'podspec', 'jbuilder', 'thor'],
  fileNames: words('Rakefile Gemfile Guardfile Vagrantfile Podfile Brewfile Fastfile Capfile Dangerfile'),
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
};

export const php: Language = {
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
  fields: {
    pattern: /^\s*(?:(?:public|private|protected|static|readonly|var|final)\s+)+(?:\??[\w\\|&]+\s+)?\$(?<name>\w+)/,
  },
  patterns: [
    [/^\s*(?:(?:abstract|final|public|private|protected|static)\s+)*function\s+&?(\w+)/, 'function'],
    [/^\s*(?:(?:abstract|final|readonly)\s+)*class\s+(\w+)/, 'class'],
    [/^namespace\s+([\w\\]+)/, 'module'],
    [/^\s*interface\s+(\w+)/, 'interface'],
    [/^\s*trait\s+(\w+)/, 'class'],
    [/^\s*enum\s+(\w+)/, 'enum'],
    [/^\s*(?:(?:final|public|private|protected)\s+)*const\s+(?:\w+\s+)?(\w+)\s*=/, 'constant'],
  ],
};

export const lua: Language = {
  id: 'lua',
  extensions: ['lua'],
  interpreters: ['lua', 'luajit'],
  style: 'end',
  comments: ['--'],
  leaders: ['function', 'local'],
  shapes: ['column0', 'binding'],
  patterns: [
    [/^\s*(?:local\s+)?function\s+(?:\w+[.:])*?(?:(?<container>\w+)[.:])?(?<name>\w+)(?![\w.:])/, 'function'],
    [/^\s*(?:local\s+)?(?:\w+\.)*?(?:(?<container>\w+)\.)?(?<name>\w+)\s*=\s*function\b/, 'function'],
    [/^(?:local\s+)?(?:\w+\.)*?(?:(?<container>\w+)\.)?(?<name>\w+)\s*=\s*/, 'variable'],
  ],
};

export const shellscript: Language = {
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
};

export const perl: Language = {
  id: 'perl',
  extensions: ['pl', 'pm', 't', 'raku', 'rakumod', 'pm6', 'p6'],
  interpreters: ['perl'],
  style: 'brace',
  fileModules: true,
  comments: ['#'],
  leaders: ['sub', 'package', 'use'],
  shapes: [],
  patterns: [
    [/^\s*sub\s+(\w+)/, 'function'],
    [/^package\s+([\w:]+)/, 'module'],
    [/^\s*use\s+constant\s+(\w+)/, 'constant'],
  ],
};

export const r: Language = {
  id: 'r',
  extensions: ['r', 'R'],
  style: 'brace',
  comments: ['#'],
  leaders: [],
  shapes: ['column0'],
  patterns: [[/^([\w.]+)\s*(?:<-|=)\s*function\b/, 'function']],
};

export const crystal: Language = {
  ...ruby,
  id: 'crystal',
  extensions: ['cr'],
  fileNames: [],
  interpreters: ['crystal'],
  attributes: '@',
  leaders: words(
    'def class module struct enum macro lib fun alias annotation abstract private protected getter setter property record',
  ),
  patterns: [
    [/^\s*(?:(?:abstract|private|protected)\s+)*def\s+(?:self\.|\w+\.)?([\w?!=]+|[^\s\w(]+)/, 'method'],
    [/^\s*(?:(?:abstract|private)\s+)*class\s+(?:\w+::)*(\w+)/, 'class'],
    [/^\s*(?:(?:abstract|private)\s+)*(?:struct|record)\s+(?:\w+::)*(\w+)/, 'struct'],
    [/^\s*(?:private\s+)?enum\s+(?:\w+::)*(\w+)/, 'enum'],
    [/^\s*(?:private\s+)?(?:module|lib)\s+(?:\w+::)*(\w+)/, 'module'],
    [/^\s*(?:private\s+)?macro\s+(\w+[?!]?)/, 'macro'],
    [/^\s*fun\s+(\w+)/, 'function'],
    [/^\s*(?:private\s+)?(?:alias|annotation)\s+(\w+)/, 'type'],
    [/^\s*(?:getter|setter|property)[?!]?\s+(\w+)/, 'method'],
    [/^\s*([A-Z][A-Z0-9_]*)\s*=(?![=~>])/, 'constant'],
  ],
};

export const coffeescript: Language = {
  id: 'coffeescript',
  extensions: ['coffee', 'cjsx', 'iced'],
  fileNames: ['Cakefile'],
  interpreters: ['coffee'],
  style: 'indent',
  comments: ['#'],
  leaders: ['class', 'constructor'],
  shapes: ['binding', 'column0'],
  patterns: [
    [/^\s*(?:\w+\s*=\s*)?class\s+(?:[\w$@]+\.)*([\w$]+)/, 'class'],
    [/^\s*(constructor)\s*:/, 'method'],
    [
      /^\s*(?:@\.?|(?:[\w$]+\.)*(?<container>[\w$]+)(?:\.|::))?(?<name>[\w$]+)\s*[:=]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)\s*)?[-=]>/,
      'function',
      '>',
    ],
    [/^([A-Z][A-Z0-9_]+)\s*=[^=]/, 'constant'],
  ],
};

/** Godot's scripts. */
export const gdscript: Language = {
  id: 'gdscript',
  extensions: ['gd'],
  style: 'indent',
  comments: ['#'],
  attributes: '@',
  leaders: words('func static class class_name signal enum const var export onready remote master puppet'),
  shapes: [],
  patterns: [
    [/^\s*(?:static\s+)?func\s+(\w+)/, 'function'],
    [/^\s*(?:class|class_name)\s+(\w+)/, 'class'],
    [/^\s*signal\s+(\w+)/, 'variable'],
    [/^\s*enum\s+(\w+)/, 'enum'],
    [/^\s*const\s+(\w+)/, 'constant'],
    [/^\s*(?:(?:static|export|onready)(?:\([^()]*\))?\s+)*var\s+(\w+)/, 'variable'],
  ],
};

export const nim: Language = {
  id: 'nim',
  extensions: ['nim', 'nims', 'nimble'],
  style: 'indent',
  comments: ['#'],
  leaders: words('proc func method iterator converter template macro task type const'),
  shapes: ['constant'],
  patterns: [
    [/^\s*(?:proc|func|method|iterator|converter)\s+(?:`([^`]+)`|(?<name>\w+))/, 'function'],
    [/^\s*(?:template|macro)\s+(?:`([^`]+)`|(?<name>\w+))/, 'macro'],
    [/^\s*task\s+(\w+)/, 'function'],
    [/^\s*(?:type\s+)?(\w+)\*?\s*(?:\[[^\]]*\]\s*)?(?:\{\.[^}]*\}\s*)?=\s*(?:ref\s+|ptr\s+)?object\b/, 'struct'],
    [/^\s*(?:type\s+)?(\w+)\*?\s*(?:\{\.[^}]*\}\s*)?=\s*enum\b/, 'enum'],
    [
      /^\s*(?:type\s+)?(\w+)\*?\s*(?:\[[^\]]*\]\s*)?(?:\{\.[^}]*\}\s*)?=\s*(?:(?:ref|ptr|distinct|tuple|proc|concept|set|seq|array)\b|[A-Z]\w*\s*$)/,
      'type',
    ],
    [/^\s*(?:const\s+)?([A-Z]\w*)\*?\s*(?::[^=]+)?=(?!=)/, 'constant'],
    [/^\s*const\s+(\w+)\*?\s*(?::[^=]+)?=(?!=)/, 'constant'],
  ],
};

export const awk: Language = {
  id: 'awk',
  extensions: ['awk'],
  interpreters: ['awk', 'gawk', 'mawk'],
  style: 'brace',
  comments: ['#'],
  leaders: words('function func'),
  shapes: [],
  patterns: [[/^\s*func(?:tion)?\s+([\w:]+)/, 'function']],
};

export const tcl: Language = {
  id: 'tcl',
  extensions: ['tcl', 'tk', 'itcl'],
  interpreters: ['tclsh', 'wish', 'expect'],
  style: 'brace',
  comments: ['#'],
  leaders: words('proc namespace method oo class itcl snit'),
  shapes: [],
  patterns: [
    [/^\s*proc\s+(?:[^\s{}]*::)?((?:[^\s{}:]|:(?!:))+)/, 'function'],
    [/^\s*namespace\s+eval\s+([\w:]+)/, 'module'],
    [/^\s*(?:oo::class\s+create|itcl::class|class|snit::\w+)\s+(?:\w*::)*(\w+)/, 'class'],
    [/^\s*method\s+([^\s{}]+)/, 'method'],
  ],
};
