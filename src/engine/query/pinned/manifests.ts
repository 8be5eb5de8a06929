import { escapeRegExp } from '../../../base/regExp.ts';
import { splitToken } from '../../analyze/words.ts';
import { Position } from '../phrase.ts';
import { depthOf, fewOf, textOf, type Pinned, type PinRequest } from './pinned.ts';
import { stemOf } from '../wordMatch.ts';

/** Files that name the package which they build: within, or by their own name or their folder's. */
export const MANIFEST =
  /(?:^|\/)(?:package\.json|composer\.json|deno\.jsonc?|Cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|go\.mod|pom\.xml|pubspec\.ya?ml|mix\.exs|Package\.swift|settings\.gradle(?:\.kts)?|CMakeLists\.txt|build\.gradle(?:\.kts)?|[^/]+\.(?:csproj|fsproj|vbproj|gemspec|cabal))$/;
const BY_PATH = ['/build.gradle', '/build.gradle.kts', '.csproj', '.fsproj', '.vbproj'];
/** What a manifest has before its name. */
const KEY = String.raw`(?<![\w-])["']?(?:name|module|artifactId|app|project)["']?[ \t]{0,20}[:=(>]?[ \t]{0,20}["':]{0,2}`;
const OWNER = /^(?:the\s+)?(?:[\w.-]+['’]s\s+)?/i;
const ROLE = '(?<role>packages?|crate|gem|module|project|library|manifest|build file)';
const BEFORE = new RegExp(String.raw`^${ROLE}\s+(?<name>\S+)$`, 'i');
const BEHIND = new RegExp(String.raw`^(?<name>\S+)\s+${ROLE}$`, 'i');
/** Words that are said of packages alone. */
const ONLY_PACKAGES = /^(?:crate|gem|packages?|manifest|build file)$/i;
const NAME = /^@?[\w.-]+(?:[/:][\w.-]+)*$/;
/** Version and extras behind a name: `a:b:1.0`, `a@1.0`, `a[extra]`. */
const DETAILS = /(?:[:@]v?\d[\w.+-]*|\[[\w,.-]+\])$/;
/** Length of the longest name of a package, or question for a version. */
export const MAX_NAME = 200;

/** A package as a query names it. */
export interface TypedPackage {
  readonly name: string;
  /** Whether it is hardly anything else; a plain `snake_name` or `CamelName` is more often that of a definition. */
  readonly isSure: boolean;
}

/** The package that is all that a query names: `@scope/name`, `group:name`, `:dir:name`, `some-name`, `crate name`. */
export function parsePackage(text: string): TypedPackage | undefined {
  if (text.length > MAX_NAME) return undefined;
  const rest = text.replace(OWNER, '');
  const { role, name: typed = rest } = (BEFORE.exec(rest) ?? BEHIND.exec(rest))?.groups ?? {};
  const plain = typed.replace(DETAILS, '');
  const name = plain.replace(/^:/, '');
  if (!NAME.test(name) || !/[a-z]/i.test(name)) return undefined;
  const isCompound = splitToken(name.replaceAll(/[^\w]/g, '_')).length > 1;
  const isMarked = /[@:./-]/.test(name) || plain !== name || plain !== typed;
  const isNamed = role !== undefined && ONLY_PACKAGES.test(role);
  return isCompound || isMarked || isNamed ? { name, isSure: isMarked || isNamed } : undefined;
}

/**
 * The manifests of the package that a query names, if these are few: the file that states its name, or whose folder or own name
 * it is.
 */
export function* findManifests(request: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const { all, folders, isAside, query } = request;
  const wanted = parsePackage(request.typed);
  if (!wanted || (request.name === 'defined' && !wanted.isSure)) return [];
  const { name } = wanted;
  const own = name.slice(name.lastIndexOf(':') + 1);
  const ends = BY_PATH.map((end) => `/${own}${end}`);
  const parts = new Set(splitToken(own.replaceAll(/[^\p{L}\p{N}]/gu, '_')).map(stemOf));
  const others = new Set([...query.words.keys()].filter((i) => !parts.has(query.words[i]!)));
  const found: Pinned[] = [];
  for (const scores of all) {
    const { reader } = scores;
    yield;
    const stating: number[] = [];
    for (const document of reader.documentsLike(MANIFEST)) {
      const path = reader.pathOf(document);
      if (!BY_PATH.some((end) => path.endsWith(end))) stating.push(document);
      else if (ends.some((end) => `/${path}`.endsWith(end)) && scores.mayBeResult(document))
        found.push({ scores, document, worth: 1, feature: 'manifest' });
    }
    if (!folders[scores.folder]!.readText) continue;
    for (const document of scores.documentsWithAll('body', others, stating)) {
      yield;
      const text = textOf({ scores, document }, folders) ?? '';
      const at = nameIn(text, own, reader.pathOf(document).endsWith('pom.xml'));
      if (at === undefined) continue;
      found.push({ scores, document, line: new Position(text).at(at).line, worth: 1, feature: 'manifest' });
    }
  }
  return fewOf(found, isAside)
    .sort((a, b) => depthOf(a) - depthOf(b))
    .map((one, i) => ({ ...one, worth: (isAside(one) ? 0.9 : 1) / (1 + i / 1_000) }));
}

/** Offset at which a manifest states its name, in any case; `-`, `_` and `.` are alike, as registries have it. */
function nameIn(text: string, name: string, isPom: boolean): number | undefined {
  const spelling = name.split(/[-_.]/).map(escapeRegExp).join('[-_.]');
  const match = new RegExp(String.raw`${KEY}${spelling}(?=["'<)\]}\s,]|$)`, 'i').exec(text);
  if (!match) return undefined;
  // Maven's files name their dependencies with the same key, behind their own name; and their parent before it.
  const ownKey = isPom ? text.indexOf('<artifactId>', Math.max(0, text.indexOf('</parent>'))) : -1;
  return ownKey < 0 || text.startsWith(`<artifactId>${name}<`, ownKey) ? Math.max(match.index, ownKey) : undefined;
}
