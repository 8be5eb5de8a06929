import { assembly, batch, cobol } from './languages/assembly.ts';
import { abap, ada, bsl, fortran, matlab, pascal, verilog, vhdl, vim, visualBasic } from './languages/blocks.ts';
import { cpp, c, objectiveC } from './languages/c.ts';
import { d, go, haxe, odin, rust, swift, wgsl, zig, dart, solidity } from './languages/compiled.ts';
import {
  elixir,
  elm,
  fsharp,
  gleam,
  haskell,
  erlang,
  clojure,
  ocaml,
  julia,
  purescript,
  rescript,
} from './languages/functional.ts';
import * as domains from './languages/domains.ts';
import { cmake, css, graphql, powershell, prisma, terraform, thrift } from './languages/heads.ts';
import { bicep, dockerfile, nix, puppet, rego } from './languages/infrastructure.ts';
import { apex, java, csharp, groovy, kotlin, scala, vala } from './languages/java.ts';
import { typescript, javascript } from './languages/javascript.ts';
import { lisp } from './languages/lisps.ts';
import { PAGES, haml, pug, slim } from './languages/markup.ts';
import {
  asciidoc,
  ini,
  json,
  makefile,
  markdown,
  org,
  proto,
  restructuredText,
  sql,
  tex,
  toml,
  xml,
  yaml,
} from './languages/notations.ts';
import {
  awk,
  coffeescript,
  crystal,
  gdscript,
  nim,
  python,
  ruby,
  php,
  lua,
  shellscript,
  perl,
  r,
  tcl,
} from './languages/scripts.ts';
import { allLetters, type Language } from './language.ts';
import { isNotebook } from './notebookName.ts';

const WRITTEN: readonly Language[] = [
  python,
  typescript,
  javascript,
  go,
  rust,
  java,
  csharp,
  kotlin,
  scala,
  swift,
  cpp,
  c,
  ruby,
  php,
  elixir,
  lua,
  zig,
  haskell,
  shellscript,
  dart,
  perl,
  r,
  erlang,
  clojure,
  ocaml,
  proto,
  sql,
  markdown,
  restructuredText,
  asciidoc,
  tex,
  org,
  makefile,
  objectiveC,
  cmake,
  terraform,
  graphql,
  powershell,
  groovy,
  solidity,
  julia,
  lisp,
  css,
  fortran,
  pascal,
  ada,
  visualBasic,
  vhdl,
  verilog,
  matlab,
  vim,
  coffeescript,
  crystal,
  gdscript,
  nim,
  tcl,
  fsharp,
  elm,
  gleam,
  d,
  wgsl,
  ...PAGES,
  haml,
  pug,
  slim,
  thrift,
  prisma,
  assembly,
  awk,
  batch,
  bicep,
  cobol,
  dockerfile,
  haxe,
  nix,
  odin,
  puppet,
  purescript,
  rego,
  rescript,
  vala,
  apex,
  abap,
  bsl,
  ...Object.values(domains),
  json,
  xml,
  yaml,
  toml,
  ini,
];

/** All languages with definitions. If two have the same extension, the first wins. */
export const LANGUAGES: readonly Language[] = WRITTEN.map((language) => ({
  ...language,
  patterns: language.patterns.map(([pattern, kind, contained]) => [allLetters(pattern), kind, contained] as const),
  ...(language.signature && { signature: allLetters(language.signature) }),
  ...(language.fields && { fields: { ...language.fields, pattern: allLetters(language.fields.pattern) } }),
  ...(language.head && { head: allLetters(language.head) }),
}));

/** Languages of documents: their definitions are headings. */
export const DOCUMENTS: ReadonlySet<string> = new Set(LANGUAGES.filter(({ headings }) => headings).map(({ id }) => id));

