import { parseJson } from '../base/json.ts';
import { isUtf8 } from 'node:buffer';
import type { Header } from './event.ts';

/** Fields in which senders such as GitHub and Slack put JSON into a form. */
const JSON_FIELDS = ['payload'];

/**
 * The value of a body for filters: its JSON; the fields of a form, with a list for a repeated one; else its text, or `null` for
 * bytes that are not UTF-8. JSON is recognized under any content type, since some senders name the wrong one.
 */
export function payloadOf(headers: readonly Header[], body: Buffer): unknown {
  if (!isUtf8(body)) return null;
  const text = body.toString();
  const isForm = headers.some(
    ([name, value]) => /^content-type$/i.test(name) && /^application\/x-www-form-urlencoded\b/i.test(value),
  );
  return isForm ? formOf(text) : jsonOrText(text);
}

/** The bytes of a body, from an answer that has them as text, or in base64 where they are none. */
export function bytesOf({ body, body_base64 }: { readonly body: string; readonly body_base64?: string }): Buffer {
  return body_base64 === undefined ? Buffer.from(body) : Buffer.from(body_base64, 'base64');
}

function formOf(text: string): unknown {
  // Without a prototype, so that no field has a meaning of its own.
  const fields = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of new URLSearchParams(text)) {
    const parsed = JSON_FIELDS.includes(name) ? jsonOrText(value) : value;
    const before = fields[name];
    if (before === undefined) fields[name] = parsed;
    else if (Array.isArray(before)) before.push(parsed);
    else fields[name] = [before, parsed];
  }
  return fields;
}

function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
