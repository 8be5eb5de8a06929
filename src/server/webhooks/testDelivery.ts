import type { Webhook } from '../../webhooks/definitions.ts';
import type { Header } from '../../webhooks/event.ts';
import type { Delivery } from '../../webhooks/journal/eventJournal.ts';
import { isSecretOf } from '../../webhooks/secrets.ts';
import { parseJson } from '../../base/json.ts';
import { deliveryHeaders } from '../../webhooks/proof.ts';
import { formOf, isForm } from '../../webhooks/library/entry.ts';
import type { LibraryEvent } from '../../webhooks/library/library.ts';
import { TEMPLATE_NAMES } from '../../webhooks/templates.ts';
import { httpErrors } from '../http/errors.ts';
import { signedDelivery } from './signedDelivery.ts';
import { keptHeader } from './keptHeaders.ts';
import type { WebhookService } from './service.ts';

export interface TestEvent {
  /** The name of a template; an edited one also has `text` or `body`. */
  readonly template?: string | undefined;
  /** JSON to send unchanged. */
  readonly text?: string | undefined;
  /** A value to send as JSON. */
  readonly body?: unknown;
  /** Secret of the webhook, for the signature of the template's system. */
  readonly secret?: string | undefined;
  /** The host of the server, which some senders sign. */
  readonly host?: string | undefined;
}

/**
 * Creates a test event with the headers of its system and, with a secret, its signature. Webhooks with signed deliveries need
 * no secret, since their key is stored. Throws `InvalidArgument` and `Unauthenticated`.
 */
export async function testDelivery(service: WebhookService, webhook: Webhook, test: TestEvent): Promise<Delivery> {
  const { definitions, clock, maxBodyBytes } = service;
  const { secret } = test;
  if (secret !== undefined && !isSecretOf(webhook.secrets, secret, clock.now())) throw httpErrors.unauthenticated();
  const template = test.template === undefined ? undefined : await templateOf(test.template);
  const text = textOf(test, template);
  const body = Buffer.from(template && isForm(template) ? formOf(JSON.parse(text)) : text);
  if (body.length > maxBodyBytes) throw httpErrors.tooLarge(maxBodyBytes);
  const [key] = definitions.signingKeys(webhook.id);
  const given: readonly Header[] = [
    ...(template?.headers ?? [['Content-Type', 'application/json'] as const]),
    ...(test.host === undefined ? [] : [['Host', test.host] as const]),
  ];
  const proof = signedDelivery(webhook, key, given, body);
  const headers: Header[] = [...given];
  // A webhook with a signature wants it in its own way, whatever the template's system.
  if (template) headers.push(...deliveryHeaders(template.system, body, key === undefined ? secret : undefined));
  if (key !== undefined) headers.push(...proof.headers);
  const secrets = [secret, key].filter((one) => one !== undefined);
  const kept = headers.map((one) => keptHeader(one, secrets));
  return { webhook: webhook.id, headers: kept, body, query: proof.query, isTest: true };
}

function textOf({ text, body }: TestEvent, template: LibraryEvent | undefined): string {
  if (text === undefined) {
    const value = body === undefined ? template?.body : body;
    if (value === undefined) throw missing();
    return JSON.stringify(value);
  }
  if (body !== undefined) throw httpErrors.badRequest('give text or body, not both');
  try {
    parseJson(text);
  } catch (error) {
    throw httpErrors.badRequest(`text is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  return text;
}

async function templateOf(name: string): Promise<LibraryEvent> {
  // Loaded late: few servers send tests.
  const { templateEvent } = await import('../../webhooks/library/library.ts');
  const event = templateEvent(name);
  if (!event) throw missing();
  return event;
}

function missing(): Error {
  return httpErrors.badRequest(
    `text is missing, or template is none of ${TEMPLATE_NAMES}, and no event of the library`,
  );
}
