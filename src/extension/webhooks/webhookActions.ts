import * as vscode from 'vscode';
import { describeError, isCancelled } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import type { NewWebhookView, TriggerView, WebhookView } from '../../server/webhooks/views.ts';
import type { AskService } from '../ask/askService.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import type { ServerActions } from '../server/serverActions.ts';
import { EventActions } from './eventActions.ts';
import { EventsPanel } from './eventsPanel.ts';
import { EditorExperts } from './experts/editorExperts.ts';
import { editForward } from './experts/expertPicks.ts';
import { keepOwnExpert } from './experts/ownExperts.ts';
import { FilterEditor } from './filterEditor.ts';
import { forwardWebhooks } from './forwardCommand.ts';
import { showSecret } from './secretPick.ts';
import {
  askName,
  askTarget,
  askTrigger,
  askTriggerName,
  askSecret,
  askType,
  copyText,
  isOwnSecret,
  pickOverlap,
  pickWebhook,
  type Target,
  type TriggerAnswers,
} from './webhookPicks.ts';
import type { WebhookArgument } from './webhookArgument.ts';
import { WebhooksView } from './webhooksView.ts';

/** One command, called with the server's client and the command's argument. */
export type WebhookWork = (actions: WebhookActions, client: AdminClient, given: WebhookArgument) => Promise<void>;

export type WebhookContext = Pick<
  vscode.ExtensionContext,
  'workspaceState' | 'extensionUri' | 'globalState' | 'globalStorageUri'
>;

export interface WebhookDependencies {
  readonly server: ServerActions;
  readonly texts: ReadOnlyDocuments;
  readonly asking: () => Promise<AskService>;
  readonly context: WebhookContext;
  readonly log: Logger;
}

/** The commands and the view of webhooks. They use the local server of this window, or the one that it is attached to. */
export class WebhookActions implements vscode.Disposable {
  readonly panel: EventsPanel;
  readonly events: EventActions;
  readonly filters: FilterEditor;
  readonly experts: EditorExperts;
  readonly #server: ServerActions;
  readonly #log: Logger;
  readonly #view: WebhooksView;
  readonly #disposables: vscode.Disposable;

  constructor({ server, texts, asking, context, log }: WebhookDependencies) {
    const { workspaceState: memento, extensionUri } = context;
    this.#server = server;
    this.#log = log;
    const clientOf = (): AdminClient | undefined => this.#client;
    this.panel = new EventsPanel({ clientOf, extensionUri, memento, texts, log });
    this.events = new EventActions(texts, memento, this.panel);
    this.filters = new FilterEditor(clientOf, () => this.#view.refresh(), log);
    this.experts = new EditorExperts({ server, asking, context, log });
    this.#view = new WebhooksView(
      () => this.#client,
      () => void server.look(),
      log,
    );
    this.#disposables = vscode.Disposable.from(
      this.#view,
      this.panel,
      this.events,
      this.filters,
      this.experts,
      server.onDidChangeState(() => {
        this.#view.refresh();
        void this.panel.onServerChange();
      }),
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
    const secret = isOwnSecret(type) && given.type === undefined ? await askSecret() : '';
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
    await copyText(url, vscode.l10n.t('The URL of {0} was copied.', webhook));
  }

