import type * as z from 'zod/mini';
import { LIMITS, messages, REPEATED, type Endpoint } from '../../analytics/contract.ts';
import { invalidArgument } from '../../analytics/errors.ts';
import { SextantError } from '../../base/errors.ts';
import type { HttpExchange } from '../http/exchange.ts';

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/**
 * The parameters of a query string that an endpoint has, numbers and booleans as such; what is none of the kind stays text,
 * for the schema to refuse. Others are ignored and noted.
 */
export function readQuery(endpoint: Endpoint, exchange: HttpExchange): Record<string, unknown> {
  const known = (endpoint.request as z.ZodMiniObject).shape;
  const values: Record<string, unknown> = {};
  if (exchange.query === '') return values;
  for (const [name, text] of entriesOf(exchange.query)) {
    if (!Object.hasOwn(known, name)) exchange.warn(`unknown parameter ${name.slice(0, 100)} is ignored`);
    else values[name] = Object.hasOwn(values, name) ? REPEATED : typed(name, text);
  }
  return values;
}

/** Names and values, decoded. */
function entriesOf(query: string): Iterable<readonly [string, string]> {
  // Most have nothing to decode, and are taken apart in a third of the time.
  if (/[^\w.&=-]/.test(query)) return new URLSearchParams(query);
  const parts = query.split('&').filter((part) => part !== '');
  return parts.map((part) => {
    const end = part.indexOf('=');
    return end < 0 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)];
  });
}

function typed(name: string, text: string): unknown {
  if (name === 'page_size') return /^\d+$/.test(text) ? finite(Number(text)) : text;
  if (name === 'by_date' || name === 'by_model') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

/** What is greater than a number can be is a number still, and a page size is taken for its maximum. */
function finite(value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : value;
}

/** The JSON object of a body; an empty body is as if it were `{}`. Throws `InvalidArgument`. */
export function readJson(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (isDeep(bytes)) throw invalidArgument(messages.tooDeep);
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new SextantError('InvalidArgument', messages.notJson, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidArgument(messages.notAnObject);
  const body = value as Record<string, unknown>;
  if ('page_size' in body) body.page_size = finite(body.page_size);
  return body;
}

/** Whether more is nested than any request has a reason to: to parse millions of levels holds everyone else up. */
function isDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) isText = !isText;
    else if (isText) i += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > LIMITS.maxBodyDepth) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}
