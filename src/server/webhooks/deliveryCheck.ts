import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Definitions, Webhook } from '../../webhooks/definitions.ts';
import { WEBHOOK_TYPES } from '../../webhooks/names.ts';
import { isSecretOf } from '../../webhooks/secrets.ts';
import {
  ANOTHER,
  GITLAB_TOKEN,
  isSigned,
  proofHeaders,
  schemeOf,
  signatureProblem,
  standardSignature,
} from '../../webhooks/signatures.ts';
import { bearerOf } from '../auth/tokens.ts';
import { httpErrors } from '../http/errors.ts';

const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const ROTATED = 'the secret was rotated, and has expired';

/**
 * Checks the token of a delivery, if its webhook has one; a signature is checked with the body. Throws `Unauthenticated`; its reason is
 * for the log, never for the sender.
 */
export function checkToken(headers: IncomingHttpHeaders, webhook: Webhook, now: number): void {
  if (isSigned(webhook)) return;
  const token = tokenOf(headers, webhook);
  if (token !== undefined && isSecretOf(webhook.secrets, token, now)) return;
  if (token === undefined) throw httpErrors.unauthenticated(missingToken(headers, webhook));
  // At time -Infinity no secret has expired.
  throw httpErrors.unauthenticated(isSecretOf(webhook.secrets, token, -Infinity) ? ROTATED : 'wrong secret');
}

/** Headers of proxies and tunnels. */
const FORWARDED = /^(forwarded|x-forwarded-.*|x-real-ip|via|cf-connecting-ip)$/;

/**
 * Checks that a program of this machine sent a delivery without proof: not another machine, a tunnel, or a page of another site.
 * Throws `PermissionDenied`.
 */
export function checkLoopback(headers: IncomingHttpHeaders, address = ''): void {
  const only = 'a webhook of type anything takes deliveries of this machine only';
  if (!/^(127\.|::1$|::ffff:127\.)/.test(address)) throw httpErrors.forbidden(`${only}, and not of ${address}`);
  const host = (headers.host ?? 'localhost').replace(/:\d*$/, '');
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(host))
    throw httpErrors.forbidden(`${only}, and not for ${host}`);
  const proxy = Object.keys(headers).find((name) => FORWARDED.test(name));
  if (proxy !== undefined) throw httpErrors.forbidden(`${only}; ${proxy} shows that a proxy or tunnel sent this one`);
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin')
    throw httpErrors.forbidden(`${only}, and not of pages of other sites`);
}

/** Checks the signature of a delivery to a path and query within minutes of real time, if its webhook wants one. Throws as {@link checkToken}. */
export function checkSignature(
  headers: IncomingHttpHeaders,
  body: Buffer,
  webhook: Webhook,
  definitions: Definitions,
  target: string,
): void {
  if (!isSigned(webhook)) return;
  const scheme = schemeOf(webhook);
  const problemFor = (keys: readonly string[]): string | undefined =>
    scheme ? signatureProblem(scheme, headers, body, keys, Date.now(), target) : standardProblem(headers, body, keys);
  const problem = problemFor(definitions.signingKeys(webhook.id));
  if (problem === undefined) return;
  const wasGood = problem === ANOTHER && problemFor(definitions.signingKeys(webhook.id, -Infinity)) === undefined;
  throw httpErrors.unauthenticated(wasGood ? ROTATED : problem);
}

/** Secrets to redact: of a token only the hash is stored, so it is the one that was sent. */
export function knownSecrets(headers: IncomingHttpHeaders, webhook: Webhook, definitions: Definitions): string[] {
  const token = isSigned(webhook) ? undefined : tokenOf(headers, webhook);
  return token === undefined ? definitions.signingKeys(webhook.id) : [token];
}

function tokenOf(headers: IncomingHttpHeaders, { type }: Webhook): string | undefined {
  if (type === 'anything') return undefined;
  if (type === 'bearer_token') return bearerOf(headers.authorization);
  const token = headers[GITLAB_TOKEN.toLowerCase()];
  return typeof token === 'string' ? token : undefined;
}

function missingToken(headers: IncomingHttpHeaders, { type }: Webhook): string {
  if (type === 'bearer_token' && headers.authorization !== undefined)
    return 'the Authorization header is not Bearer and the secret';
  const wanted = type === 'bearer_token' ? 'Authorization' : GITLAB_TOKEN;
  const others = WEBHOOK_TYPES.filter((one) => one !== type).map((one) => ({
    one,
    header: proofHeaders({ type: one })[0],
  }));
  const other = others.find(({ header }) => header !== undefined && header.toLowerCase() in headers);
  return `there is no ${wanted} header${other ? `, but ${other.header}: use a webhook of type ${other.one}` : ''}`;
}

/** Why no key matches a signature by https://www.standardwebhooks.com; `undefined` if one does. */
export function standardProblem(
  headers: IncomingHttpHeaders,
  body: Buffer,
  keys: readonly string[],
  toleranceS = 300,
): string | undefined {
  const missing = SIGNATURE_HEADERS.filter((name) => !headers[name]);
  if (missing.length > 0) {
    const names = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
    return headers.authorization === undefined
      ? names
      : `${names}: a bearer token was sent, but deliveries must be signed`;
  }
  const [id = '', at = '', given = ''] = SIGNATURE_HEADERS.map((name) => String(headers[name]));
  if (!/^\d{1,20}$/.test(at)) return 'webhook-timestamp is not a number';
  const off = Date.now() / 1000 - Number(at);
  if (Math.abs(off) > toleranceS) return `webhook-timestamp is more than 5 minutes ${off > 0 ? 'ago' : 'ahead'}`;
  const presented = given.split(' ').map((one) => Buffer.from(one));
  let isGood = false;
  for (const key of keys) {
    const wanted = Buffer.from(standardSignature(key, id, at, body));
    for (const one of presented) if (one.length === wanted.length && timingSafeEqual(one, wanted)) isGood = true;
  }
  if (isGood) return undefined;
  return /\bv1,[\w+/]+=*/.test(given) ? ANOTHER : 'webhook-signature is not v1 in base64';
}
