import { escapeRegExp } from '../../../base/regExp.ts';
import { Position } from '../phrase.ts';
import { MANIFEST, MAX_NAME } from './manifests.ts';
import { depthOf, MAX_PINNED, readable, textOf, type Pinned, type PinRequest } from './pinned.ts';

/** Further files that state versions of what a project needs. */
const VERSIONED = new RegExp(
  String.raw`${MANIFEST.source}|(?:^|\/)(?:global\.json|go\.work|Gemfile|gradle\.properties|rust-toolchain(?:\.toml)?|libs\.versions\.toml|Directory\.(?:Build|Packages)\.props|[^/]*requirements[^/]*\.txt|requirements\/[^/]+\.txt)$`,
);
/** What asks for a version: of a name, or the name's. */
const VERSION =
  /^(?:(?:what|which|is|are|the|current|latest|lowest|min|minimal|minimum|needed|required|supported) )*(?:versions? of (?<of>[^\s?]+)|(?<name>\S+)(?: sdk)? (?:versions?|standard))(?: (?:are|can|do|does|for|is|must|needed|required|should|supported|to|used|we)\b.*)?\??$/i;
/** What manifests call it, where that is something else. */
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
const MAX_READ = 64;

/** The manifests that state the version which a query asks for, those in outer folders first. */
export function* findVersions(request: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const pattern = parseVersion(request.typed);
  if (!pattern) return [];
  const manifests = readable(request)
    .flatMap((scores) => scores.reader.documentsLike(VERSIONED).map((document) => ({ scores, document })))
    .filter((one) => one.scores.mayBeResult(one.document) && !request.isAside(one))
    .sort((a, b) => depthOf(a) - depthOf(b));
  const found: Pinned[] = [];
  for (const one of manifests.slice(0, MAX_READ)) {
    yield;
    const text = textOf(one, request.folders) ?? '';
    const match = pattern.exec(text);
    if (!match) continue;
    const { line } = new Position(text).at(match.index);
    found.push({ ...one, line, worth: 1 / (1 + found.length / 50), feature: 'version' });
    if (found.length === MAX_PINNED) break;
  }
  return found;
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
