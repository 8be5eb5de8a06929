import { EVENT_STATUSES, type EventStatus } from '../event.ts';
import type { Head } from './headsFile.ts';
import type { FramePosition } from './segmentLog.ts';

export interface EventFilter {
  readonly webhook?: string | undefined;
  /** Ids of webhooks, of which an event has one. */
  readonly webhooks?: readonly string[] | undefined;
  readonly status?: EventStatus | undefined;
  /** Milliseconds since 1970: at or after `from`, and before `to`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A part of a list of events, newest first. */
export interface EventWindow {
  readonly numbers: readonly number[];
  /** Number of all events of the list. */
  readonly total: number;
  /** Number of matching events that are newer than the list. */
  readonly newer: number;
}

/** The bounds of a list, and the part of it to return. Numbers of events are inclusive. */
export interface WindowRequest {
  readonly from: number;
  readonly count: number;
  readonly upTo?: number | undefined;
  readonly after?: number | undefined;
}

/** The columns, in one buffer each: a million events are 57 MB, where objects would be 200. */
function columns(capacity: number) {
  return {
    number: new Float64Array(capacity),
    time: new Float64Array(capacity),
    cameAt: new Float64Array(capacity),
    webhook: new Uint32Array(capacity),
    status: new Uint8Array(capacity),
    segment: new Uint32Array(capacity),
    offset: new Uint32Array(capacity),
    length: new Uint32Array(capacity),
    bodyBytes: new Uint32Array(capacity),
    stateSegment: new Uint32Array(capacity),
    stateOffset: new Uint32Array(capacity),
    stateLength: new Uint32Array(capacity),
  };
}

type Columns = ReturnType<typeof columns>;

/** Heads of all events, in memory. Rows are in the order of numbers; the oldest are dropped first. */
export class EventIndex {
  #columns: Columns = columns(1024);
  #start = 0;
  #end = 0;
  readonly #webhooks: string[] = [];
  readonly #webhookNumbers = new Map<string, number>();

  get size(): number {
    return this.#end - this.#start;
  }

