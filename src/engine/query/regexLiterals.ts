import { isIndexable, splitIdentifier } from '../analyze/words.ts';
import {
  ANY,
  DIGIT,
  FOREIGN,
  LOWER,
  OTHER,
  UPPER,
  isFault,
  kindOf,
  parseRegex,
  type RegexNode,
} from './regexSyntax.ts';

/** Text that an expression's matches have in common. */
export interface RegexLiterals {
  /**
   * Words that any matching text has, in lower case, unstemmed: parts of names by `splitIdentifier`. A `\b` beside a letter
   * outside of ASCII counts as the end of a word.
   */
  readonly words: readonly string[];
  /** Literal text of the expression in any of its alternatives, of two characters and more, in its order. */
  readonly pieces: readonly string[];
  /** Texts of which any matching text has one; empty if there are no such texts. */
  readonly anyOf: readonly string[];
  /** Whether {@link anyOf} is in lower case, and letters match both cases. */
  readonly ignoresCase: boolean;
}

/** Alternatives beyond this number count as any text. */
const MAX_PATHS = 16;
/** Items of one path. */
const MAX_ITEMS = 500;
const MIN_PIECE = 2;

/** A part of one way through the expression. */
type Item =
  | { readonly kind: 'character'; readonly text: string; readonly ignoresCase: boolean }
  /** One character or, if it `isGap`, any number of them; the mask has their kinds. */
  | { readonly kind: 'set'; readonly mask: number; readonly isGap: boolean }
  | { readonly kind: 'border' };

/** The literal text of an expression, which may have the flags `i` and `s`. An invalid one has none. */
export function literalsOf(text: string, flags: string): RegexLiterals {
  const node = parseRegex(text, flags);
  if (isFault(node)) return { words: [], pieces: [], anyOf: [], ignoresCase: false };
  const paths = pathsOf(node);
  const runs = paths.map(runsOf);
  const [first = [], ...others] = paths.map((path, i) => new Set(wordsOf(path, runs[i]!)));
  const longest = runs.map(longestText);
  const ignoresCase = runs.some((some) => some.some((run) => run.ignoresCase));
  const anyOf = longest.every((one) => one !== undefined && one.length >= MIN_PIECE) ? longest : [];
  return {
    words: [...first].filter((word) => others.every((words) => words.has(word))),
    pieces: [...new Set(runs.flat().map((run) => run.text))].filter((piece) => piece.length >= MIN_PIECE),
    anyOf: [...new Set(anyOf.map((one) => (ignoresCase ? one!.toLowerCase() : one!)))],
    ignoresCase,
  };
}

/** The ways through an expression. */
function pathsOf(node: RegexNode): Item[][] {
  switch (node.kind) {
    case 'character':
      return [[node]];
    case 'set':
      return [[{ kind: 'set', mask: node.mask, isGap: false }]];
    case 'position':
      return [node.isBorder ? [{ kind: 'border' }] : []];
    case 'repeat':
      return repeatedPaths(node.node, node.min, node.max);
    case 'choice': {
      const paths = node.nodes.flatMap(pathsOf);
      return paths.length <= MAX_PATHS ? paths : [[gapOf(node)]];
    }
    case 'sequence': {
      let paths: Item[][] = [[]];
      for (const one of node.nodes) {
        let next = pathsOf(one);
        if (paths.length * next.length > MAX_PATHS) next = [[gapOf(one)]];
        paths = paths.flatMap((before) => next.map((after) => joined(before, after)));
      }
      return paths;
    }
  }
}

function repeatedPaths(node: RegexNode, min: number, max: number): Item[][] {
  const gap = gapOf(node);
  if (min === 0) return [[gap]];
  const once = pathsOf(node);
  // Alternatives may differ from one time to the next.
  const [only] = once;
  if (once.length > 1 || min === 1 || only!.length * min > MAX_ITEMS) {
    return once.map((path) => (max === 1 ? path : [...path, gap]));
  }
  const all = Array.from({ length: min }, () => only!).flat();
  return [max === min ? all : [...all, gap]];
}

function joined(before: readonly Item[], after: readonly Item[]): Item[] {
  if (before.length + after.length <= MAX_ITEMS) return [...before, ...after];
  return [...before, { kind: 'set', mask: ANY, isGap: true }];
}

function gapOf(node: RegexNode): Item {
  return { kind: 'set', mask: maskOf(node), isGap: true };
}

