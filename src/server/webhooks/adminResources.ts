import * as z from 'zod/mini';
import { parseFilter } from '../../webhooks/filter/checkFilter.ts';
import { Filter } from '../../webhooks/filter/filter.ts';
import {
  EVENT_STATUSES,
  eventId,
  eventNumber,
  type EventState,
  type EventStatus,
  type StoredEvent,
} from '../../webhooks/event.ts';
import type { EventFilter } from '../../webhooks/journal/eventIndex.ts';
import { MAX_REFUSALS } from '../../webhooks/journal/refusalLog.ts';
import { checked, withJson, type AdminResource } from '../admin/adminPlane.ts';
import { readMoment } from '../admin/moment.ts';
import { httpErrors } from '../http/errors.ts';
import type { HttpExchange, Reply, Resource } from '../http/exchange.ts';
import { AdminViews } from './adminViews.ts';
import { testFilter } from './filterTrial.ts';
import { resendInput } from './resend.ts';
import type { WebhookService } from './service.ts';
import { loadLibrary, testDelivery } from './testDelivery.ts';
import type { EventPageView, LibraryEventView, RefusalsView, ResentView } from './views.ts';

const MAX_PAGE = 1000;
const MAX_DEFINITION_BYTES = 262_144;
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
const words = (name: string) => z.optional(z.string(`${name} must be a string`));
const searchBody = z.strictObject({
  source: words('source'),
  webhook: words('webhook'),
  status: words('status'),
  from: words('from'),
  to: words('to'),
  text: words('text'),
  cursor: words('cursor'),
  filter: z.optional(z.unknown()),
});
/** Parameters of a request for events. */
type Given = Readonly<Partial<Record<string, string>>>;
const testEvent = z.strictObject({
  template: z.optional(z.string('template must be a string')),
  body: z.optional(z.unknown()),
  text: z.optional(z.string('text must be a string')),
  secret: z.optional(z.string('secret must be a string')),
});

const retryOfEvent = z.strictObject({ trigger: words('trigger') });
const retryOfExpert = z.strictObject({
  expert: z.string('expert must be a string'),
  webhook: words('webhook'),
  status: z.optional(z.enum(['failed', 'pending'], 'status must be one of failed, pending')),
  from: words('from'),
  to: words('to'),
  text: words('text'),
  filter: z.optional(z.unknown()),
  force: z.optional(z.boolean('force must be true or false')),
});
const filterTrial = z.strictObject({
  filter: z.unknown(),
  last: z.optional(
    z
      .int('last must be a whole number')
      .check(z.gte(1, 'last must be 1 to 1000'), z.lte(1000, 'last must be 1 to 1000')),
  ),
});

/** Escaping in JSON may double the length of a text. */
function maxTestBytes({ maxBodyBytes }: WebhookService): number {
  return 2 * maxBodyBytes + MAX_DEFINITION_BYTES;
}

