import { PLAIN_TEXT, languageOf } from '../../analyze/languages.ts';
import type { SegmentScores } from '../collect.ts';
import type { QuerySpan } from '../queryLanguage.ts';
import type { Candidate, Pinned } from './pinned.ts';

/*
 * Locations in pasted text: frames of a stack trace, messages of a compiler, `path:line`. A line break in a pasted text is often
 * lost on its way into an input, so a location may begin anywhere, and the function of a frame may be before it or on the
 * line above.
 */

/** A file and a line that a text names; the span is that of both in the text. */
export interface PastedLocation extends QuerySpan {
  /** Folders and file name as typed, without a drive, a server, or `.` and `..`; of a Java frame the folders of its package. */
  readonly segments: readonly string[];
  /** From 1. */
  readonly line: number;
  /** As typed: most programs count from 1. */
  readonly column?: number;
  /** Own name of the function of a frame. */
  readonly functionName?: string;
}

/** The document that a location names. */
export interface PathMatch {
  readonly path: string;
  /** The path's index among the given ones. */
  readonly index: number;
  /** Number of segments from the end that agree, at least 1: the file name. */
  readonly shared: number;
}

/** A longer text is data. */
const MAX_TEXT = 10_000;
const MAX_LOCATIONS = 30;
/** Number of paths that are read before other work may run. */
const PATHS_PER_STEP = 1_000;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
/** Characters before a location in which its function is looked for. */
const FRAME_LENGTH = 400;

/** Letters of any script, without the tables of Unicode, which take 30 ms to compile. */
const NAME = String.raw`\w$\u00c0-\u1fff\u2c00-\u2fef\u3040-\ufaff`;
const SCHEME = String.raw`[a-z][a-z+.-]{1,20}:\/\/[^\s/()<>"']*(?:\/[a-zA-Z]:)?`;
/** A path without spaces; `<` and `>` are of generated names. */
const PATH = String.raw`(?:(?:${SCHEME}|package:|[a-zA-Z]:(?=[\\/]))?[${NAME}.@+~%\-\\/[\]]{1,400})`;
const LINE = String.raw`[1-9]\d{0,6}`;

/** A form in which programs write locations. Groups: `path`, `line`, and perhaps `column` and `name`. */
interface Form {
  readonly pattern: RegExp;
  /** Whether the form is proof enough, so that a file may have any name. */
  readonly isFrame: boolean;
}

const form = (isFrame: boolean, source: string): Form => ({ pattern: new RegExp(source, 'g'), isFrame });

/** Earlier forms win where two begin at the same place or overlap. */
const FORMS: readonly Form[] = [
  // Python, OCaml: File "a/b.py", line 12, in f
  form(true, String.raw`\bFile "(?<path>[^"<>\n]{1,400})", line (?<line>${LINE})(?:, in (?<name>[^\s,]{1,100}))?`),
  // Java, Kotlin, Scala: at com.acme.Foo.bar(Foo.java:12)
  form(
    true,
    String.raw`\bat (?:[\w.\-@]{0,100}\/{1,2})?(?<member>[${NAME}.]{1,300}(?:\.<init>|\.<clinit>)?)\((?<path>[${NAME}-]{1,200}\.\w{1,10}):(?<line>${LINE})\)`,
  ),
  // Node: at f (/my folder/a.js:1:2)
  form(
    true,
    String.raw`\bat [^\n()]{1,200} \((?<path>(?:[\\/]|[a-zA-Z]:[\\/]|file:\/\/)[^\n():]{1,400}):(?<line>${LINE}):(?<column>\d{1,6})\)`,
  ),
  // .NET: at A.B.C() in C:\my folder\C.cs:line 12
  form(true, String.raw` in (?<path>(?:[a-zA-Z]:)?[\\/][^\n:"]{1,400}):line (?<line>${LINE})\b`),
  // PHP: #0 /x/a.php(12): f()
  form(
    true,
    String.raw`#\d{1,4} (?<path>(?:[a-zA-Z]:)?[\\/][^\n:"()]{1,400})\((?<line>${LINE})\): ?(?:[\w\\]{1,200}(?:->|::))?(?<name>[\w\\]{1,200})?`,
  ),
  // PHP: in /x/a.php on line 12; Perl: at a.pl line 12; shells: a.sh: line 12
  form(true, String.raw`\bin (?<path>(?:[a-zA-Z]:)?[\\/][^\n:"()]{1,400}) on line (?<line>${LINE})\b`),
  form(false, String.raw`\bat (?<path>${PATH}) line (?<line>${LINE})\b`),
  form(false, String.raw`(?<![\w:/\\.@$-])(?<path>${PATH}): line (?<line>${LINE}):`),
  // TypeScript and MSVC: a.ts(12,3): error; Maven: A.java:[12,3]
  form(
    false,
    String.raw`(?<![\w:/\\.@$-])(?<path>${PATH})\((?<line>${LINE})(?:,(?<column>\d{1,6}))?(?:,\d{1,6}){0,2}\) ?: ?(?:fatal |internal )?(?:error|warning|note|message|info|suggestion)\b`,
  ),
  form(false, String.raw`(?<![\w:/\\.@$-])(?<path>${PATH}):\[(?<line>${LINE}),(?<column>\d{1,6})\]`),
  // A link: a.ts#L12-L20
  form(false, String.raw`(?<![\w:/\\.@$-])(?<path>${PATH})#L(?<line>${LINE})(?:C(?<column>\d{1,6}))?(?!\w)`),
  // Ruby: a.rb:12:in 'Foo#bar'
  form(
    false,
    String.raw`(?<![\w:/\\.$-])(?<path>${PATH}):(?<line>${LINE}):in [\x60'](?:[^'\n]{0,200}(?:[#.]| in ))?(?<name>[^'\s]{1,200})'`,
  ),
  // IPython, pdb: a.py:12, in f(x)
  form(false, String.raw`(?<![\w:/\\.$-])(?<path>${PATH}):(?<line>${LINE}), in (?<name>\w{1,200})`),
  form(
    false,
    String.raw`(?<![\w:/\\.$-]|\? ?)(?<path>${PATH})(?:\?[^\s:()]{0,100})?:(?<line>${LINE})(?::(?<column>\d{1,6}))?(?![\w/\\@]|\.\w|:\d)`,
  ),
];

