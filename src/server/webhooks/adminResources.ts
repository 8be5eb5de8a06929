import * as z from 'zod/mini';
import { MAX_REFUSALS } from '../../webhooks/journal/refusalLog.ts';
import { checked, withJson, type AdminResource } from '../admin/adminPlane.ts';
import { httpErrors } from '../http/errors.ts';
import type { Resource } from '../http/exchange.ts';
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
  adminResource: AdminResource,
  serverUrl: () => string,
): Resource[] {
  const plane: Plane = {
    service,
    views: new AdminViews(service, serverUrl),
    resource: (path, methods) => withLease(service, adminResource(path, methods)),
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
function webhookResources({ service, views, resource }: Plane): Resource[] {
  const { definitions } = service;
  return [
    resource('webhooks', {
      GET: { handle: () => ({ json: { webhooks: definitions.webhooks.map((webhook) => views.webhook(webhook)) } }) },
      POST: withJson((body) => {
        const { secret: own, ...input } = body;
        const { webhook, secret } = definitions.createWebhook(input, own);
        return { status: 201, json: { ...views.webhook(webhook), secret } };
      }),
    }),
    resource('webhooks/{name}', {
      GET: { handle: ({ parameters }) => ({ json: views.webhook(definitions.webhook(parameters.name!)) }) },
      PATCH: withJson((body, { parameters }) => {
        const given = Object.entries(checked(webhookChange, body)).filter(([, value]) => value !== undefined);
        return { json: views.webhook(definitions.changeWebhook(parameters.name!, Object.fromEntries(given))) };
      }),
      DELETE: {
        handle: ({ parameters, query }) => {
          const triggers = definitions.deleteWebhook(parameters.name!, isForced(query));
          return { json: { triggers: triggers.map((trigger) => views.trigger(trigger)) } };
        },
      },
    }),
    resource('webhooks/{name}/rotate', {
      POST: withJson((body, { parameters }) => {
        const { overlap_seconds: overlap, secret: own } = checked(rotation, body);
        const { webhook, secret } = definitions.rotateSecret(parameters.name!, overlap * 1000, own);
        return { json: { ...views.webhook(webhook), secret } };
      }),
    }),
    resource('webhooks/{name}/send', {
      POST: withJson(async (input, { parameters, headers: { host } }) => {
        const webhook = definitions.webhook(parameters.name!);
        const test = await testDelivery(service, webhook, { ...checked(testEvent, input), host });
        const { id } = await service.accept(test);
        return { status: 202, json: { event_id: id } };
      }, maxTestBytes(service)),
    }),
    resource('webhooks/{name}/filter-test', {
      POST: withJson(async (body, { parameters }) => {
        const { filter, last = 20 } = checked(filterTrial, body);
        return { json: await testFilter(service, definitions.webhook(parameters.name!), filter, last) };
      }, MAX_DEFINITION_BYTES),
    }),
  ];
}

/** `/__admin/library`: events to send, as their systems would. */
function libraryResources({ resource }: Plane): Resource[] {
  // Loaded late: few servers need it.
  const load = () => import('../../webhooks/library/library.ts');
  return [
    resource('library', {
      GET: {
        handle: async () => {
          const events: LibraryEventView[] = (await load()).listLibrary();
          return { json: { events } };
        },
      },
    }),
    resource('library/{name}', {
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
function triggerResources({ service: { definitions }, views, resource }: Plane): Resource[] {
  return [
    resource('triggers', {
      GET: { handle: () => ({ json: { triggers: definitions.triggers.map((trigger) => views.trigger(trigger)) } }) },
      POST: withJson(
        (body) => ({ status: 201, json: views.trigger(definitions.saveTrigger(body)) }),
        MAX_DEFINITION_BYTES,
      ),
    }),
    resource('triggers/{name}', {
      GET: { handle: ({ parameters }) => ({ json: views.trigger(definitions.trigger(parameters.name!)) }) },
      PUT: withJson((body, { parameters }) => {
        const { name } = definitions.trigger(parameters.name!);
        return { json: views.trigger(definitions.saveTrigger({ ...body, name }, true)) };
      }, MAX_DEFINITION_BYTES),
      PATCH: withJson(
        (body, { parameters }) => ({ json: views.trigger(definitions.changeTrigger(parameters.name!, body)) }),
        MAX_DEFINITION_BYTES,
      ),
      DELETE: {
        handle: ({ parameters }) => {
          definitions.deleteTrigger(parameters.name!);
          return { json: {} };
        },
      },
    }),
  ];
}

/** `/__admin/experts`. */
function expertResources({ service, views, resource }: Plane): Resource[] {
  const { definitions } = service;
  return [
    resource('experts', {
      GET: { handle: () => ({ json: { experts: definitions.experts.map((one) => views.listedExpert(one)) } }) },
      POST: withJson((body) => {
        const { secret: own, ...input } = body;
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
function refusalResources({ service: { definitions, refusals }, views, resource }: Plane): Resource[] {
  return [
    resource('refusals', {
      GET: {
        handle: async ({ query }) => {
          const { webhook, limit } = parametersOf(query, ['webhook', 'limit']);
          const id = webhook === undefined ? undefined : idOf(definitions, webhook);
          const isWanted = id === undefined ? undefined : (one: string) => one === id;
          const found = await refusals.latest(limitOf(limit, MAX_REFUSALS), isWanted);
          const shown: RefusalsView = {
            refusals: found.map((refusal) => views.refusal(refusal)),
            left_out: refusals.leftOut,
          };
          return { json: shown };
        },
      },
    }),
    resource('refusals/summary', {
      GET: {
        handle: async () => {
          const groups = await refusals.summary((id) => definitions.webhookById(id)?.id ?? '');
          return { json: { refused: groups.map((group) => views.refused(group)) } };
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
