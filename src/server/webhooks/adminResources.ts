import * as z from 'zod/mini';
import { parseFilter } from '../../webhooks/filter/checkFilter.ts';
import { Filter } from '../../webhooks/filter/filter.ts';
import type { Trigger, Webhook } from '../../webhooks/definitions.ts';
import {
  EVENT_STATUSES,
  eventId,
  eventNumber,
  type EventState,
  type EventStatus,
  type EventSummary,
  type StoredEvent,
} from '../../webhooks/event.ts';
import { describeJournalDamage, type JournalDamage } from '../../webhooks/journal/damage.ts';
import type { EventFilter } from '../../webhooks/journal/eventIndex.ts';
import type { EventSearch } from '../../webhooks/journal/eventJournal.ts';
import { MAX_REFUSALS, type Refusal } from '../../webhooks/journal/refusalLog.ts';
import { checked, withJson, type AdminResource } from '../admin/adminPlane.ts';
import { readMoment } from '../admin/moment.ts';
import { httpErrors } from '../http/errors.ts';
import type { HttpExchange, Reply, Resource } from '../http/exchange.ts';
import type { WebhookService } from './service.ts';
import { testDelivery } from './testDelivery.ts';
import type {
  EventDetailView,
  EventPageView,
  EventSummaryView,
  EventView,
  JournalView,
  RefusalView,
  RefusalsView,
  RefusedView,
  RunView,
  TriggerView,
  WebhookView,
} from './views.ts';

const MAX_PAGE = 1000;
const MAX_DEFINITION_BYTES = 262_144;
const DAY_S = 86_400;

