import { randomUUID } from 'node:crypto';
import type { Webhook } from './definitions.ts';
import type { Header } from './event.ts';
import type { System } from './names.ts';
import { GITLAB_TOKEN, schemeOf, signatureHeaders, standardSignature, type Addressed } from './signatures.ts';

/** The header with the id of a delivery, as the system adds it. */
const IDS: Readonly<Record<System, string | undefined>> = {
  github: 'X-GitHub-Delivery',
  gitlab: 'X-Gitlab-Event-UUID',
  pagerduty: 'X-Webhook-Id',
  shopify: 'X-Shopify-Webhook-Id',
  slack: undefined,
  stripe: undefined,
  twilio: 'I-Twilio-Idempotency-Token',
};

/** Headers that the system adds to each delivery: its id, and with a secret its proof of origin. */
export function deliveryHeaders(system: System, body: Uint8Array, secret?: string): Header[] {
  const id = IDS[system];
  return [
    ...(id === undefined ? [] : [[id, randomUUID()] as const]),
    ...(secret === undefined ? [] : proofOf({ type: system }, secret, body)),
  ];
}

/** What a proof covers besides the body: the id of the delivery, its address and the type of its content. */
export interface ProofOf extends Addressed {
  readonly id?: string | undefined;
}

/** Headers with the proof of origin, at real time: signatures are checked against it, and not against the server's clock. */
export function proofOf(
  webhook: Pick<Webhook, 'type' | 'signature'>,
  secret: string,
  body: Uint8Array,
  { id = `msg_${randomUUID()}`, ...addressed }: ProofOf = {},
): Header[] {
  if (webhook.type === 'bearer_token' || webhook.type === 'anything') return [];
  if (webhook.type === 'gitlab') return [[GITLAB_TOKEN, secret]];
  const scheme = schemeOf(webhook);
  if (scheme) return signatureHeaders(scheme, secret, body, Date.now(), addressed);
  const at = String(Math.floor(Date.now() / 1000));
  return [
    ['webhook-id', id],
    ['webhook-timestamp', at],
    ['webhook-signature', standardSignature(secret, id, at, body)],
  ];
}