/** Languages without definitions that are still worth a name, for `lang:` filters and statistics. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  svg: ['svg'],
  csv: ['csv', 'tsv'],
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
  ...Object.entries(PLAIN).map(([id, extensions]): Language => ({
    ...PLAIN_TEXT,
    id,
    extensions,
  })),
];

/** The ids of the languages that ignore the case of names. */
export const IGNORING_CASE: ReadonlySet<string> = new Set(
  ALL_LANGUAGES.filter(({ ignoresCase }) => ignoresCase).map(({ id }) => id),
);
for (const language of ALL_LANGUAGES.toReversed()) {
  for (const extension of language.extensions) byExtension.set(extension, language);
  for (const name of language.fileNames ?? []) byFileName.set(name, language);
  for (const name of language.interpreters ?? []) byInterpreter.set(name, language);
}

const PAGE_IDS: ReadonlySet<string> = new Set(PAGES.map(({ id }) => id));
const dataTemplates = new Map<string, Language>();

/** The language of a template that makes the file `inner`: if that is data, the template has its sections, too. */
function withSections(page: Language, inner: string): Language {
  const data = byExtension.get(inner.slice(inner.lastIndexOf('.') + 1).toLowerCase());
  if (!data?.sections || !inner.includes('.')) return page;
  const key = `${data.id}.${page.id}`;
  const known = dataTemplates.get(key);
  if (known) return known;
  const template: Language = { ...page, sections: data.sections, comments: data.comments };
  dataTemplates.set(key, template);
  return template;
}

/** Extensions of components, in languages whose other files are none. */
const COMPONENT = /\.(?:vue|svelte|astro)$/;

/** Whether a page is one of documentation, rather than of a program. */
export function isManual(path: string, { id }: Language): boolean {
  return id === 'html' && /(?:^|\/)(?:docs?|documentation|javadoc|man|manual|site)\//i.test(path);
}

/** The name that a template or component has from its file: `form` of `_form.html.erb`. An `index` has none. */
export function nameFromFile(path: string, language: Language): string | undefined {
  if (isManual(path, language) || (!language.isNamedByFile && !COMPONENT.test(path))) return undefined;
  return /^_?(?!index\.)(\w[^.]*)/.exec(path.slice(path.lastIndexOf('/') + 1))?.[1];
}

/** Files that are named like those of another language, by how they begin. */
const NAMED_LIKE: ReadonlyMap<string, readonly (readonly [begins: RegExp, language: Language])[]> = new Map([
  [
    'cls',
    [
      [/^\s*VERSION\b/, visualBasic],
      [/^\s*[%\\]/, tex],
    ],
  ],
  ['m', [[/^\s*(?:%|function\b|classdef\b)/, matlab]]],
  ['pp', [[/^\s*(?:\{|\(\*|\/\/|(?:unit|program|library)\s)/i, pascal]]],
]);

/** The first word of a file that is named for a tool: `Dockerfile.dev`, `Makefile.am`. A lock file is in no language. */
const TOOL_FILE = /^[A-Z]\w*file(?=$|[.-](?!lock$))/i;

/** The language of a file, by its name or else by its `#!` line. `head` is the beginning of its text. */
export function languageOf(path: string, head = ''): Language {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const extension = dot < 0 ? '' : name.slice(dot + 1);
  const [, other] = NAMED_LIKE.get(extension.toLowerCase())?.find(([begins]) => begins.test(head)) ?? [];
  if (other) return other;
  const tool = TOOL_FILE.exec(name)?.[0];
  const known =
    byFileName.get(name) ??
    byExtension.get(extension) ??
    byExtension.get(extension.toLowerCase()) ??
    (tool !== undefined ? (byFileName.get(tool) ?? byExtension.get(tool.toLowerCase())) : undefined);
  // Notebooks come as the text of their cells, or else as they are.
  if (isNotebook(name)) return byExtension.get(head.trimStart().startsWith('{') ? 'json' : 'py')!;
  if (known) return PAGE_IDS.has(known.id) ? withSections(known, name.slice(0, dot)) : known;
  const interpreter = /^#!\s*\S*?([\w.+-]+?)[\d.]*(?:\s+(?:-\S+\s+)*([\w.+-]+?)[\d.]*)?(?:\s|$)/.exec(head);
  const program = interpreter?.[1] === 'env' ? interpreter[2] : interpreter?.[1];
  return (program !== undefined ? byInterpreter.get(program) : undefined) ?? PLAIN_TEXT;
}
