import * as z from 'zod/mini';
import { MAX_REFUSALS } from '../../webhooks/journal/refusalLog.ts';
import { checked, withJson, type AdminResource } from '../admin/adminPlane.ts';
import { httpErrors } from '../http/errors.ts';
import type { Resource } from '../http/exchange.ts';
import { Access } from './access.ts';
import { AdminViews } from './adminViews.ts';
import { editorResources } from './editorResources.ts';
import { eventResources } from './eventResources.ts';
import { rowResources } from './eventRows.ts';
import { testFilter } from './filterTrial.ts';
import { idOf, limitOf, MAX_DEFINITION_BYTES, maxTestBytes, parametersOf, withLease, type Plane } from './plane.ts';
import type { WebhookService } from './service.ts';
import { testDelivery } from './testDelivery.ts';
import type { LibraryEventView, RefusalsView } from './views.ts';

const DAY_S = 86_400;

const webhookChange = z.strictObject({
  description: z.optional(z.string('description must be a string')),
  scope: z.optional(z.enum(['organization', 'personal'], 'scope must be one of organization, personal')),
  enabled: z.optional(z.boolean('enabled must be true or false')),
  owner: z.optional(z.nullable(z.string('owner must be a string'))),
  // Checked with the rest of the webhook.
  content: z.optional(z.unknown()),
  answer: z.optional(z.unknown()),
});
const rotation = z.strictObject({
  overlap_seconds: z._default(
    z
      .int('overlap_seconds must be a whole number')
      .check(
        z.gte(0, 'overlap_seconds must be 0 or more'),
        z.lte(30 * DAY_S, 'overlap_seconds must be at most 30 days'),
      ),
    0,
  ),
  secret: z.optional(z.string('secret must be a string')),
});
const testEvent = z.strictObject({
  template: z.optional(z.string('template must be a string')),
  body: z.optional(z.unknown()),
  text: z.optional(z.string('text must be a string')),
  secret: z.optional(z.string('secret must be a string')),
});

const filterTrial = z.strictObject({
  filter: z.unknown(),
  last: z.optional(
    z
      .int('last must be a whole number')
      .check(z.gte(1, 'last must be 1 to 1000'), z.lte(1000, 'last must be 1 to 1000')),
  ),
});

/** `/__admin/webhooks`, `triggers`, `experts`, `events`, `refusals`, `journal`. */
export function webhookAdminResources(
  service: WebhookService,
  guarded: { readonly admin: AdminResource; readonly person: AdminResource },
  serverUrl: () => string,
): Resource[] {
  const plane: Plane = {
    service,
    views: new AdminViews(service, serverUrl),
    resource: (path, methods) => withLease(service, guarded.admin(path, methods)),
    shared: (path, methods) => withLease(service, guarded.person(path, methods)),
  };
  return [
    webhookResources,
    triggerResources,
    expertResources,
    forwardResources,
    editorResources,
    libraryResources,
    eventResources,
    rowResources,
    refusalResources,
    journalResources,
  ].flatMap((resourcesOf) => resourcesOf(plane));
}

