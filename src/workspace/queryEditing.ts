import { parseQueryLanguage, type QueryFilter } from '../engine/query/queryLanguage.ts';
import { formatFilter } from '../engine/query/unfinished.ts';
import { symbolQuery } from './symbolQuery.ts';

/* Changes of a query by buttons. The query stays text, so each change can be typed, too. */

/** Kinds of files: code, tests, documents. */
export const FILE_KINDS = ['source', 'tests', 'docs'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** Parts of a query that buttons show and change. */
export interface QueryParts {
  readonly languages: readonly string[];
  /** Folders from the top, such as `/src/net/`. */
  readonly folders: readonly string[];
  readonly kind: FileKind | null;
  readonly isChanged: boolean;
  readonly isSymbol: boolean;
}

/** Paths of tests by their folder or name, and names of documents. Patterns without spaces, for one filter each. */
const TESTS =
  '{{test,tests,__tests__,spec,specs,e2e}/**,test_*,*{.,_,-}{test,spec}.*,*{Test,Tests}.{java,kt,cs,scala}}';
/** A folder of tests itself, of which all files are tests. */
const TEST_FOLDER = /\/(?:tests?|__tests__|specs?|e2e)\//i;
const DOCS = '*.{md,mdx,rst,adoc,txt}';
/** Between a folder and the tests anywhere below it. */
const BELOW = '**/';

/** The parts of a query that its filters express. */
export function partsOf(query: string): QueryParts {
  const { filters } = parseQueryLanguage(query);
  const languages: string[] = [];
  const folders: string[] = [];
  let kind: FileKind | null = null;
  let isChanged = false;
  let isSymbol = false;
  for (const filter of filters) {
    kind = kindOf(filter) ?? kind;
    const { field, pattern, exclude } = filter;
    if (exclude) continue;
    const folder = folderOf(filter);
    if (folder !== undefined) folders.push(folder);
    if (field === 'lang') languages.push(pattern.toLowerCase());
    isChanged ||= field === 'changed';
    isSymbol ||= field === 'sym';
  }
  return { languages, folders: [...new Set(folders)], kind, isChanged, isSymbol };
}

/** Adds a language to a query, or removes it. */
export function toggleLanguage(query: string, language: string): string {
  const isIt = ({ field, pattern, exclude }: QueryFilter): boolean =>
    field === 'lang' && !exclude && pattern.toLowerCase() === language;
  return toggle(query, isIt, formatFilter('lang', language, false));
}

/** Adds a folder to a query, or removes it. */
export function toggleFolder(query: string, folder: string): string {
  const { folders, kind } = partsOf(query);
  const others = folders.filter((one) => one !== folder);
  return withPaths(query, others.length < folders.length ? others : [...folders, folder], kind);
}

/** Restricts a query to a kind of files; with `null` to none. */
export function setKind(query: string, kind: FileKind | null): string {
  return withPaths(query, partsOf(query).folders, kind);
}

/** Restricts a query to files with uncommitted changes, or lifts that. */
export function toggleChanged(query: string): string {
  return toggle(query, ({ field, exclude }) => field === 'changed' && !exclude, 'changed:');
}

/** Turns the words of a query into a name of definitions, or the name into words. */
export function toggleSymbol(query: string): string {
  const { filters, words, excludedWords } = parseQueryLanguage(query);
  const own = filters.filter(({ field, exclude }) => field === 'sym' && !exclude);
  if (own.length > 0) {
    const names = own.map(({ pattern }) => pattern.replaceAll('*', ' ').trim());
    return join(...names, without(query, own));
  }
  const [symbol] = parseQueryLanguage(symbolQuery(words)).filters;
  if (!symbol) return join(query, 'sym:');
  const rest = [...filters, ...excludedWords].sort((a, b) => a.start - b.start);
  return join(`sym:${symbol.pattern}`, ...rest.map(({ start, end }) => query.slice(start, end)));
}

function toggle(query: string, isIt: (filter: QueryFilter) => boolean, text: string): string {
  const own = parseQueryLanguage(query).filters.filter(isIt);
  return own.length > 0 ? without(query, own) : join(query, text);
}

/** The query with these folders and this kind in place of its own. */
function withPaths(query: string, folders: readonly string[], kind: FileKind | null): string {
  const { filters } = parseQueryLanguage(query);
  const own = filters.filter((filter) => folderOf(filter) !== undefined || kindOf(filter) !== undefined);
  // Patterns of one field are alternatives, so a kind within folders is one pattern for each folder.
  const paths =
    kind !== 'tests'
      ? folders.map((folder) => formatFilter('path', folder, false))
      : folders.length === 0
        ? [`path:${TESTS}`]
        : folders.map(
            (folder) => formatFilter('path', folder, false) + (TEST_FOLDER.test(folder) ? '' : BELOW + TESTS),
          );
  const kinds = kind === 'source' ? [`-path:${TESTS}`, `-file:${DOCS}`] : kind === 'docs' ? [`file:${DOCS}`] : [];
  return join(without(query, own), ...paths, ...kinds);
}

function kindOf({ field, pattern, exclude }: QueryFilter): FileKind | undefined {
  if (field === 'path' && pattern.endsWith(TESTS)) return exclude ? 'source' : 'tests';
  if (field === 'file' && pattern === DOCS) return exclude ? 'source' : 'docs';
  return undefined;
}

/** The folder that a filter names, alone or with a kind below it. */
function folderOf({ field, pattern, exclude }: QueryFilter): string | undefined {
  if (field !== 'path' || exclude) return undefined;
  const folder = pattern.endsWith(`${BELOW}${TESTS}`) ? pattern.slice(0, -`${BELOW}${TESTS}`.length) : pattern;
  return /^\/.*\/$/.test(folder) && !/(?<!\\)[*?[\]{}]/.test(folder) ? folder.replaceAll('\\', '') : undefined;
}

/** The query without some of its filters. */
function without(query: string, filters: readonly Pick<QueryFilter, 'start' | 'end'>[]): string {
  let rest = query;
  for (const { start, end } of [...filters].sort((a, b) => b.start - a.start))
    rest = join(rest.slice(0, start), rest.slice(end));
  return rest.trim();
}

function join(...parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
}
