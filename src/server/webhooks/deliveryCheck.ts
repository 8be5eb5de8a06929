import type { IncomingHttpHeaders } from 'node:http';
import { Webhook as Signature, WebhookVerificationError } from 'standardwebhooks';
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
} from '../../webhooks/signatures.ts';
import { bearerOf } from '../auth/tokens.ts';
import { httpErrors } from '../http/errors.ts';

const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const ROTATED = 'the secret was rotated, and has expired';
/** Messages of the library in plain words. */
const PROBLEMS: Readonly<Record<string, string>> = {
  'Invalid Signature Headers': 'webhook-timestamp is not a number',
  'Message timestamp too old': 'webhook-timestamp is more than 5 minutes ago',
  'Message timestamp too new': 'webhook-timestamp is more than 5 minutes ahead',
  'No matching signature found': ANOTHER,
};

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
function standardProblem(headers: IncomingHttpHeaders, body: Buffer, keys: readonly string[]): string | undefined {
  const missing = SIGNATURE_HEADERS.filter((name) => !headers[name]);
  if (missing.length > 0) {
    const names = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
    return headers.authorization === undefined
      ? names
      : `${names}: a bearer token was sent, but deliveries must be signed`;
  }
  let problem = ANOTHER;
  const given = Object.fromEntries(SIGNATURE_HEADERS.map((name) => [name, String(headers[name])]));
  for (const key of keys) {
    try {
      new Signature(key).verify(body, given, { jsonParse: false });
      return undefined;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      problem = PROBLEMS[error.message] ?? error.message;
    }
  }
  return problem === ANOTHER && !/\bv1,[\w+/]+=*/.test(given['webhook-signature']!)
    ? 'webhook-signature is not v1 in base64'
    : problem;
}
