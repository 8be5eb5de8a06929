import * as z from 'zod/mini';
import { SextantError } from '../../base/errors.ts';
import { eventNumber, REDACTED, type EventState, type Header, type StoredEvent } from '../../webhooks/event.ts';
import { eventTypeOf, systemOf } from '../../webhooks/eventType.ts';
import { SYSTEMS, type WebhookType } from '../../webhooks/names.ts';
import { payloadOf } from '../../webhooks/payload.ts';
import { isSigned, proofHeaders, schemeOf, signatureProblem, type SignatureScheme } from '../../webhooks/signatures.ts';
import { checked, optionalText, withJson } from '../admin/adminPlane.ts';
import type { HttpExchange, Resource } from '../http/exchange.ts';
import { Access } from './access.ts';
import { standardProblem } from './deliveryCheck.ts';
import { filterOf, find, searchOf } from './eventResources.ts';
import type { Plane } from './plane.ts';
import type { EventFoundView, EventProofView, EventRowsView, EventRowView } from './rowViews.ts';
import { targetOf } from './keptHeaders.ts';
import type { WebhookService } from './service.ts';

const MAX_ROWS = 500;
const MAX_BYTES = 262_144;
const LINE_CHARACTERS = 200;
/** Number of events that a search looks at between two lines of its answer. */
const MAX_FOUND = 5_000;

const list = {
  webhook: optionalText('webhook'),
  scope: optionalText('scope'),
  owner: optionalText('owner'),
  status: optionalText('status'),
  /** Ids of the newest event of the list, and of the oldest. */
  up_to: optionalText('up_to'),
  after: optionalText('after'),
};
const count = (field: string): z.ZodMiniNumberFormat => {
  const message = `${field} must be a whole number from 0`;
  return z.int(message).check(z.gte(0, message));
};
const rowsRequest = z.strictObject({
  ...list,
  since: optionalText('since'),
  until: optionalText('until'),
  from: count('from'),
  count: count('count').check(z.lte(MAX_ROWS, `count must be at most ${MAX_ROWS}`)),
  /** The rows of these events, whatever the list. */
  ids: z.optional(z.array(z.string()).check(z.maxLength(MAX_ROWS, `ids are at most ${MAX_ROWS}`))),
});
const findRequest = z.strictObject({
  ...list,
  /** Parts of the body, in any case, or the event's id. */
  words: z.optional(z.array(z.string())),
  filter: z.optional(z.unknown()),
  /** Headers that an event has, each with a part of its value. */
  headers: z.optional(z.array(z.strictObject({ name: z.string(), value: z.string() }))),
  /** Parts of its type and of its sender. */
  type: optionalText('type'),
  from: optionalText('from'),
  to: optionalText('to'),
});

/** `/__admin/events/rows`, `events/find`, `events/{id}/proof`: the lists of the editor. */
export function rowResources(plane: Plane): Resource[] {
  const { service, shared } = plane;
  const { journal } = service;
  return [
    shared('events/rows', {
      POST: withJson(async (body, exchange) => {
        const { from, count, ids, since, until, ...given } = checked(rowsRequest, body);
        const bounds = { upTo: numberIn(given.up_to), after: numberIn(given.after) };
        const part = journal.window(filterOf(plane, { ...given, from: since, to: until }, exchange), {
          from,
          count: ids ? 0 : count,
          ...bounds,
        });
        const numbers = ids ? ids.map((id) => eventNumber(id)) : part.numbers;
        const seen = new Access(service, exchange).ids;
        const rows = await Promise.all(
          numbers
            .filter((number) => seen?.includes(journal.summary(number ?? -1)?.webhook ?? '') ?? true)
            .map((number) => rowOf(plane, number)),
        );
        const answer: EventRowsView = {
          rows: rows.filter((row) => row !== undefined),
          total: part.total,
          newer: part.newer,
        };
        return { json: answer };
      }, MAX_BYTES),
    }),
    shared('events/find', {
      POST: withJson((body, exchange) => {
        const lines = foundLines(plane, checked(findRequest, body), exchange);
        return { contentType: 'application/x-ndjson', lines };
      }, MAX_BYTES),
    }),
    shared('events/{id}/proof', {
      GET: { handle: async (exchange) => ({ json: proofOf(plane, (await find(plane, exchange)).event) }) },
    }),
  ];
}

async function rowOf(
  { service: { journal, definitions }, views }: Plane,
  number = -1,
): Promise<EventRowView | undefined> {
  const summary = journal.summary(number);
  if (!summary) return undefined;
  const shown = views.summary(summary);
  try {
    const [event, state] = await Promise.all([journal.read(number), journal.state(number)]);
    if (!event) return shown;
    const { headers, body, replayOf, isTest } = event;
    const sender = senderOf(headers, definitions.webhookById(event.webhook)?.type);
    const type = eventTypeOf(headers, payloadOf(headers, body));
    const reason = reasonOf(state);
    return {
      ...shown,
      ...(sender !== undefined && { sender }),
      ...(type !== undefined && { event_type: type }),
      line: firstLine(body),
      ...(replayOf !== undefined && { replay_of: replayOf }),
      ...(isTest && { is_test: true }),
      fired: state.evaluations.filter(({ fires }) => fires).map(({ trigger }) => trigger),
      ...(reason !== undefined && { reason }),
    };
  } catch (error) {
    // Its page reports the damage.
    if (error instanceof SextantError && error.code === 'JournalDamaged') return shown;
    throw error;
  }
}

