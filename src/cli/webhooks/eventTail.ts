import { isCancelled, SextantError, throwIfCancelled } from '../../base/errors.ts';
import { sleep } from '../../base/sleep.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { findReachable } from '../../server/runningServer.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import type { EventSummaryView } from '../../server/webhooks/views.ts';
import { eventId, eventNumber, isUnfinished } from '../../webhooks/event.ts';
import { withServer, type AdminOptions } from '../server/admin.ts';
import { eventRow, pageOf, requireWebhook } from './events.ts';
import { ExitCode, formatColumns, jsonText, type Terminal } from '../terminal.ts';

export interface TailOptions extends AdminOptions {
  readonly webhook?: string;
  readonly count?: number;
  readonly timeout?: number;
  /** The event after which to begin; the newest one without it. */
  readonly after?: string;
}

/** The interval between requests for new events. */
const TAIL_MS = 300;
/** An event whose runs take longer is printed without its outcome, and again with it. */
const OUTCOME_MS = 2_000;
/** How long requests to a server that does not answer are repeated. */
const PATIENCE_MS = 60_000;
const PAGE = 1000;
/** The longest time that a timer takes, 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** An event whose outcome is not known yet. */
interface UnsettledEvent {
  readonly since: number;
  readonly isPrinted: boolean;
  readonly event: EventSummaryView;
}

/** `sextant events tail`: prints events as they arrive, until Ctrl-C, a number of events or a timeout. */
export async function tailEvents(options: TailOptions, terminal: Terminal): Promise<ExitCode> {
  const { count = Infinity, timeout = Infinity } = options;
  const limit = new AbortController();
  const timer = timeout * 1000 <= MAX_TIMER_MS ? setTimeout(() => limit.abort(), timeout * 1000) : undefined;
  const signal = AbortSignal.any([terminal.signal, limit.signal]);
  const outcomeOf = (seen: number): ExitCode =>
    seen >= count || count === Infinity ? ExitCode.ok : ExitCode.nothingFound;
  try {
    return await withServer(options, { ...terminal, signal }, async (client) => {
      const outcome = outcomeOf(await tail(client, options, { ...terminal, signal }));
      // Ctrl-C is the end of a tail, and an interruption of a wait for a number of events.
      if (outcome !== ExitCode.ok) throwIfCancelled(terminal.signal);
      return outcome;
    });
  } catch (error) {
    // The time limit may come before the first answer.
    if (!isCancelled(error) || terminal.signal.aborted) throw error;
    return outcomeOf(0);
  } finally {
    clearTimeout(timer);
  }
}

/** Prints events until `signal` aborts or they are `count`; returns their number. */
async function tail(first: AdminClient, options: TailOptions, terminal: Terminal): Promise<number> {
  const { webhook, count = Infinity, json } = options;
  const { stdout, signal } = terminal;
  await requireWebhook(webhook, first);
  const server = new PatientServer(first, options, terminal);
  let seen = 0;
  let newest = options.after ?? (await newestEvent(first));
  const waiting = new Map<string, UnsettledEvent>();
  const print = (event: EventSummaryView, isPrinted = false): void => {
    if (!isPrinted && ++seen > count) return;
    stdout.write(json ? `${jsonText(event)}\n` : formatColumns([eventRow(event)]));
  };
  while (!signal.aborted && seen < count) {
    let found: readonly [EventSummaryView[], EventSummaryView[]];
    try {
      found = await server.ask(async (client) => [
        await eventsAfter(newest, client, webhook),
        await statesOf([...waiting.keys()], client, webhook),
      ]);
    } catch (error) {
      if (!isCancelled(error)) throw error;
      break;
    }
    const [fresh, known] = found;
    for (const event of [...known, ...fresh]) {
      const { event_id: id, status } = event;
      if (id > newest) newest = id;
      const { since, isPrinted } = waiting.get(id) ?? { since: performance.now(), isPrinted: false };
      const isLate = performance.now() - since >= OUTCOME_MS;
      if (isUnfinished(status)) waiting.set(id, { since, isPrinted: isPrinted || isLate, event });
      else waiting.delete(id);
      if (!isUnfinished(status) || (isLate && !isPrinted)) print(event, isPrinted);
    }
    if (seen < count) await sleep(TAIL_MS, signal).catch(() => undefined);
  }
  // Print the events that arrived, although their outcome is not known.
  for (const { event, isPrinted } of waiting.values()) if (!isPrinted) print(event);
  return seen;
}

/** The id of the newest event; empty without any. */
export async function newestEvent(client: AdminClient): Promise<string> {
  return (await pageOf(client, { limit: 1 })).events[0]?.event_id ?? '';
}

/** The events after `newest`, oldest first. */
export async function eventsAfter(
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

/** The current states of events, except those that are deleted by now. */
async function statesOf(
  ids: readonly string[],
  client: AdminClient,
  webhook: string | undefined,
): Promise<EventSummaryView[]> {
  if (ids.length === 0) return [];
  const unfinished = new Map<string, EventSummaryView>();
  for (const status of ['received', 'pending']) {
    const { events } = await pageOf(client, { webhook, status, limit: PAGE });
    for (const event of events) unfinished.set(event.event_id, event);
  }
  const states: EventSummaryView[] = [];
  for (const id of ids) {
    const before = eventId(eventNumber(id)! + 1);
    const state = unfinished.get(id) ?? (await pageOf(client, { limit: 1, cursor: before })).events[0];
    if (state?.event_id === id) states.push(state);
  }
  return states;
}

/** A server that may restart meanwhile, perhaps at another address. */
class PatientServer {
  #client: AdminClient;
  readonly #folder: string;
  readonly #terminal: Terminal;

  constructor(client: AdminClient, { state }: AdminOptions, terminal: Terminal) {
    this.#client = client;
    this.#folder = serverStateFolder(state);
    this.#terminal = terminal;
  }

  /** Repeats `work` until the server answers. Throws `NoAnswer` if it does not come back. */
  async ask<T>(work: (client: AdminClient) => Promise<T>): Promise<T> {
    const { signal, stderr } = this.#terminal;
    const end = performance.now() + PATIENCE_MS;
    for (let tries = 0; ; tries++) {
      try {
        return await work(this.#client);
      } catch (error) {
        const isUnreachable = error instanceof SextantError && error.code === 'NoAnswer';
        if (!isUnreachable || performance.now() >= end) throw error;
      }
      if (tries === 0) stderr.write('sextant: The server does not answer. Trying again for a minute.\n');
      await sleep(TAIL_MS, signal).catch(() => undefined);
      const info = await findReachable(this.#folder, signal);
      if (info) this.#client = new AdminClient(info, signal);
    }
  }
}
