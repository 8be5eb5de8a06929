import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';
import type { Webhook } from '../../webhooks/definitions.ts';
import { httpErrors } from '../http/errors.ts';
import type { HttpExchange, Resource } from '../http/exchange.ts';
import { keptHeaders } from './keptHeaders.ts';
import { checkSignature, checkToken, knownSecrets } from './deliveryCheck.ts';
import type { WebhookService } from './service.ts';

const MAX_KEY = 512;

/** `POST /webhooks/{id}`: 202 when the event is on the disk. */
export function intakeResource(service: WebhookService): Resource {
  const { definitions, clock, refusals } = service;
  return {
    path: '/webhooks/{id}',
    isLogged: true,
    guard: (headers, { id = '' }) => {
      service.requireLease();
      const webhook = definitions.webhookById(id);
      if (!webhook?.enabled) throw httpErrors.notFound(`webhook ${id.slice(0, 100)}`);
      checkToken(headers, webhook, clock.now());
      return { name: `webhook ${webhook.name}` };
    },
    onRefused: ({ parameters, status, code, reason }) =>
      refusals.add({ webhook: parameters.id ?? '', status, code, reason }),
    methods: {
      POST: {
        accepts: ['application/json'],
        maxBytes: service.maxBodyBytes,
        handle: async (exchange) => {
          const id = exchange.parameters.id!;
          const body = await exchange.body();
          // The webhook may have been deleted or disabled while the body arrived.
          const webhook = definitions.webhookById(id);
          if (!webhook?.enabled) throw httpErrors.notFound(`webhook ${id}`);
          checkSignature(exchange.headers, body, webhook, definitions);
          const json = parseJson(body);
          const challenge = challengeOf(webhook, json);
          if (challenge !== undefined) return { json: { challenge } };
          const key = idempotencyKeyOf(exchange);
          const headers = keptHeaders(exchange.rawHeaders, knownSecrets(exchange.headers, webhook, definitions));
          const accepted = await service.accept({ webhook: id, headers, body, key }, { json });
          return { status: 202, json: { event_id: accepted.id } };
        },
      },
    },
  };
}

/**
 * The challenge with which Slack checks the address of a webhook, to be sent back; it is no event.
 * https://docs.slack.dev/reference/events/url_verification
 */
function challengeOf({ type }: Webhook, json: unknown): string | undefined {
  if (type !== 'slack' || typeof json !== 'object' || json === null) return undefined;
  const { type: kind, challenge } = json as { readonly type?: unknown; readonly challenge?: unknown };
  return kind === 'url_verification' && typeof challenge === 'string' ? challenge : undefined;
}

function idempotencyKeyOf({ headers }: HttpExchange): string | undefined {
  const key = headers['webhook-id'] ?? headers['idempotency-key'];
  if (key === undefined || key === '') return undefined;
  if (typeof key !== 'string' || key.length > MAX_KEY)
    throw httpErrors.badRequest(`webhook-id and Idempotency-Key must have at most ${MAX_KEY} characters`);
  return key;
}

/** Parses a body. Throws `InvalidArgument`. */
function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw httpErrors.badRequest('the request body is not UTF-8');
  const text = body.toString();
  try {
    return JSON.parse(text);
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
