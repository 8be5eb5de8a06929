import * as vscode from 'vscode';
import { describeError, isCancelled, SextantError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import {
  asCurl,
  explanation,
  headerLines,
  prettyBody,
  refusalLines,
  webhookOf,
} from '../../server/webhooks/eventText.ts';
import type {
  EventDetailView,
  EventPageView,
  EventSummaryView,
  NewWebhookView,
  RefusalsView,
  TriggerView,
  WebhookView,
} from '../../server/webhooks/views.ts';
import { MAX_REFUSALS } from '../../webhooks/journal/refusalLog.ts';
import { TEMPLATES } from '../../webhooks/templates.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import type { ServerActions } from '../server/serverActions.ts';
import { showSecret } from './secretPick.ts';
import { TestEventDrafts, type Draft } from './testEventDrafts.ts';
import {
  askFilter,
  askName,
  askTrigger,
  askSecret,
  askType,
  pickEvent,
  pickOverlap,
  pickTemplate,
  pickWebhook,
  type TriggerAnswers,
} from './webhookPicks.ts';
import { WebhooksView, type EventText, type WebhookRow } from './webhooksView.ts';

/** One command, called with the server's client and the command's argument. */
export type WebhookWork = (actions: WebhookActions, client: AdminClient, given: WebhookArgument) => Promise<void>;

/** Arguments of a command from its row in the view or from a program; missing ones are requested from the person. */
export interface WebhookArgument extends Partial<TriggerAnswers> {
  readonly kind?: WebhookRow['kind'];
  readonly webhook?: string | WebhookView;
  readonly trigger?: { readonly name: string };
  readonly event?: string | EventSummaryView;
  readonly text?: EventText;
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

/** Senders that make their secrets themselves. */
const OWN_SECRET: ReadonlySet<string> = new Set(['stripe', 'slack', 'shopify', 'pagerduty']);

/** The commands and the view of webhooks. They use the local server of this window, or the one that it is attached to. */
export class WebhookActions implements vscode.Disposable {
  readonly #server: ServerActions;
  readonly #texts: ReadOnlyDocuments;
  readonly #log: Logger;
  readonly #view: WebhooksView;
  readonly #drafts: TestEventDrafts;
  readonly #disposables: vscode.Disposable;

  constructor(server: ServerActions, texts: ReadOnlyDocuments, memento: vscode.Memento, log: Logger) {
    this.#server = server;
    this.#texts = texts;
    this.#log = log;
    this.#drafts = new TestEventDrafts(memento);
    this.#view = new WebhooksView(
      () => this.#client,
      () => void server.look(),
      log,
    );
    this.#disposables = vscode.Disposable.from(
      this.#view,
      this.#drafts,
      server.onDidChangeState(() => this.#view.refresh()),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** Runs one of the commands below, and shows its failure. */
  async run(work: WebhookWork, argument: unknown): Promise<void> {
    const client = this.#client;
    if (!client) {
      // Not awaited: the command ends before the message is closed.
      void this.#server.offerStart();
      return;
    }
    try {
      await work(this, client, argument ?? {});
    } catch (error) {
      if (isCancelled(error)) return;
      this.#log.warn(`Webhooks: ${describeError(error)}`);
      void vscode.window.showErrorMessage(describeError(error));
    }
    this.#view.refresh();
  }

  get #client(): AdminClient | undefined {
    const { info } = this.#server;
    return info && new AdminClient(info);
  }

  async create(client: AdminClient, given: WebhookArgument): Promise<void> {
    const name = given.name ?? (await askName(vscode.l10n.t('Create Webhook'), vscode.l10n.t('Name, such as deploys')));
    const type = name === undefined ? undefined : (given.type ?? (await askType()));
    if (name === undefined || type === undefined) return;
    // Any sender takes a new secret; these have their own.
    const secret = OWN_SECRET.has(type) && given.type === undefined ? await askSecret() : '';
    if (secret === undefined) return;
    const input = { name, type, ...(secret !== '' && { secret }) };
    showSecret(await client.ask<NewWebhookView>('POST', 'webhooks', input));
  }

  async rotate(client: AdminClient, given: WebhookArgument): Promise<void> {
    const webhook = await this.#webhook(client, given, vscode.l10n.t('Rotate Webhook Secret'));
    const overlap = webhook && (given.overlapSeconds ?? (await pickOverlap(webhook)));
    if (webhook === undefined || overlap === undefined) return;
    const path = AdminClient.path(['webhooks', webhook, 'rotate']);
    showSecret(await client.ask<NewWebhookView>('POST', path, { overlap_seconds: overlap }));
  }

  /** Deletes a webhook after a confirmation that lists its triggers and the loss. */
  async deleteWebhook(client: AdminClient, given: WebhookArgument): Promise<void> {
    const webhook = await this.#webhook(client, given, vscode.l10n.t('Delete Webhook'));
    if (webhook === undefined) return;
    const path = ['webhooks', webhook];
    let { force = false } = given;
    if (!force) {
      const { triggers } = await client.ask<WebhookView>('GET', AdminClient.path(path));
      const lost = [vscode.l10n.t('Its URL and its secret cannot be restored.')];
      force = triggers.length > 0;
      if (force) lost.push(vscode.l10n.t('Its triggers are deleted too: {0}.', triggers.join(', ')));
      const button = force ? vscode.l10n.t('Delete All') : vscode.l10n.t('Delete');
      if (!(await confirm(vscode.l10n.t('Delete the webhook {0}?', webhook), lost.join(' '), button))) return;
    }
    await client.ask('DELETE', AdminClient.path(path, { force }));
  }

  async copyUrl(client: AdminClient, given: WebhookArgument): Promise<void> {
    const webhook = await this.#webhook(client, given, vscode.l10n.t('Copy Webhook URL'));
    if (webhook === undefined) return;
    const { url } = await client.ask<WebhookView>('GET', AdminClient.path(['webhooks', webhook]));
    await copy(url, vscode.l10n.t('The URL of {0} was copied.', webhook));
  }

  async addTrigger(client: AdminClient, given: WebhookArgument): Promise<void> {
    const webhook = await this.#webhook(client, given, vscode.l10n.t('Add Trigger'));
    if (webhook === undefined) return;
    const answers = given.name === undefined ? await askTrigger(client, webhook) : (given as TriggerAnswers);
    if (!answers) return;
    const { name, filter, expert, forwardTo } = answers;
    if (forwardTo !== undefined) await client.ask('POST', 'experts', { name: expert, type: 'forward', url: forwardTo });
    const trigger = { name, webhook, filter, expert };
    try {
      const { words } = await client.ask<TriggerView>('POST', 'triggers', trigger);
      void vscode.window.showInformationMessage(words);
    } catch (error) {
      // Frees the name of the expert for the next attempt.
      if (forwardTo !== undefined) await client.ask('DELETE', AdminClient.path(['experts', expert]));
      throw error;
    }
  }

  async editFilter(client: AdminClient, { trigger, filter }: WebhookArgument): Promise<void> {
    if (!trigger) return;
    const path = AdminClient.path(['triggers', trigger.name]);
    const { filter: before } = await client.ask<TriggerView>('GET', path);
    const title = vscode.l10n.t('Edit the Filter of {0}', trigger.name);
    const prompt = vscode.l10n.t('JSONLogic filter; leave empty for every event');
    const change = filter === undefined ? await askFilter(title, prompt, before) : { filter };
    if (!change) return;
    const { words } = await client.ask<TriggerView>('PATCH', path, change);
    void vscode.window.showInformationMessage(words);
  }

  async enable(client: AdminClient, { webhook, trigger }: WebhookArgument, enabled: boolean): Promise<void> {
    const path = trigger ? ['triggers', trigger.name] : webhook !== undefined && ['webhooks', nameOf(webhook)];
    if (path) await client.ask('PATCH', AdminClient.path(path), { enabled });
  }

  async deleteTrigger(client: AdminClient, { trigger, force }: WebhookArgument): Promise<void> {
    if (!trigger) return;
    const path = AdminClient.path(['triggers', trigger.name]);
    if (!force) {
      const { words } = await client.ask<TriggerView>('GET', path);
      const question = vscode.l10n.t('Delete the trigger {0}?', trigger.name);
      if (!(await confirm(question, words, vscode.l10n.t('Delete')))) return;
    }
    await client.ask('DELETE', path);
  }

  async send(client: AdminClient, given: WebhookArgument): Promise<void> {
    const webhook = await this.#webhook(client, given, vscode.l10n.t('Send Test Event'));
    if (webhook === undefined) return;
    const choice =
      given.template === undefined ? await pickTemplate(webhook) : { template: given.template, edit: given.edit };
    if (!choice) return;
    const { template, edit } = choice;
    if (edit) await this.#edit({ webhook, template });
    else await this.#sent(client, webhook, { template });
  }

  /** Opens the body in an editor, whose title has a button that sends it. */
  async #edit(draft: Draft): Promise<void> {
    const body = draft.template === undefined ? {} : TEMPLATES[draft.template]?.body;
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

  async open(client: AdminClient, given: WebhookArgument): Promise<void> {
    if (given.refused) return this.#openRefused(client, given.refused.webhook);
    if (given.damage) return this.#texts.open(vscode.l10n.t('Damage to the journal'), `${given.damage.join('\n')}\n`);
    const id = await this.#event(client, given, vscode.l10n.t('Open Event'));
    if (id === undefined) return;
    const event = await client.ask<EventDetailView>('GET', AdminClient.path(['events', id]));
    switch (given.text ?? 'explanation') {
      case 'explanation':
        return this.#texts.open(`${id}.txt`, explanation(event));
      case 'body':
        return this.#texts.open(`${id}.json`, prettyBody(event));
      case 'raw':
        return this.#texts.open(vscode.l10n.t('{0} raw body', id), event.body);
      case 'headers':
        return this.#texts.open(vscode.l10n.t('{0} headers', id), headerLines(event));
    }
  }

  async #openRefused(client: AdminClient, webhook: string | null): Promise<void> {
    const path = AdminClient.path(['refusals'], { webhook: webhook ?? undefined, limit: MAX_REFUSALS });
    const { refusals } = await client.ask<RefusalsView>('GET', path);
    const title = webhook === null ? vscode.l10n.t('Refused') : vscode.l10n.t('Refused by {0}', webhook);
    await this.#texts.open(title, refusalLines(refusals.filter((one) => one.webhook === webhook)));
  }

  async copyCurl(client: AdminClient, given: WebhookArgument): Promise<void> {
    const id = await this.#event(client, given, vscode.l10n.t('Copy Event as curl'));
    if (id === undefined) return;
    const event = await client.ask<EventDetailView>('GET', AdminClient.path(['events', id]));
    await copy(
      asCurl(event, await webhookOf(event, client)),
      vscode.l10n.t('The curl command was copied. Set $SECRET to the secret.'),
    );
  }

  refresh(): Promise<void> {
    return this.#view.load();
  }

  async #webhook(client: AdminClient, { webhook }: WebhookArgument, title: string): Promise<string | undefined> {
    if (webhook !== undefined) return nameOf(webhook);
    const { webhooks } = await client.ask<{ readonly webhooks: readonly WebhookView[] }>('GET', 'webhooks');
    return pickWebhook(webhooks, title);
  }

  async #event(client: AdminClient, { event }: WebhookArgument, title: string): Promise<string | undefined> {
    if (event !== undefined) return typeof event === 'string' ? event : event.event_id;
    const { events } = await client.ask<EventPageView>('GET', AdminClient.path(['events'], { limit: 100 }));
    return pickEvent(events, title);
  }
}

async function confirm(question: string, detail: string, button: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, button)) === button;
}

function nameOf(webhook: string | WebhookView): string {
  return typeof webhook === 'string' ? webhook : webhook.name;
}

async function copy(text: string, done: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(done, 3_000);
}
