import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { cancelled } from '../base/errors.ts';
import { formatBytes, formatCount } from '../base/format.ts';
import { AdminClient, type Query } from '../server/admin/adminClient.ts';
import { asCurl, explanation, headerLines, prettyBody, urlOf } from '../server/webhooks/eventText.ts';
import type {
  EventDetailView,
  EventPageView,
  EventSummaryView,
  EventView,
  SearchLineView,
} from '../server/webhooks/views.ts';
import { withServer, type AdminOptions } from './admin.ts';
import { readRule } from './filters.ts';
import { ExitCode, formatColumns, printable, printJson, ProgressLine, type Terminal } from './terminal.ts';
import { writeWhole } from './writeWhole.ts';

export interface EventFilterOptions extends AdminOptions {
  readonly webhook?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
  readonly filter?: string;
}

const PAGE = 1000;
/** How often new events are asked for. */
const TAIL_MS = 300;

/** `sextant events list` */
export function listEvents(
  options: EventFilterOptions & { readonly limit: number },
  terminal: Terminal,
): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const events: EventSummaryView[] = [];
    for await (const event of select(client, options, options.limit, terminal)) events.push(event);
    if (options.json) printJson(events, terminal);
    else terminal.stdout.write(formatColumns(events.map(eventRow)));
    return events.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  });
}

/** Those that match, newest first. What is in their bodies is searched for by the server, and how far it is, is told. */
async function* select(
  client: AdminClient,
  options: EventFilterOptions,
  limit: number,
  terminal: Terminal,
): AsyncGenerator<EventSummaryView> {
  let count = 0;
  if (options.text !== undefined || options.filter !== undefined) {
    for await (const { body: _, headers: __, ...event } of searchEvents(client, options, terminal)) {
      yield event;
      if (++count >= limit) return;
    }
    return;
  }
  let cursor: string | undefined;
  do {
    const query = { ...filterQuery(options), limit: Math.min(limit - count, PAGE), cursor };
    const page = await pageOf(client, query, terminal.signal);
    yield* page.events;
    count += page.events.length;
    cursor = page.has_more ? page.next_cursor : undefined;
  } while (cursor !== undefined && count < limit);
}

async function* searchEvents(
  client: AdminClient,
  options: EventFilterOptions,
  { stderr, signal }: Terminal,
): AsyncGenerator<EventView> {
  const filter = options.filter === undefined ? undefined : JSON.stringify(await readRule(options.filter));
  const query = { ...filterQuery(options), text: options.text, filter };
  const progress = new ProgressLine(stderr);
  const damaged: string[] = [];
  try {
    for await (const line of client.lines<SearchLineView>(AdminClient.path(['events', 'search'], query), signal)) {
      if ('event' in line) {
        progress.clear();
        yield line.event;
      } else if ('damaged' in line) {
        damaged.push(line.damaged);
      } else if ('progress' in line) {
        const { searched, total } = line.progress;
        progress.show([`${formatCount(searched)} of ${formatCount(total)} events searched`]);
      }
    }
  } finally {
    progress.clear();
    if (damaged.length > 0) {
      const are = damaged.length === 1 ? '1 event is' : `${formatCount(damaged.length)} events are`;
      stderr.write(`sextant: ${are} damaged and left out: ${damaged.join(', ')}\n`);
    }
  }
}

function filterQuery({ webhook, status, from, to }: EventFilterOptions) {
  return { source: 'Webhook', webhook, status, from, to };
}

function eventRow({ event_id: id, received_at: at, webhook, webhook_id: webhookId, status, bytes }: EventSummaryView) {
  return [id, at, webhook ?? `${webhookId} (deleted)`, status, formatBytes(bytes)];
}

export interface ShowOptions extends AdminOptions {
  readonly raw?: true;
  readonly headers?: true;
  readonly explain?: true;
  readonly curl?: true;
}

/** `sextant events show` */
export function showEvent(id: string, options: ShowOptions, terminal: Terminal): Promise<ExitCode> {
  const { stdout } = terminal;
  return withServer(options, terminal, async (client) => {
    const event = await client.ask<EventDetailView>('GET', AdminClient.path(['events', id]));
    if (options.json) printJson(event, terminal);
    // Byte for byte, for another program.
    else if (options.raw) stdout.write(event.body);
    else if (options.headers) stdout.write(lines(headerLines(event)));
    else if (options.explain) stdout.write(lines(explanation(event)));
    else if (options.curl) stdout.write(`${asCurl(event, await urlOf(event, client))}\n`);
    else stdout.write(lines(`${explanation(event)}\n${headerLines(event)}\n${prettyBody(event)}`));
    return ExitCode.ok;
  });
}

/** What strangers sent, without what would move the cursor. */
function lines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

export interface TailOptions extends AdminOptions {
  readonly webhook?: string;
  readonly count?: number;
  readonly timeout?: number;
}

/** `sextant events tail`: events as they come, until Ctrl-C, so many or so long. */
export function tailEvents(options: TailOptions, terminal: Terminal): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const { webhook, count = Infinity, timeout = Infinity, json } = options;
    const { signal } = terminal;
    const end = performance.now() + timeout * 1000;
    let newest = (await pageOf(client, { limit: 1 })).events[0]?.event_id ?? '';
    let seen = 0;
    while (!signal.aborted && seen < count && performance.now() < end) {
      const fresh = await eventsAfter(newest, client, webhook);
      for (const event of fresh.slice(0, count - seen)) {
        terminal.stdout.write(json ? `${JSON.stringify(event)}\n` : formatColumns([eventRow(event)]));
        newest = event.event_id;
        seen++;
      }
      if (seen < count) await sleep(TAIL_MS, undefined, { signal }).catch(() => undefined);
    }
    return seen < count && count !== Infinity && !signal.aborted ? ExitCode.nothingFound : ExitCode.ok;
  });
}

/** Oldest first. */
async function eventsAfter(
  newest: string,
  client: AdminClient,
  webhook: string | undefined,
): Promise<EventSummaryView[]> {
  const fresh: EventSummaryView[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page = await pageOf(client, { webhook, limit: 100, cursor });
    const after = page.events.filter(({ event_id: id }) => id > newest);
    fresh.push(...after);
    cursor = page.has_more && after.length === page.events.length ? page.next_cursor : undefined;
  }
  return fresh.reverse();
}

function pageOf(client: AdminClient, query: Query, signal?: AbortSignal): Promise<EventPageView> {
  return client.ask('GET', AdminClient.path(['events'], query), undefined, signal);
}

/** `sextant events replay` */
export function replayEvents(ids: readonly string[], options: AdminOptions, terminal: Terminal): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    for (const id of ids) {
      const replay = await client.ask<{ event_id: string }>('POST', AdminClient.path(['events', id, 'replay']));
      terminal.stdout.write(options.json ? `${JSON.stringify(replay)}\n` : `${replay.event_id} is ${id} again\n`);
    }
    return ExitCode.ok;
  });
}

/** `sextant events export`: one event a line, with headers and body, newest first. */
export function exportEvents(
  options: EventFilterOptions & { readonly output?: string },
  terminal: Terminal,
): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    let count = 0;
    async function* exported(): AsyncGenerator<string> {
      for await (const event of searchEvents(client, options, terminal)) {
        count++;
        yield `${JSON.stringify(event)}\n`;
      }
    }
    try {
      await writeWhole(Readable.from(exported()), options.output, terminal);
    } catch (error) {
      throw terminal.signal.aborted ? cancelled() : error;
    }
    return count > 0 ? ExitCode.ok : ExitCode.nothingFound;
  });
}