/** `/__admin/webhooks`. */
function webhookResources({ service, views, shared }: Plane): Resource[] {
  const { definitions } = service;
  return [
    shared('webhooks', {
      GET: {
        handle: (exchange) => {
          const found = new Access(service, exchange).webhooksOf(parametersOf(exchange.query, ['scope', 'owner']));
          return { json: { webhooks: found.map((webhook) => views.webhook(webhook)) } };
        },
      },
      POST: withJson((body, exchange) => {
        const { secret: own, ...input } = new Access(service, exchange).ownedBy(body);
        const { webhook, secret } = definitions.createWebhook(input, own);
        return { status: 201, json: { ...views.webhook(webhook), secret } };
      }),
    }),
    shared('webhooks/{name}', {
      GET: {
        handle: (exchange) => ({
          json: views.webhook(new Access(service, exchange).webhook(exchange.parameters.name!)),
        }),
      },
      PATCH: withJson((body, exchange) => {
        const access = new Access(service, exchange);
        const { name } = access.ownWebhook(exchange.parameters.name!);
        const given = Object.entries(access.ownedBy(checked(webhookChange, body)));
        const changes = Object.fromEntries(given.filter(([, value]) => value !== undefined));
        return { json: views.webhook(definitions.changeWebhook(name, changes)) };
      }),
      DELETE: {
        handle: (exchange) => {
          const { name } = new Access(service, exchange).ownWebhook(exchange.parameters.name!);
          const triggers = definitions.deleteWebhook(name, isForced(exchange.query));
          return { json: { triggers: triggers.map((trigger) => views.trigger(trigger)) } };
        },
      },
    }),
    shared('webhooks/{name}/rotate', {
      POST: withJson((body, exchange) => {
        const { overlap_seconds: overlap, secret: own } = checked(rotation, body);
        const { name } = new Access(service, exchange).ownWebhook(exchange.parameters.name!);
        const { webhook, secret } = definitions.rotateSecret(name, overlap * 1000, own);
        return { json: { ...views.webhook(webhook), secret } };
      }),
    }),
    shared('webhooks/{name}/send', {
      POST: withJson(async (input, exchange) => {
        const webhook = new Access(service, exchange).ownWebhook(exchange.parameters.name!);
        const { host } = exchange.headers;
        const test = await testDelivery(service, webhook, { ...checked(testEvent, input), host });
        const { id } = await service.accept(test);
        return { status: 202, json: { event_id: id } };
      }, maxTestBytes(service)),
    }),
    shared('webhooks/{name}/filter-test', {
      POST: withJson(async (body, exchange) => {
        const { filter, last = 20 } = checked(filterTrial, body);
        const webhook = new Access(service, exchange).webhook(exchange.parameters.name!);
        return { json: await testFilter(service, webhook, filter, last) };
      }, MAX_DEFINITION_BYTES),
    }),
  ];
}

/** `/__admin/library`: events to send, as their systems would. */
function libraryResources({ shared }: Plane): Resource[] {
  // Loaded late: few servers need it.
  const load = () => import('../../webhooks/library/library.ts');
  return [
    shared('library', {
      GET: {
        handle: async () => {
          const events: LibraryEventView[] = (await load()).listLibrary();
          return { json: { events } };
        },
      },
    }),
    shared('library/{name}', {
      GET: {
        handle: async ({ parameters: { name = '' } }) => {
          const event = (await load()).libraryEvent(name);
          if (!event) throw httpErrors.notFound(`event ${name.slice(0, 100)} in the library`);
          return { json: { name, ...event } };
        },
      },
    }),
  ];
}

/** `/__admin/triggers`. */
function triggerResources({ service, views, shared }: Plane): Resource[] {
  const { definitions } = service;
  return [
    shared('triggers', {
      GET: {
        handle: (exchange) => {
          const { triggers } = new Access(service, exchange);
          return { json: { triggers: triggers.map((trigger) => views.trigger(trigger)) } };
        },
      },
      POST: withJson((body, exchange) => {
        new Access(service, exchange).requireTrigger(body);
        return { status: 201, json: views.trigger(definitions.saveTrigger(body)) };
      }, MAX_DEFINITION_BYTES),
    }),
    shared('triggers/{name}', {
      GET: {
        handle: (exchange) => ({
          json: views.trigger(new Access(service, exchange).trigger(exchange.parameters.name!)),
        }),
      },
      PUT: withJson((body, exchange) => {
        const access = new Access(service, exchange);
        const before = access.ownTrigger(exchange.parameters.name!);
        access.requireTrigger(body, before);
        return { json: views.trigger(definitions.saveTrigger({ ...body, name: before.name }, true)) };
      }, MAX_DEFINITION_BYTES),
      PATCH: withJson((body, exchange) => {
        const access = new Access(service, exchange);
        const before = access.ownTrigger(exchange.parameters.name!);
        access.requireTrigger({ ...before, ...body }, before);
        return { json: views.trigger(definitions.changeTrigger(before.name, body)) };
      }, MAX_DEFINITION_BYTES),
      DELETE: {
        handle: (exchange) => {
          definitions.deleteTrigger(new Access(service, exchange).ownTrigger(exchange.parameters.name!).name);
          return { json: {} };
        },
      },
    }),
  ];
}

