import type { Header } from '../../webhooks/event.ts';
import { proofOf } from '../../webhooks/proof.ts';
import type { Webhook } from '../../webhooks/definitions.ts';
import { schemeOf, signedUrl, urlsOf } from '../../webhooks/signatures.ts';
import { targetOf } from './keptHeaders.ts';

/** The proof of a delivery of our own to a webhook, and its query, to which a scheme may add. Without a key there is none. */
export function signedDelivery(
  webhook: Pick<Webhook, 'id' | 'type' | 'signature'>,
  key: string | undefined,
  headers: readonly Header[],
  body: Uint8Array,
  query?: string,
): { readonly headers: Header[]; readonly query: string | undefined } {
  if (key === undefined) return { headers: [], query };
  const given = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const contentType = given['content-type'];
  const scheme = schemeOf(webhook);
  const [first = ''] = urlsOf(given, targetOf(webhook, query));
  const url = scheme ? signedUrl(scheme, first, body, contentType) : first;
  const [, signedQuery = query] = url.split('?', 2);
  return { headers: proofOf(webhook, key, body, { url, contentType }), query: signedQuery };
}
