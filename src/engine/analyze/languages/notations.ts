import { words, type Language } from '../language.ts';

export const proto: Language = {
  id: 'proto',
  extensions: ['proto'],
  style: 'brace',
  comments: ['//', '/*'],
  leaders: words('message service enum rpc'),
  fields: {
    pattern: /^\s*(?:(?:optional|required|repeated)\s+)?[\w.]+(?:<[^>]*>)?\s+(?<name>\w+)\s*=\s*\d/,
    inner: /^\s*oneof\s+\w+\s*\{\s*$/,
  },
  shapes: [],
  patterns: [
    [/^\s*message\s+(\w+)/, 'struct'],
    [/^\s*service\s+(\w+)/, 'interface'],
    [/^\s*enum\s+(\w+)/, 'enum'],
    [/^\s*rpc\s+(\w+)/, 'method'],
  ],
};

export const sql: Language = {
  id: 'sql',
  extensions: ['sql', 'pks', 'pkb', 'pls', 'plsql', 'ddl', 'hql', 'cql'],
  ignoresCase: true,
  style: 'statement',
  comments: ['--'],
  leaders: words('CREATE create Create'),
  shapes: [],
  patterns: [
    [
      /^\s*create\s+(?:or\s+(?:replace|alter)\s+)?(?:definer\s*=\s*\S+\s+)?(?:function|procedure|proc|aggregate)\s+(?:if\s+not\s+exists\s+)?(?:[`"[]?\w+[`"\]]?\.)*[`"[]?(\w+)/i,
      'function',
    ],
    [
      /^\s*create\s+(?:or\s+replace\s+)?(?:temp\w*\s+|unique\s+|materialized\s+)*\w+\s+(?:if\s+not\s+exists\s+)?[`"[]?(?:\w+\.)?(\w+)/i,
      'struct',
    ],
  ],
};

/** A language of documents, whose definitions are its headings. */
function documents(
  id: NonNullable<Language['headings']>,
  extensions: readonly string[],
  comments: readonly string[] = [],
): Language {
  return { id, headings: id, extensions, style: 'indent', comments, leaders: [], shapes: [], patterns: [] };
}

export const markdown = documents('markdown', ['md', 'mdx', 'markdown', 'qmd', 'rmd']);
export const restructuredText = documents('restructuredtext', ['rst', 'rest']);
export const asciidoc = documents('asciidoc', ['adoc', 'asciidoc', 'asc'], ['//']);
export const tex = documents('tex', ['tex', 'ltx', 'sty'], ['%']);
export const org = documents('org', ['org']);

/** A language of data, whose definitions are its sections. */
function data(
  id: string,
  sections: NonNullable<Language['sections']>,
  extensions: readonly string[],
  comments: readonly string[] = [],
): Language {
  return { id, sections, extensions, style: 'indent', comments, leaders: [], shapes: [], patterns: [] };
}

export const json = data('json', 'json', ['json', 'jsonc', 'json5', 'ndjson', 'jsonl']);
export const yaml = data('yaml', 'yaml', ['yaml', 'yml'], ['#']);
export const xml = data(
  'xml',
  'xml',
  words(
    'xml xsd xsl xslt wsdl plist csproj fsproj vbproj vcxproj proj props targets nuspec pom resx ui glade gir storyboard xib wxs xlf xliff axml',
  ),
);
export const toml = data('toml', 'table', ['toml'], ['#']);
export const ini = data(
  'ini',
  'table',
  ['ini', 'cfg', 'conf', 'properties', 'service', 'socket', 'timer', 'desktop', 'editorconfig'],
  ['#', ';'],
);

export const makefile: Language = {
  id: 'makefile',
  extensions: ['mk', 'mak'],
  fileNames: ['Makefile', 'makefile', 'GNUmakefile', 'Kbuild', 'justfile', 'Justfile'],
  style: 'indent',
  comments: ['#'],
  leaders: [],
  shapes: ['column0'],
  patterns: [[/^([\w./%-]+)\s*:(?!=)/, 'function']],
};
