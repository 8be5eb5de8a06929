import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import { SextantError } from '../../base/errors.ts';
import type { Definitions, Webhook } from '../../webhooks/definitions.ts';
import type { Header, StoredEvent } from '../../webhooks/event.ts';
import { changesForType, systemOf } from '../../webhooks/eventType.ts';
import type { Delivery } from '../../webhooks/journal/eventJournal.ts';
import { WEBHOOK_TYPES } from '../../webhooks/names.ts';
import { parseJson } from '../../base/json.ts';
import { payloadOf } from '../../webhooks/payload.ts';
import { contentOf } from '../../webhooks/schemas.ts';
import { proofHeaders } from '../../webhooks/signatures.ts';
import { withValue } from '../../webhooks/withValue.ts';
import { optionalText } from '../admin/adminPlane.ts';
import { httpErrors } from '../http/errors.ts';
import { keptHeader } from './keptHeaders.ts';
import { signedDelivery } from './signedDelivery.ts';

/** Changes of an event that is sent again; the rest stays. */
export const resendInput = z.strictObject({
  body: optionalText('body'),
  body_base64: optionalText('body_base64'),
  headers: z.optional(
    z.array(
      z.tuple([
        z.string().check(z.regex(/^[\w!#$%&'*+.^`|~-]{1,200}$/, 'headers has a name that no header can have')),
        z.string().check(z.regex(/^[\t\x20-\x7e\x80-\xff]{0,16000}$/, 'headers has a value that no header can have')),
      ]),
      'headers must be a list of names and values',
    ),
  ),
  type: z.optional(
    z.string('type must be a string').check(z.regex(/^[\x21-\x7e][\x20-\x7e]{0,200}$/, 'type must be ASCII')),
  ),
  webhook: optionalText('webhook'),
  secret: optionalText('secret'),
});
export type ResendInput = z.output<typeof resendInput>;

/** The webhooks of the server, and the largest body. */
interface Receiving {
  readonly definitions: Definitions;
  readonly maxBodyBytes: number;
}

/** Headers that say which delivery it was, and how it was signed. */
const OLD_PROOF = new Set(
  [...['idempotency-key', 'x-hub-signature'], ...WEBHOOK_TYPES.flatMap((type) => proofHeaders({ type }))].map((name) =>
    name.toLowerCase(),
  ),
);

/**
 * An event with changes, as its sender would send it: with a signature of now by the key of its webhook. With a `secret`, an event of
 * a webhook without signatures is signed as its system does. Throws `InvalidArgument`, `PayloadTooLarge` and `NotFound`.
 */
export function editedDelivery(service: Receiving, event: StoredEvent, input: ResendInput): Delivery {
  const { definitions, maxBodyBytes } = service;
  const webhook = targetOf(service, event, input);
  const system = systemOf(event.headers);
  let body = bodyOf(event, input);
  let headers: readonly Header[] = input.headers ?? event.headers;
  if (input.type !== undefined) {
    const changes = changesForType(system, input.type, payloadOf(headers, body));
    const replaced = changes.headers.map(([name]) => name.toLowerCase());
    headers = [...headers.filter(([name]) => !replaced.includes(name.toLowerCase())), ...changes.headers];
    for (const [path, value] of changes.values) body = Buffer.from(withType(body, path, value));
  }
  if (body.length > maxBodyBytes) throw httpErrors.tooLarge(maxBodyBytes);
  if (contentOf(webhook) === 'json') requireJson(body);
  const [key = input.secret] = definitions.signingKeys(webhook.id);
  const own = proofHeaders(webhook).map((name) => name.toLowerCase());
  const stays = ([name]: Header): boolean => !OLD_PROOF.has(name.toLowerCase()) && !own.includes(name.toLowerCase());
  const isSystems = webhook.type === 'anything' || webhook.type === 'bearer_token';
  const signing = isSystems ? system && { type: system } : webhook;
  const proof = signedDelivery(
    { id: webhook.id, ...(signing ?? { type: 'anything' }) },
    signing && key,
    headers,
    body,
    event.query,
  );
  const secrets = key === undefined ? [] : [key];
  const sent = [...headers.filter(stays), ...proof.headers].map((one) => keptHeader(withLength(one, body), secrets));
  const { id: editOf, method } = event;
  return { webhook: webhook.id, headers: sent, body, editOf, method, query: proof.query };
}

function targetOf({ definitions }: Receiving, event: StoredEvent, { webhook }: ResendInput): Webhook {
  if (webhook !== undefined) return definitions.webhook(webhook);
  const own = definitions.webhookById(event.webhook);
  if (!own) throw httpErrors.notFound(`webhook of ${event.id} any more; name another`);
  return own;
}

function bodyOf(event: StoredEvent, { body, body_base64: base64 }: ResendInput): Buffer {
  if (body !== undefined && base64 !== undefined) throw httpErrors.badRequest('give body or body_base64, not both');
  if (body !== undefined) return Buffer.from(body);
  if (base64 === undefined) return event.body;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw httpErrors.badRequest('body_base64 must be base64');
  return Buffer.from(base64, 'base64');
}

function withType(body: Buffer, path: string, value: string): string {
  try {
    return withValue(body.toString(), `${path}=${JSON.stringify(value)}`);
  } catch (error) {
    if (!(error instanceof SextantError)) throw error;
    throw httpErrors.badRequest(`type cannot be set: the body is not JSON, or has no place for ${path}`);
  }
}

function requireJson(body: Buffer): void {
  try {
    if (!isUtf8(body)) throw new SyntaxError('is not UTF-8');
    parseJson(body.toString());
  } catch (error) {
    throw httpErrors.badRequest(`body is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

function withLength([name, value]: Header, body: Buffer): Header {
  return [name, /^content-length$/i.test(name) ? String(body.length) : value];
}
