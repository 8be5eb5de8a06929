import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { SextantError, throwIfCancelled } from '../../base/errors.ts';
import type { Fence } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import {
  EVENT_STATUSES,
  eventId,
  isUnfinished,
  NEW_STATE,
  type EventState,
  type EventSummary,
  type Header,
  type StoredEvent,
} from '../event.ts';
import { webhookErrors } from '../errors.ts';
import type { Filter } from '../filter/filter.ts';
import { payloadOf } from '../payload.ts';
import type { JournalDamage } from './damage.ts';
import { EventIndex, type EventFilter, type EventWindow } from './eventIndex.ts';
import { HEADER_BYTES } from './frames.ts';
import type { Head } from './headsFile.ts';
import { KEY_LIFETIME_MS, keyHash, SeenKeys } from './seenKeys.ts';
import { SegmentLog, type FramePosition, type Written } from './segmentLog.ts';

/**
 * Limits of the journal: above any of them the oldest events are dropped. An unfinished event stays, with all events after
 * it. At twice a limit, and at least {@link HELD_LEAST}, nothing is accepted until that event is finished: accepted events
 * are never lost.
 */
export interface Retention {
  readonly maxEvents: number;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

export const DEFAULT_RETENTION: Retention = {
  maxEvents: 1_000_000,
  maxAgeMs: 30 * 24 * 3_600_000,
  maxBytes: 4_000_000_000,
};

export interface EventJournalOptions {
  readonly folder: string;
  readonly fence: Fence;
  /** The shown time of events. */
  readonly clock: Clock;
  /** The system clock, for the age of events and keys; `clock` by default. */
  readonly realClock?: Clock | undefined;
  readonly logger: Logger;
  readonly retention?: Partial<Retention> | undefined;
  readonly maxSegmentBytes?: number | undefined;
}

/** A delivery to store. */
export interface Delivery {
  readonly webhook: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  readonly key?: string | undefined;
  readonly replayOf?: string;
  readonly editOf?: string;
  readonly isTest?: true;
  readonly method?: string | undefined;
  readonly query?: string | undefined;
  /** Whether the webhook has no trigger, so that no work follows. */
  readonly isUnmatched?: boolean;
}

export interface Accepted {
  readonly id: string;
  readonly number: number;
  /** False for a repeated delivery. */
  readonly isNew: boolean;
}

export interface EventSearch extends EventFilter {
  /** In the body, as it is written there. */
  readonly text?: string | undefined;
  readonly filter?: Filter | undefined;
  /** Bounds of the numbers: below `before`, and from `after` on. */
  readonly before?: number | undefined;
  readonly after?: number | undefined;
}

/** A step of a search: a matching event, the id of an unreadable one, or progress. */
export type SearchStep =
  | { readonly event: StoredEvent }
  | { readonly damaged: string }
  | { readonly progress: { readonly searched: number; readonly total: number } };

type Meta = Pick<
  StoredEvent,
  'at' | 'webhook' | 'headers' | 'key' | 'replayOf' | 'editOf' | 'isTest' | 'method' | 'query'
> & {
  /** Arrival by the system clock, if different from `at`. */
  readonly cameAt?: number;
  readonly isUnmatched?: boolean;
};

type ReadStep = Exclude<SearchStep, { readonly progress: unknown }>;

interface NumberedPlace {
  readonly number: number;
  readonly place: FramePosition;
}

const EVENT = 1;
const STATE = 2;
/** A segment is one of this many parts of the limit, since whole segments are dropped; within these bounds, in bytes. */
const SEGMENTS = 64;
const SEGMENT_BYTES = { least: 1 << 20, most: 64 << 20 };
/** Keys to remember, also of dropped events. */
const LEAST_KEYS = 100_000;
/** Events and bytes that may always wait, so low limits do not refuse a burst of deliveries. */
const HELD_LEAST = { events: 10_000, bytes: 16 << 20 };
/** Bytes that a search reads at once. */
const BLOCK_BYTES = 1 << 20;
/** Time that a search works until other work may run. */
const TURN_MS = 10;

/**
 * The events: each is durable, byte for byte, when {@link accept} resolves. Its evaluations and runs are recorded after it.
 * Memory holds the values for lists and filters; bodies are on the disk only.
 */
export class EventJournal {
  readonly #log: SegmentLog;
  readonly #options: EventJournalOptions;
  readonly #realClock: Clock;
  readonly #retention: Retention;
  readonly #index = new EventIndex();
  readonly #keys: SeenKeys;
  #lastSegment: number | undefined;
  /** Bytes of all segments when the last one was begun. */
  #bytes = 0;
  /** Deliveries with a key that are being stored. */
  readonly #storing = new Map<number, { readonly key: string; readonly done: Promise<Accepted> }>();