/** The system that sent an event, by the type of its webhook, or else by its headers. */
function senderOf(headers: readonly Header[], type: WebhookType | undefined): string | undefined {
  const system = type === undefined || SYSTEMS[type] === undefined ? systemOf(headers) : type;
  return system && SYSTEMS[system];
}

function reasonOf({ runs, evaluations }: EventState): string | undefined {
  const last = runs.find(({ state, attempts }) => state !== 'succeeded' && attempts.length > 0)?.attempts.at(-1);
  const reason = last ? (last.error ?? String(last.status)) : evaluations.find(({ fires }) => !fires)?.because;
  return reason?.slice(0, LINE_CHARACTERS);
}

function firstLine(body: Buffer): string {
  // Four bytes are the most of a character; the cut one at the end is dropped.
  const begin = body
    .subarray(0, 4 * LINE_CHARACTERS)
    .toString()
    .replaceAll(/\s+/g, ' ')
    .trim();
  return begin.slice(0, LINE_CHARACTERS).replace(/[\uD800-\uDBFF\uFFFD]+$/, '');
}

/**
 * Ids of the events that match, newest first, in lists, and the progress in between. Stops when the client disconnects. Throws
 * `InvalidFilter` at once.
 */
function foundLines(
  plane: Plane,
  { words: parts, headers, type, up_to: upTo, after, ...given }: z.output<typeof findRequest>,
  exchange: HttpExchange,
): AsyncIterable<string> {
  const { definitions, journal } = plane.service;
  const newest = numberIn(upTo);
  const wanted = {
    ...searchOf(plane, given, exchange),
    before: newest === undefined ? undefined : newest + 1,
    after: numberIn(after),
  };
  const needles = headers?.map(({ name, value }) => ({ name: name.toLowerCase(), value: value.toLowerCase() })) ?? [];
  const hasType = type === undefined ? undefined : typeTest(definitions, type);
  const hasParts = parts === undefined ? undefined : wordTest(parts);
  const isFound = (event: StoredEvent): boolean =>
    hasHeaders(event.headers, needles) && (hasParts?.(event) ?? true) && (hasType?.(event) ?? true);
  return linesOf(journal.search(wanted, exchange.gone()), isFound);
}

async function* linesOf(
  steps: ReturnType<WebhookService['journal']['search']>,
  isFound: (event: StoredEvent) => boolean,
): AsyncGenerator<string> {
  let found: string[] = [];
  const line = (step: EventFoundView): string => JSON.stringify(step);
  for await (const step of steps) {
    if ('progress' in step) {
      if (found.length > 0) yield line({ found });
      found = [];
      yield line(step);
    } else if ('event' in step) {
      if (isFound(step.event)) found.push(step.event.id);
      if (found.length >= MAX_FOUND) {
        yield line({ found });
        found = [];
      }
    }
  }
  yield line({ found });
}

/** Whether each word is part of the body, in any case, or the id of the event. */
function wordTest(words: readonly string[]): (event: StoredEvent) => boolean {
  const needles = words.map((word) => word.toLowerCase());
  return ({ id, body }) => {
    const all = body.toString().toLowerCase();
    return needles.every((needle) => needle === id || all.includes(needle));
  };
}

/** Whether a text is part of the type or the sender of an event. */
function typeTest(definitions: Plane['service']['definitions'], type: string): (event: StoredEvent) => boolean {
  const needle = type.toLowerCase();
  return ({ headers, body, webhook }) => {
    const all = [
      eventTypeOf(headers, payloadOf(headers, body)),
      senderOf(headers, definitions.webhookById(webhook)?.type),
    ];
    return all.some((one) => one?.toLowerCase().includes(needle));
  };
}

/** Whether each of these headers is there. Names and values are in lower case. */
function hasHeaders(headers: readonly Header[], wanted: readonly { readonly name: string; readonly value: string }[]) {
  return wanted.every((one) =>
    headers.some(([name, value]) => name.toLowerCase() === one.name && value.toLowerCase().includes(one.value)),
  );
}

function numberIn(id: string | undefined): number | undefined {
  return id === undefined ? undefined : (eventNumber(id) ?? -1);
}

/**
 * Checks the stored signature of an event against the secrets of its webhook, also those that have expired. The time is not
 * checked: the intake did that. Tokens are not stored, so that only the intake could check them.
 */
function proofOf({ service: { definitions } }: Plane, event: StoredEvent): EventProofView {
  const webhook = definitions.webhookById(event.webhook);
  if (!webhook) return { kind: 'none', problem: 'its webhook was deleted, and with it the secret' };
  if (webhook.type === 'anything') return { kind: 'none' };
  const [header = 'Authorization'] = proofHeaders(webhook);
  if (!isSigned(webhook)) return { kind: 'token', header };
  const scheme = schemeOf(webhook);
  const given = Object.fromEntries(event.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const value = given[header.toLowerCase()];
  if (value === undefined || value === REDACTED)
    return { kind: 'signature', header, problem: `${header} is ${value === undefined ? 'missing' : 'not stored'}` };
  const keys = definitions.signingKeys(webhook.id, -Infinity);
  const problem = scheme
    ? signatureProblem(anyTime(scheme), given, event.body, keys, Date.now(), targetOf(webhook, event.query))
    : standardProblem(given, event.body, keys, Infinity);
  return { kind: 'signature', header, is_valid: problem === undefined, ...(problem !== undefined && { problem }) };
}

function anyTime(scheme: SignatureScheme): SignatureScheme {
  return { ...scheme, tolerance_seconds: Infinity };
}
