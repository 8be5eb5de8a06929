import { splitIdentifier, stem } from '../analyze/words.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { keep } from './keep.ts';

/** What ranking wants to know of a path. */
export interface PathInfo {
  readonly path: string;
  /** The words of the file's name, stemmed; of a file named like every other of its kind, those of its folder. */
  readonly name: readonly string[];
  /** Those words and each two neighbours as one: `web_socket` is also `websocket`. */
  readonly nameAndPairs: readonly string[];
  /** The name, folded. */
  readonly folded: string;
  /** The words of its folders, stemmed, and of the innermost. */
  readonly folders: readonly string[];
  readonly lastFolder: readonly string[];
  /** What its parts say that it is, each with the stem that excuses it if it is asked for. */
  readonly sides: readonly (readonly [Side, string])[];
  /** Whether a folder says that it is a test, not its name alone. */
  readonly isInTests: boolean;
  /** Folders that it is in, and 1. */
  readonly depth: number;
  /** Named like every other of its kind: `index`, `mod`, `__init__`. */
  readonly isPlain: boolean;
  /** A header or a file of declarations. */
  readonly isHeader: boolean;
}

/** Where code stands that is about other code, or is not to be used: rarely the place one asks for. */
export type Side = 'test' | 'example' | 'vendor' | 'internal' | 'compat';

const SIDES: Readonly<Record<Side, string>> = {
  test:
    'test tests spec specs testing testdata e2e bench benches benchmark benchmarks fixture fixtures mock mocks ' +
    'stub stubs fake fakes',
  example:
    'example examples sample samples demo demos doc docs tutorial tutorials playground website guide guides template templates',
  vendor: 'vendor vendored third thirdparty deps external generated gen dist build min',
  internal: 'internal internals impl private detail details priv',
  compat: 'compat compatibility legacy deprecated old shim shims polyfill polyfills',
};
const SIDE_OF: ReadonlyMap<string, Side> = new Map(
  Object.entries(SIDES).flatMap(([side, words]) => words.split(' ').map((word) => [word, side as Side] as const)),
);
const TEST_NAME = /(?:Tests?|Spec|IT|TestCase|Mock|Fake)\.\w+$/;
const PLAIN_NAME = /^(?:index|mod|main|lib|init|__init__|readme|package|core|base)$/i;
const HEADER = /\.(?:d\.ts|pyi|h|hh|hpp)$/;

/** What the parts of a path between `/`, `.`, `_` and `-` say that its file is; see {@link PathInfo.sides}. */
export function sidesOf(path: string): readonly (readonly [Side, string])[] {
  const sides: [Side, string][] = [];
  for (const part of path.toLowerCase().split(/[/._-]/)) {
    const side = sideOf(part);
    if (side) sides.push([side, stem(part)]);
  }
  if (TEST_NAME.test(path)) sides.push(['test', 'test']);
  return sides.length === 0 ? NO_SIDES : sides;
}

const NO_SIDES: readonly (readonly [Side, string])[] = [];

function sideOf(part: string): Side | undefined {
  const side = SIDE_OF.get(part);
  if (side) return side;
  if (part.startsWith('testutil')) return 'test';
  return /^v\d+$/.test(part) ? 'compat' : undefined;
}

export function pathInfo(path: string): PathInfo {
  const parts = path.split('/');
  const base = parts.at(-1)!.replace(/\.[^.]*$/, '');
  const isPlain = PLAIN_NAME.test(base);
  const raw = splitIdentifier(isPlain ? (parts.at(-2) ?? base) : base);
  const name = raw.map(stem);
  const folders = parts.slice(0, isPlain ? -2 : -1).map((folder) => splitIdentifier(folder).map(stem));
  return {
    path,
    name,
    nameAndPairs: [...name, ...raw.slice(1).map((word, i) => raw[i]! + word)],
    folded: raw.join(''),
    folders: folders.flat(),
    lastFolder: folders.at(-1) ?? [],
    sides: sidesOf(path),
    depth: parts.length,
    isInTests: parts.slice(0, -1).some((folder) =>
      folder
        .toLowerCase()
        .split(/[._-]/)
        .some((part) => sideOf(part) === 'test'),
    ),
    isPlain,
    isHeader: HEADER.test(path),
  };
}

/** What searches have worked out of a segment's paths, for the next search: people look in the same places again. */
interface Kept {
  readonly brief: Map<number, Pick<PathInfo, 'path' | 'sides'>>;
  readonly whole: Map<number, PathInfo>;
}

const kept = new WeakMap<SegmentReader, Kept>();

export function pathInfoOf(reader: SegmentReader, document: number): PathInfo {
  return keep(keptOf(reader).whole, document, () => pathInfo(reader.pathOf(document)));
}

/** What of it is asked of many documents. */
export function pathAndSidesOf(reader: SegmentReader, document: number): Pick<PathInfo, 'path' | 'sides'> {
  return keep(keptOf(reader).brief, document, () => {
    const path = reader.pathOf(document);
    return { path, sides: sidesOf(path) };
  });
}

function keptOf(reader: SegmentReader): Kept {
  let entry = kept.get(reader);
  if (!entry) kept.set(reader, (entry = { brief: new Map(), whole: new Map() }));
  return entry;
}
