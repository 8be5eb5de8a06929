import { Readable } from 'node:stream';
import { SextantError } from '../../base/errors.ts';
import { formatBytes, formatCount } from '../../base/format.ts';
import { AdminClient, type QueryParameters } from '../../server/admin/adminClient.ts';
import {
  asCurl,
  explanation,
  headerLines,
  prettyBody,
  refusalLines,
  webhookOf,
} from '../../server/webhooks/eventText.ts';
import type {
  EventDetailView,
  EventPageView,
  EventSummaryView,
  EventView,
  JournalView,
  RefusalsView,
  SearchLineView,
  WebhookView,
} from '../../server/webhooks/views.ts';
import { bytesOf } from '../../webhooks/payload.ts';
import { withServer, type AdminOptions } from '../server/admin.ts';
import { readRule } from './filters.ts';
import { ExitCode, formatColumns, printable, printJson, ProgressLine, type Terminal } from '../terminal.ts';
import { requireNewOutput, writeWhole, type OutputOptions } from '../writeWhole.ts';

export interface EventFilterOptions extends AdminOptions {
  readonly source?: string;
  readonly webhook?: string;
  readonly scope?: string;
  readonly owner?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
  readonly filter?: string;
}

const PAGE = 1000;

/** `sextant events list` */
export function listEvents(
  options: EventFilterOptions & { readonly limit: number },
  terminal: Terminal,
): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const { limit } = options;
    await requireWebhook(options.webhook, client);
    const found: EventSummaryView[] = [];
    // A search for one more event may take long, so its existence is left open.
    const isSearch = options.text !== undefined || options.filter !== undefined;
    for await (const event of select(client, options, isSearch ? limit : limit + 1, terminal)) found.push(event);
    const events = found.slice(0, limit);
    if (options.json) printJson(events, terminal);
    else if (events.length === 0) terminal.stderr.write('sextant: No event found.\n');
    else terminal.stdout.write(formatColumns(events.map(eventRow)));
    if (found.length > limit || (isSearch && found.length === limit))
      terminal.stderr.write(
        `sextant: There ${isSearch ? 'may be' : 'are'} more than ${these(limit)}; --limit shows more, "sextant events export" all.\n`,
      );
    return events.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  });
}

function these(count: number): string {
  return count === 1 ? 'this one' : `these ${count}`;
}

/** Throws `NotFound` if no webhook has or had that name or id: a wait for its events would never end. */
export async function requireWebhook(webhook: string | undefined, client: AdminClient): Promise<void> {
  if (webhook === undefined) return;
  const { webhooks } = await client.ask<{ webhooks: WebhookView[] }>('GET', 'webhooks');
  if (webhooks.some(({ name, webhook_id: id }) => name === webhook || id === webhook)) return;
  if ((await pageOf(client, { webhook, limit: 1 })).events.length > 0) return;
  const hint = 'Name a deleted webhook by its id, which "sextant events list" shows.';
  throw new SextantError('NotFound', `There is no webhook named ${webhook.slice(0, 100)}. ${hint}`);
}

/** The matching events, newest first. The server searches their bodies; the progress is shown. */
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
    const page = await pageOf(client, query);
    yield* page.events;
    count += page.events.length;
    cursor = page.has_more ? page.next_cursor : undefined;
  } while (cursor !== undefined && count < limit);
}

async function* searchEvents(
  client: AdminClient,
  options: EventFilterOptions,
  terminal: Terminal,
): AsyncGenerator<EventView> {
  const { stderr } = terminal;
  const filter = options.filter === undefined ? undefined : await readRule(options.filter, terminal);
  const search = { ...filterQuery(options), text: options.text, filter };
  const progress = new ProgressLine(stderr);
  const damaged: string[] = [];
  try {
    for await (const line of client.lines<SearchLineView>('POST', 'events/search', search)) {
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

function filterQuery({ source = 'Webhook', webhook, scope, owner, status, from, to }: EventFilterOptions) {
  return { source, webhook, scope, owner, status, from, to };
}

export function eventRow({
  event_id: id,
  received_at: at,
  webhook,
  webhook_id: webhookId,
  status,
  bytes,
}: EventSummaryView): string[] {
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
    // Unchanged bytes, for another program.
    else if (options.raw) stdout.write(bytesOf(event));
    else if (options.headers) stdout.write(lines(headerLines(event)));
    else if (options.explain) stdout.write(lines(explanation(event)));
    else if (options.curl) stdout.write(`${asCurl(event, await webhookOf(event, client))}\n`);
    else stdout.write(lines(`${explanation(event)}\n${headerLines(event)}\n${prettyBody(event)}`));
    return ExitCode.ok;
  });
}

/** Text from strangers, without the characters that control a terminal. */
function lines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

export function pageOf(client: AdminClient, query: QueryParameters): Promise<EventPageView> {
  return client.ask('GET', AdminClient.path(['events'], query));
}

/** `sextant events refusals`: deliveries that became no events, and why, newest first. */
export function listRefusals(
  options: AdminOptions & { readonly webhook?: string; readonly limit: number },
  terminal: Terminal,
): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const { webhook, limit } = options;
    const path = AdminClient.path(['refusals'], { webhook, limit: limit + 1 });
    const { refusals: found, left_out: leftOut } = await client.ask<RefusalsView>('GET', path);
    const refusals = found.slice(0, limit);
    if (options.json) printJson(refusals, terminal);
    else terminal.stdout.write(refusalLines(refusals));
    if (found.length > limit)
      terminal.stderr.write(`sextant: There are more than ${these(limit)}; --limit shows more.\n`);
    if (leftOut > 0)
      terminal.stderr.write(`sextant: ${formatCount(leftOut)} more refusals came too fast to be recorded.\n`);
    return refusals.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  });
}

/** `sextant events verify`: reads all events, and lists the damaged ones. */
export function verifyEvents(options: AdminOptions, terminal: Terminal): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const journal = await client.ask<JournalView>('POST', 'journal/verify');
    const { events, bytes, damage } = journal;
    const isWhole = damage.length === 0;
    if (options.json) printJson(journal, terminal);
    else if (isWhole) terminal.stdout.write(`${formatCount(events)} events, ${formatBytes(bytes)}: all can be read.\n`);
    else terminal.stdout.write(lines(damage.map((one) => `${one}\n`).join('')));
    return isWhole ? ExitCode.ok : ExitCode.nothingFound;
  });
}

/** `sextant events replay` */
export function replayEvents(ids: readonly string[], options: AdminOptions, terminal: Terminal): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    for (const id of ids) {
      const replay = await client.ask<{ event_id: string }>('POST', AdminClient.path(['events', id, 'replay']));
      terminal.stdout.write(options.json ? `${JSON.stringify(replay)}\n` : `${replay.event_id} replays ${id}\n`);
    }
    return ExitCode.ok;
  });
}

/** `sextant events export`: one event a line, with headers and body, newest first. */
export function exportEvents(options: EventFilterOptions & OutputOptions, terminal: Terminal): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    requireNewOutput(options);
    await requireWebhook(options.webhook, client);
    let count = 0;
    async function* exported(): AsyncGenerator<string> {
      for await (const event of searchEvents(client, options, terminal)) {
        count++;
        yield `${JSON.stringify(event)}\n`;
      }
    }
    await writeWhole(Readable.from(exported()), options, terminal);
    return count > 0 ? ExitCode.ok : ExitCode.nothingFound;
  });
}
