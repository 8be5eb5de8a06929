import { words, type Language } from '../language.ts';

export const go: Language = {
  id: 'go',
  extensions: ['go'],
  style: 'brace',
  comments: ['//', '/*'],
  leaders: ['func', 'type', 'const', 'var'],
  groups: ['const', 'type', 'var'],
  shapes: [],
  signature: /^\s*(?<name>\w+)\s*\(/,
  fields: { pattern: /^\s*(?<name>\w+)(?<more>(?:\s*,\s*\w+)*)\s+[\w*[\].<(]/, inner: /^\s*\w+\s+\S*struct\s*\{\s*$/ },
  patterns: [
    [/^func\s+\(\s*(?:\w+\s+)?\*?\s*(?<container>\w+)[^)]*\)\s*(?<name>\w+)/, 'method'],
    [/^func\s+(\w+)/, 'function'],
    [/^type\s+(\w+)(?:\[[^\]]*\])?\s+struct\b/, 'struct'],
    [/^type\s+(\w+)(?:\[[^\]]*\])?\s+interface\b/, 'interface'],
    [/^type\s+(\w+)/, 'type'],
    [/^const\s+(?!_\b)(\w+)/, 'constant'],
    [/^var\s+(?!_\b)(\w+)/, 'variable'],
  ],
};

