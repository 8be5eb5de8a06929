/**
 * The value at a path of JSONLogic (`pull_request.base.ref`, `labels.0.name`, `1`), or `undefined`; an empty path is the data
 * itself. Reads own properties only, those of the payload and not of JavaScript.
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
