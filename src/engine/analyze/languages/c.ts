import { words, type Language } from '../language.ts';

/** Types that the name of a function must not be mistaken for: `int (*handlers[])(void) = {`. */
const TYPES = 'void|bool|char|short|int|long|float|double|signed|unsigned|struct|union|enum|const|static|extern';

/** Pattern of a line between a comment and its definition: a template's head, a type, an attribute in a macro. */
const HEAD =
  /^\s*(?:template\b|(?!(?:else|do|public|private|protected|namespace)\b)[A-Za-z_][\w\s*&:<>,]*$|(?:__\w+|[A-Z][A-Z0-9_]*)\s*\([^;{}]*\)$)/;

/** Pattern of attributes between a keyword and the name of its type. */
const MACROS = String.raw`(?:__\w+\s+|\w+\([^)]*\)\s*|[A-Z][A-Z0-9_]*\s+|\[\[[^\]]*\]\]\s*)*(?!final\b)`;

/** Pattern of a type outside the type that contains it: `struct Table::Rep {`. */
const OWNER = String.raw`(?:(?:\w+(?:<[^<>]*>)?::)*(?<container>\w+)(?:<[^<>]*>)?::)?`;

/** Pattern of the rest of a type's head: its bases, a comment, its brace. */
const HEAD_END = String.raw`\s*(?:final\s*)?(?::(?![:;]).*)?(?:\/\*[^*]*\*\/\s*)?(?:\{.*)?$`;

