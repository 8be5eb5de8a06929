import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { attempt, backoffMs, type HttpOutcome } from '../../base/attempt.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { cancelled, SextantError } from '../../base/errors.ts';
import type { LeaseOwner } from '../../base/lease.ts';
import type { ProxySettings } from '../../base/undici.ts';
import type { AlertEvent } from './alertEvents.ts';
import { AlertJournal, isJournal, isOpen, readJournal, type JournalMessage } from './alertJournal.ts';
import { destinationId, wants, withoutSecrets, type Destination } from './destination.ts';
import { messageBody, type AlertMessage } from './messages.ts';
import { afterQuiet } from './quietHours.ts';

export interface SendOptions {
  /** Folder of the journal, of one account. */
  readonly folder: string;
  /** Host of the service that the figures are from. */
  readonly source: string;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly dispatcher?: Dispatcher | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Time to wait for another process that is sending. */
  readonly waitMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Time limit of one request. */
const TIMEOUT_MS = 15_000;
/** First pause before another attempt; it doubles up to ten minutes, or is what the receiver requests. */
const BACKOFF_BASE_MS = 30_000;
/** Age at which an undelivered message is given up. */
const LONGEST_MS = 24 * 60 * 60_000;
/** Longer than the silence after which a lease is free, so that one process waits for a dead one of another machine. */
const WAIT_MS = 90_000;
/** Most events in one message, which bounds its size. */
const MOST_EVENTS = 500;
const LONGEST_RESULT = 200;

export interface SendResult {
  /** The messages of these destinations that are new, were attempted, or wait. */
  readonly messages: readonly JournalMessage[];
  /** Another process that was sending all the time. */
  readonly owner?: LeaseOwner;
}

/** Sends new events and all messages that are due, each by one process. Throws `LeaseLost`, `DiskFull`, `ReadOnly`. */
export async function sendAlerts(
  destinations: readonly Destination[],
  events: readonly AlertEvent[],
  options: SendOptions,
): Promise<SendResult> {
  const { folder, waitMs = WAIT_MS, signal, clock = systemClock } = options;
  // Most of the time nothing is new: then nothing is written.
  const known = readJournal(folder).messages;
  const own = new Set(destinations.map(destinationId));
  const isIdle =
    !destinations.some((destination) => newEvents(destination, events, known).length > 0) &&
    !known.some(({ destination, state }) => own.has(destination) && isOpen(state));
  if (isIdle) return { messages: [] };
  const journal = await AlertJournal.open(folder, waitMs, signal);
  if (!isJournal(journal)) return { messages: [], owner: journal };
  try {
    const before = new Set(journal.messages.filter(({ state }) => !isOpen(state)).map(({ id }) => id));
    for (const destination of destinations) plan(journal, destination, events, options);
    journal.write(clock.now());
    for (const destination of destinations) await sendDue(journal, destination, options);
    return { messages: journal.messages.filter(({ id, destination }) => own.has(destination) && !before.has(id)) };
  } finally {
    journal.close();
  }
}

/** The events that a destination wants and never had. */
export function newEvents(
  destination: Destination,
  events: readonly AlertEvent[],
  messages: readonly JournalMessage[],
): AlertEvent[] {
  const id = destinationId(destination);
  const had = new Set(
    messages.filter((one) => one.destination === id).flatMap((one) => one.events.map(({ key }) => key)),
  );
  return events.filter((event) => wants(destination, event) && !had.has(event.key));
}

/** Puts new events into messages: into one that nothing was sent of, or into new ones. */
function plan(
  journal: AlertJournal,
  destination: Destination,
  events: readonly AlertEvent[],
  { source, clock = systemClock }: SendOptions,
): void {
  const id = destinationId(destination);
  const now = clock.now();
  let open = journal.messages.find(
    ({ destination: of, state, attempts }) => of === id && state === 'waiting' && attempts === 0,
  );
  for (const event of newEvents(destination, events, journal.messages)) {
    if (!open || open.events.length >= MOST_EVENTS) {
      open = {
        ...{ id: randomUUID(), destination: id, name: destination.name, source, at: now },
        ...{ state: 'waiting', attempts: 0, next: now, events: [] },
      };
      journal.messages.push(open);
    }
    open.events.push(event);
  }
}

/** Sends the messages of a destination that are due. The claim is on the disk before the first byte is sent. */
async function sendDue(journal: AlertJournal, destination: Destination, options: SendOptions): Promise<void> {
  const { clock = systemClock, signal } = options;
  const id = destinationId(destination);
  for (const message of journal.messages.filter((one) => one.destination === id && isOpen(one.state))) {
    const now = clock.now();
    // A claim of a process that ended: whether its receiver has the message is unknown, so it is sent again.
    const isInterrupted = message.state === 'sending';
    if (now - message.at > LONGEST_MS && message.attempts > 0) {
      Object.assign(message, { state: 'failed', next: now });
      journal.write(now);
      continue;
    }
    const due = afterQuiet(isInterrupted ? now : Math.max(message.next, now), destination.quiet);
    if (due > now) {
      if (due === message.next && !isInterrupted) continue;
      Object.assign(message, { state: 'waiting', next: due });
      journal.write(now);
      continue;
    }
    Object.assign(message, { state: 'sending', attempts: message.attempts + 1 });
    journal.write(now);
    const stop = signal ? AbortSignal.any([signal, journal.lost]) : journal.lost;
    const outcome = await postMessage(destination, message, { ...options, signal: stop });
    settle(message, outcome, destination, clock.now());
    journal.write(clock.now());
  }
}

function settle(message: JournalMessage, outcome: HttpOutcome, { url, quiet }: Destination, now: number): void {
  message.result = describeOutcome(outcome, url);
  if (outcome.isDone || !outcome.canRetry) {
    Object.assign(message, { state: outcome.isDone ? 'sent' : 'failed', next: now });
    return;
  }
  const pauseMs = Math.max(backoffMs(message.attempts, BACKOFF_BASE_MS), outcome.afterMs ?? 0);
  Object.assign(message, { state: 'waiting', next: Math.round(afterQuiet(now + pauseMs, quiet)) });
}

/** Sends a message once. Throws `Cancelled`, or the reason of a signal that is an error of Sextant; nothing else. */
export async function postMessage(
  { url, kind }: Destination,
  message: AlertMessage,
  { signal = new AbortController().signal, dispatcher, proxy, timeoutMs = TIMEOUT_MS }: Partial<SendOptions>,
): Promise<HttpOutcome> {
  const { agentFor } = await import('../../base/undici.ts');
  const own = dispatcher ? undefined : agentFor(new URL(url).hostname, proxy);
  try {
    return await attempt(url, {
      method: 'POST',
      headers: ['content-type', 'application/json; charset=utf-8', 'x-sextant-alert-id', message.id],
      body: messageBody(kind, message),
      ...{ timeoutMs, signal, dispatcher: dispatcher ?? own },
    });
  } catch (error) {
    // A lost lease has its own error.
    throw signal.aborted && !(error instanceof SextantError) ? cancelled() : error;
  } finally {
    await own?.destroy();
  }
}

/** `200`, `404: no_service`, `no answer within 15 s`: without the secrets of the URL. */
export function describeOutcome({ status, answer = '', error }: HttpOutcome, url: string): string {
  const text = withoutSecrets(error ?? answer, url)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_RESULT);
  if (status === undefined) return text;
  return status < 300 || text === '' ? String(status) : `${status}: ${text}`;
}
