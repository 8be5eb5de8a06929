import { parseTree, type Node, type ParseError } from 'jsonc-parser';
import { describeError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { Filter } from './filter.ts';
import { previewJson } from './preview.ts';

/** The result of a filter for one payload. */
export interface TrialResult {
  readonly fires: boolean;
  /** Why it does not fire. */
  readonly because: string;
}

/** A part of the text that was the first false one for some payloads. */
export interface FalsePart {
  readonly offset: number;
  readonly length: number;
  readonly count: number;
  /** Why, for the first of them. */
  readonly because: string;
}

export type Trial =
  | { readonly problem: string }
  | {
      /** The filter; `undefined` for a text that means every event. */
      readonly rule: unknown;
      readonly words: string;
      readonly results: readonly TrialResult[];
      readonly falseParts: readonly FalsePart[];
    };

/** Tries the text of a filter for payloads, and finds where in the text the first false parts are. An empty text is `true`. */
export function tryFilter(text: string, payloads: readonly unknown[]): Trial {
  const errors: ParseError[] = [];
  const root = text.trim() === '' ? undefined : parseTree(text, errors, { disallowComments: true });
  if (errors.length > 0) return { problem: 'The text is not JSON.' };
  const places = new Map<unknown, Node>();
  const rule = root ? valueOf(root, places) : true;
  let filter: Filter;
  try {
    filter = new Filter(rule);
  } catch (error) {
    return { problem: describeError(error) };
  }
  const parts = new Map<Node, FalsePart>();
  const results = payloads.map((payload): TrialResult => {
    const { fires, because = '' } = filter.explain(payload);
    const node = fires ? undefined : (places.get(filter.firstFalse(payload)) ?? root);
    if (node) {
      const { count, because: first } = parts.get(node) ?? { count: 0, because };
      parts.set(node, { offset: node.offset, length: node.length, count: count + 1, because: first });
    }
    return { fires, because };
  });
  return { rule: rule === true ? undefined : rule, words: filter.words, results, falseParts: [...parts.values()] };
}

/** The value of a node; `places` receives the node of each object. */
function valueOf(node: Node, places: Map<unknown, Node>): unknown {
  const { type, children = [] } = node;
  if (type !== 'object' && type !== 'array') return node.value as unknown;
  const value =
    type === 'array'
      ? children.map((child) => valueOf(child, places))
      : Object.fromEntries(
          children.map(({ children: [key, child] = [] }) => [String(key?.value), child && valueOf(child, places)]),
        );
  places.set(value, node);
  return value;
}

/** A field of payloads. */
export interface SeenPath {
  readonly path: string;
  /** Its first value, as JSON. */
  readonly example: string;
}

const MAX_PATHS = 1_000;
const MAX_DEPTH = 8;

/** Paths for `var` that payloads have, in their order; of lists the first item stands for all. */
export function seenPaths(payloads: readonly unknown[]): SeenPath[] {
  const seen = new Map<string, string>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (seen.size >= MAX_PATHS || depth > MAX_DEPTH) return;
    if (path !== '' && !seen.has(path)) seen.set(path, previewJson(value, 60));
    const entries = Array.isArray(value)
      ? Object.entries(value.slice(0, 1))
      : isObject(value)
        ? Object.entries(value)
        : [];
    // A name with a dot has no path.
    for (const [name, one] of entries)
      if (!name.includes('.')) visit(one, path === '' ? name : `${path}.${name}`, depth + 1);
  };
  for (const payload of payloads) visit(payload, '', 0);
  return [...seen].map(([path, example]) => ({ path, example }));
}

/** Adds a condition to a rule: an `and` gets one more operand. `undefined` is the rule that is always true. */
export function withCondition(rule: unknown, path: string, value: unknown): unknown {
  const condition = { '==': [{ var: path }, value] };
  if (rule === undefined || rule === true) return condition;
  const operands = isObject(rule) && Array.isArray(rule.and) ? (rule.and as readonly unknown[]) : [rule];
  return { and: [...operands, condition] };
}
