import { REDACTED, type Header } from '../../webhooks/event.ts';
import { SECRET_NAME } from '../http/requestLog.ts';

/** Names that only the request log redacts: a signature or an access rule gives no access. */
const HARMLESS = /signature(?![-_]?key)|^access-control-|^sec-|^authentication-results$/i;
/** Shorter secrets may be part of any value. */
const SHORTEST_SECRET = 8;

/** A header to store, with credentials redacted. `secrets` are the known ones of the webhook. */
export function keptHeader([name, value]: Header, secrets: readonly string[]): Header {
  const isSecret = SECRET_NAME.test(name) && !HARMLESS.test(name);
  const hasSecret = secrets.some((secret) => secret.length >= SHORTEST_SECRET && value.includes(secret));
  return [name, isSecret || hasSecret ? REDACTED : value];
}

/** Path and query of a delivery. */
export function targetOf({ id }: { readonly id: string }, query = ''): string {
  return `/webhooks/${id}${query === '' ? '' : `?${query}`}`;
}

/** {@link keptHeader} of names and values in turn. */
export function keptHeaders(raw: readonly string[], secrets: readonly string[]): Header[] {
  const headers: Header[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) headers.push(keptHeader([raw[i]!, raw[i + 1]!], secrets));
  return headers;
}
