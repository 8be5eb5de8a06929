import { describeError, isCancelled, throwIfCancelled } from '../../base/errors.ts';
import type { ShownEventList } from '../../protocol/eventsView.ts';
import type { AdminClient } from '../../server/admin/adminClient.ts';
import type { EventFoundView, EventRowsView, EventRowView } from '../../server/webhooks/rowViews.ts';
import { eventId, eventNumber } from '../../webhooks/event.ts';
import { isIndexed, parseEventQuery, type EventQuery } from '../../webhooks/eventQuery.ts';

/** Interval of reports while a search goes on. */
const REPORT_MS = 100;
const NONE: EventRowsView = { rows: [], total: 0, newer: 0 };

/**
 * A list of events by a query, newest first, of any length: rows are requested by position. Without words the server's index has the
 * positions; a search collects the numbers of the events found. Events that arrive later join the list when {@link follow} is set.
 */
export class EventList {
  readonly #clientOf: () => AdminClient | undefined;
  readonly #onChange: () => void;
  #text = '';
  #query: EventQuery = {};
  #problem = '';
  #isInvalid = false;
  #version = 1;
  #total = 0;
  #newer = 0;
  /** The newest event that the list knows. */
  #newest: string | undefined;
  /** Number of the first event that is not hidden. */
  #after = 0;
  #found: number[] | undefined;
  #searched: ShownEventList['searched'] = null;
  #running: AbortController | undefined;
  #isFollowing = true;
  /** Number of lists and searches begun: the answer to a request from before the last one is dropped. */
  #begun = 0;

  constructor(clientOf: () => AdminClient | undefined, onChange: () => void) {
    this.#clientOf = clientOf;
    this.#onChange = onChange;
  }

  get text(): string {
    return this.#text;
  }

  get shown(): ShownEventList {
    return {
      version: this.#version,
      total: this.#found?.length ?? this.#total,
      newer: this.#newer,
      searched: this.#searched,
      problem: this.#problem,
      isCleared: this.#after > 0,
    };
  }

  /** Shows the events of another query. */
  async search(text: string): Promise<void> {
    this.#text = text;
    this.#problem = '';
    this.#isInvalid = false;
    try {
      this.#query = parseEventQuery(text);
    } catch (error) {
      this.#stop();
      this.#isInvalid = true;
      this.#found = undefined;
      this.#total = 0;
      this.#version++;
      this.#problem = describeError(error);
      this.#onChange();
      return;
    }
    await this.#begin();
  }

  /** Whether new events join the list. */
  async follow(isOn: boolean): Promise<void> {
    this.#isFollowing = isOn;
    if (isOn) await this.refresh();
  }

