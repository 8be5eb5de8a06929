import type { ExpertView, Trigger, Webhook } from '../../webhooks/definitions.ts';
import type { WebhookContent } from '../../webhooks/schemas.ts';
import type { System } from '../../webhooks/names.ts';
import type { Attempt, EventStatus, Header, Run, TriggerEvaluation } from '../../webhooks/event.ts';

/* JSON of the admin plane's responses about webhooks. */

export interface WebhookView extends Pick<
  Webhook,
  'name' | 'type' | 'signature' | 'description' | 'scope' | 'owner' | 'enabled' | 'answer'
> {
  readonly content: WebhookContent;
  readonly webhook_id: string;
  readonly url: string;
  readonly created_at: string;
  /** Names of triggers. */
  readonly triggers: readonly string[];
}

/** A new webhook; its secret is returned only here, and empty for the type `anything`. */
export interface NewWebhookView extends WebhookView {
  readonly secret: string;
}

/** A new or changed expert. */
export type NewExpertView = ExpertView & {
  /** The key that signs, where it was made or given. */
  readonly secret?: string;
};

/** A webhook, a trigger and an expert of one name that forward all events to a URL. */
export interface ForwardView {
  readonly name: string;
  readonly webhook: WebhookView;
  readonly trigger: TriggerView;
  readonly expert: ExpertView;
  /** Of a new one, unless its type is `anything`. */
  readonly secret?: string;
  /** False if it existed. */
  readonly is_new: boolean;
}

export interface TriggerView extends Trigger {
  /** Its description. */
  readonly words: string;
}

export interface EventSummaryView {
  readonly event_id: string;
  readonly received_at: string;
  readonly source: 'Webhook';
  /** Null for a deleted webhook. */
  readonly webhook: string | null;
  readonly webhook_id: string;
  readonly status: EventStatus;
  readonly bytes: number;
}

/** An event as received. */
export interface EventView extends EventSummaryView {
  readonly idempotency_key?: string;
  readonly replay_of?: string;
  /** The event that this one was edited from. */
  readonly edit_of?: string;
  readonly is_test?: true;
  /** If it is not POST. */
  readonly method?: string;
  /** If it is not empty. */
  readonly query?: string;
  readonly headers: readonly Header[];
  /** The body, byte for byte, unless there is `body_base64`: then bytes that are no text are replaced here. */
  readonly body: string;
  readonly body_base64?: string;
}

export interface AttemptView extends Omit<Attempt, 'at' | 'durationMs'> {
  readonly at: string;
  readonly duration_ms: number;
}

export interface RunView extends Omit<Run, 'attempts' | 'nextAt' | 'retriedAfter'> {
  readonly next_at?: string;
  /** What a waiting run waits for, if that is no time. */
  readonly waits_for?: string;
  readonly attempts: readonly AttemptView[];
}

/** An event with its evaluations and runs. */
export interface EventDetailView extends EventView {
  readonly evaluations: readonly TriggerEvaluation[];
  /** Names of triggers of its webhook that are disabled now and were not evaluated. */
  readonly disabled_triggers: readonly string[];
  readonly runs: readonly RunView[];
  /** Ids of the events that were edited from this one, oldest first. */
  readonly edits?: readonly string[];
  /** Whether the record of evaluations and runs is damaged, so some may be missing. */
  readonly is_damaged?: true;
}

/** An event of the library. */
export interface LibraryEventView {
  /** Such as `github.pull_request.opened`. */
  readonly name: string;
  readonly title: string;
  readonly system: System;
  /** URL of the documentation that shows its shape. */
  readonly source: string;
}

/** The result of an edited event that was sent. */
export interface ResentView {
  readonly event_id: string;
  readonly edit_of: string;
  /** Number of edits of the first event. */
  readonly edits: number;
}

/** The number of runs that were started again. */
export interface RetryView {
  readonly retried: number;
  /** A sentence, if the target accepts no connection. */
  readonly down?: string;
}

/** A filter, tried on the last events of a webhook. */
export interface FilterTestView {
  readonly words: string;
  readonly fires: number;
  readonly of: number;
  /** Newest first. */
  readonly results: readonly {
    readonly event_id: string;
    readonly fires: boolean;
    readonly because?: string;
    readonly error?: string;
  }[];
}

export interface EventPageView {
  readonly events: readonly EventSummaryView[];
  readonly next_cursor: string;
  readonly has_more: boolean;
}

/** A refused delivery. */
export interface RefusalView {
  readonly received_at: string;
  /** Null if no webhook has the address. */
  readonly webhook: string | null;
  readonly webhook_id: string;
  readonly status: number;
  readonly code: string;
  readonly reason: string;
}

export interface RefusalsView {
  readonly refusals: readonly RefusalView[];
  /** Number of refusals that came too fast to be recorded. */
  readonly left_out: number;
}

/** Number of refusals of a webhook, or of unknown addresses if `webhook` is null. */
export interface RefusedView {
  readonly webhook: string | null;
  readonly count: number;
  readonly last: RefusalView;
}

export interface JournalView {
  readonly events: number;
  readonly bytes: number;
  /** A sentence for each damaged range. */
  readonly damage: readonly string[];
}

/** A line of a search. */
export type SearchLineView =
  | { readonly event: EventView }
  /** The id of an unreadable event. */
  | { readonly damaged: string }
  | { readonly progress: { readonly searched: number; readonly total: number } }
  | { readonly done: true };