/** Function names in the text before a location. */
const FUNCTIONS: readonly RegExp[] = [
  // Node: at async Foo.bar [as baz] (
  /\bat (?:async )?(?:new )?(?<name>[^\s()]{1,200})(?: \[as [^\]]{1,100}\])? \($/,
  // gdb, lldb: #0 0x1 in foo<int> (x=1) at; frame #0: 0x1 app`foo(x=1) at
  /(?:#\d{1,4} {1,3}(?:0x[0-9a-f]{1,16} in )?|\x60)(?<name>[\w:~<>,.]{1,200}) ?\([^\n]{0,300}\)\s{1,40}at $/,
  // .NET: at A.B.C[T](String x)
  /\bat (?<name>[\w.<>\x60[\],+|]{1,300})\([^()\n]{0,300}\)$/,
  // Rust: 4: app::parse::read  at
  /\d{1,4}: {1,3}(?:0x[0-9a-f]{1,16} - )?(?<name>[^\s()]{1,300})\s{1,60}at $/,
  // Go: main.(*Server).handle(0x1, …)
  /(?:^|\s)(?:created by )?(?<name>[\w./-]{1,200}(?:\.\(\*?\w{1,100}(?:\[[^\]]{0,40}\])?\))?[\w.[\]]{1,200})(?:\([^()\n]{0,300}\)| in goroutine \d{1,9})\s{1,20}$/,
];

/** Files of libraries and runtimes, which no repository has or which are rarely meant. */
const LIBRARY =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|rustc|usr\/(?:lib|local\/go|include|share)|go\/pkg\/mod|\.cargo|gems|vendor|lib\/python[\d.]+)\//;
const LIBRARY_PACKAGE = /^(?:java|javax|jdk|sun|com\/sun|kotlin|kotlinx|scala|org\/junit|junit)\//;

/** Names of files without an extension. */
const BARE_NAME =
  /^(?:GNU)?[Mm]akefile$|^(?:Docker|Rake|Gem|Jenkins|Vagrant|Proc|Pod|Brew|Just|just|Guard|Cap|Fast)file$|^(?:Kconfig|Kbuild|BUILD|WORKSPACE)$/;

/**
 * Finds the locations in a pasted text, the most interesting first: the order of a trace, reversed where the most recent call is
 * last, and frames in libraries after all others. Prose and code have none.
 */