  /** Opens the journal. On a full or read-only disk it accepts nothing. Throws `LeaseLost`. */
  constructor(options: EventJournalOptions) {
    this.#options = options;
    this.#realClock = options.realClock ?? options.clock;
    this.#retention = { ...DEFAULT_RETENTION, ...options.retention };
    this.#keys = new SeenKeys(Math.max(this.#retention.maxEvents, LEAST_KEYS));
    this.#log = new SegmentLog({
      folder: options.folder,
      fence: options.fence,
      maxSegmentBytes: options.maxSegmentBytes ?? segmentBytes(this.#retention),
      logger: options.logger,
      headOf,
      onFrame: (frame) => this.#learn(frame),
    });
    this.forget();
  }

  get size(): number {
    return this.#index.size;
  }

  /** Bytes on the disk. */
  get bytes(): number {
    return this.#log.segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Damage found since the journal was opened. */
  get damage(): readonly JournalDamage[] {
    return this.#log.damage;
  }

  /**
   * Resolves when the event is on the disk; for a key that the webhook had in the last 24 hours, with the earlier event.
   * Throws `LeaseLost`, `DiskFull`, `ReadOnly`, `JournalHeldUp`, or the system's error: then the event is not stored.
   */
  accept(delivery: Delivery): Promise<Accepted> {
    const { webhook, key } = delivery;
    if (key === undefined) return this.#store(delivery, 0);
    const hash = keyHash(webhook, key);
    const other = this.#storing.get(hash);
    if (other?.key === key) return other.done.then((accepted) => ({ ...accepted, isNew: false }));
    const done = this.#storeOnce(delivery, key, hash);
    this.#storing.set(hash, { key, done });
    return done;
  }

  /** Records the state of an event. Resolves when it is on the disk. */
  async setState(number: number, state: EventState): Promise<void> {
    const { status, ...rest } = state;
    const head: Head = { ...NO_HEAD, status: EVENT_STATUSES.indexOf(status), event: number };
    const payload = Buffer.from(JSON.stringify({ event: number, status: head.status, ...rest }));
    this.#learn(await this.#log.append(STATE, head, [payload]));
  }

  /** Events, newest first, below the number `before`. */
  list(filter: EventFilter, limit: number, before?: number): EventSummary[] {
    const found: EventSummary[] = [];
    for (const number of this.#index.newest(filter, before)) {
      found.push(this.#summary(number));
      if (found.length >= limit) break;
    }
    return found;
  }

  /** A part of a list of any length; see {@link EventIndex.window}. */
  window(...request: Parameters<EventIndex['window']>): EventWindow {
    return this.#index.window(...request);
  }

  summary(number: number): EventSummary | undefined {
    return this.#index.rowOf(number) === undefined ? undefined : this.#summary(number);
  }

  /** Reads an event; `undefined` if there is none. Throws `JournalDamaged`. */
  async read(number: number): Promise<StoredEvent | undefined> {
    const row = this.#index.rowOf(number);
    if (row === undefined) return undefined;
    const summary = this.#summary(number);
    try {
      return stored(summary, await this.#log.read(this.#index.placeAt(row)));
    } catch (error) {
      if (error instanceof SextantError && error.code === 'RecordDropped') return undefined;
      throw error;
    }
  }

  /** The state of an event; only its status if the record is damaged. */
  async state(number: number): Promise<EventState> {
    const row = this.#index.rowOf(number);
    const place = row === undefined ? undefined : this.#index.statePlaceAt(row);
    if (row === undefined) return NEW_STATE;
    const known = { ...NEW_STATE, status: this.#index.statusAt(row) };
    if (!place) return known;
    try {
      const record = JSON.parse((await this.#log.read(place)).toString()) as StateRecord;
      // The position holds the record of another event.
      if (record.event !== number) return { ...known, isDamaged: true };
      return { ...record, status: EVENT_STATUSES[record.status]! };
    } catch (error) {
      if (error instanceof SextantError && error.code === 'JournalDamaged') return { ...known, isDamaged: true };
      throw error;
    }
  }

  /** Numbers of events that wait for triggers or runs, oldest first. */
  unfinished(): number[] {
    const numbers = (['received', 'pending'] as const).flatMap((status) => [...this.#index.newest({ status })]);
    return numbers.sort((a, b) => a - b);
  }

  /** The events that match, newest first, as they are found. Throws `Cancelled`. */
  async *search(wanted: EventSearch, signal?: AbortSignal): AsyncGenerator<SearchStep> {
    const { text, filter, before, after, ...rest } = wanted;
    const numbers = Float64Array.from(this.#index.newest(rest, before, after));
    const needle = text === undefined ? undefined : Buffer.from(text);
    let turnEnds = performance.now() + TURN_MS;
    for (let at = 0; at < numbers.length;) {
      throwIfCancelled(signal);
      const block = this.#blockFrom(numbers, at);
      for (const step of await this.#readBlock(block)) {
        if (performance.now() > turnEnds) {
          await breathe();
          throwIfCancelled(signal);
          turnEnds = performance.now() + TURN_MS;
        }
        if ('event' in step) {
          const { headers, body } = step.event;
          if (needle && !body.includes(needle)) continue;
          if (filter && !filter.fires(payloadOf(headers, body))) continue;
        }
        yield step;
      }
      at += block.length;
      yield { progress: { searched: at, total: numbers.length } };
      await breathe();
    }
  }

  /** Reads everything, and reports damage. */
  verify(signal?: AbortSignal): Promise<readonly JournalDamage[]> {
    return this.#log.verify(signal);
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  async #storeOnce(delivery: Delivery, key: string, hash: number): Promise<Accepted> {
    try {
      const seen = this.#keys.find(hash, this.#realClock.now());
      if (seen !== undefined && (await this.#hasKey(seen, delivery.webhook, key))) {
        this.#options.fence.check();
        this.#log.fence();
        return { id: eventId(seen), number: seen, isNew: false };
      }
      return await this.#store(delivery, hash);
    } finally {
      this.#storing.delete(hash);
    }
  }

  /** Whether an event found by a key's hash has that key. False for a damaged event, so that it is stored again. */
  async #hasKey(number: number, webhook: string, key: string): Promise<boolean> {
    try {
      const event = await this.read(number);
      const row = this.#index.rowOf(number);
      // A dropped event can be compared by its hash only.
      if (!event || row === undefined) return true;
      return event.webhook === webhook && event.key === key && this.#isKeyGood(this.#index.cameAt(row));
    } catch (error) {
      if (error instanceof SextantError && error.code === 'JournalDamaged') return false;
      throw error;
    }
  }

  async #store({ body, ...delivery }: Delivery, key: number): Promise<Accepted> {
    if (this.#isHeldUp()) {
      this.forget();
      if (this.#isHeldUp()) throw webhookErrors.journalHeldUp(this.size);
    }
    const at = this.#options.clock.now();
    const cameAt = this.#realClock.now();
    const meta: Meta = { at, ...(cameAt !== at && { cameAt }), ...withoutUndefined(delivery) };
    const text = Buffer.from(JSON.stringify(meta));
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(text.length);
    const head: Head = {
      time: at,
      cameAt,
      status: firstStatus(meta),
      webhook: meta.webhook,
      key,
      event: 0,
      bodyBytes: body.length,
    };
    const written = await this.#log.append(EVENT, head, [length, text, body]);
    this.#learn(written);
    this.forget(written.segment);
    return { id: eventId(written.number), number: written.number, isNew: true };
  }

  #learn(frame: Written): void {
    if (frame.kind === STATE) {
      this.#index.setState(frame.event, frame.status, frame);
    } else if (frame.kind === EVENT) {
      this.#index.add(frame.number, frame, frame);
      if (frame.key !== 0 && this.#isKeyGood(frame.cameAt)) this.#keys.add(frame.key, frame.number, frame.cameAt);
    }
  }

  #isKeyGood(cameAt: number): boolean {
    return cameAt > this.#realClock.now() - KEY_LIFETIME_MS;
  }

  /** Drops events beyond a limit, and empty segments. `current` is the segment just written to. */
  forget(current?: number): void {
    const { maxEvents, maxAgeMs, maxBytes } = this.#retention;
    const tooOld = this.#realClock.now() - maxAgeMs;
    // Once a segment instead of once an event, since whole segments are dropped.
    const full = current !== undefined && current === this.#lastSegment ? -1 : this.#fullUpTo(maxBytes);
    this.#lastSegment = current;
    let isLess = false;
    for (let row = this.#index.oldest; row !== undefined; row = this.#index.oldest) {
      if (isUnfinished(this.#index.statusAt(row))) break;
      const { segment } = this.#index.placeAt(row);
      if (this.size <= maxEvents && this.#index.cameAt(row) >= tooOld && segment > full) break;
      this.#index.dropOldest();
      isLess = true;
    }
    if (isLess) this.#dropEmptySegments();
  }

  #isHeldUp(): boolean {
    const { maxEvents, maxBytes } = this.#retention;
    return (
      this.size >= Math.max(2 * maxEvents, HELD_LEAST.events) || this.#bytes >= Math.max(2 * maxBytes, HELD_LEAST.bytes)
    );
  }

  /** The last segment to drop for `maxBytes`; never the one that is written to. */
  #fullUpTo(maxBytes: number): number {
    let bytes = (this.#bytes = this.bytes);
    let last = -1;
    for (const segment of this.#log.segments.slice(0, -1)) {
      if (bytes <= maxBytes) break;
      bytes -= segment.bytes;
      last = segment.segment;
    }
    return last;
  }

  #dropEmptySegments(): void {
    const row = this.#index.oldest;
    const { segments } = this.#log;
    const needed = row === undefined ? segments.at(-1)?.segment : this.#index.placeAt(row).segment;
    for (const { segment } of segments) if (needed !== undefined && segment < needed && !this.#log.dropOldest()) break;
    this.#bytes = this.bytes;
  }

  #summary(number: number): EventSummary {
    const row = this.#index.rowOf(number)!;
    return {
      id: eventId(number),
      at: this.#index.timeAt(row),
      webhook: this.#index.webhookAt(row),
      status: this.#index.statusAt(row),
      bytes: this.#index.bodyBytesAt(row),
    };
  }

  /** Numbers from `at` on whose events are in one segment within a block. */
  #blockFrom(numbers: Float64Array, at: number): Float64Array {
    const end = this.#placeOf(numbers[at]!);
    let to = at + 1;
    for (; end && to < numbers.length; to++) {
      const place = this.#placeOf(numbers[to]!);
      if (place?.segment !== end.segment || end.offset + end.length - place.offset > BLOCK_BYTES) break;
    }
    return numbers.subarray(at, to);
  }

  /** The events of a block, each built when it is read. */
  async #readBlock(numbers: Float64Array): Promise<Iterable<ReadStep>> {
    const places = [...numbers].flatMap((number) => {
      const place = this.#placeOf(number);
      return place ? [{ number, place }] : [];
    });
    const [newest, oldest] = [places[0]?.place, places.at(-1)?.place];
    if (!newest || !oldest) return [];
    const from = oldest.offset;
    const to = newest.offset + HEADER_BYTES + newest.length;
    const bytes = await this.#log.readRange(newest.segment, from, to);
    return this.#eventsIn(places, bytes, from);
  }

  *#eventsIn(places: readonly NumberedPlace[], bytes: Buffer, from: number): Generator<ReadStep> {
    for (const { number, place } of places) {
      // The event was dropped during the read.
      if (this.#index.rowOf(number) === undefined) continue;
      let payload: Buffer | undefined;
      try {
        payload = this.#log.payloadOf(place, bytes, from);
      } catch (error) {
        if (!(error instanceof SextantError && error.code === 'JournalDamaged')) throw error;
      }
      yield payload ? { event: stored(this.#summary(number), payload) } : { damaged: eventId(number) };
    }
  }

  #placeOf(number: number): FramePosition | undefined {
    const row = this.#index.rowOf(number);
    return row === undefined ? undefined : this.#index.placeAt(row);
  }
}

function segmentBytes({ maxBytes }: Retention): number {
  return Math.min(Math.max(Math.ceil(maxBytes / SEGMENTS), SEGMENT_BYTES.least), SEGMENT_BYTES.most);
}

interface StateRecord extends Omit<EventState, 'status'> {
  readonly event: number;
  readonly status: number;
}

const NO_HEAD: Head = { time: 0, cameAt: 0, status: 0, webhook: '', key: 0, event: 0, bodyBytes: 0 };

/** The head of a record, from its payload. */
function headOf(kind: number, payload: Buffer): Head {
  if (kind === STATE) {
    const { event, status } = JSON.parse(payload.toString()) as StateRecord;
    return { ...NO_HEAD, status, event };
  }
  const { meta, body } = metaOf(payload);
  const { at, cameAt = at, webhook, key } = meta;
  const hash = key === undefined ? 0 : keyHash(webhook, key);
  return { time: at, cameAt, status: firstStatus(meta), webhook, key: hash, event: 0, bodyBytes: body.length };
}

function firstStatus({ isUnmatched }: Meta): number {
  return EVENT_STATUSES.indexOf(isUnmatched ? 'unmatched' : 'received');
}

function metaOf(payload: Buffer): { readonly meta: Meta; readonly body: Buffer } {
  const end = 4 + payload.readUInt32LE(0);
  return { meta: JSON.parse(payload.toString('utf8', 4, end)) as Meta, body: payload.subarray(end) };
}

function stored(summary: EventSummary, payload: Buffer): StoredEvent {
  const { meta, body } = metaOf(payload);
  const { isUnmatched: _, cameAt: __, ...shown } = meta;
  return { ...shown, ...summary, body };
}

function withoutUndefined({ key, method, query, ...rest }: Omit<Delivery, 'body'>) {
  return {
    ...rest,
    ...(key !== undefined && { key }),
    ...(method !== undefined && { method }),
    ...(query !== undefined && { query }),
  };
}
