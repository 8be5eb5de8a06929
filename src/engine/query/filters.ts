import { nameSegments } from '../analyze/symbolNames.ts';
import type { SymbolSpan } from '../index/documents.ts';
import { compileGlob, escapeGlob, isGlob, unescapeGlob } from './glob.ts';
import { languagesNamed } from './languageNames.ts';
import type { FilterField, QueryFilter } from './queryLanguage.ts';

/** Tests compiled from the filters of a query. */
export interface CompiledFilters {
  /** Whether any filter is about documents; if not, all documents match. */
  readonly hasDocumentFilter: boolean;
  /** Whether any filter is about symbols; if not, all symbols match. */
  readonly hasSymbolFilter: boolean;
  /** `path` is relative to the folder, with `/`; `language` is an id of the analyzer. */
  readonly matchesDocument: (path: string, language: string) => boolean;
  /** Accepts `name` as it is defined, or with its container: `Foo.bar`. */
  readonly matchesSymbol: Test;
  /** The two parts of {@link matchesSymbol}: wanted and excluded names. `undefined` without such a filter. */
  readonly wantedSymbol: Test | undefined;
  readonly excludedSymbol: Test | undefined;
  /** Accepts what {@link wantedSymbol} does, in any case: for languages that ignore it. */
  readonly wantedInAnyCase: Test | undefined;
  /** Where the names are that the tests of wanted and excluded names accept. */
  readonly wantedNames: readonly NameBounds[];
  readonly excludedNames: readonly NameBounds[];
  /** Nearness of a name to the wanted one: {@link EXACT}, {@link PREFIX}, 1 for any other match, or 0 for none. */
  readonly nearness: Nearness;
}

export type Nearness = (name: string, ignoresCase: boolean) => number;

/** Texts that each name of a pattern has: `parse` at its start for `parse*`, `probe` anywhere for `*_probe`. */
export interface NameBounds {
  readonly prefix: string;
  readonly part: string;
}

export const EXACT = 3;
/** The name begins with the wanted one. */
export const PREFIX = 2;
const OTHER = 1;
/** Pattern that no path matches. */
const NO_PATH = '/\0';

/** Changed paths, relative like those of documents, by the text after `changed:`. */
export type ChangedPaths = ReadonlyMap<string, ReadonlySet<string>>;

export type Test = (text: string) => boolean;

/**
 * Filters of one field are alternatives, as with ripgrep's `-g` and `-t`: a file has one language, so `lang:c lang:cpp`
 * could mean nothing else. A conjunction fits in one glob. Filters of different fields must all match, and a match of
 * an excluding filter is left out. A `changed:` that is missing from `changed` is ignored. `below` restricts all
 * documents to a path and the paths below it. `name` is that of the folder, one of the `names` of several.
 */
export function compileFilters(
  all: readonly QueryFilter[],
  changed: ChangedPaths = new Map(),
  below = '',
  name?: string,
  names: readonly (string | undefined)[] = [],
): CompiledFilters {
  const filters = all
    .filter((filter) => isKnown(filter, changed))
    .map((filter) => (filter.field === 'sym' ? { ...filter, pattern: dotted(filter.pattern) } : filter));
  const change = compileField(filters, 'changed', (pattern) => (name) => changed.get(pattern)!.has(name));
  const path = compileField(
    filters,
    'path',
    inAnyForm((pattern) => pathTest(inFolder(pattern, name, names))),
  );
  const file = compileField(
    filters,
    'file',
    inAnyForm((pattern) => nameTest(pattern, false)),
  );
  const lang = compileField(filters, 'lang', languageTest);
  const symbol = testsOf(filters, 'sym', symbolTest);
  const asked = filters.filter(({ field, exclude }) => field === 'sym' && !exclude);
  const nearnesses = asked.map(({ pattern }) => nearnessTo(pattern));
  const hasDocumentFilter = path !== undefined || file !== undefined || lang !== undefined || change !== undefined;
  const isBelow = (name: string): boolean => below === '' || name === below || name.startsWith(`${below}/`);
  return {
    hasDocumentFilter: hasDocumentFilter || below !== '',
    hasSymbolFilter: symbol.wanted !== undefined || symbol.excluded !== undefined,
    matchesDocument: (name, language) =>
      isBelow(name) &&
      (!lang || lang(language)) &&
      (!file || file(name.slice(name.lastIndexOf('/') + 1))) &&
      (!path || path(name)) &&
      (!change || change(name)),
    matchesSymbol: (name) => passes(symbol, name),
    wantedSymbol: symbol.wanted,
    excludedSymbol: symbol.excluded,
    wantedInAnyCase: testsOf(filters, 'sym', (pattern) => nameTest(pattern, false)).wanted,
    wantedNames: boundsOf(filters, false),
    excludedNames: boundsOf(filters, true),
    nearness: (name, ignoresCase) => Math.max(0, ...nearnesses.map((nearnessOf) => nearnessOf(name, ignoresCase))),
  };
}

