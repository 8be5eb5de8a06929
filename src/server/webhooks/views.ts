import type { Trigger, Webhook } from '../../webhooks/definitions.ts';
import type { Attempt, EventStatus, Header, Run, TriggerEvaluation } from '../../webhooks/event.ts';

/* What the admin plane shows of webhooks: the JSON of its answers, for those who ask it. */

export interface WebhookView extends Pick<Webhook, 'name' | 'type' | 'description' | 'scope' | 'enabled'> {
  readonly webhook_id: string;
  readonly url: string;
  readonly created_at: string;
  /** Names. */
  readonly triggers: readonly string[];
}

/** The secret is shown this once. */
export interface NewWebhookView extends WebhookView {
  readonly secret: string;
}

export interface TriggerView extends Trigger {
  /** What it does. */
  readonly words: string;
}

export interface EventSummaryView {
  readonly event_id: string;
  readonly received_at: string;
  readonly source: 'Webhook';
  /** Missing where the webhook was deleted. */
  readonly webhook: string | null;
  readonly webhook_id: string;
  readonly status: EventStatus;
  readonly bytes: number;
}

/** An event as it came. */
export interface EventView extends EventSummaryView {
  readonly idempotency_key?: string;
  readonly replay_of?: string;
  readonly is_test?: true;
  readonly headers: readonly Header[];
  readonly body: string;
}

export interface AttemptView extends Omit<Attempt, 'at' | 'durationMs'> {
  readonly at: string;
  readonly duration_ms: number;
}

export interface RunView extends Omit<Run, 'attempts' | 'nextAt'> {
  readonly next_at?: string;
  readonly attempts: readonly AttemptView[];
}

/** And what became of it. */
export interface EventDetailView extends EventView {
  readonly evaluations: readonly TriggerEvaluation[];
  readonly runs: readonly RunView[];
  /** The record of that is: what is missing is not known. */
  readonly is_damaged?: true;
}

export interface EventPageView {
  readonly events: readonly EventSummaryView[];
  readonly next_cursor: string;
  readonly has_more: boolean;
}

/** A line of a search. */
export type SearchLineView =
  | { readonly event: EventView }
  /** The id of one that cannot be read. */
  | { readonly damaged: string }
  | { readonly progress: { readonly searched: number; readonly total: number } }
  | { readonly done: true };
