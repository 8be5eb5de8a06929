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
import type { EventSearch } from '../../webhooks/journal/eventJournal.ts';
import { checked, optionalText, withJson } from '../admin/adminPlane.ts';
import { readMoment } from '../admin/moment.ts';
import { httpErrors } from '../http/errors.ts';
import type { HttpExchange, Reply, Resource } from '../http/exchange.ts';
import { Access } from './access.ts';
import type { AdminViews } from './adminViews.ts';
import { idOf, limitOf, MAX_DEFINITION_BYTES, maxTestBytes, parametersOf, type Plane } from './plane.ts';
import { resendInput } from './resend.ts';
import type { WebhookService } from './service.ts';
import type { EventPageView, ResentView } from './views.ts';

const searchBody = z.strictObject({
  source: optionalText('source'),
  webhook: optionalText('webhook'),
  scope: optionalText('scope'),
  owner: optionalText('owner'),
  status: optionalText('status'),
  from: optionalText('from'),
  to: optionalText('to'),
  text: optionalText('text'),
  cursor: optionalText('cursor'),
  filter: z.optional(z.unknown()),
});

/** The events that a request is for. */
interface Given {
  readonly source?: string | undefined;
  /** Name or id. */
  readonly webhook?: string | undefined;
  /** Of its webhook. */
  readonly scope?: string | undefined;
  readonly owner?: string | undefined;
  readonly status?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface GivenSearch extends Given {
  readonly text?: string | undefined;
  /** JSONLogic. */
  readonly filter?: unknown;
}

const retryOfEvent = z.strictObject({ trigger: optionalText('trigger') });
const retryOfExpert = z.strictObject({
  expert: z.string('expert must be a string'),
  webhook: optionalText('webhook'),
  status: z.optional(z.enum(['failed', 'pending'], 'status must be one of failed, pending')),
  from: optionalText('from'),
  to: optionalText('to'),
  text: optionalText('text'),
  filter: z.optional(z.unknown()),
  force: z.optional(z.boolean('force must be true or false')),
});

/** `/__admin/events`. */
export function eventResources(plane: Plane): Resource[] {
  const { service, views, resource, shared } = plane;
  const { definitions, journal } = service;
  return [
    shared('events', {
      GET: {
        handle: (exchange) => {
          const names = ['source', 'webhook', 'scope', 'owner', 'status', 'from', 'to', 'limit', 'cursor'];
          const given = parametersOf(exchange.query, names);
          const limit = limitOf(given.limit);
          const before = numberOf('cursor', given.cursor);
          const events = journal.list(filterOf(plane, given, exchange), limit + 1, before);
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
    shared('events/search', {
      GET: {
        handle: (exchange) => {
          const { filter, ...given } = parametersOf(exchange.query, Object.keys(searchBody.shape));
          return search(plane, filter === undefined ? given : { ...given, filter: parseFilter(filter) }, exchange);
        },
      },
      // A filter may be larger than the head of a request.
      POST: withJson((body, exchange) => search(plane, checked(searchBody, body), exchange), MAX_DEFINITION_BYTES),
    }),
    shared('events/{id}', {
      GET: {
        handle: async (exchange) => {
          const { event, state } = await find(plane, exchange);
          return { json: views.eventDetail(event, state) };
        },
      },
    }),
    shared('events/{id}/resend', {
      POST: withJson(async (body, exchange) => {
        const { event } = await findOwn(plane, exchange);
        const input = checked(resendInput, body);
        if (input.webhook !== undefined) new Access(service, exchange).ownWebhook(input.webhook);
        const { id, edits } = await service.resend(event, input);
        const shown: ResentView = { event_id: id, edit_of: event.id, edits };
        return { status: 202, json: shown };
      }, maxTestBytes(service)),
    }),
    shared('events/{id}/retry', {
      POST: withJson(async (body, exchange) => {
        const { trigger } = checked(retryOfEvent, body);
        const { event } = await findOwn(plane, exchange);
        return { json: await service.retryEvent(eventNumber(event.id)!, event.webhook, trigger) };
      }),
    }),
    resource('runs/retry', {
      POST: withJson(async (body, exchange) => {
        const { expert, force = false, ...given } = checked(retryOfExpert, body);
        return { json: await service.retryExpert(expert, searchOf(plane, given, exchange), force, exchange.gone()) };
      }, MAX_DEFINITION_BYTES),
    }),
    shared('events/{id}/replay', {
      POST: {
        handle: async (exchange): Promise<Reply> => {
          const { event } = await findOwn(plane, exchange);
          const { webhook, headers, body, id: replayOf } = event;
          if (!definitions.webhookById(webhook)) throw httpErrors.notFound(`webhook of ${replayOf} any more`);
          const { id } = await service.accept({ webhook, headers, body, replayOf });
          return { status: 202, json: { event_id: id, replay_of: replayOf } };
        },
      },
    }),
  ];
}

/** The event of a path. Throws `NotFound`, also if the caller does not see its webhook. */
export async function find(
  { service }: Plane,
  exchange: HttpExchange,
): Promise<{ event: StoredEvent; state: EventState }> {
  const { id = '' } = exchange.parameters;
  const number = eventNumber(id);
  const { ids } = new Access(service, exchange);
  // Before it is read: a damaged event must tell nothing either.
  const webhook = number === undefined ? undefined : service.journal.summary(number)?.webhook;
  const isSeen = webhook !== undefined && (ids?.includes(webhook) ?? true);
  const event = isSeen ? await service.journal.read(number!) : undefined;
  if (!event) throw httpErrors.notFound(`event ${id.slice(0, 100)}`);
  return { event, state: await service.journal.state(number!) };
}

/** {@link find} of an event to send or run again. Throws `PermissionDenied`, too. */
async function findOwn(plane: Plane, exchange: HttpExchange): ReturnType<typeof find> {
  const found = await find(plane, exchange);
  const webhook = plane.service.definitions.webhookById(found.event.webhook);
  if (webhook) new Access(plane.service, exchange).requireOwn(webhook);
  return found;
}

export function filterOf(
  { service }: Plane,
  { source, webhook, scope, owner, status, from, to }: Given,
  exchange: HttpExchange,
): EventFilter {
  const { definitions } = service;
  if (source !== undefined && source.toLowerCase() !== 'webhook')
    throw httpErrors.badRequest(`source must be Webhook, the only one that exists, and not ${source.slice(0, 100)}`);
  if (status !== undefined && !EVENT_STATUSES.includes(status as EventStatus))
    throw httpErrors.badRequest(`status must be one of ${EVENT_STATUSES.join(', ')}`);
  const access = new Access(service, exchange);
  const some = access.webhooksOf({ scope, owner });
  return {
    webhook: webhook === undefined ? undefined : idOf(definitions, webhook),
    webhooks: scope === undefined && owner === undefined ? access.ids : some.map(({ id }) => id),
    status: status as EventStatus | undefined,
    from: from === undefined ? undefined : readMoment(from, 'from'),
    to: to === undefined ? undefined : readMoment(to, 'to'),
  };
}

/** Throws `InvalidArgument` and `InvalidFilter`. */
export function searchOf(plane: Plane, { text, filter, ...given }: GivenSearch, exchange: HttpExchange): EventSearch {
  return {
    ...filterOf(plane, given, exchange),
    text,
    filter: filter === undefined ? undefined : new Filter(filter),
  };
}

function search(
  plane: Plane,
  { cursor, ...given }: GivenSearch & { readonly cursor?: string | undefined },
  exchange: HttpExchange,
): Reply {
  const { service, views } = plane;
  const steps = service.journal.search(
    { ...searchOf(plane, given, exchange), before: numberOf('cursor', cursor) },
    exchange.gone(),
  );
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

function numberOf(name: string, id: string | undefined): number | undefined {
  if (id === undefined || id === '') return undefined;
  const number = eventNumber(id);
  if (number === undefined) throw httpErrors.badRequest(`${name} must be an event_id, such as ${eventId(1)}`);
  return number;
}
