import type { Definition } from './definitions.ts';
import { splitIdentifier } from './words.ts';

/** Number of words from which a name has an acronym; two letters would be too ambiguous. */
const ACRONYM_WORDS = 3;
const SEPARATORS = /::|->|[.#:/\\]/;

/** The names by which a definition is searched, besides the full text. */
export interface SymbolNames {
  /** Last part of the name: `Repo` of `Acme.Repo`, else the name itself. */
  readonly own: string;
  /**
   * Name with its container: `Acme.Repo` of `Big.Acme.Repo`, `Foo.bar` of a member `bar` of `Foo`. Always with a dot,
   * and of two parts.
   */
  readonly qualified: string | undefined;
  /** Initials: `ihm` of `indexHtmlMiddleware`. */
  readonly acronym: string | undefined;
}

/**
 * Whether a search for the name should lead here. A constructor or an extension has the name of a type that is defined
 * elsewhere.
 */
export function isHome({ name, kind, container }: Definition): boolean {
  if (kind === 'extension') return false;
  return kind !== 'method' || container === undefined || nameSegments(container).at(-1) !== name.replace(/^~/, '');
}

/**
 * The names of a definition with a letter or digit. Headings and titles of tests are text, which has no such names.
 * Macros have no acronym: there may be millions, and no one remembers a register by its initials.
 */
export function symbolNames({ name, kind, container }: Definition): SymbolNames | undefined {
  if (kind === 'macro') return { own: name, qualified: undefined, acronym: undefined };
  if (kind === 'heading' || /\s/.test(name)) return undefined;
  const segments = nameSegments(name);
  const own = segments.at(-1) ?? name;
  const outer = segments.at(-2) ?? (container === undefined ? undefined : nameSegments(container).at(-1));
  return {
    own,
    qualified: outer === undefined ? undefined : `${outer}.${own}`,
    acronym: segments.length > 1 ? undefined : acronymOf(splitIdentifier(name)),
  };
}

/** Segments of a name: `['a', 'b', 'c']` of `a.b::c`; `->`, `#`, `/` and `\` separate too. */
export function nameSegments(name: string): string[] {
  return SEPARATORS.test(name) ? name.split(SEPARATORS).filter((segment) => foldName(segment) !== '') : [name];
}

/** The last segment of a name, which is its own: `c` of `a.b::c`. */
export function ownName(name: string): string {
  return nameSegments(name).at(-1) ?? name;
}

/** A name as a term of the index: `indexHtml`, `index_html` and `INDEX_HTML` are all `indexhtml`. */
export function foldName(name: string): string {
  return splitIdentifier(name).join('');
}

/** The term of a qualified name: that of its last two parts, `foo.bar`. */
export function foldQualified(qualified: string): string {
  return nameSegments(qualified).slice(-2).map(foldName).join('.');
}

/** First characters of the parts of a name. */
export function acronymOf(parts: readonly string[]): string | undefined {
  return parts.length < ACRONYM_WORDS
    ? undefined
    : parts.map((part) => String.fromCodePoint(part.codePointAt(0)!)).join('');
}

/** Whether a name is a namespace of PHP, `App\Services`: its words are those of the file's path, and describe it no further. */
export function isPath(name: string): boolean {
  return name.includes('\\');
}