export const rust: Language = {
  id: 'rust',
  extensions: ['rs', 'cairo'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '#',
  leaders: words(
    'pub fn struct enum trait impl mod macro_rules const static type async unsafe extern union default auto',
  ),
  shapes: [],
  fields: { pattern: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?<name>\w+)\s*:(?!:)/, inner: /^\s*\w+\s*\{\s*$/ },
  patterns: [
    [/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern(?:\s+"[^"]*")?)\s+)*fn\s+(\w+)/, 'function'],
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
};

export const swift: Language = {
  id: 'swift',
  extensions: ['swift'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: words(
    'func class struct enum protocol extension var let init typealias public private internal fileprivate open static ' +
      'final override mutating nonmutating convenience required lazy weak unowned indirect dynamic nonisolated package ' +
      'prefix postfix infix actor subscript associatedtype optional',
  ),
  shapes: [],
  fields: { pattern: /^\s*(?:[a-z]+(?:\([^)]*\))?\s+)*(?:var|let)\s+(?<name>\w+)/ },
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
};

export const zig: Language = {
  id: 'zig',
  extensions: ['zig', 'zon'],
  style: 'brace',
  comments: ['//'],
  leaders: words('pub fn const var test export extern inline noinline'),
  shapes: [],
  fields: { pattern: /^\s*(?<name>\w+)\s*:/ },
  patterns: [
    [/^\s*(?:(?:pub|export|extern|inline|noinline)\s+(?:"[^"]*"\s+)?)*fn\s+(\w+)/, 'function'],
    [/^\s*(?:pub\s+)?const\s+(\w+)\s*(?::[^=]*)?=\s*(?:extern\s+|packed\s+)?(?:struct|union|opaque)\b/, 'struct'],
    [/^\s*(?:pub\s+)?const\s+(\w+)\s*(?::[^=]*)?=\s*(?:enum|error)\b/, 'enum'],
    [/^(?:pub\s+)?(?:const|var)\s+(\w+)/, 'constant'],
    [/^test\s+"([^"]+)"/, 'function'],
  ],
};

export const solidity: Language = {
  id: 'solidity',
  extensions: ['sol'],
  style: 'brace',
  comments: ['//', '/*'],
  leaders: words(
    'contract abstract interface library struct enum event error modifier function constructor receive fallback mapping',
  ),
  shapes: [],
  fields: {
    pattern:
      /^\s*(?!\s|return\b)[\w.[\]]+(?:\s+(?:public|private|internal|constant|immutable|override))*\s+(?<name>\w+)\s*[=;]/,
  },
  patterns: [
    [/^\s*(?:abstract\s+)?contract\s+(\w+)/, 'class'],
    [/^\s*library\s+(\w+)/, 'class'],
    [/^\s*interface\s+(\w+)/, 'interface'],
    [/^\s*struct\s+(\w+)/, 'struct'],
    [/^\s*enum\s+(\w+)/, 'enum'],
    [/^\s*(?:function|modifier)\s+(\w+)/, 'function'],
    [/^\s*(?:event|error)\s+(\w+)\s*\(/, 'type'],
    [/^\s*(constructor|receive|fallback)\s*\(/, 'method'],
    [/^\s*mapping\s*\(.*\)\s*(?:\w+\s+)*(\w+)\s*;/, 'variable'],
  ],
};

export const dart: Language = {
  id: 'dart',
  extensions: ['dart'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: words('class abstract sealed base mixin extension enum typedef static final const void Future Stream'),
  fields: { pattern: /^\s*(?!\s|return\b)(?:[\w?.]|<[^;()]*>)(?:[\w\s?.]|<[^;()]*>)*\s(?<name>\w+)\s*(?:;|=(?![=>]))/ },
  shapes: ['call'],
  patterns: [
    [/^\s*(?:abstract\s+|sealed\s+|base\s+|final\s+)*(?:class|mixin)\s+(\w+)/, 'class'],
    [/^\s*extension\s+(\w+)/, 'class'],
    [/^\s*enum\s+(\w+)/, 'enum'],
    [/^\s*typedef\s+(\w+)/, 'type'],
    [/^\s*(?!(?:if|for|while|switch|catch|return|else)\b)(?:[\w<>,?\s]+\s)?(\w+)\s*\([^;]*\{\s*$/, 'method'],
  ],
};

const D_MODIFIERS = String.raw`(?:(?:public|private|protected|package|export|static|final|abstract|override|pure|nothrow|const|immutable|inout|shared|ref|auto|extern|deprecated|synchronized|scope)(?:\([^()]*\))?\s+|@\w+(?:\([^()]*\))?\s+)*`;
const D_NO_NAMES =
  'if|for|foreach|foreach_reverse|while|switch|catch|with|version|debug|pragma|synchronized|scope|assert|mixin|unittest|function|delegate|' +
  'return|extern|cast|deprecated|const|immutable|shared|inout|typeof|is|super|throw|new|else|do|static|align';
const D_TYPE = String.raw`(?!(?:return|new|else|throw|case|assert|mixin|import|alias|in|out|do|delete|goto)\b)\w[\w.]*(?:!\([^()]*\)|!\w+)?(?:\([^()]*\))?(?:\[[^\]]*\]|\*)*`;

export const d: Language = {
  id: 'd',
  extensions: ['d', 'di'],
  interpreters: ['rdmd'],
  style: 'brace',
  comments: ['//', '/*'],
  leaders: words(
    'module class struct interface enum union template mixin alias unittest public private protected package export static ' +
      'final abstract override pure nothrow const immutable inout shared ref auto extern deprecated synchronized scope ' +
      'this void bool int uint long ulong short ushort byte ubyte char size_t string float double',
  ),
  shapes: ['call'],
  patterns: [
    [/^\s*(?:deprecated(?:\([^()]*\))?\s+)?module\s+([\w.]+)/, 'module'],
    [new RegExp(String.raw`^\s*${D_MODIFIERS}class\s+(\w+)`), 'class'],
    [new RegExp(String.raw`^\s*${D_MODIFIERS}(?:struct|union)\s+(\w+)`), 'struct'],
    [new RegExp(String.raw`^\s*${D_MODIFIERS}interface\s+(\w+)`), 'interface'],
    [new RegExp(String.raw`^\s*${D_MODIFIERS}enum\s+(\w+)\s*(?::[^={]*)?(?:\{|$)`), 'enum'],
    [new RegExp(String.raw`^\s*${D_MODIFIERS}enum\s+(?:\w[\w.[\]]*\s+)?(\w+)\s*(?:\([^()]*\)\s*)?=`), 'constant'],
    [new RegExp(String.raw`^\s*${D_MODIFIERS}(?:mixin\s+)?template\s+(\w+)`), 'macro'],
    [new RegExp(String.raw`^\s*${D_MODIFIERS}alias\s+(\w+)\s*(?:\([^()]*\)\s*)?=`), 'type'],
    [/^\s*alias\s+[^=]*?(?!this\b)\b(\w+)\s*;/, 'type'],
    [new RegExp(String.raw`^\s*${D_MODIFIERS}(~?this)\s*\(`), 'method'],
    [
      new RegExp(
        String.raw`^\s*${D_MODIFIERS}(?:${D_TYPE}\s+)?(?<=\S\s+)(?!(?:${D_NO_NAMES})\b)(\w+)\s*(?:\([^()]*\)\s*)?\((?![^()]*\)\s*;)`,
      ),
      'function',
    ],
  ],
  signature: new RegExp(String.raw`^\s*${D_MODIFIERS}${D_TYPE}\s+(?<name>\w+)\s*(?:\([^()]*\)\s*)?\(`),
};

export const wgsl: Language = {
  id: 'wgsl',
  extensions: ['wgsl'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: words('fn struct const override var alias let'),
  shapes: [],
  patterns: [
    [/^\s*fn\s+(\w+)/, 'function'],
    [/^\s*struct\s+(\w+)/, 'struct'],
    [/^(?:const|override)\s+(\w+)/, 'constant'],
    [/^var\s*(?:<[^>]*>)?\s*(\w+)/, 'variable'],
    [/^alias\s+(\w+)/, 'type'],
  ],
};

export const odin: Language = {
  id: 'odin',
  extensions: ['odin'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: words('package'),
  shapes: ['column0'],
  patterns: [
    [/^package\s+(\w+)/, 'module'],
    [/^(\w+)\s*::\s*(?:#\w+\s+)*proc\b/, 'function'],
    [/^(\w+)\s*::\s*(?:#\w+\s+)*(?:struct|union|bit_field)\b/, 'struct'],
    [/^(\w+)\s*::\s*(?:#\w+\s+)*enum\b/, 'enum'],
    [/^(\w+)\s*::\s*(?:distinct\b|bit_set\b|map\b|\[|\^)/, 'type'],
    [/^(?!_\s)(\w+)\s*:(?:\s*[\w.]+\s*)?:(?!=)/, 'constant'],
    [/^(\w+)\s*:(?:=|\s*[^:=]+=?)/, 'variable'],
  ],
};

export const haxe: Language = {
  id: 'haxe',
  extensions: ['hx'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: words(
    'class interface enum typedef abstract final private extern public static inline override macro dynamic overload function var',
  ),
  fields: { pattern: /^\s*(?:(?:public|private|static|inline|final|override)\s+)*(?:var|final)\s+(?<name>\w+)/ },
  shapes: [],
  patterns: [
    [/^\s*(?:(?:private|extern|final|abstract)\s+)*class\s+(\w+)/, 'class'],
    [/^\s*(?:(?:private|extern)\s+)*interface\s+(\w+)/, 'interface'],
    [/^\s*(?:(?:private|extern)\s+)*enum\s+(?:abstract\s+)?(\w+)/, 'enum'],
    [/^\s*(?:(?:private|extern)\s+)*abstract\s+(\w+)\s*(?:<[^<>]*>)?\s*\(/, 'class'],
    [/^\s*(?:(?:private|extern)\s+)*typedef\s+(\w+)/, 'type'],
    [
      /^\s*(?:(?:public|private|static|inline|override|macro|dynamic|extern|overload|final|abstract)\s+)*function\s+(\w+)/,
      'function',
    ],
    [/^\s*(?:public\s+|private\s+)?static\s+(?:public\s+|inline\s+)*(?:var|final)\s+(\w+)/, 'constant'],
  ],
};