/** What the resources share. */
export interface Plane {
  readonly service: WebhookService;
  readonly views: AdminViews;
  /** Creates a resource that answers 503 once another process took over the state. */
  readonly resource: AdminResource;
}

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
    libraryResources,
    eventResources,
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
      POST: withJson(async (input, { parameters }) => {
        const test = await testDelivery(service, definitions.webhook(parameters.name!), checked(testEvent, input));
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
  return [
    resource('library', {
      GET: {
        handle: async () => {
          const events: LibraryEventView[] = Object.entries(await loadLibrary()).map(
            ([name, { title, system, source }]) => ({
              ...{ name, title, system, source },
            }),
          );
          return { json: { events } };
        },
      },
    }),
    resource('library/{name}', {
      GET: {
        handle: async ({ parameters: { name = '' } }) => {
          const library = await loadLibrary();
          const event = Object.hasOwn(library, name) ? library[name] : undefined;
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
function expertResources({ service, resource }: Plane): Resource[] {
  const { definitions } = service;
  return [
    resource('experts', {
      GET: { handle: () => ({ json: { experts: definitions.experts } }) },
      POST: withJson((body) => ({ status: 201, json: definitions.saveExpert(body) })),
    }),
    resource('experts/{name}', {
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

/** `/__admin/events`. */
function eventResources(plane: Plane): Resource[] {
  const { service, views, resource } = plane;
  const { definitions, journal } = service;
  return [
    resource('events', {
      GET: {
        handle: ({ query }) => {
          const names = ['source', 'webhook', 'status', 'from', 'to', 'limit', 'cursor'];
          const given = parametersOf(query, names);
          const limit = limitOf(given.limit);
          const before = numberOf('cursor', given.cursor);
          const events = journal.list(filterOf(definitions, given), limit + 1, before);
          const page = events.slice(0, limit);
          const cursor = events.length > limit ? page.at(-1)!.id : '';
          const shown: EventPageView = {
            events: page.map((event) => views.summary(event)),
            next_cursor: cursor,
            has_more: cursor !== '',
          };
          return { json: shown };
        },
      },
    }),
    resource('events/search', {
      GET: {
        handle: (exchange) => {
          const { filter, ...given } = parametersOf(exchange.query, Object.keys(searchBody.shape));
          return search(plane, given, filter === undefined ? undefined : parseFilter(filter), exchange);
        },
      },
      // A filter may be larger than the head of a request.
      POST: withJson((body, exchange) => {
        const { filter, ...given } = checked(searchBody, body);
        return search(plane, given, filter, exchange);
      }, MAX_DEFINITION_BYTES),
    }),
    resource('events/{id}', {
      GET: {
        handle: async (exchange) => {
          const { event, state } = await find(journal, exchange);
          return { json: views.eventDetail(event, state) };
        },
      },
    }),
    resource('events/{id}/resend', {
      POST: withJson(async (body, exchange) => {
        const { event } = await find(journal, exchange);
        const { id, edits } = await service.resend(event, checked(resendInput, body));
        const shown: ResentView = { event_id: id, edit_of: event.id, edits };
        return { status: 202, json: shown };
      }, maxTestBytes(service)),
    }),
    resource('events/{id}/retry', {
      POST: withJson(async (body, exchange) => {
        const { trigger } = checked(retryOfEvent, body);
        const { event } = await find(journal, exchange);
        return { json: await service.retryEvent(eventNumber(event.id)!, trigger) };
      }),
    }),
    resource('runs/retry', {
      POST: withJson(async (body, exchange) => {
        const { expert, force = false, filter, text, ...given } = checked(retryOfExpert, body);
        const wanted = {
          ...filterOf(definitions, given),
          text,
          filter: filter === undefined ? undefined : new Filter(filter),
        };
        return { json: await service.retryExpert(expert, wanted, force, exchange.gone()) };
      }, MAX_DEFINITION_BYTES),
    }),
    resource('events/{id}/replay', {
      POST: {
        handle: async (exchange): Promise<Reply> => {
          const { event } = await find(journal, exchange);
          const { webhook, headers, body, id: replayOf } = event;
          if (!definitions.webhookById(webhook)) throw httpErrors.notFound(`webhook of ${replayOf} any more`);
          const { id } = await service.accept({ webhook, headers, body, replayOf });
          return { status: 202, json: { event_id: id, replay_of: replayOf } };
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

export async function find(
  journal: WebhookService['journal'],
  { parameters: { id = '' } }: HttpExchange,
): Promise<{ event: StoredEvent; state: EventState }> {
  const number = eventNumber(id);
  const event = number === undefined ? undefined : await journal.read(number);
  if (!event) throw httpErrors.notFound(`event ${id.slice(0, 100)}`);
  return { event, state: await journal.state(number!) };
}

/** The id of a webhook, from its name or id; deleted webhooks have only an id. */
function idOf({ webhooks }: WebhookService['definitions'], webhook: string): string {
  return webhooks.find(({ name }) => name === webhook)?.id ?? webhook;
}

export function filterOf(
  definitions: WebhookService['definitions'],
  { source, webhook, status, from, to }: Given,
): EventFilter {
  if (source !== undefined && source.toLowerCase() !== 'webhook')
    throw httpErrors.badRequest(`source must be Webhook, the only one that exists, and not ${source.slice(0, 100)}`);
  if (status !== undefined && !EVENT_STATUSES.includes(status as EventStatus))
    throw httpErrors.badRequest(`status must be one of ${EVENT_STATUSES.join(', ')}`);
  return {
    webhook: webhook === undefined ? undefined : idOf(definitions, webhook),
    status: status as EventStatus | undefined,
    from: from === undefined ? undefined : readMoment(from, 'from'),
    to: to === undefined ? undefined : readMoment(to, 'to'),
  };
}

function search(
  { service: { definitions, journal }, views }: Plane,
  { text, cursor, ...given }: Given,
  filter: unknown,
  exchange: HttpExchange,
): Reply {
  const wanted = {
    ...filterOf(definitions, given),
    text,
    before: numberOf('cursor', cursor),
    filter: filter === undefined ? undefined : new Filter(filter),
  };
  const steps = journal.search(wanted, exchange.gone());
  return { contentType: 'application/x-ndjson', lines: searchLines(steps, views) };
}

/**
 * `{"event"}` for each event found, `{"damaged"}` for each unreadable one, `{"progress"}` in between, `{"done":true}` at the
 * end. Stops when the client disconnects.
 */
async function* searchLines(
  steps: ReturnType<WebhookService['journal']['search']>,
  views: AdminViews,
): AsyncGenerator<string> {
  for await (const step of steps) yield JSON.stringify('event' in step ? { event: views.event(step.event) } : step);
  yield JSON.stringify({ done: true });
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

function isForced(query: string): boolean {
  const { force = 'false' } = parametersOf(query, ['force']);
  if (force !== 'true' && force !== 'false') throw httpErrors.badRequest('force must be true or false');
  return force === 'true';
}

function parametersOf(query: string, known: readonly string[]): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!known.includes(name)) throw httpErrors.badRequest(`${name.slice(0, 100)} is none of ${known.join(', ')}`);
    if (name in given) throw httpErrors.badRequest(`${name} must be given once`);
    if (value !== '') given[name] = value;
  }
  return given;
}

function limitOf(limit = '100', most = MAX_PAGE): number {
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw httpErrors.badRequest('limit must be a whole number from 1 to 999999');
  return Math.min(Number(limit), most);
}

function numberOf(name: string, id: string | undefined): number | undefined {
  const number = id === undefined ? undefined : eventNumber(id);
  if (id !== undefined && number === undefined)
    throw httpErrors.badRequest(`${name} must be an event_id, such as ${eventId(1)}`);
  return number;
}