export function parseLocations(text: string): PastedLocation[] {
  const pasted = text.slice(0, MAX_TEXT);
  // Most queries end here.
  if (!/[:([L]\d|line \d/.test(pasted)) return [];
  const found: Found[] = [];
  for (const [rank, { pattern, isFrame }] of FORMS.entries()) {
    for (const match of pasted.matchAll(pattern)) {
      const location = toLocation(pasted, match, isFrame);
      if (location) found.push({ location, rank, isPython: rank === 0 });
    }
  }
  found.sort((a, b) => a.location.start - b.location.start || a.rank - b.rank);
  let kept: Found[] = [];
  for (const one of found) {
    const last = kept.at(-1);
    if (!last || one.location.start >= last.location.end) kept.push(one);
    else if (one.rank < last.rank) kept[kept.length - 1] = one;
  }
  if (kept.length > 1 && kept.every(({ isPython }) => isPython)) kept = kept.reverse();
  const locations = kept.map(({ location }) => location);
  const isLibrary = ({ segments }: PastedLocation): boolean => isOfLibrary(segments);
  return [...locations.filter((one) => !isLibrary(one)), ...locations.filter(isLibrary)].slice(0, MAX_LOCATIONS);
}

interface Found {
  readonly location: PastedLocation;
  readonly rank: number;
  readonly isPython: boolean;
}

function toLocation(text: string, match: RegExpMatchArray, isFrame: boolean): PastedLocation | undefined {
  const { path = '', line = '', column, name, member } = match.groups ?? {};
  const start = match.index! + match[0].indexOf(path);
  const end = match.index! + match[0].length;
  const typed = segmentsOf(path);
  const file = typed.at(-1);
  if (file === undefined || !isFileName(file, isFrame)) return undefined;
  if (!isFrame && isMember(text, start, path)) return undefined;
  const functionName = member === undefined ? (name ?? functionBefore(text, start)) : ownName(member);
  const segments = member === undefined ? typed : [...packageOf(member), file];
  return {
    segments,
    line: Number(line),
    ...(column !== undefined && { column: Number(column) }),
    ...(functionName !== undefined && functionName !== '' && { functionName }),
    start,
    end,
  };
}

/** Folders and file name of a path in any notation. */
function segmentsOf(path: string): string[] {
  const local = path.replace(/^(?:[a-z][a-z+.-]+:\/\/[^/]*\/?(?:[a-z]:(?=\/))?|package:|[a-z]:(?=[\\/]))/i, '');
  const parts = local.split(/[\\/]+/).filter((part) => part !== '' && part !== '.' && part !== '..' && part !== '~');
  return path.includes('://') ? parts.map(decodeSegment) : parts;
}

function decodeSegment(segment: string): string {
  return /%(?:[0-7][0-9a-f])/i.test(segment) && !/%(?![0-7][0-9a-f])/i.test(segment)
    ? decodeURIComponent(segment)
    : segment;
}

function isFileName(name: string, isFrame: boolean): boolean {
  if (!name.includes('.')) return isFrame ? /^[^<>]+$/.test(name) : BARE_NAME.test(name);
  if (isFrame) return /[^.]\.[^.]+$/.test(name);
  return /^[^[\]]*[\w$\])-]\.[a-z]\w*$/i.test(name.replaceAll(/\[[^[\]]*\]/g, 'x')) && isKnownExtension(name);
}

function isKnownExtension(name: string): boolean {
  return languageOf(`x${name.slice(name.lastIndexOf('.'))}`) !== PLAIN_TEXT || /\.(?:txt|log|lock|snap)$/i.test(name);
}

