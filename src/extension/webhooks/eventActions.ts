import * as vscode from 'vscode';
import { SextantError } from '../../base/errors.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { asFetch, asFixture } from '../../server/webhooks/eventCopies.ts';
import { asCurl, damageLines, refusalLines, webhookOf } from '../../server/webhooks/eventText.ts';
import type { EventRowsView } from '../../server/webhooks/rowViews.ts';
import type { EventDetailView, RefusalsView } from '../../server/webhooks/views.ts';
import { MAX_REFUSALS } from '../../webhooks/journal/refusalLog.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import type { EventsPanel } from './eventsPanel.ts';
import { TestEventDrafts, type Draft } from './testEventDrafts.ts';
import type { WebhookArgument } from './webhookArgument.ts';
import { copyText, pickEvent, pickTemplate } from './webhookPicks.ts';

/** Number of events in the list of a command. */
const MAX_PICKED = 200;

/** The commands that act on events. */
export class EventActions implements vscode.Disposable {
  readonly #texts: ReadOnlyDocuments;
  readonly #drafts: TestEventDrafts;
  readonly #panel: EventsPanel;

  constructor(texts: ReadOnlyDocuments, memento: vscode.Memento, panel: EventsPanel) {
    this.#texts = texts;
    this.#drafts = new TestEventDrafts(memento);
    this.#panel = panel;
  }

  dispose(): void {
    this.#drafts.dispose();
  }

  /** Sends a template or a text of one's own to a webhook, after an edit if that is chosen. */
  async send(client: AdminClient, webhook: string, given: WebhookArgument): Promise<void> {
    const choice =
      given.template === undefined ? await pickTemplate(webhook) : { template: given.template, edit: given.edit };
    if (!choice) return;
    const { template, edit } = choice;
    if (edit) await this.#edit({ webhook, template });
    else await this.#sent(client, webhook, { template });
  }

  /** Opens the body in an editor, whose title has a button that sends it. */
  async #edit(draft: Draft): Promise<void> {
    const { templateEvent } = await import('../../webhooks/library/library.ts');
    const body = draft.template === undefined ? {} : templateEvent(draft.template)?.body;
    const content = `${JSON.stringify(body, null, 2)}\n`;
    const document = await vscode.workspace.openTextDocument({ language: 'json', content });
    this.#drafts.add(document, draft);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  async sendEdited(client: AdminClient): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const draft = document && this.#drafts.of(document);
    if (!document || !draft) return;
    const text = document.getText();
    try {
      JSON.parse(text);
    } catch (error) {
      throw new SextantError('InvalidPayload', vscode.l10n.t('The text in the editor is not JSON.'), { cause: error });
    }
    await this.#sent(client, draft.webhook, { template: draft.template, text });
  }

  async #sent(
    client: AdminClient,
    webhook: string,
    test: { readonly template: string | undefined; readonly text?: string },
  ) {
    const path = AdminClient.path(['webhooks', webhook, 'send']);
    const { event_id: id } = await client.ask<{ readonly event_id: string }>('POST', path, test);
    vscode.window.setStatusBarMessage(vscode.l10n.t('{0} was sent to {1}.', id, webhook), 5_000);
  }

  async replay(client: AdminClient, given: WebhookArgument): Promise<void> {
    const event = await this.#event(client, given, vscode.l10n.t('Replay Event'));
    if (event === undefined) return;
    const path = AdminClient.path(['events', event, 'replay']);
    const { event_id: id } = await client.ask<{ readonly event_id: string }>('POST', path);
    vscode.window.setStatusBarMessage(vscode.l10n.t('{1} was replayed as {0}.', id, event), 5_000);
  }

  /** Starts the runs of an event that failed or wait, at once. */
  async retry(client: AdminClient, given: WebhookArgument): Promise<void> {
    const event = await this.#event(client, given, vscode.l10n.t('Retry Failed Runs Now'));
    if (event === undefined) return;
    const { trigger } = given;
    const request = trigger ? { trigger: trigger.name } : {};
    const path = AdminClient.path(['events', event, 'retry']);
    const answer = await client.ask<{ readonly retried: number; readonly down?: string }>('POST', path, request);
    const { retried, down } = answer;
    if (down !== undefined) void vscode.window.showWarningMessage(down);
    else if (retried === 0) void vscode.window.showInformationMessage(vscode.l10n.t('No run of {0} failed.', event));
    else vscode.window.setStatusBarMessage(vscode.l10n.t('{0} runs of {1} are tried again.', retried, event), 5_000);
  }

  /** Opens the page of an event, or the list of refusals or damage of a row. */
  async open(client: AdminClient, given: WebhookArgument): Promise<void> {
    if (given.refused) return this.#openRefused(client, given.refused.webhook);
    if (given.damage) return this.#texts.open(vscode.l10n.t('Damage to the journal'), damageLines(given.damage));
    const id = await this.#event(client, given, vscode.l10n.t('Open Event'));
    if (id !== undefined) this.#panel.show(id);
  }

  async edit(client: AdminClient, given: WebhookArgument): Promise<void> {
    const id = await this.#event(client, given, vscode.l10n.t('Edit and Resend'));
    if (id !== undefined) this.#panel.show(id, true);
  }

  async compare(client: AdminClient, given: WebhookArgument): Promise<void> {
    const one = await this.#event(client, given, vscode.l10n.t('Compare Events: First'));
    if (one === undefined) return;
    const other = await pickEvent(await latest(client, one), vscode.l10n.t('Compare {0} with', one));
    if (other !== undefined) await this.#panel.compare(one, other);
  }

  async copy(client: AdminClient, given: WebhookArgument, format: 'curl' | 'fetch' | 'fixture'): Promise<void> {
    const id = await this.#event(client, given, vscode.l10n.t('Copy Event'));
    if (id === undefined) return;
    const event = await client.ask<EventDetailView>('GET', AdminClient.path(['events', id]));
    if (format === 'fixture')
      return copyText(asFixture(event, id), vscode.l10n.t('{0} was copied as a test fixture.', id));
    const webhook = await webhookOf(event, client);
    if (format === 'fetch')
      return copyText(
        asFetch(event, webhook),
        vscode.l10n.t('The program was copied. Set SECRET in its environment to the secret.'),
      );
    await copyText(asCurl(event, webhook), vscode.l10n.t('The curl command was copied. Set $SECRET to the secret.'));
  }

  async #openRefused(client: AdminClient, webhook: string | null): Promise<void> {
    const path = AdminClient.path(['refusals'], { webhook: webhook ?? undefined, limit: MAX_REFUSALS });
    const { refusals } = await client.ask<RefusalsView>('GET', path);
    const title = webhook === null ? vscode.l10n.t('Refused') : vscode.l10n.t('Refused by {0}', webhook);
    await this.#texts.open(title, refusalLines(refusals.filter((one) => one.webhook === webhook)));
  }

  async #event(client: AdminClient, { event }: WebhookArgument, title: string): Promise<string | undefined> {
    if (event !== undefined) return typeof event === 'string' ? event : event.event_id;
    return pickEvent(await latest(client), title);
  }
}

/** The latest events but one. */
async function latest(client: AdminClient, except?: string): Promise<EventRowsView['rows']> {
  const { rows } = await client.ask<EventRowsView>('POST', 'events/rows', { from: 0, count: MAX_PICKED });
  return rows.filter(({ event_id: id }) => id !== except);
}
