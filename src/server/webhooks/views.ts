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

/** An event with its evaluations and runs. */
export interface EventDetailView extends EventView {
  readonly evaluations: readonly TriggerEvaluation[];
  /** Names of triggers of its webhook that are disabled now and were not evaluated. */
  readonly disabled_triggers: readonly string[];
  readonly runs: readonly RunView[];
  /** Whether the record of evaluations and runs is damaged, so that it may lack some. */
  readonly is_damaged?: true;
}

export interface EventPageView {
  readonly events: readonly EventSummaryView[];
  readonly next_cursor: string;
  readonly has_more: boolean;
}

/** A delivery that was not accepted. */
export interface RefusalView {
  readonly received_at: string;
  /** Missing where there is none at the address, or none any more. */
  readonly webhook: string | null;
  readonly webhook_id: string;
  readonly status: number;
  readonly code: string;
  readonly reason: string;
}

export interface RefusalsView {
  readonly refusals: readonly RefusalView[];
  /** How many came too fast to be recorded. */
  readonly left_out: number;
}

/** How many a webhook refused, or, without a webhook, addresses at which there is none. */
export interface RefusedView {
  readonly webhook: string | null;
  readonly count: number;
  readonly last: RefusalView;
}

export interface JournalView {
  readonly events: number;
  readonly bytes: number;
  /** A sentence for each place. */
  readonly damage: readonly string[];
}

/** A line of a search. */
export type SearchLineView =
  | { readonly event: EventView }
  /** The id of one that cannot be read. */
  | { readonly damaged: string }
  | { readonly progress: { readonly searched: number; readonly total: number } }
  | { readonly done: true };
