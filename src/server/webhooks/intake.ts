import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { visit } from 'jsonc-parser';
import { Webhook as Signature, WebhookVerificationError } from 'standardwebhooks';
import type { Definitions, Webhook } from '../../webhooks/definitions.ts';
import { isSecretOf, type SecretRecord } from '../../webhooks/secrets.ts';
import { bearerOf } from '../auth/tokens.ts';
import { httpErrors } from '../http/errors.ts';
import type { HttpExchange, Resource } from '../http/exchange.ts';
import { keptHeaders } from './keptHeaders.ts';
import type { WebhookService } from './service.ts';

const MAX_KEY = 512;
/** Headers of systems that do not send a bearer token. */
const OTHER_PROOFS = ['X-Hub-Signature-256', 'X-Gitlab-Token', 'webhook-signature'];
const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const ROTATED = 'the secret was rotated, and has expired';
const ANOTHER = 'the signature is of another secret or of another body';
/** Messages of the library in plain words. */
const PROBLEMS: Readonly<Record<string, string>> = {
  'Invalid Signature Headers': 'webhook-timestamp is not a number',
  'Message timestamp too old': 'webhook-timestamp is more than 5 minutes ago',
  'Message timestamp too new': 'webhook-timestamp is more than 5 minutes ahead',
  'No matching signature found': ANOTHER,
};

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
      // A signature is checked later, with the body.
      if (webhook.type === 'bearer_token') checkSecret(headers, webhook.secrets, clock.now());
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
          if (webhook.type === 'standard_webhooks') checkSignature(exchange.headers, body, id, definitions);
          const json = parseJson(body);
          const key = idempotencyKeyOf(exchange);
          const headers = keptHeaders(exchange.rawHeaders, knownSecrets(exchange.headers, webhook, definitions));
          const accepted = await service.accept({ webhook: id, headers, body, key }, { json });
          return { status: 202, json: { event_id: accepted.id } };
        },
      },
    },
  };
}

/** Secrets to redact: a bearer webhook stores only a hash, so its secret is the sent token. */
function knownSecrets({ authorization }: IncomingHttpHeaders, webhook: Webhook, definitions: Definitions): string[] {
  const token = webhook.type === 'bearer_token' ? bearerOf(authorization) : undefined;
  return token === undefined ? definitions.signingKeys(webhook.id) : [token];
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

/** Checks a bearer token. Throws `Unauthenticated`; its reason is for the log, never for the sender. */
function checkSecret(headers: IncomingHttpHeaders, secrets: readonly SecretRecord[], now: number): void {
  const token = bearerOf(headers.authorization);
  if (token !== undefined && isSecretOf(secrets, token, now)) return;
  if (headers.authorization === undefined) {
    const other = OTHER_PROOFS.find((name) => name.toLowerCase() in headers);
    throw httpErrors.unauthenticated(`there is no Authorization header${other === undefined ? '' : `, but ${other}`}`);
  }
  if (token === undefined) throw httpErrors.unauthenticated('the Authorization header is not Bearer and the secret');
  // At time -Infinity no secret has expired.
  throw httpErrors.unauthenticated(isSecretOf(secrets, token, -Infinity) ? ROTATED : 'wrong secret');
}

/** Checks a signature by https://www.standardwebhooks.com, within five minutes of real time. Throws as {@link checkSecret}. */
function checkSignature(headers: IncomingHttpHeaders, body: Buffer, id: string, definitions: Definitions): void {
  const problem = signatureProblem(headers, body, definitions.signingKeys(id));
  if (problem === undefined) return;
  const wasGood =
    problem === ANOTHER && signatureProblem(headers, body, definitions.signingKeys(id, -Infinity)) === undefined;
  throw httpErrors.unauthenticated(wasGood ? ROTATED : problem);
}

/** Why no key matches the signature; `undefined` if one does. */
function signatureProblem(headers: IncomingHttpHeaders, body: Buffer, keys: readonly string[]): string | undefined {
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