  /** Adds an event, whose number is above all others. */
  add(number: number, { time, cameAt, webhook, status, bodyBytes }: Head, place: FramePosition): void {
    if (this.#end === this.#columns.number.length) this.#makeRoom();
    const row = this.#end++;
    const c = this.#columns;
    c.number[row] = number;
    c.time[row] = time;
    c.cameAt[row] = cameAt;
    c.webhook[row] = this.#intern(webhook);
    c.status[row] = status;
    c.segment[row] = place.segment;
    c.offset[row] = place.offset;
    c.length[row] = place.length;
    c.bodyBytes[row] = bodyBytes;
    c.stateSegment[row] = 0;
  }

  setState(number: number, status: number, place: FramePosition): void {
    const row = this.rowOf(number);
    if (row === undefined) return;
    const c = this.#columns;
    c.status[row] = status;
    c.stateSegment[row] = place.segment;
    c.stateOffset[row] = place.offset;
    c.stateLength[row] = place.length;
  }

  /** The row of an event, valid until rows are added or dropped. */
  rowOf(number: number): number | undefined {
    const row = this.#firstAtLeast(number);
    return row < this.#end && this.#columns.number[row] === number ? row : undefined;
  }

  numberAt(row: number): number {
    return this.#columns.number[row]!;
  }

  timeAt(row: number): number {
    return this.#columns.time[row]!;
  }

  /** Arrival by the system clock, which may differ from the shown time. */
  cameAt(row: number): number {
    return this.#columns.cameAt[row]!;
  }

  webhookAt(row: number): string {
    return this.#webhooks[this.#columns.webhook[row]!]!;
  }

  statusAt(row: number): EventStatus {
    return EVENT_STATUSES[this.#columns.status[row]!]!;
  }

  placeAt(row: number): FramePosition {
    const { number, segment, offset, length } = this.#columns;
    return { number: number[row]!, segment: segment[row]!, offset: offset[row]!, length: length[row]! };
  }

  /** Length of its body. */
  bodyBytesAt(row: number): number {
    return this.#columns.bodyBytes[row]!;
  }

  /** Position of the latest state, if there is one. */
  statePlaceAt(row: number): FramePosition | undefined {
    const { stateSegment, stateOffset, stateLength } = this.#columns;
    if (stateSegment[row] === 0) return undefined;
    return { segment: stateSegment[row]!, offset: stateOffset[row]!, length: stateLength[row]! };
  }

  get oldest(): number | undefined {
    return this.size === 0 ? undefined : this.#start;
  }

  dropOldest(): void {
    this.#start++;
  }

  /** Numbers of events below `before` and from `after` on, newest first. */
  *newest(filter: EventFilter, before = Infinity, after = 0): Generator<number> {
    const isWanted = this.#matcher(filter);
    let row = this.#firstAtLeast(before) - 1;
    while (row >= this.#start) {
      const number = this.#columns.number[row]!;
      if (number < after) return;
      if (isWanted(row)) {
        yield number;
        // Rows may have moved during the yield.
        row = this.#firstAtLeast(number);
      }
      row--;
    }
  }

  #matcher(filter: EventFilter): (row: number) => boolean {
    const webhook = filter.webhook === undefined ? undefined : (this.#webhookNumbers.get(filter.webhook) ?? -1);
    const status = filter.status === undefined ? undefined : EVENT_STATUSES.indexOf(filter.status);
    const some = filter.webhooks && new Set(filter.webhooks.map((id) => this.#webhookNumbers.get(id) ?? -1));
    const { from = -Infinity, to = Infinity } = filter;
    return (row) => {
      const c = this.#columns;
      const time = c.time[row]!;
      return (
        (webhook === undefined || c.webhook[row] === webhook) &&
        (some === undefined || some.has(c.webhook[row]!)) &&
        (status === undefined || c.status[row] === status) &&
        time >= from &&
        time < to
      );
    };
  }

  /** Returns a part of the matching events, newest first. A million events take a few milliseconds; without a filter, none. */
  window(filter: EventFilter, { from, count, upTo = Infinity, after = 0 }: WindowRequest): EventWindow {
    const end = this.#firstAtLeast(upTo + 1);
    const start = Math.max(this.#start, this.#firstAtLeast(after));
    const numbers: number[] = [];
    if (Object.values(filter).every((value) => value === undefined)) {
      const last = Math.max(start, end - from - count);
      for (let row = end - 1 - from; row >= last; row--) numbers.push(this.#columns.number[row]!);
      return { numbers, total: Math.max(0, end - start), newer: this.#end - end };
    }
    const isWanted = this.#matcher(filter);
    let total = 0;
    let newer = 0;
    for (let row = this.#end - 1; row >= start; row--) {
      if (!isWanted(row)) continue;
      if (row >= end) newer++;
      else if (total++ >= from && numbers.length < count) numbers.push(this.#columns.number[row]!);
    }
    return { numbers, total, newer };
  }

  #firstAtLeast(number: number): number {
    const numbers = this.#columns.number;
    let [low, high] = [this.#start, this.#end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (numbers[middle]! < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Moves rows to the front if half of them were dropped, otherwise into longer columns. */
  #makeRoom(): void {
    const old = this.#columns;
    const isRoomy = this.#start > old.number.length / 2;
    const next = isRoomy ? old : columns(Math.ceil(old.number.length * 1.5));
    for (const name of Object.keys(old) as (keyof Columns)[])
      next[name].set(old[name].subarray(this.#start, this.#end));
    this.#columns = next;
    this.#end -= this.#start;
    this.#start = 0;
  }

  #intern(webhook: string): number {
    let number = this.#webhookNumbers.get(webhook);
    if (number === undefined) {
      number = this.#webhooks.push(webhook) - 1;
      this.#webhookNumbers.set(webhook, number);
    }
    return number;
  }
}
