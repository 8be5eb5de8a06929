import { splitIdentifier, stem } from '../analyze/words.ts';

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
  /** What its parts between `/`, `.`, `_` and `-` say that it is, each with the stem that excuses it if it is asked for. */
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

const TEST =
  /^(?:tests?|specs?|testing|testdata|testutil\w*|e2e|bench|benches|benchmarks?|fixtures?|mocks?|stubs?|fakes?)$/;
const SIDES: readonly (readonly [Side, RegExp])[] = [
  ['test', TEST],
  ['example', /^(?:examples?|samples?|demos?|docs?|tutorials?|playground|website|guides?|templates?)$/],
  ['vendor', /^(?:vendor|vendored|third|thirdparty|deps|external|generated|gen|dist|build|min)$/],
  ['internal', /^(?:internals?|impl|private|details?|priv)$/],
  ['compat', /^(?:compat|compatibility|legacy|deprecated|old|v\d+|shims?|polyfills?)$/],
];
const TEST_NAME = /(?:Tests?|Spec|IT|TestCase|Mock|Fake)\.\w+$/;
const PLAIN_NAME = /^(?:index|mod|main|lib|init|__init__|readme|package|core|base)$/i;
const HEADER = /\.(?:d\.ts|pyi|h|hh|hpp)$/;

export function pathInfo(path: string): PathInfo {
  const parts = path.split('/');
  const base = parts.at(-1)!.replace(/\.[^.]*$/, '');
  const isPlain = PLAIN_NAME.test(base);
  const raw = splitIdentifier(isPlain ? (parts.at(-2) ?? base) : base);
  const name = raw.map(stem);
  const folders = parts.slice(0, isPlain ? -2 : -1).map((folder) => splitIdentifier(folder).map(stem));
  const sides: [Side, string][] = [];
  for (const part of path.toLowerCase().split(/[/._-]/)) {
    for (const [side, pattern] of SIDES) if (pattern.test(part)) sides.push([side, stem(part)]);
  }
  if (TEST_NAME.test(path)) sides.push(['test', 'test']);
  return {
    path,
    name,
    nameAndPairs: [...name, ...raw.slice(1).map((word, i) => raw[i]! + word)],
    folded: raw.join(''),
    folders: folders.flat(),
    lastFolder: folders.at(-1) ?? [],
    sides,
    depth: parts.length,
    isInTests: parts.slice(0, -1).some((folder) =>
      folder
        .toLowerCase()
        .split(/[._-]/)
        .some((part) => TEST.test(part)),
    ),
    isPlain,
    isHeader: HEADER.test(path),
  };
}