/** Whether a path of one segment is a member with a short name rather than a file: `[self.h:10]`, `{a.c:1}`. */
function isMember(text: string, start: number, path: string): boolean {
  if (/[\\/]/.test(path) || !/\.\w$/.test(path)) return false;
  return /[[{,] ?$/.test(text.slice(Math.max(0, start - 2), start)) || /^(?:this|self)\./.test(path);
}

function functionBefore(text: string, start: number): string | undefined {
  const before = text.slice(Math.max(0, start - FRAME_LENGTH), start).replace(/\b(?:in|file:\/\/) ?$/, '');
  const trimmed = before.replace(/ $/, '');
  for (const pattern of FUNCTIONS) {
    const { name } = (pattern.exec(before) ?? pattern.exec(trimmed))?.groups ?? {};
    if (name !== undefined) return ownName(name);
  }
  return undefined;
}

/** The last part of a qualified name: `Foo.bar`, `app::parse::read`, `main.(*Server).handle`, `A.B<T>.C`. */
function ownName(qualified: string): string {
  const plain = qualified
    .replaceAll(/<(?!c?l?init>|anonymous>|lambda)[^<>]*>|\[[^[\]]*\]|\{\{?[^{}]*\}?\}|::h[0-9a-f]{16}$|`\d+/g, '')
    .replace(/(?:\.func\d+)+(?:\.\d+)*$/, '');
  const parts = plain.split(/[.:#+$]+|\)\./).filter((part) => part !== '' && !/^\d+$/.test(part));
  const last = parts.at(-1) ?? '';
  // A constructor has the name of its class.
  const own = /^<c?l?init>$|^c?ctor$/.test(last) ? (parts.at(-2) ?? '') : last;
  return /^<.*>$/.test(own) ? '' : own.replace(/^\(?\*?|[()]/g, '');
}

/** Folders of the package of a Java member such as `com.acme.Foo$Inner.bar`. */
function packageOf(member: string): string[] {
  return member
    .replace(/\.<c?l?init>$/, '.init')
    .split('.')
    .slice(0, -2);
}

function isOfLibrary(segments: readonly string[]): boolean {
  const path = segments.join('/');
  return LIBRARY.test(path) || LIBRARY_PACKAGE.test(path);
}

/**
 * Finds the best document for each location: the one that shares the longest end of the path with it, of equal ones the shortest,
 * then the first in alphabetical order. Ignores case, and the kind of slashes. One pass over the paths.
 */
export function matchPaths(
  locations: readonly Pick<PastedLocation, 'segments'>[],
  paths: Iterable<string>,
): (PathMatch | undefined)[] {
  const best = locations.map((): PathMatch | undefined => undefined);
  const wanted = locations.map(({ segments }) => segments.map((segment) => segment.toLowerCase()));
  const byName = new Map<string, number[]>();
  for (const [i, segments] of wanted.entries()) {
    const name = segments.at(-1);
    if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), i]);
  }
  // Nearly all paths end at a comparison of lengths, which only letters outside of ASCII change with their case.
  const names = [...byName.keys()];
  const lengths = names.every(isAscii) ? [...new Set(names.map(({ length }) => length))] : undefined;
  let index = -1;
  for (const path of paths) {
    index++;
    if (lengths && !lengths.some((length) => isName(path, path.length - length))) continue;
    const nameStart = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
    for (const i of byName.get(path.slice(nameStart).toLowerCase()) ?? []) {
      const shared = sharedSegments(wanted[i]!, path);
      const known = best[i];
      if (!known || isBetter(path, shared, known)) best[i] = { path, index, shared };
    }
  }
  return best;
}

/** Whether the file name of a path may begin at an offset. */
function isName(path: string, start: number): boolean {
  const before = path.charCodeAt(start - 1);
  return start === 0 || before === SLASH || before === BACKSLASH;
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function sharedSegments(wanted: readonly string[], path: string): number {
  const segments = path.toLowerCase().split(/[\\/]+/);
  let shared = 0;
  while (
    shared < Math.min(wanted.length, segments.length) &&
    wanted.at(-1 - shared) === segments[segments.length - 1 - shared]
  )
    shared++;
  return shared;
}

function isBetter(path: string, shared: number, known: PathMatch): boolean {
  if (shared !== known.shared) return shared > known.shared;
  return path.length !== known.path.length ? path.length < known.path.length : path < known.path;
}

/** The documents that pasted locations name, the first location first. */
export function* findLocations(
  locations: readonly PastedLocation[],
  all: readonly SegmentScores[],
): Generator<undefined, Pinned[], void> {
  if (locations.length === 0) return [];
  const paths: string[] = [];
  const documents: Candidate[] = [];
  for (const scores of all) {
    for (let document = 0; document < scores.reader.documents; document++) {
      if (document % PATHS_PER_STEP === 0) yield;
      if (!scores.mayBeResult(document)) continue;
      paths.push(scores.reader.pathOf(document));
      documents.push({ scores, document });
    }
  }
  const pinned = new Map<number, Pinned>();
  for (const [i, match] of matchPaths(locations, paths).entries()) {
    if (!match || pinned.has(match.index)) continue;
    const { scores, document } = documents[match.index]!;
    const line = Math.min(locations[i]!.line, Math.max(1, scores.reader.linesOf(document)));
    pinned.set(match.index, { scores, document, line, worth: 2 + 1 / (i + 1), feature: 'location' });
  }
  return [...pinned.values()];
}
