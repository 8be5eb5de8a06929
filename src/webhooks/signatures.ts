import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod/mini';
import type { Header } from './event.ts';
import type { WebhookType } from './names.ts';

const TOLERANCE_S = 300;
const text = (most: number, least = 0) =>
  z.string('must be a string').check(z.minLength(least, 'is missing'), z.maxLength(most, `is over ${most} characters`));
const headerName = text(100, 1).check(z.regex(/^[\w-]+$/, 'must be the name of a header'));

/** An HMAC of a delivery, in a header. */
export const signatureInput = z
  .strictObject({
    header: headerName,
    algorithm: z._default(z.enum(['sha1', 'sha256', 'sha512'], 'must be sha1, sha256 or sha512'), 'sha256'),
    encoding: z._default(z.enum(['hex', 'base64'], 'must be hex or base64'), 'hex'),
    /** Text before each signature, such as `sha256=`. Commas separate several signatures. */
    prefix: z._default(text(20), ''),
    /** What is signed, such as `{timestamp}.{body}`. */
    signed: z._default(
      text(200).check(z.refine((one) => one.split('{body}').length === 2, 'must have {body} once')),
      '{body}',
    ),
    /** Header with the time in seconds since 1970, and the text before it. */
    timestamp_header: z.optional(headerName),
    timestamp_prefix: z._default(text(20), ''),
    /** How far the timestamp may be from now. */
    tolerance_seconds: z._default(
      z.int('must be a whole number').check(z.gte(1, 'must be 1 or more'), z.lte(86_400, 'must be at most a day')),
      TOLERANCE_S,
    ),
  })
  .check(
    z.refine(
      ({ signed, timestamp_header: header }) => signed.includes('{timestamp}') === (header !== undefined),
      'needs timestamp_header where signed has {timestamp}, and only there',
    ),
  );
export type SignatureScheme = z.output<typeof signatureInput>;

/**
 * The schemes of systems, each as its documentation has it:
 * https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries, https://docs.stripe.com/webhooks#verify-manually,
 * https://docs.slack.dev/authentication/verifying-requests-from-slack, https://shopify.dev/docs/apps/build/webhooks/subscribe/https and
 * https://developer.pagerduty.com/docs/verifying-webhook-signatures.
 */
const SCHEMES: Readonly<Partial<Record<WebhookType, SignatureScheme>>> = {
  github: scheme({ header: 'X-Hub-Signature-256', prefix: 'sha256=' }),
  stripe: scheme({
    header: 'Stripe-Signature',
    prefix: 'v1=',
    signed: '{timestamp}.{body}',
    timestamp_header: 'Stripe-Signature',
    timestamp_prefix: 't=',
  }),
  slack: scheme({
    header: 'X-Slack-Signature',
    prefix: 'v0=',
    signed: 'v0:{timestamp}:{body}',
    timestamp_header: 'X-Slack-Request-Timestamp',
  }),
  shopify: scheme({ header: 'X-Shopify-Hmac-Sha256', encoding: 'base64' }),
  pagerduty: scheme({ header: 'X-PagerDuty-Signature', prefix: 'v1=' }),
};

export const GITLAB_TOKEN = 'X-Gitlab-Token';

/** The problem of a delivery that was signed with another key. */
export const ANOTHER = 'the signature is of another secret or of another body';

interface Typed {
  readonly type: WebhookType;
  readonly signature?: SignatureScheme | undefined;
}

/** The scheme of a webhook; `undefined` for a token, and for Standard Webhooks, which a library checks. */
export function schemeOf({ type, signature }: Typed): SignatureScheme | undefined {
  return type === 'hmac' ? signature : SCHEMES[type];
}

/** Names of the headers of a sender's proof, that with the token or signature first; none for a bearer token, which any sender may have. */
export function proofHeaders(webhook: Typed): string[] {
  if (webhook.type === 'gitlab') return [GITLAB_TOKEN];
  if (webhook.type === 'standard_webhooks') return ['webhook-signature', 'webhook-id', 'webhook-timestamp'];
  const scheme = schemeOf(webhook);
  return scheme ? [scheme.header, scheme.timestamp_header].filter((name) => name !== undefined) : [];
}

/** Whether the secret is a key, which must be kept as it is to check signatures; of a token, its hash is enough. */
export function isSigned({ type }: Pick<Typed, 'type'>): boolean {
  return type !== 'bearer_token' && type !== 'gitlab' && type !== 'anything';
}

/** Why no key matches the signature of a delivery; `undefined` if one does. `now` is in milliseconds. */
export function signatureProblem(
  scheme: SignatureScheme,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  keys: readonly string[],
  now: number,
): string | undefined {
  const { header, prefix, encoding, timestamp_header: timestampHeader } = scheme;
  const given = headers[header.toLowerCase()];
  if (given === undefined || given === '')
    return headers.authorization === undefined
      ? `${header} is missing`
      : `${header} is missing: a bearer token was sent, but deliveries must be signed`;
  const signatures = parts(given, prefix);
  if (signatures.length === 0) return `${header} has no signature that begins with ${prefix}`;
  let timestamp = '';
  if (timestampHeader !== undefined) {
    const [found] = parts(headers[timestampHeader.toLowerCase()] ?? '', scheme.timestamp_prefix);
    if (found === undefined || found === '') return `${timestampHeader} has no timestamp`;
    if (!/^\d{1,12}$/.test(found)) return `the timestamp in ${timestampHeader} is no number of seconds`;
    const off = now / 1000 - Number(found);
    if (Math.abs(off) > scheme.tolerance_seconds)
      return `the timestamp in ${timestampHeader} is more than ${scheme.tolerance_seconds} seconds ${off > 0 ? 'ago' : 'ahead'}`;
    timestamp = found;
  }
  const presented = signatures.map((one) => Buffer.from(one, encoding));
  let isGood = false;
  for (const key of keys) {
    const wanted = mac(scheme, key, timestamp, body);
    for (const one of presented) if (one.length === wanted.length && timingSafeEqual(one, wanted)) isGood = true;
  }
  return isGood ? undefined : ANOTHER;
}

/** The headers that sign a body as the system would, at a time in milliseconds. */
export function signatureHeaders(scheme: SignatureScheme, key: string, body: Uint8Array, now: number): Header[] {
  const { header, prefix, encoding, timestamp_header: timestampHeader, timestamp_prefix: timestampPrefix } = scheme;
  const timestamp = String(Math.floor(now / 1000));
  const proof = `${prefix}${mac(scheme, key, timestamp, body).toString(encoding)}`;
  if (timestampHeader === undefined) return [[header, proof]];
  const at = `${timestampPrefix}${timestamp}`;
  if (timestampHeader.toLowerCase() === header.toLowerCase()) return [[header, `${at},${proof}`]];
  return [
    [timestampHeader, at],
    [header, proof],
  ];
}

/** The parts of a list with a prefix, without it. */
function parts(value: string | readonly string[], prefix: string): string[] {
  return String(value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length));
}

function mac({ algorithm, signed }: SignatureScheme, key: string, timestamp: string, body: Uint8Array): Buffer {
  const [before = '', after = ''] = signed.split('{body}').map((part) => part.replaceAll('{timestamp}', timestamp));
  return createHmac(algorithm, key).update(before).update(body).update(after).digest();
}

function scheme(input: z.input<typeof signatureInput>): SignatureScheme {
  return signatureInput.parse(input);
}
