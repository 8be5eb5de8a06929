/**
 * The value that a path of JSONLogic (`pull_request.base.ref`, `labels.0.name`, `1`) leads to, or `undefined` where there
 * is none; an empty one leads to the data itself. Own properties only: the payload, not JavaScript, says what there is.
 */
export function lookup(data: unknown, path: unknown): unknown {
  if (path === undefined || path === null || path === '') return data;
  if (typeof path !== 'string' && typeof path !== 'number') return undefined;
  let value = data;
  for (const key of String(path).split('.')) {
    if (value === null || value === undefined || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