/** Pattern of fields: `int a, *b;`, `unsigned c : 3;`, `void (*run)(int);`. */
const FIELDS: Language['fields'] = {
  pattern:
    /^\s*(?!\s|(?:return|using|typedef|friend|goto|delete|throw|case|template|public|private|protected)\b|(?:class|struct|union|enum)\s+\w+\s*;)(?:\}|\w(?:[\w:*&\s]|<[^;()]*>)*?)(?:[\s*&>]\s*(?!operator\b)(?<name>\w+)\b\s*(?:\[[^\]]*\]\s*)*(?::(?!:)\s*[\w()+* -]+|=[^;]*|\{[^;]*\}|__\w+[^;]*|[A-Z][A-Z0-9_]*\([^;]*)?(?<more>(?:,\s*\*?\s*\w+\s*(?:\[[^\]]*\]|:\s*\w+)?\s*)*)[;,]|\(\s*(?:\w+\s+)?\*\s*(?:\w+\s+)?(?<also>\w+)\s*(?:\[[^\]]*\])?\s*\))/,
  inner: /^\s*(?:(?:const|volatile|static)\s+)*(?:struct|union)\b[^;()=]*\{\s*(?:\/[/*].*)?$/,
};

/** Tried first, since most lines of many headers are of this form. */
const DEFINE: Language['patterns'][number] = [/^\s*#\s*define\s+(\w+)/, 'macro', 'define'];

const cPatterns: Language['patterns'] = [
  // Their name follows the body, or they have none.
  [/^\s*(?:typedef\s+)?enum\s*(?::\s*\w[\w:\s]*)?(?<late>\{.*$|$)/, 'enum', 'enum'],
  [/^\s*typedef\s+(?:struct|union)\s*(?:__\w+(?:\([^)]*\)+)?\s*)?(?<late>\{.*$|$)/, 'struct', 'typedef'],
  [/^typedef\s+[A-Z]+_(?:ENUM|OPTIONS)\s*\([^,()]*,\s*(\w+)\s*\)/, 'enum', 'typedef'],
  [
    new RegExp(
      String.raw`^\s*(?:typedef\s+)?(?:struct|union)\s+${MACROS}${OWNER}(?<name>\w+)\s*(?:<[^{;]*>)?${HEAD_END}`,
    ),
    'struct',
  ],
  [
    /^\s*(?:typedef\s+)?enum\s+(?:class\s+|struct\s+)?(\w+)\s*(?::[^:{]*)?(?:\/\*[^*]*\*\/\s*)?(?:\{.*)?$/,
    'enum',
    'enum',
  ],
  [/^\s*typedef\b.*?(\w+)\s*(?:\[[^\]]*\])?;/, 'type', 'typedef'],
  [/^\s*typedef\b.*?\(\s*(?:(?:[\w:]+\s*)?\*\s*)?(\w+)\s*\)\s*\(/, 'type', 'typedef'],
  [/^\}\s*(?:__\w+\s+)*(\w+)\s*;/, 'type', '}'],
  // TEST(Suite, Name) {
  [/^(?:\w+_)?TEST(?:_\w+)?\s*\(\s*(?<container>\w+)\s*,\s*(?<name>\w+)\s*\)/, 'function', 'TEST'],
  [/^[A-Z][A-Z0-9_]*_(?:IMPL|FUNC)\s*\(\s*(\w+)\s*\)/, 'function', '('],
  // Macros that define, with the name as first argument: SYSCALL_DEFINE3(name, …), DEFINE_PER_CPU(type, name).
  [/^(?:static\s+)?[A-Z][A-Z0-9_]*_?DEFINE[A-Z0-9_]*\s*\(\s*(\w+)/, 'function', 'DEFINE'],
  // int (*handlers[])(void) = {, and int (*find(void))(int) {
  [
    /^(?!\s|typedef\b)(?=[^(]*\(\s*\*)[\w\s*]+?[\s*]\(\s*\*[\s*]*(?:const\s+)?(\w+)\s*(?:\[[^\]]*\]\s*)*\)\s*\([^=]*=/,
    'variable',
    '(',
  ],
  [/^(?!\s|typedef\b)(?=[^(]*\(\s*\*)[\w\s*]+?[\s*]\(\s*\*[\s*]*(\w+)\s*\((?!.*;\s*$)/, 'function', '('],
  [
    new RegExp(
      String.raw`^(?!\s+[A-Z][A-Z0-9]*_[A-Z0-9_]*\(|\s*(?::[^:]|,|(?:return|else|typedef|case|goto|sizeof)\b))(?:(?:extern\s*"C"\s*)?(?:[\w*&:<>,[\]][\w*&:<>,\s[\]]*?[\s*&])?|\s+[\w*&:<>,[\]][\w*&:<>,\s[\]]*?[\s*&])(?!(?:if|for|while|switch|catch|throw|do|constexpr|noexcept|decltype|alignas|__attribute\w*|${TYPES})\b)([a-zA-Z_]\w*)\s*(?:<[^()<>]*>\s*)?\((?!.*;\s*$)`,
    ),
    'function',
    '(',
  ],
  [
    /^(?!\s)(?:static\s+)?(?:const\s+)?(?:struct\s+)?[\w\s*]+?[\s*](\w+)\s*(?:\[[^\]]*\]\s*)*=\s*\{?\s*$/,
    'variable',
    '=',
  ],
];

/** Pattern of a method in a class, where the block may open on a later line. */
const CPP_SIGNATURE =
  /^\s*(?!:[^:]|,|(?:using|typedef|friend|return|static_assert)\b)(?:[\w:*&<>,\s[\]~]*?[\s*&])?(?!(?:void|decltype|noexcept|alignas)\b|[A-Z][A-Z0-9]*_[A-Z0-9_]*\()(?:(?:\w+::)*(?<container>\w+)::)?(?<name>~?[a-zA-Z_]\w*)\s*\(/;

const cppPatterns: Language['patterns'] = [
  DEFINE,
  [
    /^(?=[^(]*?\boperator\b)\s*(?!(?:return|using)\b)(?:[\w:*&<>,\s[\]~]*?[\s*&])?(?:(?<container>\w+)(?:<[^<>]*>)?::)?(?<name>operator(?:\s*(?:\(\)|\[\]|[^\s\w()[\]]{1,3})|\s+(?:const\s+)?\w[\w:]*(?:\s*[*&])*|\s+(?:new|delete)\[\]))\s*\((?!.*;\s*$)/,
    'method',
    'operator',
  ],
  [
    new RegExp(
      String.raw`^\s*(?:template\s*<.*>\s*)?class\s+(?:[A-Z][A-Z0-9_]*(?:\([^)]*\))?\s+|__\w+(?:\([^)]*\)+)?\s+|\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*)*(?!final\b)${OWNER}(?<name>\w+)(?:<[^{;]*>)?${HEAD_END}`,
    ),
    'class',
    'class',
  ],
  [
    new RegExp(String.raw`^\s*template\s*<.*>\s*struct\s+${OWNER}(?<name>\w+)(?:<[^{;]*>)?${HEAD_END}`),
    'struct',
    'template',
  ],
  [/^\s*(?:inline\s+)?namespace\s+([\w:]+)\s*\{?/, 'module', 'namespace'],
  [/^\s*using\s+(\w+)\s*=/, 'type', 'using'],
  [/^\s*(?:template\s*<.*>\s*)?concept\s+(\w+)/, 'type', 'concept'],
  [
    /^(?=[^(]*?::)(?:[\w:*&<>,\s[\]~]*?[\s*&])?(?:\w+(?:<[^>]*>)?::)*(?<container>\w+)(?:<[^>]*>)?::(?<name>~?\w+|operator\s*\S{1,3})\s*\((?!.*;\s*$)/,
    'method',
    '::',
  ],
  [
    /^\s+(?!:[^:]|,|(?:if|for|while|switch|return|else|do|case|catch|new|delete|throw|co_return)\b)[\w:*&<>,[\]~][\w:*&<>,\s[\]~]*?[\s*&](?!(?:if|for|while|switch|catch)\b|[A-Z][A-Z0-9]*_[A-Z0-9_]*\()(~?[a-zA-Z_]\w*)\s*\([^{;]*(?:\{[^}]*\}[^{;]*)?\{.*$/,
    'method',
    '(',
  ],
  ...cPatterns,
];

export const cpp: Language = {
  id: 'cpp',
  extensions: words(
    'cc cpp cxx c++ hpp hh hxx h++ inl ipp tpp cu cuh metal hlsl hlsli ' +
      'fxh cginc glsl vert frag comp geom tesc tese tcc ino pde mq4 mq5 yy gdshader',
  ),
  style: 'brace',
  comments: ['//', '/*'],
  leaders: words('class struct union enum namespace template using typedef define inline concept'),
  attributes: '[',
  shapes: ['column0', 'call'],
  attributeMacros: true,
  head: HEAD,
  needsBody: true,
  fields: FIELDS,
  patterns: cppPatterns,
  signature: CPP_SIGNATURE,
};

export const objectiveC: Language = {
  id: 'objective-c',
  extensions: ['m', 'mm'],
  style: 'brace',
  comments: ['//', '/*'],
  leaders: [...cpp.leaders, ...words('interface implementation protocol property')],
  shapes: ['column0', 'call', 'sign'],
  attributeMacros: true,
  head: HEAD,
  needsBody: true,
  fields: FIELDS,
  closer: /^@end\b/,
  patterns: [
    [/^(?:[A-Z_]+\s+)*@interface\s+(?:[A-Z_]+\(\s*)?(\w+)/, 'class', '@interface'],
    [/^@implementation\s+(\w+)/, 'extension', '@implementation'],
    [/^@protocol\s+(\w+)(?!.*[;,])/, 'interface'],
    [/^@property\b.*?(\w+)\s*(?:\w+\([^()]*\)\s*)*;/, 'variable'],
    [/^[-+]\s*\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)\s*(\w+)/, 'method'],
    ...cppPatterns,
  ],
};

export const c: Language = {
  id: 'c',
  extensions: ['c', 'h', 'y', 'l'],
  style: 'brace',
  comments: ['//', '/*'],
  leaders: words('struct union enum typedef define class inline'),
  shapes: ['column0'],
  attributeMacros: true,
  head: HEAD,
  needsBody: true,
  fields: FIELDS,
  patterns: [DEFINE, ...cPatterns],
};
