import type { EventSummaryView, WebhookView } from '../../server/webhooks/views.ts';
import type { TriggerAnswers } from './webhookPicks.ts';
import type { WebhookRow } from './webhooksView.ts';

/** Arguments of a command from its row in the view or from a program; missing ones are requested from the person. */
export interface WebhookArgument extends Partial<TriggerAnswers> {
  readonly kind?: WebhookRow['kind'];
  readonly webhook?: string | WebhookView;
  readonly trigger?: { readonly name: string };
  readonly event?: string | EventSummaryView;
  /** Names and positions that lead to a value of the event's body. */
  readonly path?: readonly string[];
  /** The webhook whose refusals are opened; `null` for those at addresses without a webhook. */
  readonly refused?: { readonly webhook: string | null };
  readonly damage?: readonly string[];
  readonly type?: string;
  readonly overlapSeconds?: number;
  readonly template?: string;
  /** Whether the body is edited before it is sent. */
  readonly edit?: boolean;
  /** Deletes without confirmation. */
  readonly force?: boolean;
}
