import { DOCUMENTS, isManual, languageOf } from '../analyze/languages.ts';
import { isNotebook } from '../analyze/notebookName.ts';
import { stem } from '../analyze/words.ts';

/** Forms of files beside code. A question seldom asks for one without saying so. */
export type FileForm = 'prose' | 'data' | 'built' | 'history' | 'tooling';

/** Output that is committed: of a bundler, a generator, a package manager, a test with snapshots. */
const BUILT =
  /(?:^|\/)(?:dist|out|umd|cjs|esm|bundles?|generated|_?gen)\/|[.-]min\.|\.(?:map|snap|lock|sum)$|(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml)$/i;
/** Files for builds and contributors: in hidden folders, outer folders of scripts, or by a well-known name. */
const TOOLING =
  /(?:^|\/)\.[^/]+\/|^(?:scripts?|tools?|ci|hack|contrib|packaging|docker)\/|(?:^|\/)(?:setup\.py|conftest\.py|noxfile\.py|[^/]+\.config\.[cm]?[jt]s|CMakeLists\.txt|(?:GNU)?Makefile[^/]*|Rakefile|Gemfile|Dockerfile[^/]*|build\.(?:gradle|gradle\.kts|rs|sbt|zig)|[^/]+\.(?:gemspec|podspec|cabal|gradle|sbt|cmake)|mix\.exs|Package\.swift|configure(?:\.ac)?)$/i;
/** Names of prose about what changed, version by version. */
const CHANGES = 'change-?logs?|changes|history|news|releases?|release-?notes|what-?s-?new';
const CHANGE_LOG = proseOf(CHANGES);
/** Prose that mentions everything, and explains nothing. */
const HISTORY = proseOf(
  String.raw`${CHANGES}|upgrad\w*|migrat\w*|authors|contributors|contributing|todo|licen[sc]es?|copying|notice|security`,
);
const DATA: ReadonlySet<string> = new Set(['json', 'yaml', 'toml', 'xml', 'svg', 'css', 'ini', 'csv']);
/** A text without an extension, or one that says no more. */
const PLAIN_PROSE = /(?:^|\/)[^/.]+$|\.(?:txt|text|rdoc|pod|textile|man|\d)$/i;

/** Words of a query that ask for files of a form. */
const ASKING: Readonly<Record<FileForm, ReadonlySet<string>>> = {
  prose: stems('doc docs documentation readme guide tutorial manual faq'),
  data: stems('workflow style styles stylesheet translation locale'),
  built: stems('dist bundle minified lock lockfile snapshot generated'),
  history: stems('changelog release history license upgrade migration contributing'),
  tooling: stems('script tool build ci setup docker makefile packaging'),
};

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').map(stem));
}

/** The form of a file by its path; `undefined` for code. */
export function formOf(path: string): FileForm | undefined {
  if (BUILT.test(path)) return 'built';
  if (TOOLING.test(path)) return 'tooling';
  if (isNotebook(path)) return 'prose';
  const language = languageOf(path);
  const { id } = language;
  const isPlain = id === 'plaintext';
  if (!isPlain && !DOCUMENTS.has(id) && !isManual(path, language)) return DATA.has(id) ? 'data' : undefined;
  if (HISTORY.test(path)) return 'history';
  return isPlain && !PLAIN_PROSE.test(path) ? 'data' : 'prose';
}

function proseOf(names: string): RegExp {
  return new RegExp(String.raw`(?:^|\/)(?:${names})(?:[._-][^/]*)?(?:$|\/)`, 'i');
}

/** Whether a file lists what changed, version by version. */
export function isChangeLog(path: string): boolean {
  return CHANGE_LOG.test(path);
}

/** Whether a query, by its stemmed words, asks for a file of the form: by a word for it, or by the file's extension. */
export function asksFor(form: FileForm, path: string, words: ReadonlySet<string>): boolean {
  for (const word of ASKING[form]) if (words.has(word)) return true;
  return words.has(stem(/[^./]*$/.exec(path)![0].toLowerCase()));
}
