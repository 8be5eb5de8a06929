import type { Evaluation } from './filter/evaluation.ts';

/**
 * The status of an event: it waits for its triggers (`received`), no trigger fired (`unmatched`), runs wait or are under
 * way (`pending`), all succeeded, or one failed for good. The order is that of the numbers on disk.
 */
export const EVENT_STATUSES = ['received', 'unmatched', 'pending', 'succeeded', 'failed'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

export function isUnfinished(status: EventStatus): boolean {
  return status === 'received' || status === 'pending';
}

/** What a trigger's filter gave for an event. */
export interface TriggerEvaluation extends Evaluation {
  readonly trigger: string;
}

/** One try of a run. */
export interface Attempt {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly durationMs: number;
  /** What the other side answered, if it did, and the beginning of its words. */
  readonly status?: number;
  readonly answer?: string;
  readonly error?: string;
}

/** The work of one expert on one event. */
export interface Run {
  readonly trigger: string;
  readonly expert: string;
  readonly state: 'waiting' | 'succeeded' | 'failed';
  readonly attempts: readonly Attempt[];
  /** Not before; milliseconds since 1970. */
  readonly nextAt?: number;
}

export interface EventState {
  readonly status: EventStatus;
  readonly evaluations: readonly TriggerEvaluation[];
  readonly runs: readonly Run[];
  /** The record of it is: what is missing here is not known. */
  readonly isDamaged?: true;
}

export const NEW_STATE: EventState = { status: 'received', evaluations: [], runs: [] };

/** The status that follows from the runs of an event whose triggers were evaluated. */
export function eventStatusOf(runs: readonly Run[]): EventStatus {
  if (runs.length === 0) return 'unmatched';
  if (runs.some(({ state }) => state === 'waiting')) return 'pending';
  return runs.some(({ state }) => state === 'failed') ? 'failed' : 'succeeded';
}

/** What a list shows of an event. */
export interface EventSummary {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The id of its webhook. */
  readonly webhook: string;
  readonly status: EventStatus;
  /** Of its body. */
  readonly bytes: number;
}

export type Header = readonly [name: string, value: string];

/** In place of a value that would let others in. */
export const REDACTED = '[redacted]';

/** An event as it came. */
export interface StoredEvent extends EventSummary {
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** `webhook-id` or `Idempotency-Key`. */
  readonly key?: string;
  /** The event that was sent again. */
  readonly replayOf?: string;
  /** Made by a person to try things out, not sent to the intake. */
  readonly isTest?: true;
}

/** Numbers of ten digits, so that ids sort as the events came. */
export function eventId(number: number): string {
  return `evt_${String(number).padStart(10, '0')}`;
}

export function eventNumber(id: string): number | undefined {
  const digits = /^evt_(\d{10,15})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
