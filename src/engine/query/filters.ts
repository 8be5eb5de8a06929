import { compileGlob, isGlob, unescapeGlob } from './glob.ts';
import { languagesNamed } from './languageNames.ts';
import type { FilterField, QueryFilter } from './queryLanguage.ts';

/** What the filters of a query let pass. */
export interface CompiledFilters {
  /** Whether any filter is about documents; if not, all of them match. */
  readonly hasDocumentFilter: boolean;
  /** Whether any filter is about symbols; if not, all of them match. */
  readonly hasSymbolFilter: boolean;
  /** `path` is relative to the folder, with `/`; `language` is an id of the analyzer's. */
  readonly matchesDocument: (path: string, language: string) => boolean;
  /** `name` as it is defined. */
  readonly matchesSymbol: Test;
}

type Test = (text: string) => boolean;

/**
 * Filters of one field are alternatives, as with ripgrep's `-g` and `-t`: a file has one language, so `lang:c lang:cpp`
 * could mean nothing else, and what must hold together fits in one glob. Those of different fields must all match, and
 * what an excluding one matches is out.
 */
export function compileFilters(filters: readonly QueryFilter[]): CompiledFilters {
  const path = compileField(filters, 'path', pathTest);
  const file = compileField(filters, 'file', (pattern) => nameTest(pattern, false));
  const lang = compileField(filters, 'lang', languageTest);
  const sym = compileField(filters, 'sym', (pattern) => nameTest(pattern, /\p{Lu}/u.test(pattern)));
  const hasDocumentFilter = path !== undefined || file !== undefined || lang !== undefined;
  return {
    hasDocumentFilter,
    hasSymbolFilter: sym !== undefined,
    matchesDocument: (name, language) =>
      (!lang || lang(language)) && (!file || file(name.slice(name.lastIndexOf('/') + 1))) && (!path || path(name)),
    matchesSymbol: (name) => !sym || sym(name),
  };
}

function compileField(
  filters: readonly QueryFilter[],
  field: FilterField,
  compile: (pattern: string) => Test,
): Test | undefined {
  const ofField = filters.filter((filter) => filter.field === field);
  if (ofField.length === 0) return undefined;
  const wanted = ofField.filter(({ exclude }) => !exclude).map(({ pattern }) => compile(pattern));
  const unwanted = ofField.filter(({ exclude }) => exclude).map(({ pattern }) => compile(pattern));
  return (text) => (wanted.length === 0 || wanted.some((test) => test(text))) && !unwanted.some((test) => test(text));
}

/**
 * A part of the path anywhere in it, or a glob of the path from any folder on; after a `/`, from the top on. A glob that
 * ends in a plain name means the file or everything in the folder of that name, as nobody means only one by it.
 */
function pathTest(pattern: string): Test {
  // Windows writes folders with a backslash; before a wildcard it takes its meaning away.
  const typed = pattern.replace(/\\+(?![*?[\]{},])/g, '/').replace(/^\.\//, '/');
  const isFloating = !typed.startsWith('/');
  const local = isFloating ? typed : typed.slice(1);
  if (!isGlob(local)) return literalTest(local, isFloating);
  const last = local.slice(local.lastIndexOf('/') + 1);
  const names = isGlob(last) ? local : last === '' ? `${local}**` : `${local}{,/**}`;
  // Where any folder will do, a leading `**/` adds nothing but five times the work.
  return compileGlob(isFloating ? names.replace(/^(?:\*\*\/)+/, '') : names, { isFloating });
}

function literalTest(pattern: string, isFloating: boolean): Test {
  const part = unescapeGlob(pattern).toLowerCase();
  return isFloating ? (text) => text.toLowerCase().includes(part) : (text) => text.toLowerCase().startsWith(part);
}

/** A part of the name anywhere in it, or a glob of all of it. */
function nameTest(pattern: string, matchCase: boolean): Test {
  if (isGlob(pattern)) return compileGlob(pattern, { matchCase, isName: true });
  if (!matchCase) return literalTest(pattern, true);
  const part = unescapeGlob(pattern);
  return (text) => text.includes(part);
}

function languageTest(pattern: string): Test {
  const ids = languagesNamed(pattern);
  return (language) => ids.has(language);
}
