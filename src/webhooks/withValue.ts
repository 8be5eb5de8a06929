import { parseTree, type Node } from 'jsonc-parser';
import { SextantError } from '../base/errors.ts';
import { isJson } from '../base/json.ts';

/** Applies `a.b.0=value` to a JSON text, whose other characters stay; the value is JSON or else text. Throws `InvalidOption`. */
export function withValue(json: string, assignment: string): string {
  const at = assignment.indexOf('=');
  const keys = assignment.slice(0, Math.max(at, 0)).split('.');
  if (keys.includes('')) throw wrong(assignment, 'write PATH=VALUE, such as --set action=closed');
  const given = assignment.slice(at + 1);
  const value = isJson(given) ? given : JSON.stringify(given);
  const nested = (from: number): string =>
    keys.slice(from).reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, value);
  const put = (start: number, end: number, text: string): string => json.slice(0, start) + text + json.slice(end);
  if (!isJson(json)) throw wrong(assignment, 'the body is not JSON.');
  let part = parseTree(json)!;
  for (const [i, key] of keys.entries()) {
    const { type, children, offset, length } = part;
    if (type === 'null') return put(offset, offset + length, nested(i));
    const where = keys.slice(0, i).join('.') || 'the body';
    if (!children) throw wrong(assignment, `${where} has no parts.`);
    const found = partOf(part, key);
    if (!found) {
      if (type === 'array' && key !== String(children.length)) throw wrong(assignment, `${where} has no part ${key}.`);
      const last = children.at(-1);
      const end = last ? last.offset + last.length : offset + 1;
      const name = type === 'array' ? '' : `${JSON.stringify(key)}:`;
      return put(end, end, `${last ? ',' : ''}${name}${nested(i + 1)}`);
    }
    part = found;
  }
  return put(part.offset, part.offset + part.length, value);
}

/** The value of a key or an index; the last of repeated keys counts. */
function partOf({ type, children = [] }: Node, key: string): Node | undefined {
  if (type === 'array') return children.find((_, i) => String(i) === key);
  return children.findLast((property) => property.children?.[0]?.value === key)?.children?.[1];
}

function wrong(assignment: string, why: string): SextantError {
  return new SextantError('InvalidOption', `--set ${assignment}: ${why}`);
}
