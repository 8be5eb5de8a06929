import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { isHeld, Lease, type Fence, type HeldFence } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import { createTemporaryFolder, removeTemporaryFolder } from '../../base/temporaryFolder.ts';
import { Definitions } from '../../webhooks/definitions.ts';
import { EventJournal, type Accepted, type Delivery, type Retention } from '../../webhooks/journal/eventJournal.ts';
import { RefusalLog } from '../../webhooks/journal/refusalLog.ts';
import { RunQueue } from '../../webhooks/runQueue.ts';

export interface WebhookOptions {
  /** The largest body that is accepted, in bytes; 1 MiB where it is missing. */
  readonly maxBodyBytes?: number | undefined;
  readonly retention?: Partial<Retention> | undefined;
}

export interface WebhookDependencies {
  /** Guards the state folder; missing where there is none. */
  readonly fence?: Fence | undefined;
  /** What is shown; it may be adjusted. */
  readonly clock: Clock;
  /** The system's: by it events grow old, and secrets expire. */
  readonly realClock: Clock;
  readonly logger: Logger;
  readonly dispatcher?: Dispatcher | undefined;
  readonly backoffBaseMs?: number | undefined;
}

const MAX_BODY_BYTES = 1 << 20;
/** Interval between two scans for events that are too old, where no new ones push them out. */
const FORGET_MS = 60_000;

/** Webhooks as the server has them: definitions, the journal of events, that of refusals, and the queue of runs. */
export class WebhookService {
  readonly definitions: Definitions;
  readonly journal: EventJournal;
  readonly refusals: RefusalLog;
  readonly maxBodyBytes: number;
  /** The system's, by which secrets are good. */
  readonly clock: Clock;
  readonly #queue: RunQueue;
  #forgetting: NodeJS.Timeout | undefined;
  readonly #fence: Fence;
  /** The folder that is removed at the end, and its lease, where nothing outlives the service. */
  readonly #temporary: { readonly folder: string; readonly fence: HeldFence } | undefined;

  /** In the state folder, or in one that is removed when the service is closed. Throws `LeaseLost`. */
  constructor(state: string | undefined, options: WebhookOptions, edges: WebhookDependencies) {
    const { clock, realClock, logger } = edges;
    this.#temporary = state === undefined ? temporaryState(logger) : undefined;
    const fence = edges.fence ?? this.#temporary!.fence;
    const folder = join(state ?? this.#temporary!.folder, 'webhooks');
    this.#fence = fence;
    this.clock = realClock;
    this.maxBodyBytes = options.maxBodyBytes ?? MAX_BODY_BYTES;
    const { retention } = options;
    this.journal = new EventJournal({ fence, folder: join(folder, 'events'), clock, realClock, logger, retention });
    const hasEvents = this.journal.size > 0;
    this.definitions = new Definitions({ fence, folder, clock, realClock, hasEvents, logger });
    this.refusals = new RefusalLog(fence, join(folder, 'refusals'), clock, logger);
    this.#queue = new RunQueue({ ...edges, fence, journal: this.journal, definitions: this.definitions });
    fence.lost.addEventListener('abort', this.#onLost);
  }

  /** The server reports it. */
  readonly #onLost = (): void => clearInterval(this.#forgetting);

  /** Throws `LeaseLost` once it is known that another process took over: its state is newer than that in memory. */
  requireLease(): void {
    if (this.#fence.lost.aborted) throw this.#fence.lost.reason;
  }

  /** Goes on with what the last process left. */
  start(): void {
    this.#queue.resume();
    this.#forgetting = setInterval(() => this.journal.forget(), FORGET_MS).unref();
  }

  /**
   * Resolves when the event is on the disk; its triggers are evaluated afterwards. `parsed` is the parsed body, if the
   * caller has it.
   */
  async accept(delivery: Delivery, parsed?: { readonly json: unknown }): Promise<Accepted> {
    const webhook = this.definitions.webhookById(delivery.webhook);
    const isUnmatched = webhook === undefined || this.definitions.triggersOf(webhook).length === 0;
    const accepted = await this.journal.accept(isUnmatched ? { ...delivery, isUnmatched } : delivery);
    const { headers, body } = delivery;
    if (accepted.isNew && !isUnmatched) this.#queue.add(accepted.number, { id: accepted.id, headers, body, ...parsed });
    return accepted;
  }

  /** Throws `NoSuchDefinition`, and `InUse` unless `force`. */
  deleteExpert(name: string, force: boolean): void {
    this.definitions.deleteExpert(name, force, this.#queue.waitingFor(name));
  }

  async close(): Promise<void> {
    this.#fence.lost.removeEventListener('abort', this.#onLost);
    clearInterval(this.#forgetting);
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