  async addTrigger(client: AdminClient, given: WebhookArgument): Promise<void> {
    const webhook = await this.#webhook(client, given, vscode.l10n.t('Add Trigger'));
    if (webhook === undefined) return;
    const answers = given.name === undefined ? await askTrigger(client, webhook) : (given as TriggerAnswers);
    if (!answers) return;
    const { name, filter, expert } = answers;
    await this.#withTarget(client, answers, async () => {
      const { words } = await client.ask<TriggerView>('POST', 'triggers', { name, webhook, filter, expert });
      const addFilter = vscode.l10n.t('Add Filter');
      const buttons = filter === undefined ? [addFilter] : [];
      // Not awaited: the command ends before the message is closed.
      void vscode.window.showInformationMessage(words, ...buttons).then((chosen) => {
        if (chosen === addFilter)
          void this.run((actions, ...more) => actions.editFilter(...more), { trigger: { name } });
      });
    });
  }

  /** Changes the name of a trigger. */
  async renameTrigger(client: AdminClient, { trigger, name: given }: WebhookArgument): Promise<void> {
    if (!trigger) return;
    const title = vscode.l10n.t('Rename {0}', trigger.name);
    const name = given ?? (await askTriggerName(client, title, vscode.l10n.t('New name')));
    if (name !== undefined) await client.ask('PATCH', AdminClient.path(['triggers', trigger.name]), { name });
  }

  /** Changes the expert of a trigger. */
  async changeTarget(client: AdminClient, { trigger, expert, forwardTo, own }: WebhookArgument): Promise<void> {
    if (!trigger) return;
    const { name } = trigger;
    const title = vscode.l10n.t('Change the Target of {0}', name);
    const target =
      expert === undefined
        ? await askTarget(client, title, name)
        : { expert, ...(forwardTo !== undefined && { forwardTo }), ...(own && { own }) };
    if (!target) return;
    await this.#withTarget(client, target, async () => {
      const change = { expert: target.expert };
      const { words } = await client.ask<TriggerView>('PATCH', AdminClient.path(['triggers', name]), change);
      void vscode.window.showInformationMessage(words);
    });
  }

  /** Changes the URL, the headers and the signature of a trigger's forward. */
  async editForward(client: AdminClient, { trigger }: WebhookArgument): Promise<void> {
    if (!trigger) return;
    const { expert } = await client.ask<TriggerView>('GET', AdminClient.path(['triggers', trigger.name]));
    await editForward(client, expert);
  }

  /** Opens the filter of a trigger in an editor, or sets `filter`. */
  async editFilter(client: AdminClient, { trigger, filter }: WebhookArgument): Promise<void> {
    if (!trigger) return;
    if (filter === undefined) {
      await this.filters.open(client, trigger.name);
      return;
    }
    const path = AdminClient.path(['triggers', trigger.name]);
    const { words } = await client.ask<TriggerView>('PATCH', path, { filter });
    void vscode.window.showInformationMessage(words);
  }

  /** Adds a condition for a value of an event to the filter of a trigger. */
  async filterByValue(client: AdminClient, { event, path = [] }: WebhookArgument): Promise<void> {
    const id = typeof event === 'string' ? event : event?.event_id;
    if (id !== undefined) await this.filters.addValue(client, id, path);
  }

  /** Forwards a sender's webhooks to a program of this machine; starts the server if there is none. */
  async forward(): Promise<void> {
    await this.#server.look();
    if (!this.#client) await this.#server.start();
    await this.run((_, client) => forwardWebhooks(client, () => this.#view.refresh()), undefined);
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
    if (webhook !== undefined) await this.events.send(client, webhook, given);
  }

  refresh(): Promise<void> {
    return this.#view.load();
  }

  /** Creates the expert of a target, if it is new, for work that uses it. Undoes that if anything fails, which frees its name. */
  async #withTarget(
    client: AdminClient,
    { expert, forwardTo: url, own }: Target,
    work: () => Promise<void>,
  ): Promise<void> {
    const undo: (() => Promise<unknown>)[] = [];
    try {
      if (url !== undefined || own) {
        await client.ask('POST', 'experts', { name: expert, ...(own ? { type: 'editor' } : { type: 'forward', url }) });
        undo.unshift(() => client.ask('DELETE', AdminClient.path(['experts', expert])));
      }
      if (own) {
        // The person has just chosen what is sent.
        if ('model' in own) await this.experts.allow(own);
        undo.unshift(await keepOwnExpert(own));
      }
      await work();
    } catch (error) {
      for (const step of undo)
        await step().catch((failed: unknown) => this.#log.warn(`Webhooks: ${describeError(failed)}`));
      throw error;
    }
  }

  async #webhook(client: AdminClient, { webhook }: WebhookArgument, title: string): Promise<string | undefined> {
    if (webhook !== undefined) return nameOf(webhook);
    const { webhooks } = await client.ask<{ readonly webhooks: readonly WebhookView[] }>('GET', 'webhooks');
    return pickWebhook(webhooks, title);
  }
}

async function confirm(question: string, detail: string, button: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, button)) === button;
}

function nameOf(webhook: string | WebhookView): string {
  return typeof webhook === 'string' ? webhook : webhook.name;
}
