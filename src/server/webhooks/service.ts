import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { isHeld, Lease, type Fence, type HeldFence } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import { createTemporaryFolder, removeTemporaryFolder } from '../../base/temporaryFolder.ts';
import { Definitions } from '../../webhooks/definitions.ts';
import { webhookErrors } from '../../webhooks/errors.ts';
import { eventNumber, type Run, type StoredEvent } from '../../webhooks/event.ts';
import {
  EventJournal,
  type Accepted,
  type Delivery,
  type EventSearch,
  type Retention,
} from '../../webhooks/journal/eventJournal.ts';
import { RefusalLog } from '../../webhooks/journal/refusalLog.ts';
import { RunQueue } from '../../webhooks/runQueue.ts';
import { EditorWindows } from '../../webhooks/editorWindows.ts';
import type { CommandExpert } from '../../webhooks/schemas.ts';
import { targetProblem } from '../../webhooks/targetProblem.ts';
import { editedDelivery, type ResendInput } from './resend.ts';
import type { RetryView } from './views.ts';

export interface WebhookOptions {
  /** The largest accepted body, in bytes; 1 MiB by default. */
  readonly maxBodyBytes?: number | undefined;
  readonly retention?: Partial<Retention> | undefined;
  /** Experts that run commands of this machine; see `readCommands`. */
  readonly commands?: readonly CommandExpert[] | undefined;
}

export interface WebhookDependencies {
  /** Lease of the state folder, if there is one. */
  readonly fence?: Fence | undefined;
  /** The server's clock for shown times; it may be adjusted. */
  readonly clock: Clock;
  /** The system clock, for the age of events and expiry of secrets. */
  readonly realClock: Clock;
  readonly logger: Logger;
  readonly dispatcher?: Dispatcher | undefined;
  readonly backoffBaseMs?: number | undefined;
}

const MAX_BODY_BYTES = 1 << 20;
/** Interval between two scans for old events, in case no new ones replace them. */
const FORGET_MS = 60_000;

/** Webhooks of the server: definitions, the journal of events, the log of refusals, and the queue of runs. */
export class WebhookService {
  readonly definitions: Definitions;
  readonly journal: EventJournal;
  readonly refusals: RefusalLog;
  readonly maxBodyBytes: number;
  /** The system clock, by which secrets expire. */
  readonly clock: Clock;
  /** Windows of editors that run experts. */
  readonly windows = new EditorWindows();
  readonly #queue: RunQueue;
  #forgetting: NodeJS.Timeout | undefined;
  readonly #fence: Fence;
  /** The temporary folder and its lease, of a service without state folder. */
  readonly #temporary: { readonly folder: string; readonly fence: HeldFence } | undefined;

