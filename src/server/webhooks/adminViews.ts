import { isUtf8 } from 'node:buffer';
import type { Expert, ExpertView, Forward, SavedExpert, Trigger, Webhook } from '../../webhooks/definitions.ts';
import { contentOf, expertView } from '../../webhooks/schemas.ts';
import type { EventState, EventSummary, StoredEvent } from '../../webhooks/event.ts';
import { describeJournalDamage, type JournalDamage } from '../../webhooks/journal/damage.ts';
import type { Refusal } from '../../webhooks/journal/refusalLog.ts';
import type { WebhookService } from './service.ts';
import type {
  EventDetailView,
  EventSummaryView,
  EventView,
  ForwardView,
  JournalView,
  NewExpertView,
  RefusalView,
  RefusedView,
  RunView,
  TriggerView,
  WebhookView,
} from './views.ts';

/** Converts webhooks, triggers, events, refusals and the journal to the answers of the admin API. */
export class AdminViews {
  readonly #service: WebhookService;
  readonly #serverUrl: () => string;

  constructor(service: WebhookService, serverUrl: () => string) {
    this.#service = service;
    this.#serverUrl = serverUrl;
  }

  webhook(webhook: Webhook): WebhookView {
    const { triggers } = this.#service.definitions;
    return {
      name: webhook.name,
      type: webhook.type,
      ...(webhook.signature && { signature: webhook.signature }),
      description: webhook.description,
      scope: webhook.scope,
      ...(webhook.owner !== undefined && { owner: webhook.owner }),
      enabled: webhook.enabled,
      content: contentOf(webhook),
      ...(webhook.answer && { answer: webhook.answer }),
      webhook_id: webhook.id,
      url: `${this.#serverUrl()}/webhooks/${webhook.id}`,
      created_at: iso(webhook.createdAt),
      triggers: triggers.filter((trigger) => trigger.webhook === webhook.name).map(({ name }) => name),
    };
  }

  trigger(trigger: Trigger): TriggerView {
    return { ...trigger, words: this.#service.definitions.describe(trigger) };
  }

  forward({ webhook, trigger, expert, secret, isNew }: Forward): ForwardView {
    return {
      name: webhook.name,
      webhook: this.webhook(webhook),
      trigger: this.trigger(trigger),
      expert: expertView(expert),
      ...(secret !== undefined && secret !== '' && { secret }),
      is_new: isNew,
    };
  }

  /** A new or changed expert; the secret is that which was made or given. */
  expert({ expert, secret }: SavedExpert): NewExpertView {
    return { ...expert, ...(secret !== undefined && { secret }) };
  }

  summary({ id, at, webhook, status, bytes }: EventSummary): EventSummaryView {
    return {
      event_id: id,
      received_at: iso(at),
      source: 'Webhook',
      webhook: this.#nameOf(webhook),
      webhook_id: webhook,
      status,
      bytes,
    };
  }

  event(event: StoredEvent): EventView {
    return {
      ...this.summary(event),
      ...(event.key !== undefined && { idempotency_key: event.key }),
      ...(event.replayOf !== undefined && { replay_of: event.replayOf }),
      ...(event.editOf !== undefined && { edit_of: event.editOf }),
      ...(event.isTest && { is_test: true }),
      ...(event.method !== undefined && { method: event.method }),
      ...(event.query !== undefined && { query: event.query }),
      headers: event.headers,
      body: event.body.toString(),
      ...(!isUtf8(event.body) && { body_base64: event.body.toString('base64') }),
    };
  }

  eventDetail(event: StoredEvent, state: EventState): EventDetailView {
    const { evaluations, runs, edits, isDamaged } = state;
    return {
      ...this.event(event),
      evaluations,
      disabled_triggers: this.#disabledFor(event, state),
      runs: runs.map((run) => this.#run(run)),
      ...(edits && { edits }),
      ...(isDamaged && { is_damaged: isDamaged }),
    };
  }

  #run(run: EventState['runs'][number]): RunView {
    const shown = showRun(run);
    const { definitions, windows } = this.#service;
    const isOfEditor = definitions.expert(run.expert)?.type === 'editor';
    if (run.state !== 'waiting' || !isOfEditor || windows.has(run.expert)) return shown;
    return { ...shown, waits_for: 'a window of the editor that runs this expert' };
  }

  /** An expert in lists. */
  listedExpert(expert: Expert): ExpertView {
    const shown = expertView(expert);
    return shown.type === 'editor' ? { ...shown, windows: this.#service.windows.does(shown.name) } : shown;
  }

  refusal({ at, webhook, ...rest }: Refusal): RefusalView {
    return { received_at: iso(at), webhook: this.#nameOf(webhook), webhook_id: webhook, ...rest };
  }

  /** A group of refusals: those of a webhook by its id, or those of unknown webhooks. */
  refused({ group, count, last }: { group: string; count: number; last: Refusal }): RefusedView {
    return { webhook: this.#nameOf(group), count, last: this.refusal(last) };
  }

  journal(damage: readonly JournalDamage[]): JournalView {
    const { size, bytes } = this.#service.journal;
    return { events: size, bytes, damage: damage.map(describeJournalDamage) };
  }

  /** The name of a webhook that exists. */
  #nameOf(id: string): string | null {
    return this.#service.definitions.webhookById(id)?.name ?? null;
  }

  /** Names of the webhook's triggers that are disabled and did not evaluate the event. */
  #disabledFor({ webhook }: StoredEvent, { evaluations }: EventState): string[] {
    const name = this.#nameOf(webhook);
    const evaluated = evaluations.map(({ trigger }) => trigger);
    const { triggers } = this.#service.definitions;
    const disabled = triggers.filter((trigger) => trigger.webhook === name && !trigger.enabled);
    return disabled.map((trigger) => trigger.name).filter((one) => !evaluated.includes(one));
  }
}

function showRun({ nextAt, attempts, retriedAfter: _, ...run }: EventState['runs'][number]): RunView {
  return {
    ...run,
    ...(nextAt !== undefined && { next_at: iso(nextAt) }),
    attempts: attempts.map(({ at, durationMs, ...rest }) => ({ at: iso(at), duration_ms: durationMs, ...rest })),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
