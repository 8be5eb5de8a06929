import { escapeRegExp } from '../../base/regExp.ts';
import { splitToken } from '../analyze/words.ts';
import type { SegmentScores } from './collect.ts';
import type { SearchedFolder } from './hits.ts';
import { Position } from './phrase.ts';
import { fewOf, textOf, type Candidate, type IsAside, type Pinned } from './pinned.ts';
import { stemOf } from './wordMatch.ts';

/** Files that name the package which they build: within, or by their own name or their folder's. */
const MANIFEST =
  /(?:^|\/)(?:package\.json|composer\.json|deno\.jsonc?|Cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|go\.mod|pom\.xml|pubspec\.ya?ml|mix\.exs|Package\.swift|settings\.gradle(?:\.kts)?|CMakeLists\.txt|build\.gradle(?:\.kts)?|[^/]+\.(?:csproj|fsproj|vbproj|gemspec|cabal))$/;
const BY_PATH = ['/build.gradle', '/build.gradle.kts', '.csproj', '.fsproj', '.vbproj'];
/** Further files that state versions of what a project needs. */
const VERSIONED = new RegExp(
  String.raw`${MANIFEST.source}|(?:^|\/)(?:global\.json|go\.work|Gemfile|gradle\.properties|rust-toolchain(?:\.toml)?|libs\.versions\.toml|Directory\.(?:Build|Packages)\.props|[^/]*requirements[^/]*\.txt|requirements\/[^/]+\.txt)$`,
);
const VERSION =
  /^(?:(?:what|which|is|are|the|current|latest|lowest|min|minimal|minimum|needed|required|supported) )*(?:versions? of (?<of>[^\s?]+)|(?<name>\S+)(?: sdk)? (?:versions?|standard))(?: (?:are|can|do|does|for|is|must|needed|required|should|supported|to|used|we)\b.*)?\??$/i;
/** What manifests call it. */
const STATED: readonly (readonly [name: RegExp, pattern: string])[] = [
  [/^node(?:\.?js)?$/i, 'node'],
  [/^golang$/i, 'go'],
  [
    /^(?:java|jdk|jvm)$/i,
    String.raw`(?:java|jvmToolchain|jvmTarget|(?:source|target)Compatibility|maven\.compiler\.(?:release|source|target))`,
  ],
  [/^(?:\.net|dotnet)$/i, String.raw`(?:TargetFrameworks?|sdk"\s{0,20}:\s{0,20}\{\s{0,20}"version)`],
  [/^(?:c\+\+|cpp)$/i, '(?:CMAKE_CXX_STANDARD|cxx_std_?)'],
];
/** Number of manifests that are read for a version, those in outer folders first. */
const MAX_VERSIONED = 64;
const MAX_FOUND = 4;
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
const MAX_NAME = 200;

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
 * The manifests that state the version which a query asks for; or those of the package that it names, if these are few: the file that states its name, or whose folder or own name
 * it is. `words` are those of the query; `isDefined` tells whether the query is the name of a definition.
 */
export function* findManifests(
  typed: string,
  words: readonly string[],
  isDefined: boolean,
  all: readonly SegmentScores[],
  folders: readonly SearchedFolder[],
  isAside: IsAside,
): Generator<undefined, Pinned[], void> {
  const version = parseVersion(typed);
  if (version) return yield* findVersions(version, all, folders, isAside);
  const wanted = parsePackage(typed);
  if (!wanted || (isDefined && !wanted.isSure)) return [];
  const { name } = wanted;
  const own = name.slice(name.lastIndexOf(':') + 1);
  const ends = BY_PATH.map((end) => `/${own}${end}`);
  const parts = new Set(splitToken(own.replaceAll(/[^\p{L}\p{N}]/gu, '_')).map(stemOf));
  const others = new Set([...words.keys()].filter((i) => !parts.has(words[i]!)));
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

/** Pattern of the line with the version that a text asks for: `minimum node version`, `which version of Go is needed`. */
export function parseVersion(text: string): RegExp | undefined {
  if (text.length > MAX_NAME) return undefined;
  const { of, name = of } = VERSION.exec(text)?.groups ?? {};
  if (name === undefined) return undefined;
  const stated = STATED.find(([pattern]) => pattern.test(name))?.[1] ?? escapeRegExp(name);
  return new RegExp(
    String.raw`(?<![\w./-]|;\s{0,3})(?:(?:min|minimum|requires?|required)[-_])?${stated}(?:[-_.](?:version|requires|tools-version))?["'\])]{0,2}(?:\s{1,9}version)?` +
      String.raw`(?:\s{0,9}[:=<>(~^]|[ \t]|(?<=_)(?=\d))[:=<>~^'" \tv]{0,20}(?:(?:JavaVersion\.)?VERSION_|JavaLanguageVersion\.of\(|net)?\d`,
    'im',
  );
}

/** The manifests that state the version which a query asks for, those in outer folders first. */
function* findVersions(
  pattern: RegExp,
  all: readonly SegmentScores[],
  folders: readonly SearchedFolder[],
  isAside: IsAside,
): Generator<undefined, Pinned[], void> {
  const found: Pinned[] = [];
  const manifests = all
    .filter(({ folder }) => folders[folder]!.readText)
    .flatMap((scores) => scores.reader.documentsLike(VERSIONED).map((document) => ({ scores, document })))
    .filter((one) => one.scores.mayBeResult(one.document) && !isAside(one))
    .sort((a, b) => depthOf(a) - depthOf(b));
  for (const one of manifests.slice(0, MAX_VERSIONED)) {
    yield;
    const text = textOf(one, folders) ?? '';
    const match = pattern.exec(text);
    if (match)
      found.push({
        ...one,
        line: new Position(text).at(match.index).line,
        worth: 1 / (1 + found.length / 50),
        feature: 'manifest',
      });
    if (found.length === MAX_FOUND) break;
  }
  return found;
}

function depthOf({ scores, document }: Candidate): number {
  return scores.reader.pathOf(document).split('/').length;
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
