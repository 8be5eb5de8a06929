import { messages } from '../../analytics/contract.ts';
import { httpErrors } from '../http/errors.ts';
import type { Resource } from '../http/exchange.ts';
import type { AdminResource } from '../admin/adminPlane.ts';
import type { AdminViews } from './adminViews.ts';
import type { WebhookService } from './service.ts';

const MAX_PAGE = 1000;
export const MAX_DEFINITION_BYTES = 262_144;

/** Escaping in JSON may double the length of a text. */
export function maxTestBytes({ maxBodyBytes }: WebhookService): number {
  return 2 * maxBodyBytes + MAX_DEFINITION_BYTES;
}

/** What the resources share. */
export interface Plane {
  readonly service: WebhookService;
  readonly views: AdminViews;
  /** Creates a resource for the admin token alone, that answers 503 once another process took over the state. */
  readonly resource: AdminResource;
  /** Creates one also for persons: each of its operations checks their {@link Access}. */
  readonly shared: AdminResource;
}

/** Answers 503 once another process took over the state. */
export function withLease(service: WebhookService, { guard, ...resource }: Resource): Resource {
  return {
    ...resource,
    guard: (headers, parameters, address) => {
      const caller = guard!(headers, parameters, address);
      service.requireLease();
      return caller;
    },
  };
}

export function parametersOf(query: string, known: readonly string[]): Record<string, string> {
  const given: Record<string, string> = {};
  const all = new URLSearchParams(query);
  for (const [name, value] of all) {
    if (!known.includes(name)) throw httpErrors.badRequest(`${name.slice(0, 100)} is none of ${known.join(', ')}`);
    if (all.getAll(name).length > 1) throw httpErrors.badRequest(messages.repeated(name));
    if (value !== '') given[name] = value;
  }
  return given;
}

export function limitOf(limit = '100', most = MAX_PAGE): number {
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw httpErrors.badRequest('limit must be a whole number from 1 to 999999');
  return Math.min(Number(limit), most);
}

/** The id of a webhook, from its name or id; deleted webhooks have only an id. */
export function idOf({ webhooks }: WebhookService['definitions'], webhook: string): string {
  return webhooks.find(({ name }) => name === webhook)?.id ?? webhook;
}
