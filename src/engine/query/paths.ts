import { languageOf } from '../analyze/languages.ts';
import { splitIdentifier, stem } from '../analyze/words.ts';
import { formOf, type FileForm } from './fileForms.ts';

/** Properties of a path for ranking. */
export interface PathInfo {
  readonly path: string;
  /** The words of the file's name, stemmed; for a generic file name, the words of its folder. */
  readonly name: readonly string[];
  /** Those words, and each two neighbours joined: `web_socket` is also `websocket`. */
  readonly nameAndPairs: readonly string[];
  /** The name, folded. */
  readonly folded: string;
  /** The words of its folders, stemmed, and of the innermost. */
  readonly folders: readonly string[];
  readonly lastFolder: readonly string[];
  /** Kinds of the file by the parts of its path, each with the stem that lifts its penalty if the query has it. */
  readonly sides: readonly (readonly [FileRole, string])[];
  /** Whether a folder, not only the name, shows that the file is a test. */
  readonly isInTests: boolean;
  /** Number of folders above the file, plus 1. */
  readonly depth: number;
  /** Whether the name is generic: `index`, `mod`, `__init__`. */
  readonly isPlain: boolean;
  /** Whether the file is a header or a file of declarations. */
  readonly isHeader: boolean;
  /** `undefined` for code. */
  readonly form: FileForm | undefined;
}

/** Kinds of files with code about other code, or not meant for use: rarely what a query is after. */
export type FileRole = 'test' | 'example' | 'vendor' | 'internal' | 'compat';

const SIDES: Readonly<Record<FileRole, string>> = {
  test:
    'test tests spec specs testing testdata e2e bench benches benchmark benchmarks fixture fixtures mock mocks ' +
    'stub stubs fake fakes',
  example:
    'example examples sample samples demo demos doc docs tutorial tutorials playground website guide guides template templates',
  vendor: 'vendor vendored third thirdparty deps external generated gen dist min',
  internal: 'internal internals impl private detail details priv',
  compat: 'compat compatibility legacy deprecated old shim shims polyfill polyfills',
};
const SIDE_OF: ReadonlyMap<string, FileRole> = new Map(
  Object.entries(SIDES).flatMap(([side, words]) => words.split(' ').map((word) => [word, side as FileRole] as const)),
);
const TEST_NAME = /(?:Tests?|Spec|IT|TestCase|Mock|Fake)\.\w+$/;
const PLAIN_NAME = /^(?:index|mod|main|lib|init|__init__|readme|package|core|base)$/i;
const HEADER = /\.(?:d\.ts|pyi|h|hh|hpp)$/;

/** Whether a file is in a language of templates: `templates` is the usual folder for them, and holds no examples. */
function isTemplate(path: string): boolean {
  return languageOf(path).isNamedByFile === true;
}

/** Kinds of a file by the parts of its path between `/`, `.`, `_` and `-`; see {@link PathInfo.sides}. */
export function sidesOf(path: string): readonly (readonly [FileRole, string])[] {
  const sides: [FileRole, string][] = [];
  for (const part of path.toLowerCase().split(/[/._-]/)) {
    const side = sideOf(part);
    if (side && !(part === 'templates' && isTemplate(path))) sides.push([side, stem(part)]);
  }
  if (TEST_NAME.test(path)) sides.push(['test', 'test']);
  return sides.length === 0 ? NO_SIDES : sides;
}

const NO_SIDES: readonly (readonly [FileRole, string])[] = [];

function sideOf(part: string): FileRole | undefined {
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
    form: formOf(path),
  };
}
