import * as z from 'zod/mini';
import { explainWriteError } from '../../base/errors.ts';
import { FencedJson, readFencedJson } from '../../base/fencedJson.ts';
import { isHeld, Lease, type LeaseOwner } from '../../base/lease.ts';
import { sleep } from '../../base/sleep.ts';
import { ALERT_KINDS, type AlertEvent } from './alertEvents.ts';

const STEM = 'alerts';
/** Age at which a message is forgotten: its events cannot be found again by then. */
const KEPT_MS = 120 * 24 * 60 * 60_000;
const POLL_MS = 250;

const eventSchema = z.object({
  key: z.string(),
  kind: z.enum(ALERT_KINDS),
  subject: z.object({
    type: z.enum(['account', 'group', 'organization', 'resource', 'product']),
    name: z.string(),
    column: z.optional(z.string()),
  }),
  period: z.string(),
  text: z.string(),
  groups: z.record(z.string(), z.string()),
  figures: z.record(z.string(), z.union([z.string(), z.number()])),
});

const messageSchema = z.object({
  id: z.string(),
  /** The destination, by its hash and by its name. */
  destination: z.string(),
  name: z.string(),
  source: z.string(),
  at: z.number(),
  /** `sending` of a process that ended is unknown: the receiver may have the message. */
  state: z.enum(['waiting', 'sending', 'sent', 'failed']),
  attempts: z.number(),
  /** Time of the next attempt, of the delivery, or of the failure. */
  next: z.number(),
  /** Result of the last attempt, without secrets. */
  result: z.optional(z.string()),
  events: z.array(eventSchema),
});

const journalSchema = z.object({ version: z.literal(1), messages: z.array(messageSchema) });

/** A message of the journal, the events of which were found for one destination. */
export type JournalMessage = Omit<z.infer<typeof messageSchema>, 'events'> & { events: AlertEvent[] };

export interface JournalRead {
  /** In the order in which their events were found. */
  readonly messages: readonly JournalMessage[];
  /** Whether messages were lost by damage of both copies: their events are reported again. */
  readonly isLost: boolean;
}

/** Reads a journal, which another process may be writing. Changes nothing. */
export function readJournal(folder: string): JournalRead {
  const { found, isLost } = readFencedJson(folder, STEM);
  const parsed = journalSchema.safeParse(found?.value);
  return {
    messages: parsed.success ? (parsed.data.messages as JournalMessage[]) : [],
    isLost: isLost || (found !== undefined && !parsed.success),
  };
}

/**
 * The messages of an account, shared by all windows, commands and machines with the same folder. One process at a time
 * holds the lease and writes; each write is on the disk twice before it counts. So a message that is claimed is claimed
 * for all.
 */
export class AlertJournal {
  readonly #lease: Lease;
  readonly #file: FencedJson;
  messages: JournalMessage[];

  private constructor(folder: string, lease: Lease) {
    this.#lease = lease;
    this.#file = new FencedJson(lease, folder, STEM, 0o600);
    this.messages = [...readJournal(folder).messages];
  }

  /**
   * Waits up to `waitMs` for the journal; the owner of its lease if another process holds it for longer. Throws `DiskFull`,
   * `ReadOnly`.
   */
  static async open(folder: string, waitMs: number, signal?: AbortSignal): Promise<AlertJournal | LeaseOwner> {
    const until = performance.now() + waitMs;
    for (;;) {
      const lease = acquire(folder);
      if (isHeld(lease)) return new AlertJournal(folder, lease);
      if (performance.now() >= until) return lease;
      await sleep(POLL_MS, signal);
    }
  }

  /** Aborts once another process took over. */
  get lost(): AbortSignal {
    return this.#lease.lost;
  }

  /** Keeps the messages on the disk, without old ones. Throws `LeaseLost`, `DiskFull`, `ReadOnly`. */
  write(now: number): void {
    this.messages = this.messages.filter(({ state, next, at }) => (isOpen(state) ? at : next) > now - KEPT_MS);
    this.#file.write({ version: 1, messages: this.messages });
  }

  close(): void {
    this.#lease.release();
  }
}

/** Whether a message is not delivered, and not given up. */
export function isOpen(state: JournalMessage['state']): boolean {
  return state === 'waiting' || state === 'sending';
}

export function isJournal(opened: AlertJournal | LeaseOwner): opened is AlertJournal {
  return opened instanceof AlertJournal;
}

function acquire(folder: string): Lease | LeaseOwner {
  try {
    return Lease.acquire(folder);
  } catch (error) {
    throw explainWriteError(error, folder);
  }
}
