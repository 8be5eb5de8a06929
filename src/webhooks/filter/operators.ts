/** The operators of JSONLogic, as jsonlogic.com/operations.html lists them; `?:` is its other name for `if`. */
export const OPERATORS: ReadonlySet<string> = new Set([
  ...['var', 'missing', 'missing_some'],
  ...['if', '?:', '==', '===', '!=', '!==', '!', '!!', 'or', 'and'],
  ...['>', '>=', '<', '<=', 'max', 'min', '+', '-', '*', '/', '%'],
  ...['map', 'reduce', 'filter', 'all', 'none', 'some', 'merge'],
  ...['in', 'cat', 'substr', 'log'],
]);

/** Operators whose second operand is asked of each item of the first one, with that item as the data. */
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