  /** Opens the state folder, or a temporary one that {@link close} removes. Throws `LeaseLost`. */
  constructor(state: string | undefined, options: WebhookOptions, edges: WebhookDependencies) {
    const { clock, realClock, logger } = edges;
    this.#temporary = state === undefined ? temporaryState(logger) : undefined;
    const fence = edges.fence ?? this.#temporary!.fence;
    const folder = join(state ?? this.#temporary!.folder, 'webhooks');
    this.#fence = fence;
    this.clock = realClock;
    this.maxBodyBytes = options.maxBodyBytes ?? MAX_BODY_BYTES;
    const { retention, commands } = options;
    this.journal = new EventJournal({ fence, folder: join(folder, 'events'), clock, realClock, logger, retention });
    const hasEvents = this.journal.size > 0;
    this.definitions = new Definitions({ fence, folder, clock, realClock, hasEvents, commands, logger });
    this.refusals = new RefusalLog(fence, join(folder, 'refusals'), clock, logger);
    const { journal, definitions, windows } = this;
    this.#queue = new RunQueue({ ...edges, fence, journal, definitions, windows });
    fence.lost.addEventListener('abort', this.#onLost);
  }

  /** Stops retention and disconnects windows; the server reports the loss. */
  readonly #onLost = (): void => {
    clearInterval(this.#forgetting);
    this.windows.close();
  };

  /** Throws `LeaseLost` after a known takeover, whose state is newer than that in memory. */
  requireLease(): void {
    if (this.#fence.lost.aborted) throw this.#fence.lost.reason;
  }

  /** Resumes unfinished events of the last process. */
  start(): void {
    this.#queue.resume();
    this.#forgetting = setInterval(() => this.journal.forget(), FORGET_MS).unref();
  }

  /**
   * Resolves when the event is on the disk; its triggers are evaluated afterwards. `parsed` is the parsed body, if known.
   */
  async accept(delivery: Delivery, parsed?: { readonly json: unknown }): Promise<Accepted> {
    const webhook = this.definitions.webhookById(delivery.webhook);
    const isUnmatched = webhook === undefined || this.definitions.triggersOf(webhook).length === 0;
    const accepted = await this.journal.accept(isUnmatched ? { ...delivery, isUnmatched } : delivery);
    const { headers, body, method, query } = delivery;
    const sent = { ...(method !== undefined && { method }), ...(query !== undefined && { query }) };
    if (accepted.isNew && !isUnmatched)
      this.#queue.add(accepted.number, { id: accepted.id, headers, body, ...sent, ...parsed });
    return accepted;
  }

  /** Sends an event again with changes, and records it in the history of the first event. */
  async resend(event: StoredEvent, input: ResendInput): Promise<{ readonly id: string; readonly edits: number }> {
    const { id } = await this.accept(editedDelivery(this, event, input));
    const edits = await this.#queue.addEdit(await this.#firstOf(event), id);
    return { id, edits: edits.length };
  }

  /** The event from which an event was edited, directly or in turn. */
  async #firstOf({ id, editOf }: StoredEvent): Promise<number> {
    let first = eventNumber(id)!;
    for (let next = editOf; next !== undefined;) {
      const before = await this.journal.read(eventNumber(next)!);
      if (!before) break;
      first = eventNumber(before.id)!;
      next = before.editOf;
    }
    return first;
  }

  /**
   * Starts runs of an event of a webhook that failed or wait for their next attempt now: all, or those of a trigger. Throws
   * `NoSuchDefinition` if neither the webhook nor a run has the trigger.
   */
  async retryEvent(event: number, webhook: string, trigger?: string): Promise<RetryView> {
    const { runs } = await this.journal.state(event);
    const owner = this.definitions.triggers.find(({ name }) => name === trigger)?.webhook;
    const isOwn = owner !== undefined && owner === this.definitions.webhookById(webhook)?.name;
    if (trigger !== undefined && !isOwn && !runs.some((run) => run.trigger === trigger))
      throw webhookErrors.noSuch('trigger', trigger);
    const isWanted = (run: Run): boolean => trigger === undefined || run.trigger === trigger;
    const down = await this.#firstDown(runs.filter((run) => run.state !== 'succeeded' && isWanted(run)));
    const retried = await this.#queue.retry(event, isWanted);
    return { retried, ...(down !== undefined && { down }) };
  }

  /**
   * Starts the failed and delayed runs of an expert in some events now, the oldest first. Where the expert's target accepts no
   * connection, it starts none, unless by `force`.
   */
  async retryExpert(name: string, wanted: EventSearch, force: boolean, signal: AbortSignal): Promise<RetryView> {
    const expert = this.definitions.expert(name);
    if (!expert) throw webhookErrors.noSuch('expert', name);
    const down = await targetProblem(expert);
    if (down !== undefined && !force) return { retried: 0, down };
    const numbers: number[] = [];
    for (const status of wanted.status ? [wanted.status] : (['failed', 'pending'] as const))
      for await (const step of this.journal.search({ ...wanted, status }, signal))
        if ('event' in step) numbers.push(eventNumber(step.event.id)!);
    let retried = 0;
    for (const event of numbers.sort((a, b) => a - b))
      retried += await this.#queue.retry(event, (run) => run.expert === name);
    return { retried, ...(down !== undefined && { down }) };
  }

  async #firstDown(runs: readonly Run[]): Promise<string | undefined> {
    for (const name of new Set(runs.map(({ expert }) => expert))) {
      const expert = this.definitions.expert(name);
      const down = expert && (await targetProblem(expert));
      if (down !== undefined) return down;
    }
    return undefined;
  }

  /** Deletes an expert. Throws `NoSuchDefinition`, and `InUse` unless `force`. */
  deleteExpert(name: string, force: boolean): void {
    this.definitions.deleteExpert(name, force, this.#queue.waitingFor(name));
    this.#queue.pump(name);
  }

  /** Deletes a webhook, trigger and expert of one name. Throws as `Definitions.deleteForward`. */
  deleteForward(name: string, force: boolean): void {
    this.definitions.deleteForward(name, force, this.#queue.waitingFor(name));
  }

  async close(): Promise<void> {
    this.#fence.lost.removeEventListener('abort', this.#onLost);
    clearInterval(this.#forgetting);
    this.windows.close();
    await this.#queue.close();
    await this.journal.close();
    await this.refusals.close();
    if (this.#temporary === undefined) return;
    this.#temporary.fence.release();
    removeTemporaryFolder(this.#temporary.folder);
  }
}

function temporaryState(logger: Logger): { readonly folder: string; readonly fence: HeldFence } {
  const folder = createTemporaryFolder('webhooks', logger);
  const fence = Lease.acquire(folder);
  if (!isHeld(fence)) throw new Error(`${folder} was just created, and has an owner.`);
  return { folder, fence };
}
