import type { Clock } from '../../base/clock.ts';
import { describeError, SextantError } from '../../base/errors.ts';
import type { Fence } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import { HEADER_BYTES } from './frames.ts';
import { SegmentLog, type FramePosition, type Written } from './segmentLog.ts';

/** A refused delivery, without its body. */
export interface Refusal {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The id in the URL, which may name no webhook. */
  readonly webhook: string;
  readonly status: number;
  readonly code: string;
  readonly reason: string;
}

/** Number of recorded refusals of one or more webhooks, and the newest. */
export interface RefusalSummary {
  readonly group: string;
  readonly count: number;
  readonly last: Refusal;
}

/** One that is kept, by the id in its URL. */
type KeptRefusal = FramePosition & Pick<Written, 'webhook'>;

const SEGMENT_BYTES = 1 << 20;
const MAX_BYTES = 8 << 20;
/** The most segments: each start with a refusal begins one. */
const MAX_SEGMENTS = 500;
/** The most that wait for a busy disk; further refusals are counted only. */
const MAX_WAITING = 500;
export const MAX_REFUSALS = 10_000;

/** Refusals, in separate files: a flood drops older refusals only, and never delays an event. */
export class RefusalLog {
  readonly #log: SegmentLog;
  readonly #fence: Fence;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #kept: KeptRefusal[] = [];
  readonly #waiting = new Set<Promise<void>>();
  #left = 0;

  /** Opens the log. On a full or read-only disk it records nothing. Throws `LeaseLost`. */
  constructor(fence: Fence, folder: string, clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
    this.#fence = fence;
    this.#log = new SegmentLog({
      folder,
      fence,
      maxSegmentBytes: SEGMENT_BYTES,
      logger,
      headOf: (_kind, payload) => headOf(JSON.parse(payload.toString()) as Refusal),
      onFrame: (frame) => this.#keep(frame),
    });
  }

  /** Number of refusals that came too fast to be recorded. */
  get leftOut(): number {
    return this.#left;
  }

  /** Queues a refusal; no request waits for the write. */
  add(refusal: Omit<Refusal, 'at'>): void {
    if (this.#waiting.size >= MAX_WAITING) {
      this.#left++;
      return;
    }
    const whole: Refusal = {
      at: this.#clock.now(),
      ...refusal,
      webhook: refusal.webhook.slice(0, 200),
      reason: refusal.reason.slice(0, 500),
    };
    const done = this.#log
      .append(1, headOf(whole), [Buffer.from(JSON.stringify(whole))])
      .then((frame) => {
        const isFirst = this.#kept.at(-1)?.segment !== frame.segment;
        this.#keep(frame);
        if (isFirst || this.#kept.length > MAX_REFUSALS) this.#trim();
      })
      .catch((error: unknown) => {
        this.#left++;
        // The loss of the lease is reported once.
        if (!this.#fence.lost.aborted) this.#logger.warn(`A refused delivery is not recorded: ${describeError(error)}`);
      })
      .finally(() => this.#waiting.delete(done));
    this.#waiting.add(done);
  }

  /** Returns the newest first, including those queued at the call. */
  async latest(limit: number, isWanted: (webhook: string) => boolean = () => true): Promise<Refusal[]> {
    await Promise.all(this.#waiting);
    const wanted = this.#kept.filter(({ webhook }) => isWanted(webhook)).slice(-limit);
    // Segment by segment: a file handle for each refusal is slow, and too many at once fail.
    const found: Refusal[] = [];
    for (const segment of new Set(wanted.map((kept) => kept.segment)))
      found.push(...(await this.#read(wanted.filter((kept) => kept.segment === segment))));
    return found.reverse();
  }

  /** Summarizes refusals by the group of their id, in the order of each group's first. */
  async summary(groupOf: (webhook: string) => string): Promise<RefusalSummary[]> {
    await Promise.all(this.#waiting);
    const groups = new Map<string, { readonly count: number; readonly kept: KeptRefusal }>();
    for (const kept of this.#kept) {
      const group = groupOf(kept.webhook);
      groups.set(group, { count: (groups.get(group)?.count ?? 0) + 1, kept });
    }
    const shown = [...groups].map(async ([group, { count, kept }]) => {
      const [last] = await this.#read([kept]);
      return last ? [{ group, count, last }] : [];
    });
    return (await Promise.all(shown)).flat();
  }

  /** Of one segment, in their order. One that is damaged or dropped meanwhile is passed over; the log has reported it. */
  async #read(those: readonly KeptRefusal[]): Promise<Refusal[]> {
    const [first, last] = [those[0]!, those.at(-1)!];
    const end = last.offset + HEADER_BYTES + last.length;
    const bytes = await this.#log.readRange(first.segment, first.offset, end);
    return those.flatMap((kept) => {
      try {
        return [JSON.parse(this.#log.payloadOf(kept, bytes, first.offset).toString()) as Refusal];
      } catch (error) {
        if (!(error instanceof SextantError && ['JournalDamaged', 'RecordDropped'].includes(error.code))) throw error;
        return [];
      }
    });
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  #keep({ number, segment, offset, length, webhook }: Written): void {
    this.#kept.push({ number, segment, offset, length, webhook });
  }

  /** Forgets the oldest refusals, and drops segments that are then empty. */
  #trim(): void {
    if (this.#kept.length > MAX_REFUSALS) this.#kept = this.#kept.slice(-MAX_REFUSALS * 0.9);
    const { segments } = this.#log;
    let bytes = segments.reduce((sum, one) => sum + one.bytes, 0);
    let count = segments.length;
    const oldest = this.#kept[0]?.segment ?? 0;
    for (const one of segments) {
      if (one.segment >= oldest && bytes <= MAX_BYTES && count <= MAX_SEGMENTS) break;
      if (!this.#log.dropOldest()) break;
      bytes -= one.bytes;
      count--;
    }
    const first = this.#log.segments[0]?.segment ?? 0;
    this.#kept = this.#kept.filter(({ segment }) => segment >= first);
  }
}

function headOf({ at, status, webhook }: Refusal) {
  return { time: at, cameAt: at, status: status - 400, webhook, key: 0, event: 0, bodyBytes: 0 };
}
