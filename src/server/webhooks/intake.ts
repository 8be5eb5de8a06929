import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';
import type { Webhook } from '../../webhooks/definitions.ts';
import { hopsOf, MAX_HOPS } from '../../webhooks/forward.ts';
import { parseJson } from '../../base/json.ts';
import { payloadOf } from '../../webhooks/payload.ts';
import { contentOf } from '../../webhooks/schemas.ts';
import { httpErrors } from '../http/errors.ts';
import type { HttpExchange, Operation, Resource } from '../http/exchange.ts';
import { keptHeaders, targetOf } from './keptHeaders.ts';
import { checkLoopback, checkSignature, checkToken, knownSecrets } from './deliveryCheck.ts';
import { challengeReply, failureReply, ownReply } from './intakeAnswers.ts';
import type { WebhookService } from './service.ts';

const MAX_KEY = 512;

const JSON_TYPES = ['application/json'];

/** Why an event that came by many forwards is refused. */
const CIRCLE = `the event was forwarded ${MAX_HOPS} times: a trigger forwards to a webhook whose trigger forwards to it`;

/**
 * `POST /webhooks/{id}`: 202, or the webhook's own answer, when the event is on the disk. Webhooks of the type `anything` take all
 * methods.
 */
export function intakeResource(service: WebhookService): Resource {
  const { definitions, clock, refusals } = service;
  const enabledWebhook = (id = ''): Webhook => {
    const webhook = definitions.webhookById(id);
    if (webhook?.enabled) return webhook;
    // For the log: the sender does not learn that it exists.
    const reason = webhook && `the webhook is disabled; "webhooks enable ${webhook.name}" enables it`;
    throw httpErrors.notFound(`webhook ${id.slice(0, 100)}`, reason);
  };
  const receive: Operation = {
    accepts: ({ id }) => (contentOf(enabledWebhook(id)) === 'json' ? JSON_TYPES : undefined),
    maxBytes: service.maxBodyBytes,
    handle: async (exchange) => {
      const id = exchange.parameters.id!;
      const body = await exchange.body();
      // The webhook may have been deleted or disabled while the body arrived.
      const webhook = enabledWebhook(id);
      checkSignature(exchange.headers, body, webhook, definitions, targetOf(webhook, exchange.query));
      const headers = keptHeaders(exchange.rawHeaders, knownSecrets(exchange.headers, webhook, definitions));
      if (hopsOf(headers) >= MAX_HOPS) throw httpErrors.badRequest(CIRCLE);
      const json = contentOf(webhook) === 'json' ? jsonOf(body) : payloadOf(headers, body);
      const challenge = challengeReply(webhook, json, exchange);
      if (challenge) return challenge;
      const failure = failureReply(webhook);
      if (failure) {
        const reason = `the webhook answers a share of deliveries with ${failure.status}`;
        refusals.add({ webhook: id, status: failure.status, code: 'ChosenFailure', reason });
        return failure;
      }
      const key = idempotencyKeyOf(exchange);
      const method = exchange.method === 'POST' ? undefined : exchange.method;
      const query = exchange.query === '' ? undefined : exchange.query;
      const accepted = await service.accept({ webhook: id, headers, body, key, method, query }, { json });
      return (await ownReply(webhook, exchange)) ?? { status: 202, json: { event_id: accepted.id } };
    },
  };
  return {
    path: '/webhooks/{id}',
    isLogged: true,
    guard: (headers, { id }, address) => {
      service.requireLease();
      const webhook = enabledWebhook(id);
      if (webhook.type === 'anything') checkLoopback(headers, address);
      else checkToken(headers, webhook, clock.now());
      return { name: `webhook ${webhook.name}` };
    },
    onRefused: ({ parameters, status, code, reason: said }) => {
      const reason = status === 415 ? `${said}; "webhooks edit --content any" takes others` : said;
      refusals.add({ webhook: parameters.id ?? '', status, code, reason });
    },
    methods: { POST: receive },
    otherwise: ({ id = '' }) => (definitions.webhookById(id)?.type === 'anything' ? receive : undefined),
  };
}

function idempotencyKeyOf({ headers }: HttpExchange): string | undefined {
  // An empty one is none.
  const key = [headers['webhook-id'], headers['idempotency-key']].find(Boolean);
  if (!key) return undefined;
  if (typeof key !== 'string' || key.length > MAX_KEY)
    throw httpErrors.badRequest(`webhook-id and Idempotency-Key must have at most ${MAX_KEY} characters`);
  return key;
}

/** Parses a body. Throws `InvalidArgument`. */
function jsonOf(body: Buffer): unknown {
  if (!isUtf8(body)) throw httpErrors.badRequest('the request body is not UTF-8');
  const text = body.toString();
  try {
    return parseJson(text);
  } catch {
    // What the engine says of it quotes the body, and messages are kept.
    throw httpErrors.badRequest(`the request body is not JSON${jsonErrorPlace(text)}`);
  }
}

/** Where a text is no longer JSON. */
function jsonErrorPlace(text: string): string {
  let place = '';
  const onError = (_code: number, _offset: number, _length: number, line: number, character: number): void => {
    place ||= `: line ${line + 1}, column ${character + 1}`;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    // The text is nested too deep to find the place.
    if (!(error instanceof RangeError)) throw error;
  }
  return place;
}
