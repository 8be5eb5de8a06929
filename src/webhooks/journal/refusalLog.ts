import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { SegmentLog, type Place } from './segmentLog.ts';

/** A delivery that was not accepted: what is shown of it, never its body. */
export interface Refusal {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The id in the URL, whether there is such a webhook or not. */
  readonly webhook: string;
  readonly status: number;
  readonly code: string;
  readonly reason: string;
}

const SEGMENT_BYTES = 1 << 20;
const MAX_SEGMENTS = 8;
/** More that come while the disk is busy are counted only. */
const MAX_WAITING = 500;
const MAX_KEPT = 10_000;

/** Refusals, in files of their own: a flood of them pushes out other refusals only, and never makes an event wait. */
export class RefusalLog {
  readonly #log: SegmentLog;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #places: Place[] = [];
  readonly #waiting = new Set<Promise<void>>();
  #left = 0;

  constructor(folder: string, clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
    this.#log = SegmentLog.open({
      folder,
      maxSegmentBytes: SEGMENT_BYTES,
      logger,
      headOf: (_kind, payload) => headOf(JSON.parse(payload.toString()) as Refusal),
      onFrame: (frame) => void this.#places.push(frame),
    });
  }

  /** How many were not recorded because too many came at once. */
  get leftOut(): number {
    return this.#left;
  }

  /** Recorded soon; nobody waits for it. */
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
        this.#places.push({ segment: frame.segment, offset: frame.offset, length: frame.length });
        this.#trim();
      })
      .catch((error: unknown) => {
        this.#left++;
        this.#logger.warn(`A refused delivery is not recorded: ${describeError(error)}`);
      })
      .finally(() => this.#waiting.delete(done));
    this.#waiting.add(done);
  }

  /** The newest first, with those that were being recorded when it was asked. */
  async latest(limit: number): Promise<Refusal[]> {
    await Promise.all(this.#waiting);
    const found = await Promise.all(
      this.#places
        .slice(-limit)
        .reverse()
        // One that is damaged or dropped meanwhile is passed over; the log has reported it.
        .map((place) => this.#log.read(place).catch(() => undefined)),
    );
    return found.flatMap((payload) => (payload ? [JSON.parse(payload.toString()) as Refusal] : []));
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  #trim(): void {
    while (this.#log.segments.length > MAX_SEGMENTS) this.#log.dropOldest();
    const oldest = this.#log.segments[0]?.segment ?? 0;
    if (this.#places.length > MAX_KEPT || (this.#places[0]?.segment ?? oldest) < oldest)
      this.#places = this.#places.filter(({ segment }) => segment >= oldest).slice(-MAX_KEPT * 0.9);
  }
}

function headOf({ at, status, webhook }: Refusal) {
  return { time: at, cameAt: at, status: status - 400, webhook, key: 0, event: 0 };
}
