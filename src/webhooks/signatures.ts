import { createHmac, hash, timingSafeEqual } from 'node:crypto';
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
    /** What is signed, such as `{timestamp}.{body}`; `{url}` is the address as the sender wrote it, `{form}` its sorted fields. */
    signed: z._default(
      text(200).check(
        z.refine((one) => one.split(/\{body\}|\{form\}/).length === 2, 'must have {body} or {form} once'),
      ),
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
 * https://docs.slack.dev/authentication/verifying-requests-from-slack, https://shopify.dev/docs/apps/build/webhooks/subscribe/https,
 * https://developer.pagerduty.com/docs/verifying-webhook-signatures and https://www.twilio.com/docs/usage/webhooks/webhooks-security.
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
  twilio: scheme({ header: 'X-Twilio-Signature', algorithm: 'sha1', encoding: 'base64', signed: '{url}{form}' }),
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

/**
 * Why no key matches the signature of a delivery; `undefined` if one does. `now` is in milliseconds, `target` the path and query of the
 * address.
 */
export function signatureProblem(
  scheme: SignatureScheme,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  keys: readonly string[],
  now: number,
  target = '',
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
  const form = scheme.signed.includes('{form}') ? formText(body, headers['content-type']) : '';
  if (form === undefined && !namesHash(target, body))
    return `the body is no form, and ${BODY_HASH} in the address is not its hash`;
  const urls = scheme.signed.includes('{url}') ? urlsOf(headers, target) : [''];
  const presented = signatures.map((one) => Buffer.from(one, encoding));
  let isGood = false;
  for (const key of keys)
    for (const url of urls) {
      const wanted = mac(scheme, key, { timestamp, body, url, form: form ?? '' });
      for (const one of presented) if (one.length === wanted.length && timingSafeEqual(one, wanted)) isGood = true;
    }
  return isGood ? undefined : ANOTHER;
}

/** What a signature covers besides the body. */
export interface Addressed {
  /** The address, which {@link signedUrl} has completed. */
  readonly url?: string | undefined;
  readonly contentType?: string | undefined;
}

/** The headers that sign a body as the system would, at a time in milliseconds. */
export function signatureHeaders(
  scheme: SignatureScheme,
  key: string,
  body: Uint8Array,
  now: number,
  { url = '', contentType }: Addressed = {},
): Header[] {
  const { header, prefix, encoding, timestamp_header: timestampHeader, timestamp_prefix: timestampPrefix } = scheme;
  const timestamp = String(Math.floor(now / 1000));
  const form = formText(body, contentType) ?? '';
  const proof = `${prefix}${mac(scheme, key, { timestamp, body, url, form }).toString(encoding)}`;
  if (timestampHeader === undefined) return [[header, proof]];
  const at = `${timestampPrefix}${timestamp}`;
  if (timestampHeader.toLowerCase() === header.toLowerCase()) return [[header, `${at},${proof}`]];
  return [
    [timestampHeader, at],
    [header, proof],
  ];
}

/** A signature of https://www.standardwebhooks.com at a time in seconds. Their library would sign bytes that are no text as others. */
export function standardSignature(key: string, id: string, at: string, body: Uint8Array): string {
  const hmac = createHmac('sha256', Buffer.from(key.replace(/^whsec_/, ''), 'base64'));
  return `v1,${hmac.update(`${id}.${at}.`).update(body).digest('base64')}`;
}

/** The parts of a list with a prefix, without it. */
function parts(value: string | readonly string[], prefix: string): string[] {
  return String(value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length));
}

/** The values of what `signed` names. */
interface SignedParts {
  readonly timestamp: string;
  readonly body: Uint8Array;
  readonly url: string;
  readonly form: string;
}

function mac({ algorithm, signed }: SignatureScheme, key: string, values: SignedParts): Buffer {
  const hmac = createHmac(algorithm, key);
  for (const part of partsOf(signed)) hmac.update(typeof part === 'string' ? part : values[part.name]);
  return hmac.digest();
}

/** The parts of a template: texts, and the names of values. */
export function partsOf(signed: string): (string | { readonly name: keyof SignedParts })[] {
  return signed
    .split(/(\{(?:body|timestamp|url|form)\})/)
    .filter((part) => part !== '')
    .map((part) =>
      /^\{(?:body|timestamp|url|form)\}$/.test(part) ? { name: part.slice(1, -1) as keyof SignedParts } : part,
    );
}

/** The parameter in which the address of a signed form names the hash of another body. */
const BODY_HASH = 'bodySHA256';

/** The fields of a form, sorted and joined, repeated values once; empty for no body, `undefined` for a body of another type. */
export function formText(body: Uint8Array, contentType = ''): string | undefined {
  if (body.length === 0) return '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType)) return undefined;
  const fields = [...new URLSearchParams(Buffer.from(body).toString())].map(([name, value]) => ({ name, value }));
  const sorted = fields.sort((a, b) => compare(a.name, b.name) || compare(a.value, b.value));
  return [...new Set(sorted.map(({ name, value }) => JSON.stringify([name, value])))]
    .map((one) => (JSON.parse(one) as string[]).join(''))
    .join('');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The address to send to: a scheme that signs forms adds the hash of another body to it. */
export function signedUrl(scheme: SignatureScheme, url: string, body: Uint8Array, contentType?: string): string {
  if (!scheme.signed.includes('{form}') || formText(body, contentType) !== undefined || namesHash(url, body))
    return url;
  const [place = '', fragment] = url.split('#', 2);
  const [path = '', query] = place.split('?', 2);
  const others = (query ?? '').split('&').filter((one) => one !== '' && !one.startsWith(`${BODY_HASH}=`));
  const all = [...others, `${BODY_HASH}=${hash('sha256', body)}`].join('&');
  return `${path}?${all}${fragment === undefined ? '' : `#${fragment}`}`;
}

function namesHash(url: string, body: Uint8Array): boolean {
  const query = url.split('#', 1)[0]!.split('?').slice(1).join('?');
  return new URLSearchParams(query).get(BODY_HASH)?.toLowerCase() === hash('sha256', body);
}

/** The addresses that a sender may have signed: a tunnel ends TLS, and may name its host elsewhere. Only a key makes one valid. */
export function urlsOf(headers: IncomingHttpHeaders, target: string): string[] {
  const named = [headers['x-forwarded-host'], headers.host].flat().filter((host) => host !== undefined && host !== '');
  const hosts = (named.length > 0 ? named : ['localhost']).flatMap((host) => [host!, host!.replace(/:\d+$/, '')]);
  return [...new Set(hosts)].flatMap((host) =>
    [
      ['https', '443'],
      ['http', '80'],
    ].flatMap(([protocol, port]) => {
      const withPort = /:\d+$/.test(host) ? [] : [`${protocol}://${host}:${port}${target}`];
      return [`${protocol}://${host}${target}`, ...withPort];
    }),
  );
}

function scheme(input: z.input<typeof signatureInput>): SignatureScheme {
  return signatureInput.parse(input);
}
