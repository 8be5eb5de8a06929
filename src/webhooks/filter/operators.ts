type Count = readonly [least: number, most: number];

const TWO: Count = [2, 2];
const ANY: Count = [0, Infinity];
const SOME: Count = [1, Infinity];

/**
 * The operators that jsonlogic.com/operations.html lists (`?:` is another name for `if`), and the numbers of operands that it
 * or its tests define. The reference implementation takes any number, and silently ignores the rest.
 */
export const OPERANDS: ReadonlyMap<string, Count> = new Map(
  Object.entries<Count>({
    ...{ var: [0, 2], missing: ANY, missing_some: TWO },
    ...{
      if: ANY,
      '?:': ANY,
      '==': TWO,
      '===': TWO,
      '!=': TWO,
      '!==': TWO,
      '!': [1, 1],
      '!!': [1, 1],
      or: SOME,
      and: SOME,
    },
    ...{ '>': TWO, '>=': TWO, '<': [2, 3], '<=': [2, 3], max: SOME, min: SOME },
    ...{ '+': ANY, '-': [1, 2], '*': SOME, '/': TWO, '%': TWO },
    ...{ map: TWO, reduce: [2, 3], filter: TWO, all: TWO, none: TWO, some: TWO, merge: ANY },
    ...{ in: TWO, cat: ANY, substr: [2, 3], log: [1, 1] },
  }),
);

/** Operators whose second operand is evaluated for each item of the first one, with that item as the data. */
export const ITERATIONS: ReadonlySet<string> = new Set(['map', 'reduce', 'filter', 'all', 'none', 'some']);

/** The operands of an operation: `{"var": "a"}` is short for `{"var": ["a"]}`. */
export function operandsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** The operator and operands of an operation by {@link checkFilter}; `undefined` for a literal. */
export function operationOf(
  rule: unknown,
): { readonly operator: string; readonly operands: readonly unknown[] } | undefined {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return undefined;
  const [[operator, value]] = Object.entries(rule) as [[string, unknown]];
  return { operator, operands: operandsOf(value) };
}
