import type { Dispatcher } from 'undici';
import { attempt } from '../base/attempt.ts';
import type { ForwardExpert, ForwardSecrets, Webhook } from './definitions.ts';
import { REDACTED, type AttemptOutcome, type Header, type StoredEvent } from './event.ts';
import { proofOf } from './proof.ts';
import { proofHeaders, schemeOf, signedUrl } from './signatures.ts';

/** Headers that belong to the connection of the delivery or ask for a compressed answer, name its target, or are set here. */
const OWN_HEADERS =
  /^(accept-encoding|authorization|connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-sextant-.*)$/i;

/** Number of forwards that an event came by. */
const HOPS = 'X-Sextant-Hops';
/** Forwards of one event to webhooks that forward it again: more are a circle. */
export const MAX_HOPS = 5;

export interface ForwardOptions {
  /** What the expert sends besides the event; `undefined` if it was lost. */
  readonly secrets: ForwardSecrets | undefined;
  readonly dispatcher?: Dispatcher | undefined;
  readonly signal: AbortSignal;
}

type Signing = Pick<Webhook, 'type' | 'signature'>;

/** The headers of an attempt: those of the event, without a signature that the expert replaces, then those of the expert. */
function headersOf(
  event: Pick<StoredEvent, 'id' | 'headers' | 'body'>,
  trigger: string,
  type: Signing | undefined,
  { headers, key }: ForwardSecrets,
  url: string,
): Header[] {
  const contentType = contentTypeOf([...headers, ...event.headers]);
  const proof = type && key !== undefined ? proofOf(type, key, event.body, { id: event.id, url, contentType }) : [];
  const own = [...headers, ...proof];
  const replaced = new Set([...own.map(([name]) => name), ...(type ? proofHeaders(type) : [])].map(lower));
  return [
    ...event.headers.filter((header) => isForwarded(header) && !replaced.has(lower(header[0]))),
    ...own,
    ['X-Sextant-Event-Id', event.id],
    ['X-Sextant-Trigger', encodeURIComponent(trigger)],
    [HOPS, String(hopsOf(event.headers) + 1)],
  ];
}

/** Sends an event's raw bytes and headers to the URL of an expert, by its method and with its query. Throws only for a cancelled `signal`. */
export async function forward(
  event: Pick<StoredEvent, 'id' | 'headers' | 'body' | 'method' | 'query'>,
  trigger: string,
  expert: ForwardExpert,
  { secrets, dispatcher, signal }: ForwardOptions,
): Promise<AttemptOutcome> {
  const { url, timeout_ms: timeoutMs } = expert;
  if (!secrets) return { isDone: false, canRetry: false, error: 'its headers or its key are lost: set them again' };
  const { method = 'POST', query } = event;
  const type = expert.sign && { type: expert.sign, signature: expert.signature };
  const scheme = type && schemeOf(type);
  const contentType = contentTypeOf([...secrets.headers, ...event.headers]);
  const asked = withQuery(url, query);
  const to = scheme ? signedUrl(scheme, asked, event.body, contentType) : asked;
  const outcome = await attempt(to, {
    method,
    headers: headersOf(event, trigger, type, secrets, to).flat(),
    ...(event.body.length > 0 && { body: event.body }),
    timeoutMs,
    signal,
    dispatcher,
  });
  const { status = 0 } = outcome;
  if (status < 300 || status >= 400) return outcome;
  return { ...outcome, error: 'redirected, and forwards follow no redirect (set its target as the URL)' };
}

/** The number of forwards that a delivery with these headers came by; 0 without the header, or with another value. */
export function hopsOf(headers: readonly Header[]): number {
  const value = headers.find(([name]) => lower(name) === lower(HOPS))?.[1] ?? '';
  return /^\d{1,3}$/.test(value) ? Number(value) : 0;
}

function withQuery(url: string, query: string | undefined): string {
  if (query === undefined) return url;
  const [place = '', fragment] = url.split('#', 2);
  return `${place}${place.includes('?') ? '&' : '?'}${query}${fragment === undefined ? '' : `#${fragment}`}`;
}

function contentTypeOf(headers: readonly Header[]): string | undefined {
  return headers.find(([name]) => lower(name) === 'content-type')?.[1];
}

function lower(text: string): string {
  return text.toLowerCase();
}

function isForwarded([name, value]: Header): boolean {
  return value !== REDACTED && !OWN_HEADERS.test(name);
}
