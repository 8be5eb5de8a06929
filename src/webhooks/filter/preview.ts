import { prefixOf } from '../../base/format.ts';

/** A value as JSON of about `limit` characters at the most: what does not fit is left out and marked with `…`. */
export function previewJson(value: unknown, limit = 120): string {
  const text = write(value, limit, 0);
  return text.length > limit + 1 ? `${prefixOf(text, limit)}…` : text;
}

function write(value: unknown, limit: number, depth: number): string {
  if (typeof value === 'string')
    return value.length > limit ? `${JSON.stringify(prefixOf(value, limit)).slice(0, -1)}…"` : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > 8) return '…';
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  // Object.entries would list a million keys to use ten.
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (text.length > limit) return `${prefixOf(text, limit)}…`;
    if (text.length > 1) text += ',';
    const item = (value as Readonly<Record<string, unknown>>)[key];
    text += (isList ? '' : `${write(key, limit, 0)}:`) + write(item, limit - Math.min(limit, text.length), depth + 1);
  }
  return text + (isList ? ']' : '}');
}
