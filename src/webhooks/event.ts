import type { Evaluation } from './filter/evaluation.ts';

/**
 * The status of an event: its triggers are not evaluated (`received`), no trigger fired (`unmatched`), runs wait or are under
 * way (`pending`), all succeeded, or one failed for good. The order is that of the numbers on disk.
 */
export const EVENT_STATUSES = ['received', 'unmatched', 'pending', 'succeeded', 'failed'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

export function isUnfinished(status: EventStatus): boolean {
  return status === 'received' || status === 'pending';
}

/** The result of a trigger's filter for an event. */
export interface TriggerEvaluation extends Evaluation {
  readonly trigger: string;
}

/** One attempt of a run. */
export interface Attempt {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly durationMs: number;
  /** The status of the response, if there is one, and the beginning of its text, or the end of what a command printed. */
  readonly status?: number;
  readonly answer?: string;
  readonly error?: string;
}

/** What one attempt of an expert came to. */
export type AttemptOutcome = Omit<Attempt, 'at' | 'durationMs'> & {
  readonly isDone: boolean;
  /** Whether another attempt may succeed: false if the receiver refused the event. */
  readonly canRetry: boolean;
  /** Whether it was broken off, by no fault of the event or its receiver: then it does not count as an attempt. */
  readonly isInterrupted?: true;
  /** The delay that the receiver requests, up to the longest of `backoffMs`. */
  readonly afterMs?: number;
};

/** The work of one expert on one event. */
export interface Run {
  readonly trigger: string;
  readonly expert: string;
  readonly state: 'waiting' | 'succeeded' | 'failed';
  readonly attempts: readonly Attempt[];
  /** Earliest time of the next attempt; milliseconds since 1970. */
  readonly nextAt?: number;
  /** Number of attempts that do not count: those before a person last had it retried, and those that were interrupted. */
  readonly retriedAfter?: number;
}

export interface EventState {
  readonly status: EventStatus;
  readonly evaluations: readonly TriggerEvaluation[];
  readonly runs: readonly Run[];
  /** Ids of the events that were edited from this one, directly or in turn; oldest first. */
  readonly edits?: readonly string[];
  /** Whether its record is damaged: missing values are unknown. */
  readonly isDamaged?: true;
}

export const NEW_STATE: EventState = { status: 'received', evaluations: [], runs: [] };

/** The status that follows from the runs of an event whose triggers were evaluated. */
export function eventStatusOf(runs: readonly Run[]): EventStatus {
  if (runs.length === 0) return 'unmatched';
  if (runs.some(({ state }) => state === 'waiting')) return 'pending';
  return runs.some(({ state }) => state === 'failed') ? 'failed' : 'succeeded';
}

/** An event in a list. */
export interface EventSummary {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The id of its webhook. */
  readonly webhook: string;
  readonly status: EventStatus;
  /** Length of its body. */
  readonly bytes: number;
}

export type Header = readonly [name: string, value: string];

/** Replaces a value that would give others access. */
export const REDACTED = '[redacted]';

/** An event as received. */
export interface StoredEvent extends EventSummary {
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** `webhook-id` or `Idempotency-Key`. */
  readonly key?: string;
  /** Id of the event that this one repeats. */
  readonly replayOf?: string;
  /** Id of the event that this one was edited from. */
  readonly editOf?: string;
  /** Whether a person created it as a test, instead of a delivery to the intake. */
  readonly isTest?: true;
  /** Method and query of the request, if not POST and empty. */
  readonly method?: string;
  readonly query?: string;
}

/** An id with ten digits: ids sort in the order of arrival. */
export function eventId(number: number): string {
  return `evt_${String(number).padStart(10, '0')}`;
}

export function eventNumber(id: string): number | undefined {
  const digits = /^evt_(\d{10,15})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