/** `/__admin/experts`. */
function expertResources({ service, views, resource, shared }: Plane): Resource[] {
  const { definitions } = service;
  return [
    shared('experts', {
      GET: {
        handle: (exchange) => {
          const access = new Access(service, exchange);
          const experts = definitions.experts.filter((one) => access.uses(one));
          return { json: { experts: experts.map((one) => views.listedExpert(one)) } };
        },
      },
      POST: withJson((body, exchange) => {
        const { secret: own, ...input } = new Access(service, exchange).adminOnly(body);
        return { status: 201, json: views.expert(definitions.saveExpert(input, own)) };
      }),
    }),
    resource('experts/{name}', {
      PATCH: withJson((body, { parameters }) => {
        const { secret: own, ...input } = body;
        return { json: views.expert(definitions.changeExpert(parameters.name!, input, own)) };
      }),
      DELETE: {
        handle: ({ parameters, query }) => {
          service.deleteExpert(parameters.name!, isForced(query));
          return { json: {} };
        },
      },
    }),
  ];
}

/** `/__admin/forwards`: a webhook, a trigger and an expert in one step. */
function forwardResources({ service, views, resource }: Plane): Resource[] {
  return [
    resource('forwards', {
      POST: withJson((body) => {
        const { secret, ...input } = body;
        const forward = service.definitions.createForward(input, secret);
        return { status: forward.isNew ? 201 : 200, json: views.forward(forward) };
      }),
    }),
    resource('forwards/{name}', {
      DELETE: {
        handle: ({ parameters, query }) => {
          service.deleteForward(parameters.name!, isForced(query));
          return { json: { deleted: parameters.name } };
        },
      },
    }),
  ];
}

/** `/__admin/refusals`. */
function refusalResources({ service, views, shared }: Plane): Resource[] {
  const { definitions, refusals } = service;
  return [
    shared('refusals', {
      GET: {
        handle: async (exchange) => {
          const { webhook, limit } = parametersOf(exchange.query, ['webhook', 'limit']);
          const { ids } = new Access(service, exchange);
          const id = webhook === undefined ? undefined : idOf(definitions, webhook);
          const isWanted = (one: string): boolean =>
            (id === undefined || one === id) && (ids === undefined || ids.includes(one));
          const isAll = id === undefined && ids === undefined;
          const found = await refusals.latest(limitOf(limit, MAX_REFUSALS), isAll ? undefined : isWanted);
          const shown: RefusalsView = {
            refusals: found.map((refusal) => views.refusal(refusal)),
            left_out: ids === undefined ? refusals.leftOut : 0,
          };
          return { json: shown };
        },
      },
    }),
    shared('refusals/summary', {
      GET: {
        handle: async (exchange) => {
          const { ids } = new Access(service, exchange);
          const groups = await refusals.summary((id) => definitions.webhookById(id)?.id ?? '');
          const seen = groups.filter(({ group }) => ids?.includes(group) ?? true);
          return { json: { refused: seen.map((group) => views.refused(group)) } };
        },
      },
    }),
  ];
}

/** `/__admin/journal`. */
function journalResources({ service: { journal }, views, resource }: Plane): Resource[] {
  return [
    resource('journal', { GET: { handle: () => ({ json: views.journal(journal.damage) }) } }),
    resource('journal/verify', {
      POST: { handle: async () => ({ json: views.journal(await journal.verify()) }) },
    }),
  ];
}

function isForced(query: string): boolean {
  const { force = 'false' } = parametersOf(query, ['force']);
  if (force !== 'true' && force !== 'false') throw httpErrors.badRequest('force must be true or false');
  return force === 'true';
}
