import * as z from 'zod/mini';
import type { ViewContract } from './viewContract.ts';

/** Most rows in one request. */
export const MAX_EVENT_ROWS = 200;
export const MAX_EVENT_QUERY = 20_000;
/** Most characters of an edited body. */
export const MAX_EDITED = 4_000_000;

export type EventVerdict = 'received' | 'unmatched' | 'pending' | 'succeeded' | 'failed';

/** An event as a row of the list. */
export interface ShownEventRow {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** Of its sender, or else its webhook's name. */
  readonly sender: string;
  readonly type: string;
  readonly bytes: number;
  /** The beginning of its body. */
  readonly line: string;
  readonly status: EventVerdict;
  /** Why no trigger fired or a run failed; names of the triggers that fired. */
  readonly verdict: string;
  readonly isPinned: boolean;
}

/** The list, whose rows are requested in parts. */
export interface ShownEventList {
  /** Changes whenever the rows change. */
  readonly version: number;
  readonly total: number;
  /** Number of events that arrived after the list was begun. */
  readonly newer: number;
  /** Progress of a search under way. */
  readonly searched: { readonly count: number; readonly of: number } | null;
  /** Why the query or the server gives no list; empty if it does. */
  readonly problem: string;
  /** Whether older events are hidden. */
  readonly isCleared: boolean;
}

export interface ShownHeader {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

export interface ShownEvaluation {
  readonly trigger: string;
  readonly fires: boolean;
  /** Why it did not fire; empty if it did. */
  readonly because: string;
  /** A line for each part of the filter, with its result. */
  readonly tree: string;
}

export interface ShownAttempt {
  readonly at: string;
  readonly milliseconds: number;
  /** Status and beginning of the response, or the error. */
  readonly result: string;
}

export interface ShownRun {
  readonly trigger: string;
  readonly expert: string;
  /** The method and address of its request; empty if it sends none. */
  readonly request: string;
  readonly state: 'waiting' | 'succeeded' | 'failed';
  readonly nextAt: string | null;
  /** Whether it waits for a window that runs its expert. */
  readonly waitsForEditor: boolean;
  readonly attempts: readonly ShownAttempt[];
}

/** An event with all that is known of it. */
export interface ShownEvent {
  readonly row: ShownEventRow;
  readonly webhook: string | null;
  readonly headers: readonly ShownHeader[];
  readonly body: string;
  /** Ranges of secret values in the body. */
  readonly secrets: readonly { readonly start: number; readonly end: number }[];
  readonly proof: { readonly state: 'valid' | 'invalid' | 'unchecked'; readonly text: string };
  readonly evaluations: readonly ShownEvaluation[];
  readonly disabled: readonly string[];
  readonly runs: readonly ShownRun[];
  /** The event that this one repeats or changes. */
  readonly origin: { readonly id: string; readonly isEdit: boolean } | null;
  /** Ids of events that were made from this one by editing, oldest first. */
  readonly edits: readonly string[];
  readonly isTest: boolean;
  readonly isDamaged: boolean;
}

export interface EventsState {
  readonly hasServer: boolean;
  readonly query: string;
  readonly list: ShownEventList;
  readonly webhooks: readonly string[];
  readonly pinned: readonly ShownEventRow[];
  /** Id of the event whose page is open. */
  readonly open: string | null;
  readonly isEditing: boolean;
}

/** What can be done with one event. */
export const EVENT_ACTIONS = ['replay', 'retry', 'curl', 'fetch', 'fixture', 'raw', 'compare'] as const;
export type EventAction = (typeof EVENT_ACTIONS)[number];
export const EVENTS_TARGETS = ['startServer', 'forward', 'send'] as const;
export type EventsTarget = (typeof EVENTS_TARGETS)[number];

export interface EventsMethods {
  ready(nothing: undefined): EventsState;
  rows(request: { readonly from: number; readonly count: number }): readonly ShownEventRow[];
  /** Shows events that match a query; empty for all. */
  search(request: { readonly query: string }): void;
  /** Whether the list takes new events as they arrive. */
  follow(request: { readonly isOn: boolean }): void;
  /** Opens the page of an event; `null` closes it. */
  open(request: { readonly id: string | null }): ShownEvent | null;
  act(request: { readonly id: string; readonly action: EventAction; readonly trigger: string | null }): void;
  /** Opens both events side by side in the editor. */
  compare(request: { readonly id: string; readonly with: string }): void;
  /** Sends an edited event, and returns its id. */
  resend(request: {
    readonly id: string;
    readonly type: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body: string;
  }): string;
  /** Adds a condition for a value of the body to a filter. */
  filterBy(request: { readonly id: string; readonly path: readonly string[] }): void;
  pin(request: { readonly id: string; readonly isPinned: boolean }): void;
  /** Hides all events until now, or shows them again. */
  clear(request: { readonly isCleared: boolean }): void;
  go(request: { readonly to: EventsTarget }): void;
}

export interface EventsEvents {
  readonly state: EventsState;
  readonly list: ShownEventList;
  /** The open event changed. */
  readonly event: ShownEvent;
  /** Opens an event. */
  readonly show: { readonly id: string; readonly isEditing: boolean };
}

const nothing = z.undefined();
const id = z.string().check(z.maxLength(40));
const short = z.string().check(z.maxLength(1_000));

/** "Webhook Events". */
export const eventsView: ViewContract<EventsMethods, EventsEvents> = {
  name: 'events',
  requests: {
    ready: nothing,
    rows: z.strictObject({
      from: z.int().check(z.gte(0)),
      count: z.int().check(z.gte(1), z.lte(MAX_EVENT_ROWS)),
    }),
    search: z.strictObject({ query: z.string().check(z.maxLength(MAX_EVENT_QUERY)) }),
    follow: z.strictObject({ isOn: z.boolean() }),
    open: z.strictObject({ id: z.nullable(id) }),
    act: z.strictObject({ id, action: z.enum(EVENT_ACTIONS), trigger: z.nullable(short) }),
    compare: z.strictObject({ id, with: id }),
    resend: z.strictObject({
      id,
      type: short,
      headers: z.array(z.tuple([short, z.string().check(z.maxLength(100_000))])).check(z.maxLength(1_000)),
      body: z.string().check(z.maxLength(MAX_EDITED)),
    }),
    filterBy: z.strictObject({ id, path: z.array(short).check(z.minLength(1), z.maxLength(200)) }),
    pin: z.strictObject({ id, isPinned: z.boolean() }),
    clear: z.strictObject({ isCleared: z.boolean() }),
    go: z.strictObject({ to: z.enum(EVENTS_TARGETS) }),
  },
};
