import { REDACTED, type Header } from '../../webhooks/event.ts';
import { SECRET_NAME } from '../http/requestLog.ts';

/** Names that the request log redacts for a reader's sake: what a signature or an access rule proves lets no client in. */
const HARMLESS = /signature(?![-_]?key)|^access-control-|^sec-|^authentication-results$/i;
/** Shorter ones may be part of any value. */
const SHORTEST_SECRET = 8;

/** A header as it is kept: without what would let others in. `secrets`: those of the webhook, as far as they are known. */
export function keptHeader([name, value]: Header, secrets: readonly string[]): Header {
  const isSecret = SECRET_NAME.test(name) && !HARMLESS.test(name);
  const hasSecret = secrets.some((secret) => secret.length >= SHORTEST_SECRET && value.includes(secret));
  return [name, isSecret || hasSecret ? REDACTED : value];
}

/** {@link keptHeader} of names and values in turn. */
export function keptHeaders(raw: readonly string[], secrets: readonly string[]): Header[] {
  const headers: Header[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) headers.push(keptHeader([raw[i]!, raw[i + 1]!], secrets));
  return headers;
}
