import type { Trigger, Webhook } from '../../webhooks/definitions.ts';
import { webhookErrors } from '../../webhooks/errors.ts';
import { WEBHOOK_SCOPES, type Expert } from '../../webhooks/schemas.ts';
import { digest, requireToken, type TokenCaller, type Tokens } from '../auth/tokens.ts';
import type { AdminResource } from '../admin/adminPlane.ts';
import { httpErrors } from '../http/errors.ts';
import type { Caller, HttpExchange } from '../http/exchange.ts';
import type { WebhookService } from './service.ts';

/** The permission of a token whose name is a person that uses webhooks. */
export const WEBHOOKS_SCOPE = 'webhooks:use';

/** A caller of the resources of webhooks. */
interface WebhookCaller extends Caller {
  /** Whether it has the admin token, and not that of a person. */
  readonly isAdmin: boolean;
  /** The permissions of a person's token. */
  readonly scopes?: TokenCaller['scopes'];
}

/** Guards resources below `/__admin` with the admin token, or that of a person who uses webhooks. */
export function behindPersonsToken(adminToken: string, tokens: Tokens): AdminResource {
  const expected = digest(adminToken);
  return (path, methods) => ({
    path: `/__admin/${path}`,
    isLogged: false,
    guard: ({ authorization }): WebhookCaller => {
      if (isAdminToken(authorization, expected)) return { name: 'admin', isAdmin: true };
      const { name, scopes } = tokens.authenticate(authorization);
      return { name, scopes, isAdmin: false };
    },
    admit: ({ isAdmin, scopes }: WebhookCaller) => {
      if (!isAdmin && !scopes?.has(WEBHOOKS_SCOPE)) throw httpErrors.missingScope(WEBHOOKS_SCOPE);
    },
    methods,
  });
}

function isAdminToken(authorization: string | undefined, expected: Buffer): boolean {
  try {
    requireToken(authorization, expected);
    return true;
  } catch {
    return false;
  }
}

/**
 * What a caller may see and change. The admin token may all. A person sees the webhooks of the organization and their own, with triggers,
 * events and refusals, and changes their own. What they may not see does not exist for them.
 */
export class Access {
  /** Nothing for the admin token. */
  readonly person: string | undefined;
  readonly #definitions: WebhookService['definitions'];

  constructor({ definitions }: WebhookService, { caller }: Pick<HttpExchange, 'caller'>) {
    this.#definitions = definitions;
    // Resources of the admin token alone have callers of another form.
    const isPerson = caller !== undefined && 'isAdmin' in caller && caller.isAdmin === false;
    this.person = isPerson ? caller.name : undefined;
  }

  sees({ scope, owner }: Webhook): boolean {
    return this.person === undefined || scope === 'organization' || owner === this.person;
  }

  /** The webhooks that the caller sees. */
  get webhooks(): readonly Webhook[] {
    return this.#definitions.webhooks.filter((one) => this.sees(one));
  }

  /** Those of a scope and an owner. Throws `InvalidArgument` for an unknown scope. */
  webhooksOf({ scope, owner }: Partial<Record<'scope' | 'owner', string | undefined>>): readonly Webhook[] {
    if (scope !== undefined && !WEBHOOK_SCOPES.some((one) => one === scope))
      throw httpErrors.badRequest(`scope must be one of ${WEBHOOK_SCOPES.join(', ')}`);
    return this.webhooks.filter(
      (one) => (scope === undefined || one.scope === scope) && (owner === undefined || one.owner === owner),
    );
  }

  /** Their ids; nothing for all, also deleted ones. */
  get ids(): readonly string[] | undefined {
    return this.person === undefined ? undefined : this.webhooks.map(({ id }) => id);
  }

  /** Throws `NotFound`. */
  webhook(name: string): Webhook {
    const found = this.#definitions.webhooks.find((one) => one.name === name);
    if (!found || !this.sees(found)) throw webhookErrors.noSuch('webhook', name);
    return found;
  }

  /** A webhook to change. Throws `NotFound`, and `PermissionDenied` if it is another's. */
  ownWebhook(name: string): Webhook {
    const found = this.webhook(name);
    this.requireOwn(found);
    return found;
  }

  requireOwn({ name, owner }: Webhook): void {
    if (this.person === undefined || owner === this.person) return;
    throw httpErrors.forbidden(
      `The webhook ${name} belongs to ${owner ?? 'the admin of the server'}, who alone may change it`,
    );
  }

  get triggers(): readonly Trigger[] {
    const names = new Set(this.webhooks.map(({ name }) => name));
    return this.#definitions.triggers.filter(({ webhook }) => names.has(webhook));
  }

  /** Throws `NotFound`. */
  trigger(name: string): Trigger {
    const found = this.#definitions.triggers.find((one) => one.name === name);
    if (!found || !this.triggers.includes(found)) throw webhookErrors.noSuch('trigger', name);
    return found;
  }

  /** A trigger to change, of an own webhook. Throws as {@link ownWebhook}. */
  ownTrigger(name: string): Trigger {
    const found = this.trigger(name);
    this.ownWebhook(found.webhook);
    return found;
  }

  /** Checks where a new or changed trigger leads: an own webhook, and an expert that all may use, unless it was there before. */
  requireTrigger({ webhook, expert = 'record' }: Readonly<Record<string, unknown>>, before?: Trigger): void {
    if (this.person === undefined) return;
    if (typeof webhook === 'string') this.ownWebhook(webhook);
    if (typeof expert !== 'string' || expert === before?.expert) return;
    const found = this.#definitions.expert(expert);
    if (!found || !this.uses(found)) throw webhookErrors.noSuch('expert', expert);
  }

  /** Whether a trigger of the caller may run an expert: others than those of the organization are the admin's. */
  uses(expert: Expert): boolean {
    if (this.person === undefined || expert.type === 'record') return true;
    return expert.type !== 'command' && expert.scope === 'organization';
  }

  /** The input of what only the admin token may create. Throws `PermissionDenied`. */
  adminOnly<T>(input: T): T {
    if (this.person === undefined) return input;
    throw httpErrors.forbidden('Only the admin token creates experts');
  }

  /** What a person may set of a webhook: they own it, and cannot give it away. Throws `PermissionDenied`. */
  ownedBy(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if (this.person === undefined) return input;
    if (input.owner !== undefined && input.owner !== this.person)
      throw httpErrors.forbidden('The owner of your webhooks is you; only the admin token sets another');
    return { ...input, owner: this.person };
  }
}