  /** Hides all events until now, or shows them again. */
  async clear(isCleared: boolean): Promise<void> {
    const [newest] = isCleared ? (await this.#ask({ from: 0, count: 1 })).rows : [];
    this.#after = newest ? eventNumber(newest.event_id)! + 1 : 0;
    await this.#begin();
  }

  /** Looks for new events. */
  async refresh(): Promise<void> {
    if (this.#isInvalid) return;
    if (this.#found) return this.#searchNewer();
    const begun = this.#begun;
    try {
      const bounds = this.#isFollowing ? {} : { up_to: this.#newest };
      const part = await this.#ask({ ...this.#indexed(), ...bounds, from: 0, count: 1 });
      if (begun !== this.#begun) return;
      const newest = part.rows[0]?.event_id;
      const isSame = newest === this.#newest && part.total === this.#total && part.newer === this.#newer;
      if (isSame && this.#problem === '') return;
      if (newest !== this.#newest || part.total !== this.#total) this.#version++;
      if (this.#isFollowing || this.#newest === undefined) this.#newest = newest;
      this.#total = part.total;
      this.#newer = part.newer;
      this.#problem = '';
    } catch (error) {
      if (begun !== this.#begun) return;
      this.#fail(error);
    }
    this.#onChange();
  }

  /** Rows of the list from a position on. */
  async rows(from: number, count: number): Promise<readonly EventRowView[]> {
    if (this.#problem !== '') return [];
    const ids = this.#found?.slice(from, from + count).map(eventId);
    if (ids?.length === 0) return [];
    const bounds = this.#newest === undefined ? {} : { up_to: this.#newest };
    return (await this.#ask(ids ? { from: 0, count: 0, ids } : { ...this.#indexed(), ...bounds, from, count })).rows;
  }

  /** Ends a search under way. */
  dispose(): void {
    this.#stop();
  }

  #stop(): void {
    this.#begun++;
    this.#running?.abort();
    this.#running = undefined;
    this.#searched = null;
  }

  async #begin(): Promise<void> {
    this.#stop();
    this.#found = undefined;
    this.#newest = undefined;
    this.#newer = 0;
    this.#isFollowing = true;
    this.#version++;
    if (isIndexed(this.#query)) {
      this.#total = -1;
      await this.refresh();
      return;
    }
    this.#found = [];
    this.#searched = { count: 0, of: 0 };
    await this.#find({ ...this.#query, ...this.#bounds() }, this.#found);
  }

  async #searchNewer(): Promise<void> {
    if (this.#running || !this.#isFollowing) return;
    const begun = this.#begun;
    const after = eventId(this.#newest === undefined ? this.#after : eventNumber(this.#newest)! + 1);
    const { newer: count, rows } = await this.#ask({ from: 0, count: 1, after }).catch(() => NONE);
    if (count + rows.length === 0 || begun !== this.#begun) return;
    const newer: number[] = [];
    await this.#find({ ...this.#query, after }, newer);
    if (newer.length === 0) return;
    this.#found = [...newer, ...(this.#found ?? [])];
    this.#version++;
    this.#onChange();
  }

  /** Adds the numbers of events to `found` as they come, and reports that; of a search that does not end, none. */
  async #find(request: object, found: number[]): Promise<void> {
    const client = this.#clientOf();
    if (!client) {
      this.#searched = null;
      return;
    }
    const running = new AbortController();
    this.#running = running;
    this.#begun++;
    let reportedAt = performance.now();
    try {
      const [newest] = (await this.#ask({ from: 0, count: 1 })).rows;
      const upTo = newest?.event_id;
      const body = { ...request, ...(upTo !== undefined && { up_to: upTo }) };
      throwIfCancelled(running.signal);
      for await (const line of client.lines<EventFoundView>('POST', 'events/find', body, running.signal)) {
        throwIfCancelled(running.signal);
        if ('found' in line) found.push(...line.found.map((id) => eventNumber(id)!));
        else this.#searched = { count: line.progress.searched, of: line.progress.total };
        if (performance.now() - reportedAt < REPORT_MS) continue;
        reportedAt = performance.now();
        this.#version++;
        this.#onChange();
      }
      throwIfCancelled(running.signal);
      if (upTo !== undefined) this.#newest = upTo;
      this.#problem = '';
    } catch (error) {
      found.length = 0;
      if (running.signal.aborted) return;
      this.#fail(error);
    }
    this.#running = undefined;
    this.#searched = null;
    this.#version++;
    this.#onChange();
  }

  #fail(error: unknown): void {
    if (isCancelled(error)) return;
    this.#problem = describeError(error);
    this.#total = 0;
  }

  #bounds(): object {
    return this.#after > 0 ? { after: eventId(this.#after) } : {};
  }

  #indexed(): object {
    const { status, webhook, scope, owner, from, to } = this.#query;
    const of = { ...(scope !== undefined && { scope }), ...(owner !== undefined && { owner }) };
    const since = { ...(from !== undefined && { since: from }), ...(to !== undefined && { until: to }) };
    return { ...(status && { status }), ...(webhook !== undefined && { webhook }), ...of, ...since, ...this.#bounds() };
  }

  async #ask(request: object): Promise<EventRowsView> {
    return (await this.#clientOf()?.ask<EventRowsView>('POST', 'events/rows', request)) ?? NONE;
  }
}
