// Languages of which only the heads of blocks and statements are definitions: of builds, infrastructure, schemas and styles.
import { words, type Language } from '../language.ts';

export const cmake: Language = {
  id: 'cmake',
  extensions: ['cmake'],
  fileNames: ['CMakeLists.txt'],
  style: 'indent',
  comments: ['#'],
  leaders: words(
    'function macro project option set add_library add_executable add_custom_target FUNCTION MACRO PROJECT OPTION SET ' +
      'ADD_LIBRARY ADD_EXECUTABLE ADD_CUSTOM_TARGET',
  ),
  shapes: [],
  closer: /^\s*end(?:function|macro)\b/i,
  patterns: [
    [/^\s*function\s*\(\s*([\w.+-]+)/i, 'function'],
    [/^\s*macro\s*\(\s*([\w.+-]+)/i, 'macro'],
    [/^\s*project\s*\(\s*([\w.+-]+)/i, 'module'],
    [/^\s*add_(?:library|executable|custom_target)\s*\(\s*([\w.+-]+)/i, 'function'],
    [/^\s*option\s*\(\s*(\w+)/i, 'variable'],
    [/^\s*set\s*\(\s*(\w+)/i, 'variable'],
  ],
};

export const terraform: Language = {
  id: 'terraform',
  extensions: ['tf', 'hcl', 'tfvars'],
  style: 'brace',
  comments: ['#', '//', '/*'],
  leaders: words('resource data variable output module provider locals'),
  shapes: [],
  patterns: [
    [/^(?:resource|data)\s+"(?<container>[^"]+)"\s+"(?<name>[^"]+)"/, 'struct'],
    [/^(?:variable|output)\s+"([^"]+)"/, 'variable'],
    [/^module\s+"([^"]+)"/, 'module'],
    [/^provider\s+"([^"]+)"/, 'struct'],
  ],
};

export const graphql: Language = {
  id: 'graphql',
  extensions: ['graphql', 'gql', 'graphqls'],
  style: 'brace',
  comments: ['#'],
  leaders: words('type interface enum input union scalar directive extend query mutation subscription fragment'),
  shapes: [],
  patterns: [
    [/^extend\s+(?:type|interface|enum|input|union)\s+(\w+)/, 'extension'],
    [/^(?:type|input)\s+(\w+)/, 'struct'],
    [/^interface\s+(\w+)/, 'interface'],
    [/^enum\s+(\w+)/, 'enum'],
    [/^(?:union|scalar)\s+(\w+)/, 'type'],
    [/^directive\s+@(\w+)/, 'function'],
    [/^(?:query|mutation|subscription|fragment)\s+(\w+)/, 'function'],
  ],
  signature: /^\s*(?<name>\w+)\s*\(/,
  fields: { pattern: /^\s*(?<name>\w+)\s*:/ },
};

export const powershell: Language = {
  id: 'powershell',
  extensions: ['ps1', 'psm1'],
  ignoresCase: true,
  interpreters: ['pwsh'],
  style: 'brace',
  comments: ['#'],
  leaders: words('function Function FUNCTION filter Filter workflow class Class enum Enum'),
  shapes: [],
  patterns: [
    [/^\s*(?:function|filter|workflow)\s+(?:(?:global|script|local|private):)?([\w-]+)/i, 'function'],
    [/^\s*class\s+(\w+)/i, 'class'],
    [/^\s*enum\s+(\w+)/i, 'enum'],
  ],
  signature:
    /^\s*(?:(?:static|hidden)\s+)*(?:\x5b[^(){}=]*\]\s*(?<name>\w+)|(?<type>\w+))\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?:\{|$)/i,
};

export const css: Language = {
  id: 'css',
  extensions: ['css', 'scss', 'sass', 'less'],
  style: 'brace',
  comments: ['/*'],
  leaders: [],
  shapes: ['sign', 'column0'],
  patterns: [
    [/^\s*@mixin\s+([\w-]+)/, 'function'],
    [/^\s*@function\s+([\w-]+)/, 'function'],
    [/^\s*@(?:-\w+-)?keyframes\s+([\w-]+)/, 'function'],
    [/^\s*(--[\w-]+)\s*:/, 'variable'],
    [/^[$@]([\w-]+)\s*:/, 'variable'],
    [/^\s*%([\w-]+)\s*\{/, 'class'],
    // What a rule is for: the last class or id of its selector.
    [/^\s*(?![^{]*:\s)[^{};@]*[.#](?![\da-f]{3}(?:[\da-f]{3})?\b)([a-zA-Z_-][\w-]*)[^{};.#]*(?:\{|,\s*$)/, 'class'],
  ],
};

export const thrift: Language = {
  id: 'thrift',
  extensions: ['thrift'],
  style: 'brace',
  comments: ['//', '/*', '#'],
  leaders: words('struct union exception enum service typedef const'),
  shapes: [],
  patterns: [
    [/^\s*(?:struct|union|exception)\s+(\w+)/, 'struct'],
    [/^\s*enum\s+(\w+)/, 'enum'],
    [/^\s*service\s+(\w+)/, 'interface'],
    [/^\s*typedef\s+.*?(\w+)\s*[,;]?\s*$/, 'type'],
    [/^\s*const\s+\S+\s+(\w+)\s*=/, 'constant'],
  ],
  signature: /^\s*(?:oneway\s+)?\w[\w.<>,\s]*\s(?<name>\w+)\s*\(/,
  fields: { pattern: /^\s*\d+\s*:\s*(?:(?:required|optional)\s+)?[\w.]+(?:<[^;=]*>)?\s+(?<name>\w+)/ },
};

export const prisma: Language = {
  id: 'prisma',
  extensions: ['prisma'],
  style: 'brace',
  comments: ['//'],
  leaders: words('model view type enum generator datasource'),
  shapes: [],
  patterns: [
    [/^(?:model|view|type)\s+(\w+)/, 'struct'],
    [/^enum\s+(\w+)/, 'enum'],
    [/^(?:generator|datasource)\s+(\w+)/, 'module'],
  ],
  fields: { pattern: /^\s+(?<name>\w+)\s+[A-Z]\w*[[\]?]*(?:\s|$)/ },
};
