import { words, type Language } from '../language.ts';

const MODIFIERS =
  'public|private|protected|internal|static|final|abstract|sealed|async|override|virtual|readonly|partial|' +
  'synchronized|native|default|strictfp|extern|unsafe|new|non-sealed|record';
const JAVA_MODIFIERS = String.raw`(?:(?:${MODIFIERS})\s+)*`;

const patternsWith = (modifiers: string): Language['patterns'] => [
  [new RegExp(String.raw`^\s*${modifiers}(?:class|record)\s+(?:(?:class|struct)\s+)?(\w+)`), 'class'],
  [new RegExp(String.raw`^\s*${modifiers}@?interface\s+(\w+)`), 'interface'],
  [new RegExp(String.raw`^\s*${modifiers}enum\s+(?:class\s+|struct\s+)?(\w+)`), 'enum'],
  [new RegExp(String.raw`^\s*${modifiers}struct\s+(\w+)`), 'struct'],
  [new RegExp(String.raw`^\s*namespace\s+([\w.]+)`), 'module'],
  [new RegExp(String.raw`^\s*${modifiers}(?:delegate\s+)[\w<>[\],.?\s]+\s+(\w+)\s*[(<]`), 'type'],
  [
    new RegExp(
      String.raw`^\s*${modifiers}(?:<[^>]+(?:<[^>]*>)?[^>]*>\s+)?(?!(?:return|new|else|throw|if|for|while|switch|catch|await|using|lock|do|assert|yield|goto|case)\b)\w[\w<>[\],.?&\s]*?\s+(?!(?:if|for|foreach|while|switch|catch|using|lock|fixed)\b)(\w+)\s*(?:<[^>]*>)?\s*\(`,
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
      String.raw`^\s*(?:(?:public|private|protected|internal|static|override|virtual|abstract)\s+)+(?!final\b)[\w<>[\],.?]+\s+(\w+)\s*(?:\{|=>|$)`,
    ),
    'variable',
  ],
];

const javaPatterns = patternsWith(JAVA_MODIFIERS);

/** Pattern of a method without a modifier, or a constructor, right inside a class or interface. */
const JAVA_SIGNATURE = new RegExp(
  String.raw`^\s*${JAVA_MODIFIERS}(?:(?:<[^()]*>\s*)?(?!(?:return|new|else|throw|await|try|using|case)\b)\w[\w<>[\],.?&\s]*[\s.](?<name>\w+)|(?<type>\w+))\s*(?:<[^<>()]*>\s*)?\(`,
);

const CSHARP_SIGNATURE = new RegExp(
  String.raw`${JAVA_SIGNATURE.source}|^\s*${JAVA_MODIFIERS}\w[\w<>[\],.?]*\s+(?<property>\w+)\s*\{\s*(?:get|set|init)\b`,
);

/** Pattern of fields: `private final Map<K, V> a = …`, `int b, c;`; `event` is C#'s. */
const JAVA_FIELDS: Language['fields'] = {
  pattern: new RegExp(
    String.raw`^\s*(?:(?:public|private|protected|internal|static|final|readonly|const|volatile|transient|new|unsafe|event|required|override|virtual|abstract|def)\s+)*(?!\s|(?:return|package|import|throw|throws|using|namespace|case|goto|else|new|class|interface|enum|extends|implements)\b)\w(?:[\w.?@&[\]]|<[^;()=]*>|,\s)*\s+(?<name>\w+)\s*(?:\[\]\s*)*(?:=(?![=>])[^,;]*)?(?<more>(?:,\s*\w+\s*(?:=[^,;]*)?)*)(?:;|,\s*$|=|$|\{\s*(?:get|set|init|add)\b)`,
  ),
};

const javaLeaders = words(
  'public private protected internal static final abstract sealed async override virtual readonly partial synchronized ' +
    'native default strictfp extern unsafe new non class interface enum record struct namespace delegate void int long ' +
    'boolean bool char byte short float double string String',
);

