import { words, type Language } from '../language.ts';

const pythonPatterns: Language['patterns'] = [
  [/^\s*(?:async\s+)?def\s+(\w+)\s*[([]/, 'function'],
  [/^\s*class\s+(\w+)\s*[([:]/, 'class'],
  [/^([A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=[^=]/, 'constant'],
  [/^([A-Za-z_]\w*)\s*(?::[^=]+)?=[^=]/, 'variable'],
];

export const python: Language = {
  id: 'python',
  extensions: ['py', 'pyi', 'pyw', 'pyx', 'bzl', 'star'],
  fileNames: ['SConstruct', 'BUILD', 'WORKSPACE'],
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
  extensions: ['pl', 'pm', 't'],
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
