import { words, type Language } from '../language.ts';

const JS_NAME = String.raw`([\w$]+)`;
const JS_MODIFIERS =
  '(?:(?:public|private|protected|static|async|override|abstract|declare|accessor|readonly|get|set)\\s+)*';
const JS_NOT_A_NAME =
  '(?!(?:if|for|while|switch|catch|function|return|with|else|do|new|await|super|typeof|throw|yield|case)\\b)';
/** Pattern of `export default` and its equivalent in a CommonJS module, `module.exports =`. */
const JS_EXPORT = String.raw`(?:export\s+(?:default\s+)?|module\.exports\s*=\s*)?(?:declare\s+)?`;

/** Pattern of a function after `=` or `:`, whose parameters may have function types. */
const JS_FUNCTION = String.raw`(?:async\b\s*)?(?:function\b|(?:<[^()=]*>\s*)?\((?:[^()]|\([^()]*\))*\)\s*(?::[^=;]+)?=>|[\w$]+\s*=>|\(\s*$)`;

/** Pattern of `exports.name =`, with further names that get the same value. */
const JS_EXPORTED = String.raw`^\s*(?:[\w$]+\.)*exports\.(?<name>[\w$]+)\s*=\s*(?:(?:[\w$]+\.)*[\w$]+\s*=\s*(?!=))*`;

const javascriptPatterns: Language['patterns'] = [
  [new RegExp(String.raw`^\s*${JS_EXPORT}(?:async\s+)?function\b\s*\*?\s*${JS_NAME}`), 'function'],
  [new RegExp(String.raw`^\s*${JS_EXPORT}(?:abstract\s+)?class\s+(?!extends\b)${JS_NAME}`), 'class'],
  [new RegExp(String.raw`^\s*(?:export\s+)?(?:const|let|var)\s+${JS_NAME}\s*(?::[^=]+)?=\s*class\b`), 'class'],
  [new RegExp(String.raw`${JS_EXPORTED}class\b`), 'class'],
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
  [new RegExp(JS_EXPORTED + JS_FUNCTION), 'function'],
  [new RegExp(String.raw`(?!.*=\s*void 0\b)${JS_EXPORTED}(?:(?<value>[\w$]+)\s*;?\s*(?:\/\/.*)?$)?`), 'variable'],
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

/** Pattern of a property of a class, an interface or a type. */
const JS_FIELDS: Language['fields'] = {
  pattern:
    /^\s*(?:(?:public|private|protected|static|override|abstract|declare|accessor|readonly)\s+)*(?<name>#?[\w$]+)\s*[?!]?\s*(?::|=(?![=>])|[;,]?\s*$)/,
  inner: /^(?!\s*static\b)[^=()]*[{<[]\s*$/,
};

const javascriptLeaders = words(
  'export default async function class interface type enum namespace module declare abstract const let var exports ' +
    'prototype public private protected static override readonly get set constructor accessor',
);

/** What both languages have in common. */
const ecmascript = {
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: javascriptLeaders,
  shapes: ['call', 'binding'],
  patterns: javascriptPatterns,
  signature: JS_SIGNATURE,
  fields: JS_FIELDS,
} as const satisfies Partial<Language>;

export const typescript: Language = {
  id: 'typescript',
  extensions: ['ts', 'tsx', 'mts', 'cts', 'vue', 'svelte', 'astro'],
  ...ecmascript,
};

export const javascript: Language = {
  id: 'javascript',
  extensions: ['js', 'jsx', 'mjs', 'cjs'],
  interpreters: ['node', 'deno', 'bun'],
  ...ecmascript,
};