/** Kinds of all characters that a part may match. */
function maskOf(node: RegexNode): number {
  switch (node.kind) {
    case 'character':
      return kindsOf(node);
    case 'set':
      return node.mask;
    case 'position':
      return 0;
    case 'repeat':
      return maskOf(node.node);
    case 'choice':
    case 'sequence':
      return node.nodes.reduce((mask, one) => mask | maskOf(one), 0);
  }
}

function kindsOf({ text, ignoresCase }: { readonly text: string; readonly ignoresCase: boolean }): number {
  const kind = kindOf(text.codePointAt(0)!);
  if (!ignoresCase || (kind & (LOWER | UPPER)) === 0) return kind;
  return LOWER | UPPER | FOREIGN;
}

/** Literal characters in a row. */
interface Run {
  readonly text: string;
  readonly ignoresCase: boolean;
  /** Index of the first item, and of the first one behind. */
  readonly from: number;
  readonly to: number;
}

function runsOf(path: readonly Item[]): Run[] {
  const runs: Run[] = [];
  for (let from = 0; from < path.length; from++) {
    let text = '';
    let ignoresCase = false;
    let to = from;
    for (; to < path.length; to++) {
      const item = path[to]!;
      if (item.kind !== 'character') break;
      text += item.text;
      ignoresCase ||= item.ignoresCase && item.text.toLowerCase() !== item.text.toUpperCase();
    }
    if (to === from) continue;
    runs.push({ text, ignoresCase, from, to });
    from = to;
  }
  return runs;
}

function longestText(runs: readonly Run[]): string | undefined {
  let longest: string | undefined;
  for (const { text, ignoresCase } of runs) {
    // Case of other letters is folded by other rules than those of toLowerCase().
    if (ignoresCase && !/^[\0-\x7f]*$/.test(text)) continue;
    if (longest === undefined || text.length > longest.length) longest = text;
  }
  return longest;
}

/** Characters that stand for their kind beside a word, in the forms that split names differently. */
const NEIGHBOURS: readonly (readonly [kind: number, before: readonly string[], after: readonly string[]])[] = [
  [LOWER, ['a', 'Aa'], ['a', 'aA']],
  [UPPER, ['A', 'AA', 'aA'], ['A', 'AA', 'Aa']],
  [DIGIT, ['0', 'a0'], ['0', '0a']],
  [OTHER, [' '], [' ']],
  [FOREIGN, ['é', 'É', '中'], ['é', 'É', '中']],
];

/** Words of one path that are whole whatever is beside them. */
function* wordsOf(path: readonly Item[], runs: readonly Run[]): Generator<string> {
  for (const { text, ignoresCase, from, to } of runs) {
    // Letters of both cases split in places that are not known.
    if (ignoresCase || !/[a-z]/i.test(text)) continue;
    const before = neighbours(maskBeside(path, from - 1, -1), 1);
    const after = neighbours(maskBeside(path, to, 1), 2);
    // Only the first name depends on what is before, and only the last on what is behind.
    const names = [...text.matchAll(/[\w\u0080-\uffff]+/g)];
    for (const name of names) {
      const isFirst = name.index === 0;
      const isLast = name.index + name[0].length === text.length;
      yield* certainParts(name[0], isFirst ? before : [' '], isLast ? after : [' ']);
    }
  }
}

function* certainParts(name: string, before: readonly string[], after: readonly string[]): Generator<string> {
  if (!/^\w+$/.test(name)) return;
  for (const part of new Set(splitIdentifier(name))) {
    if (!/^[a-z]+$/.test(part) || !isIndexable(part)) continue;
    // Among the parts with other neighbours; parts of a neighbour are shorter, or not of this name.
    const isCertain = before.every((one) =>
      after.every((other) => splitIdentifier(`${one}${name}${other}`).filter((any) => any === part).length > 0),
    );
    if (isCertain) yield part;
  }
}

function neighbours(mask: number, side: 1 | 2): string[] {
  return NEIGHBOURS.flatMap((one) => ((mask & one[0]) !== 0 ? one[side] : []));
}

/** Kinds of the characters that may be beside a run, from `at` in the direction of `step`. */
function maskBeside(path: readonly Item[], at: number, step: 1 | -1): number {
  let mask = 0;
  for (let i = at; i >= 0 && i < path.length; i += step) {
    const item = path[i]!;
    if (item.kind === 'border') return mask | OTHER;
    if (item.kind === 'character') return mask | kindsOf(item);
    mask |= item.mask;
    if (!item.isGap) return mask;
  }
  return ANY;
}