/** A pattern of a qualified name as names are listed: `Foo.bar` of `Foo::bar`, and of `a.Foo.bar`. */
function dotted(pattern: string): string {
  return pattern
    .split(/::|->|[.#]/)
    .slice(-2)
    .join('.');
}

/** Whether the result of a filter is known. */
export function isKnown({ field, pattern }: QueryFilter, changed: ChangedPaths | undefined): boolean {
  return field !== 'changed' || changed?.has(pattern) === true;
}

interface FieldTests {
  readonly wanted: Test | undefined;
  readonly excluded: Test | undefined;
}

function compileField(
  filters: readonly QueryFilter[],
  field: FilterField,
  compile: (pattern: string) => Test,
): Test | undefined {
  const tests = testsOf(filters, field, compile);
  return tests.wanted || tests.excluded ? (text) => passes(tests, text) : undefined;
}

function testsOf(filters: readonly QueryFilter[], field: FilterField, compile: (pattern: string) => Test): FieldTests {
  const anyOf = (excluding: boolean): Test | undefined => {
    const ofKind = filters.filter((filter) => filter.field === field && filter.exclude === excluding);
    const tests = ofKind.map(({ pattern }) => compile(pattern));
    return tests.length === 0 ? undefined : (text) => tests.some((test) => test(text));
  };
  return { wanted: anyOf(false), excluded: anyOf(true) };
}

function passes({ wanted, excluded }: FieldTests, text: string): boolean {
  return (!wanted || wanted(text)) && !excluded?.(text);
}

/** Whether a definition has a name that a test accepts. */
export function isNamed(span: SymbolSpan, test: Test): boolean {
  return definitionNames(span).some(test);
}

/** The names of a definition: as written, its last part, with its container, and the last two parts of that. */
export function definitionNames({ name, container }: SymbolSpan): readonly string[] {
  const whole = container === undefined ? name : `${container}.${name}`;
  const segments = nameSegments(whole);
  return segments.length < 2 ? [name] : [name, segments.at(-1)!, whole, segments.slice(-2).join('.')];
}

/** Systems write a letter such as é in one character or two: a test that accepts both. */
function inAnyForm(compile: (pattern: string) => Test): (pattern: string) => Test {
  return (pattern) => {
    const test = compile(pattern);
    return /^\p{ASCII}*$/u.test(pattern) ? test : (text) => test(text.normalize());
  };
}

/** A pattern of paths in a folder, from one that may begin with the name of a folder, as results show it. */
function inFolder(pattern: string, own: string | undefined, names: readonly (string | undefined)[]): string {
  const typed = pattern.toLowerCase();
  const beginning = (name: string): string => `/${escapeGlob(name.normalize())}`;
  const beginsWith = (name?: string): boolean =>
    name !== undefined && typed.startsWith(`${beginning(name)}/`.toLowerCase());
  if (own !== undefined && beginsWith(own)) return pattern.slice(beginning(own).length);
  return names.some((name) => beginsWith(name)) ? NO_PATH : pattern;
}

/**
 * Matches any part of the path, or a glob of the path from any folder on; after a `/`, from the top on. A glob that
 * ends in a plain name matches the file or everything in the folder of that name: no one means only the folder.
 */
function pathTest(pattern: string): Test {
  // Windows separates folders with a backslash; before a wildcard, a backslash escapes.
  const typed = pattern.replace(/\\+(?![*?[\]{},])/g, '/').replace(/^\.\//, '/');
  const isFloating = !typed.startsWith('/');
  const local = isFloating ? typed : typed.slice(1);
  if (!isGlob(local)) return literalTest(local, isFloating);
  const last = local.slice(local.lastIndexOf('/') + 1);
  const names = isGlob(last) ? local : last === '' ? `${local}**` : `${local}{,/**}`;
  // Where any folder is allowed, a leading `**/` adds nothing but five times the work.
  return compileGlob(isFloating ? names.replace(/^(?:\*\*\/)+/, '') : names, { isFloating });
}

function literalTest(pattern: string, isFloating: boolean): Test {
  const part = unescapeGlob(pattern).toLowerCase();
  return isFloating ? (text) => text.toLowerCase().includes(part) : (text) => text.toLowerCase().startsWith(part);
}

/** Matches any part of the name, or a glob of all of it. */
function nameTest(pattern: string, matchCase: boolean): Test {
  if (isGlob(pattern)) return compileGlob(pattern, { matchCase, isName: true });
  if (!matchCase) return literalTest(pattern, true);
  const part = unescapeGlob(pattern);
  return (text) => text.includes(part);
}

function symbolTest(pattern: string): Test {
  return nameTest(pattern, hasCapital(pattern));
}

/** Measures nearness by the text between stars. A pattern without a class is compared with the bare name. */
function nearnessTo(pattern: string): Nearness {
  const nearness = nearnessIn(pattern, hasCapital(pattern));
  const inAnyCase = nearnessIn(pattern, false);
  return (name, ignoresCase) => (ignoresCase ? inAnyCase : nearness)(name);
}

function nearnessIn(pattern: string, matchCase: boolean): (name: string) => number {
  const test = nameTest(pattern, matchCase);
  const core = pattern.replace(/^\*+|(?<!\\)\*+$/g, '');
  const fold = (text: string): string => (matchCase ? text : text.toLowerCase());
  const typed = isGlob(core) ? undefined : fold(unescapeGlob(core));
  return (name) => {
    if (!test(name)) return 0;
    if (typed === undefined || (name.includes('.') && !typed.includes('.'))) return OTHER;
    const folded = fold(name);
    if (folded === typed) return EXACT;
    return folded.startsWith(typed) ? PREFIX : OTHER;
  };
}

/** Bounds of the names that filters of `sym:` accept; all names at once where a filter has no beginning. */
function boundsOf(filters: readonly QueryFilter[], excluding: boolean): NameBounds[] {
  const ofKind = filters.filter(({ field, exclude }) => field === 'sym' && exclude === excluding);
  const bounds = ofKind.map(({ pattern }) => ({ prefix: beginningOf(pattern), part: partOf(pattern) }));
  return bounds.length > 1 && bounds.some(({ prefix }) => prefix === '') ? [{ prefix: '', part: '' }] : bounds;
}

/** A text without a wildcard may be anywhere in a name. */
function beginningOf(pattern: string): string {
  return isGlob(pattern) ? /^[A-Za-z0-9]*/.exec(pattern)![0] : '';
}

/** The longest text between wildcards. */
function partOf(pattern: string): string {
  if (!isGlob(pattern)) return unescapeGlob(pattern);
  if (/[[\]{}\\]/.test(pattern)) return '';
  return pattern.split(/[*?]+/).reduce((longest, part) => (part.length > longest.length ? part : longest));
}

function hasCapital(pattern: string): boolean {
  return /\p{Lu}/u.test(pattern);
}

function languageTest(pattern: string): Test {
  const ids = languagesNamed(pattern);
  return (language) => ids.has(language);
}
