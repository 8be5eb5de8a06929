import type { EventSummaryView } from './views.ts';

/* JSON of the admin plane's responses about lists of events. */

/** An event as a row of a list. Missing values are unknown: the event or its record is damaged. */
export interface EventRowView extends EventSummaryView {
  readonly sender?: string;
  readonly event_type?: string;
  /** The beginning of its body, on one line. */
  readonly line?: string;
  readonly replay_of?: string;
  readonly is_test?: true;
  /** Names of the triggers that fired. */
  readonly fired?: readonly string[];
  /** Why a run failed, or why the first trigger did not fire. */
  readonly reason?: string;
}

export interface EventRowsView {
  /** Newest first. */
  readonly rows: readonly EventRowView[];
  /** Number of all events of the list. */
  readonly total: number;
  /** Number of events that are newer than the list. */
  readonly newer: number;
}

/** A line of a search for the ids of events. */
export type EventFoundView =
  | { readonly found: readonly string[] }
  | { readonly progress: { readonly searched: number; readonly total: number } };

/** How an event proved its sender. */
export interface EventProofView {
  readonly kind: 'none' | 'token' | 'signature';
  /** The header with the proof. */
  readonly header?: string;
  /** Whether the stored signature is of a secret of the webhook; missing where no check is possible. */
  readonly is_valid?: boolean;
  /** Why it is not valid, or cannot be checked. */
  readonly problem?: string;
}
