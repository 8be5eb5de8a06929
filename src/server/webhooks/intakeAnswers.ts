import { sleep } from '../../base/sleep.ts';
import type { Webhook } from '../../webhooks/definitions.ts';
import type { HttpExchange, Reply } from '../http/exchange.ts';

/** An answer that a sender of any kind may read. */
type WholeReply = Extract<Reply, { readonly bytes: string }>;

/** Query parameters whose value a system wants back as text: WebSub and Meta, Microsoft Graph, Dropbox. */
const CHALLENGE_PARAMETERS = ['hub.challenge', 'validationToken', 'challenge'];

/**
 * The answer to a system's check of the address of a webhook, which is no event.
 * https://docs.slack.dev/reference/events/url_verification, https://www.w3.org/TR/websub/#hub-verifies-intent,
 * https://learn.microsoft.com/graph/change-notifications-delivery-webhooks, https://www.dropbox.com/developers/reference/webhooks
 */
export function challengeReply({ type }: Webhook, json: unknown, { query }: HttpExchange): Reply | undefined {
  if (type === 'slack' && typeof json === 'object' && json !== null) {
    const { type: kind, challenge } = json as { readonly type?: unknown; readonly challenge?: unknown };
    return kind === 'url_verification' && typeof challenge === 'string' ? { json: { challenge } } : undefined;
  }
  // A check has no body: what has one is an event.
  if (type !== 'anything' || query === '' || json !== '') return undefined;
  const parameters = new URLSearchParams(query);
  const name = CHALLENGE_PARAMETERS.find((one) => parameters.has(one));
  return name === undefined ? undefined : wholeReply(200, parameters.get(name)!, {});
}

/** The failure that the webhook's own answer chooses for this delivery, if so. */
export function failureReply({ answer }: Webhook): WholeReply | undefined {
  if (!answer || answer.failure_share === 0 || Math.random() >= answer.failure_share) return undefined;
  return wholeReply(answer.failure_status, '', {});
}

/** The webhook's own answer, after its delay; `undefined` for the usual one. */
export async function ownReply({ answer }: Webhook, exchange: HttpExchange): Promise<WholeReply | undefined> {
  if (!answer) return undefined;
  // Ends early if the sender closes the connection.
  if (answer.delay_ms > 0) await sleep(answer.delay_ms, exchange.gone()).catch(() => undefined);
  return wholeReply(answer.status, answer.body, answer.headers);
}

/** Text unless `headers` name a type; browsers must not run what a sender chose. */
function wholeReply(status: number, bytes: string, headers: Readonly<Record<string, string>>): WholeReply {
  const hasType = Object.keys(headers).some((name) => /^content-type$/i.test(name));
  return {
    status,
    bytes,
    headers: {
      ...(!hasType && { 'Content-Type': 'text/plain; charset=utf-8' }),
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  };
}