export const java: Language = {
  id: 'java',
  extensions: ['java'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: javaLeaders,
  shapes: ['call'],
  patterns: javaPatterns,
  signature: JAVA_SIGNATURE,
  fields: JAVA_FIELDS,
};

export const groovy: Language = {
  id: 'groovy',
  extensions: ['groovy', 'gradle', 'gvy', 'nf'],
  fileNames: ['Jenkinsfile'],
  interpreters: ['groovy'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: [...javaLeaders, ...words('def trait task tasks stage process workflow')],
  shapes: ['call'],
  patterns: [
    [/^\s*(?:\w+\s+)*def\s+(?:<[^>]*>\s*)?(\w+)\s*\(/, 'function'],
    [/^\s*(?:\w+\s+)*trait\s+(\w+)/, 'class'],
    [/^\s*task\s+(\w+)/, 'function'],
    // Of Nextflow.
    [/^(?:process|workflow)\s+(\w+)\s*\{/, 'function'],
    [/^\s*(?:tasks\.(?:register|create|named)|stage)\s*\(\s*['"]([^'"]+)['"]/, 'function'],
    [/^def\s+(\w+)\s*=/, 'variable'],
    // A call with a block, `dependencies {`, has no type before its name.
    ...javaPatterns,
  ],
  signature: JAVA_SIGNATURE,
  fields: JAVA_FIELDS,
};

export const csharp: Language = {
  id: 'csharp',
  extensions: ['cs', 'csx'],
  style: 'brace',
  fileModules: true,
  comments: ['//', '/*'],
  attributes: '[',
  leaders: javaLeaders,
  shapes: ['call'],
  patterns: javaPatterns,
  signature: CSHARP_SIGNATURE,
  fields: JAVA_FIELDS,
};

/** Types of Vala, which may be named with their namespace: `class Gtk.Button`. */
const VALA_TYPES = (['class', 'interface', 'struct', 'enum'] as const).map(
  (kind) =>
    [
      new RegExp(String.raw`^\s*${JAVA_MODIFIERS}${kind === 'enum' ? '(?:enum|errordomain)' : kind}\s+(?:\w+\.)*(\w+)`),
      kind,
    ] as const,
);

export const vala: Language = {
  ...csharp,
  id: 'vala',
  extensions: ['vala', 'vapi'],
  leaders: [...javaLeaders, ...words('namespace signal delegate errordomain')],
  patterns: [...VALA_TYPES, ...javaPatterns],
};

export const kotlin: Language = {
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
      /^\s*(?:[a-z]+\s+)*fun\s+(?:<.*?>\s*)?(?:(?:\w+\.)*(?<container>\w+)(?:<[\w<>?,*\s.]*>)?\??\.)?`?(?<name>\w+(?:(?<=`\w+)[^`]+)?)`?\s*\(/,
      'function',
    ],
    [/^\s*(?:[a-z]+\s+)*enum\s+class\s+(\w+)/, 'enum'],
    [/^\s*(?:[a-z]+\s+)*(?:class|object)\s+(\w+)/, 'class'],
    [/^\s*(?:[a-z]+\s+)*(?:fun\s+)?interface\s+(\w+)/, 'interface'],
    [/^\s*(?:[a-z]+\s+)*typealias\s+(\w+)/, 'type'],
    [/^\s*(?:[a-z]+\s+)*(?:val|var)\s+(?:<[^>]*>\s*)?(?:[\w<>?]+\.)?(\w+)/, 'variable'],
  ],
};

export const scala: Language = {
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
  fields: { pattern: /^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*(?:val|var)\s+(?<name>\w+)/ },
  patterns: [
    [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*def\s+([\w$]+|[^\s\w([]+)/, 'function'],
    [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*(?:class|object)\s+(\w+)/, 'class'],
    [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*trait\s+(\w+)/, 'interface'],
    [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*enum\s+(\w+)/, 'enum'],
    [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*type\s+(\w+)/, 'type'],
    [/^\s*(?:[a-z]+(?:\[[^\]]*\])?\s+)*given\s+(\w+)/, 'variable'],
    [/^\s{0,2}(?:[a-z]+(?:\[[^\]]*\])?\s+)*(?:val|var)\s+(\w+)/, 'variable'],
  ],
};

/** The language of Salesforce. */
export const apex: Language = {
  ...java,
  id: 'apex',
  extensions: ['cls', 'trigger'],
  ignoresCase: true,
  leaders: [...javaLeaders, ...words('global webservice trigger')],
  patterns: [
    [/^\s*trigger\s+(\w+)\s+on\s/i, 'function'],
    ...patternsWith(String.raw`(?:(?:${MODIFIERS}|global|webservice|(?:with|without|inherited)\s+sharing)\s+)*`).map(
      ([pattern, kind]) => [new RegExp(pattern.source, 'i'), kind] as const,
    ),
  ],
};