const webhookChange = z.strictObject({
  description: z.optional(z.string('description must be a string')),
  scope: z.optional(z.enum(['organization', 'personal'], 'scope must be one of organization, personal')),
  enabled: z.optional(z.boolean('enabled must be true or false')),
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

/** `/__admin/webhooks`, `triggers`, `experts`, `events`, `refusals`, `journal`. */
export function webhookAdminResources(
  service: WebhookService,
  adminResource: AdminResource,
  serverUrl: () => string,
): Resource[] {
  const { definitions, journal, refusals } = service;
  const resource: AdminResource = (path, methods) => withLease(service, adminResource(path, methods));
  /** Escaping in JSON may double the length of a text. */
  const maxTestBytes = 2 * service.maxBodyBytes + MAX_DEFINITION_BYTES;
  const urlOf = ({ id }: Webhook): string => `${serverUrl()}/webhooks/${id}`;
  const showWebhook = (webhook: Webhook): WebhookView => ({
    name: webhook.name,
    type: webhook.type,
    description: webhook.description,
    scope: webhook.scope,
    enabled: webhook.enabled,
    webhook_id: webhook.id,
    url: urlOf(webhook),
    created_at: iso(webhook.createdAt),
    triggers: definitions.triggers.filter((trigger) => trigger.webhook === webhook.name).map(({ name }) => name),
  });
  const showTrigger = (trigger: Trigger): TriggerView => ({ ...trigger, words: definitions.describe(trigger) });
  const disabledFor = ({ webhook }: StoredEvent, { evaluations }: EventState): string[] => {
    const of = definitions.webhookById(webhook)?.name;
    const asked = evaluations.map(({ trigger }) => trigger);
    const those = definitions.triggers.filter((trigger) => trigger.webhook === of && !trigger.enabled);
    return those.map(({ name }) => name).filter((name) => !asked.includes(name));
  };
  const showSummary = ({ id, at, webhook, status, bytes }: EventSummary): EventSummaryView => ({
    event_id: id,
    received_at: iso(at),
    source: 'Webhook',
    webhook: definitions.webhookById(webhook)?.name ?? null,
    webhook_id: webhook,
    status,
    bytes,
  });
  const show = (event: StoredEvent): EventView => ({
    ...showSummary(event),
    ...(event.key !== undefined && { idempotency_key: event.key }),
    ...(event.replayOf !== undefined && { replay_of: event.replayOf }),
    ...(event.isTest && { is_test: true }),
    headers: event.headers,
    // The intake accepts UTF-8 only, so this is the body, byte for byte.
    body: event.body.toString(),
  });
  const showRefusal = ({ at, webhook, ...rest }: Refusal): RefusalView => ({
    received_at: iso(at),
    webhook: definitions.webhookById(webhook)?.name ?? null,
    webhook_id: webhook,
    ...rest,
  });
  const showJournal = (damage: readonly JournalDamage[]): JournalView => ({
    events: journal.size,
    bytes: journal.bytes,
    damage: damage.map(describeJournalDamage),
  });
  /** The id of a webhook, from its name or id; deleted webhooks have only an id. */
  const idOf = (webhook: string): string => definitions.webhooks.find(({ name }) => name === webhook)?.id ?? webhook;
  const filterOf = ({ source, webhook, status, from, to }: Given): EventFilter => {
    if (source !== undefined && source.toLowerCase() !== 'webhook')
      throw httpErrors.badRequest(`source must be Webhook, the only one that exists, and not ${source.slice(0, 100)}`);
    if (status !== undefined && !EVENT_STATUSES.includes(status as EventStatus))
      throw httpErrors.badRequest(`status must be one of ${EVENT_STATUSES.join(', ')}`);
    return {
      webhook: webhook === undefined ? undefined : idOf(webhook),
      status: status as EventStatus | undefined,
      from: from === undefined ? undefined : readMoment(from, 'from'),
      to: to === undefined ? undefined : readMoment(to, 'to'),
    };
  };
  const find = async ({
    parameters: { id = '' },
  }: HttpExchange): Promise<{ event: StoredEvent; state: EventState }> => {
    const number = eventNumber(id);
    const event = number === undefined ? undefined : await journal.read(number);
    if (!event) throw httpErrors.notFound(`event ${id.slice(0, 100)}`);
    return { event, state: await journal.state(number!) };
  };

  return [
    resource('webhooks', {
      GET: { handle: () => ({ json: { webhooks: definitions.webhooks.map(showWebhook) } }) },
      POST: withJson((body) => {
        const { webhook, secret } = definitions.createWebhook(body);
        return { status: 201, json: { ...showWebhook(webhook), secret } };
      }),
    }),
    resource('webhooks/{name}', {
      GET: { handle: ({ parameters }) => ({ json: showWebhook(definitions.webhook(parameters.name!)) }) },
      PATCH: withJson((body, { parameters }) => {
        const { description, scope, enabled } = checked(webhookChange, body);
        const change = {
          ...(description !== undefined && { description }),
          ...(scope !== undefined && { scope }),
          ...(enabled !== undefined && { enabled }),
        };
        return { json: showWebhook(definitions.changeWebhook(parameters.name!, change)) };
      }),
      DELETE: {
        handle: ({ parameters, query }) => {
          const triggers = definitions.deleteWebhook(parameters.name!, isForced(query));
          return { json: { triggers: triggers.map(showTrigger) } };
        },
      },
    }),
    resource('webhooks/{name}/rotate', {
      POST: withJson((body, { parameters }) => {
        const overlapMs = checked(rotation, body).overlap_seconds * 1000;
        const { webhook, secret } = definitions.rotateSecret(parameters.name!, overlapMs);
        return { json: { ...showWebhook(webhook), secret } };
      }),
    }),
    resource('webhooks/{name}/send', {
      POST: withJson(async (input, { parameters }) => {
        const test = testDelivery(service, definitions.webhook(parameters.name!), checked(testEvent, input));
        const { id } = await service.accept(test);
        return { status: 202, json: { event_id: id } };
      }, maxTestBytes),
    }),
    resource('triggers', {
      GET: { handle: () => ({ json: { triggers: definitions.triggers.map(showTrigger) } }) },
      POST: withJson(
        (body) => ({ status: 201, json: showTrigger(definitions.saveTrigger(body)) }),
        MAX_DEFINITION_BYTES,
      ),
    }),
    resource('triggers/{name}', {
      GET: { handle: ({ parameters }) => ({ json: showTrigger(definitions.trigger(parameters.name!)) }) },
      PUT: withJson((body, { parameters }) => {
        const { name } = definitions.trigger(parameters.name!);
        return { json: showTrigger(definitions.saveTrigger({ ...body, name }, true)) };
      }, MAX_DEFINITION_BYTES),
      PATCH: withJson(
        (body, { parameters }) => ({ json: showTrigger(definitions.changeTrigger(parameters.name!, body)) }),
        MAX_DEFINITION_BYTES,
      ),
      DELETE: {
        handle: ({ parameters }) => {
          definitions.deleteTrigger(parameters.name!);
          return { json: {} };
        },
      },
    }),
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
    resource('events', {
      GET: {
        handle: ({ query }) => {
          const names = ['source', 'webhook', 'status', 'from', 'to', 'limit', 'cursor'];
          const given = parametersOf(query, names);
          const limit = limitOf(given.limit);
          const before = numberOf('cursor', given.cursor);
          const events = journal.list(filterOf(given), limit + 1, before);
          const page = events.slice(0, limit);
          const cursor = events.length > limit ? page.at(-1)!.id : '';
          const shown: EventPageView = {
            events: page.map(showSummary),
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
          return search(given, filter === undefined ? undefined : parseFilter(filter), exchange);
        },
      },
      // A filter may be larger than the head of a request.
      POST: withJson((body, exchange) => {
        const { filter, ...given } = checked(searchBody, body);
        return search(given, filter, exchange);
      }, MAX_DEFINITION_BYTES),
    }),
    resource('events/{id}', {
      GET: {
        handle: async (exchange) => {
          const { event, state } = await find(exchange);
          const { evaluations, runs, isDamaged } = state;
          const shown: EventDetailView = {
            ...show(event),
            evaluations,
            disabled_triggers: disabledFor(event, state),
            runs: runs.map(showRun),
            ...(isDamaged && { is_damaged: isDamaged }),
          };
          return { json: shown };
        },
      },
    }),
    resource('events/{id}/replay', {
      POST: {
        handle: async (exchange): Promise<Reply> => {
          const { event } = await find(exchange);
          const { webhook, headers, body, id: replayOf } = event;
          if (!definitions.webhookById(webhook)) throw httpErrors.notFound(`webhook of ${replayOf} any more`);
          const { id } = await service.accept({ webhook, headers, body, replayOf });
          return { status: 202, json: { event_id: id, replay_of: replayOf } };
        },
      },
    }),
    resource('refusals', {
      GET: {
        handle: async ({ query }) => {
          const { webhook, limit } = parametersOf(query, ['webhook', 'limit']);
          const id = webhook === undefined ? undefined : idOf(webhook);
          const isWanted = id === undefined ? undefined : (one: string) => one === id;
          const found = await refusals.latest(limitOf(limit, MAX_REFUSALS), isWanted);
          const shown: RefusalsView = { refusals: found.map(showRefusal), left_out: refusals.leftOut };
          return { json: shown };
        },
      },
    }),
    resource('refusals/summary', {
      GET: {
        handle: async () => {
          const groups = await refusals.summary((id) => definitions.webhookById(id)?.id ?? '');
          const refused: RefusedView[] = groups.map(({ group, count, last }) => ({
            webhook: definitions.webhookById(group)?.name ?? null,
            count,
            last: showRefusal(last),
          }));
          return { json: { refused } };
        },
      },
    }),
    resource('journal', { GET: { handle: () => ({ json: showJournal(journal.damage) }) } }),
    resource('journal/verify', {
      POST: { handle: async () => ({ json: showJournal(await journal.verify()) }) },
    }),
  ];

  function search({ text, cursor, ...given }: Given, filter: unknown, exchange: HttpExchange): Reply {
    const wanted = {
      ...filterOf(given),
      text,
      before: numberOf('cursor', cursor),
      filter: filter === undefined ? undefined : new Filter(filter),
    };
    return { contentType: 'application/x-ndjson', lines: searchLines(wanted, exchange.gone()) };
  }

  /** `{"event"}` for each that is found, `{"damaged"}` for each that cannot be read, `{"progress"}` in between, `{"done":true}` at the end. Stops when the client does. */
  async function* searchLines(search: EventSearch, gone: AbortSignal): AsyncGenerator<string> {
    for await (const step of journal.search(search, gone))
      yield JSON.stringify('event' in step ? { event: show(step.event) } : step);
    yield JSON.stringify({ done: true });
  }
}

/** Answers 503 once another process took over the state. */
function withLease(service: WebhookService, { guard, ...resource }: Resource): Resource {
  return {
    ...resource,
    guard: (headers, parameters) => {
      const caller = guard!(headers, parameters);
      service.requireLease();
      return caller;
    },
  };
}

function showRun({ nextAt, attempts, ...run }: EventState['runs'][number]): RunView {
  return {
    ...run,
    ...(nextAt !== undefined && { next_at: iso(nextAt) }),
    attempts: attempts.map(({ at, durationMs, ...rest }) => ({ at: iso(at), duration_ms: durationMs, ...rest })),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
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
