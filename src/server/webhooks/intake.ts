import { isUtf8 } from 'node:buffer';
import { Webhook as Signature, WebhookVerificationError } from 'standardwebhooks';
import type { Header } from '../../webhooks/event.ts';
import { isSecretOf } from '../../webhooks/secrets.ts';
import { bearer } from '../auth/tokens.ts';
import { httpErrors } from '../http/errors.ts';
import type { Exchange, Resource } from '../http/exchange.ts';
import type { WebhookService } from './service.ts';

/** What would let others in; GitLab sends its secret as it is. */
const REDACTED = /^(authorization|proxy-authorization|cookie|x-gitlab-token)$/i;
const MAX_KEY = 512;

/** `POST /webhooks/{id}`: 202 when the event is on the disk. */
export function intakeResource(service: WebhookService): Resource {
  const { definitions, clock, refusals } = service;
  return {
    path: '/webhooks/{id}',
    isLogged: true,
    guard: (headers, { id = '' }) => {
      const webhook = definitions.webhookById(id);
      if (!webhook?.enabled) throw httpErrors.notFound(`webhook ${id.slice(0, 100)}`);
      // A signature can only be checked with the body.
      if (webhook.type === 'bearer_token' && !isSecretOf(webhook.secrets, bearer(headers.authorization), clock.now()))
        throw httpErrors.unauthenticated();
      return { name: `webhook ${webhook.name}` };
    },
    onRefused: ({ parameters, status, code, message }) =>
      refusals.add({ webhook: parameters.id ?? '', status, code, reason: message }),
    methods: {
      POST: {
        accepts: ['application/json'],
        maxBytes: service.maxBodyBytes,
        handle: async (exchange) => {
          const id = exchange.parameters.id!;
          const body = await exchange.body();
          // It may have been deleted or disabled while the body was on its way.
          const webhook = definitions.webhookById(id);
          if (!webhook?.enabled) throw httpErrors.notFound(`webhook ${id}`);
          if (webhook.type === 'standard_webhooks') checkSignature(exchange, body, definitions.signingKeys(id));
          const json = parseJson(body);
          const key = keyOf(exchange);
          const headers = keptHeaders(exchange.rawHeaders);
          const accepted = await service.accept({ webhook: id, headers, body, key }, { json });
          return { status: 202, json: { event_id: accepted.id } };
        },
      },
    },
  };
}

/** The names and values, without what would let others in. */
function keptHeaders(raw: readonly string[]): Header[] {
  const headers: Header[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) headers.push(keptHeader([raw[i]!, raw[i + 1]!]));
  return headers;
}

export function keptHeader([name, value]: Header): Header {
  return [name, REDACTED.test(name) ? '[redacted]' : value];
}

function keyOf({ headers }: Exchange): string | undefined {
  const key = headers['webhook-id'] ?? headers['idempotency-key'];
  if (key === undefined || key === '') return undefined;
  if (typeof key !== 'string' || key.length > MAX_KEY)
    throw httpErrors.badRequest(`webhook-id and Idempotency-Key must have at most ${MAX_KEY} characters`);
  return key;
}

/** Throws `InvalidArgument`. */
function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw httpErrors.badRequest('the request body is not UTF-8');
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw httpErrors.badRequest(`the request body is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

/** As https://www.standardwebhooks.com has it, within five minutes of the real time. Throws `Unauthenticated`. */
function checkSignature({ headers }: Exchange, body: Buffer, keys: readonly string[]): void {
  const given = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  for (const key of keys) {
    try {
      new Signature(key).verify(body, given, { jsonParse: false });
      return;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
    }
  }
  throw httpErrors.unauthenticated();
}
