type Count = readonly [least: number, most: number];

const TWO: Count = [2, 2];
const ANY: Count = [0, Infinity];
const SOME: Count = [1, Infinity];

/**
 * The operators of JSONLogic, as jsonlogic.com/operations.html lists them (`?:` is its other name for `if`), and how many
 * operands have a meaning there or in its tests. The reference implementation takes any number, and is silent about what it
 * leaves out of account.
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

/** The operator and the operands of what {@link checkFilter} takes for an operation; `undefined` for a literal. */
export function operationOf(
  rule: unknown,
): { readonly operator: string; readonly operands: readonly unknown[] } | undefined {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return undefined;
  const [[operator, value]] = Object.entries(rule) as [[string, unknown]];
  return { operator, operands: operandsOf(value) };
}
