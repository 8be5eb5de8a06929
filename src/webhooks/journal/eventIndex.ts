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

/** Rows of a block. */
const ROWS = 4096;

/** Rows as columns: an event takes 37 bytes, with a state 49, where an object takes 200. Blocks do not move when others are added. */
class Block {
  readonly number = new Float64Array(ROWS);
  readonly time = new Float64Array(ROWS);
  readonly webhook = new Uint32Array(ROWS);
  readonly status = new Uint8Array(ROWS);
  readonly segment = new Uint32Array(ROWS);
  readonly offset = new Uint32Array(ROWS);
  readonly length = new Uint32Array(ROWS);
  readonly bodyBytes = new Uint32Array(ROWS);
  /** Only if the clock was adjusted. */
  cameAt: Float64Array | undefined;
  /** Only if an event has a state. */
  states: { readonly segment: Uint32Array; readonly offset: Uint32Array; readonly length: Uint32Array } | undefined;

  get bytes(): number {
    const { number, time, webhook, status, segment, offset, length, bodyBytes, cameAt, states } = this;
    const usual = [number, time, webhook, status, segment, offset, length, bodyBytes];
    const rare = [cameAt, states?.segment, states?.offset, states?.length];
    return [...usual, ...rare].reduce((sum, column) => sum + (column?.byteLength ?? 0), 0);
  }
}

/** Heads of all events, in memory. Rows are in the order of numbers; the oldest are dropped first, with their blocks. */
export class EventIndex {
  #blocks: Block[] = [];
  /** Rows of dropped blocks. */
  #dropped = 0;
  #start = 0;
  #end = 0;
  readonly #webhooks: string[] = [];
  readonly #webhookNumbers = new Map<string, number>();

  get size(): number {
    return this.#end - this.#start;
  }

  /** Memory of all rows. */
  get bytes(): number {
    return this.#blocks.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Adds an event, whose number is above all others. */
  add(number: number, { time, cameAt, webhook, status, bodyBytes }: Head, place: FramePosition): void {
    const at = this.#end % ROWS;
    if (at === 0) this.#blocks.push(new Block());
    const block = this.#blocks.at(-1)!;
    this.#end++;
    block.number[at] = number;
    block.time[at] = time;
    if (cameAt !== time) block.cameAt ??= block.time.slice();
    if (block.cameAt) block.cameAt[at] = cameAt;
    block.webhook[at] = this.#intern(webhook);
    block.status[at] = status;
    block.segment[at] = place.segment;
    block.offset[at] = place.offset;
    block.length[at] = place.length;
    block.bodyBytes[at] = bodyBytes;
  }

  setState(number: number, status: number, place: FramePosition): void {
    const row = this.rowOf(number);
    if (row === undefined) return;
    const block = this.#blockOf(row);
    const at = row % ROWS;
    block.status[at] = status;
    block.states ??= { segment: new Uint32Array(ROWS), offset: new Uint32Array(ROWS), length: new Uint32Array(ROWS) };
    block.states.segment[at] = place.segment;
    block.states.offset[at] = place.offset;
    block.states.length[at] = place.length;
  }

  /** The row of an event. */
  rowOf(number: number): number | undefined {
    const row = this.#firstAtLeast(number);
    return row < this.#end && this.numberAt(row) === number ? row : undefined;
  }

  numberAt(row: number): number {
    return this.#blockOf(row).number[row % ROWS]!;
  }

  timeAt(row: number): number {
    return this.#blockOf(row).time[row % ROWS]!;
  }

  /** Arrival by the system clock, which may differ from the shown time. */
  cameAt(row: number): number {
    const { cameAt, time } = this.#blockOf(row);
    return (cameAt ?? time)[row % ROWS]!;
  }

  webhookAt(row: number): string {
    return this.#webhooks[this.#blockOf(row).webhook[row % ROWS]!]!;
  }

  statusAt(row: number): EventStatus {
    return EVENT_STATUSES[this.#blockOf(row).status[row % ROWS]!]!;
  }

  placeAt(row: number): FramePosition {
    const { number, segment, offset, length } = this.#blockOf(row);
    const at = row % ROWS;
    return { number: number[at]!, segment: segment[at]!, offset: offset[at]!, length: length[at]! };
  }

  /** Length of its body. */
  bodyBytesAt(row: number): number {
    return this.#blockOf(row).bodyBytes[row % ROWS]!;
  }

  /** Position of the latest state, if there is one. */
  statePlaceAt(row: number): FramePosition | undefined {
    const { states } = this.#blockOf(row);
    const at = row % ROWS;
    if (!states || states.segment[at] === 0) return undefined;
    return { segment: states.segment[at]!, offset: states.offset[at]!, length: states.length[at]! };
  }

  get oldest(): number | undefined {
    return this.size === 0 ? undefined : this.#start;
  }

  dropOldest(): void {
    this.#start++;
    if (this.#start % ROWS > 0) return;
    this.#blocks.shift();
    this.#dropped += ROWS;
  }

  /** Numbers of events below `before` and from `after` on, newest first. */
  *newest(filter: EventFilter, before = Infinity, after = 0): Generator<number> {
    const isWanted = this.#matcher(filter);
    let row = this.#firstAtLeast(before) - 1;
    while (row >= this.#start) {
      const number = this.numberAt(row);
      if (number < after) return;
      if (isWanted(row)) yield number;
      row--;
    }
  }

  #matcher(filter: EventFilter): (row: number) => boolean {
    const webhook = filter.webhook === undefined ? undefined : (this.#webhookNumbers.get(filter.webhook) ?? -1);
    const status = filter.status === undefined ? undefined : EVENT_STATUSES.indexOf(filter.status);
    const some = filter.webhooks && new Set(filter.webhooks.map((id) => this.#webhookNumbers.get(id) ?? -1));
    const { from = -Infinity, to = Infinity } = filter;
    return (row) => {
      const block = this.#blockOf(row);
      const at = row % ROWS;
      const time = block.time[at]!;
      return (
        (webhook === undefined || block.webhook[at] === webhook) &&
        (some === undefined || some.has(block.webhook[at]!)) &&
        (status === undefined || block.status[at] === status) &&
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
      for (let row = end - 1 - from; row >= last; row--) numbers.push(this.numberAt(row));
      return { numbers, total: Math.max(0, end - start), newer: this.#end - end };
    }
    const isWanted = this.#matcher(filter);
    let total = 0;
    let newer = 0;
    for (let row = this.#end - 1; row >= start; row--) {
      if (!isWanted(row)) continue;
      if (row >= end) newer++;
      else if (total++ >= from && numbers.length < count) numbers.push(this.numberAt(row));
    }
    return { numbers, total, newer };
  }

  #blockOf(row: number): Block {
    return this.#blocks[(row - this.#dropped - (row % ROWS)) / ROWS]!;
  }

  #firstAtLeast(number: number): number {
    let [low, high] = [this.#start, this.#end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.numberAt(middle) < number) low = middle + 1;
      else high = middle;
    }
    return low;
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
