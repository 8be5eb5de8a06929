import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Handlers } from '../../base/rpc.ts';
import {
  eventsView,
  type EventAction,
  type EventsEvents,
  type EventsMethods,
  type EventsState,
  type EventsTarget,
  type ShownEvent,
  type ShownEventRow,
} from '../../protocol/eventsView.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { comparable } from '../../server/webhooks/eventCopies.ts';
import type { EventProofView, EventRowsView, EventRowView } from '../../server/webhooks/rowViews.ts';
import type { EventDetailView, WebhookView } from '../../server/webhooks/views.ts';
import type { ExpertView } from '../../webhooks/definitions.ts';
import type { CommandId } from '../commandIds.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import { WebviewHost } from '../webviewHost.ts';
import { EventList } from './eventList.ts';
import { shownEvent, shownRow } from './shownEvent.ts';

export interface EventsPanelDependencies {
  readonly clientOf: () => AdminClient | undefined;
  readonly extensionUri: vscode.Uri;
  readonly memento: vscode.Memento;
  readonly texts: ReadOnlyDocuments;
  readonly log: Logger;
}

const PINS = 'sextant.pinnedEvents';
const MAX_PINS = 50;
/** Interval of requests while the page is open. */
const LIVE_MS = 1_000;

/** A pinned event; the time tells it from an event of another state folder with the same id. */
interface Pin {
  readonly id: string;
  readonly at: string;
}

/** "Webhook Events": the list of all events and the page of one. */
export class EventsPanel implements vscode.Disposable {
  readonly #dependencies: EventsPanelDependencies;
  readonly #host: WebviewHost<EventsMethods, EventsEvents>;
  readonly #list: EventList;
  readonly #disposables = new DisposableStore();
  #pins: readonly Pin[];
  #pinned: readonly ShownEventRow[] = [];
  #webhooks: readonly string[] = [];
  #open: string | null = null;
  #isEditing = false;
  /** The open event as JSON, to see its changes. */
  #shown = '';
  #hasServer = false;
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(dependencies: EventsPanelDependencies) {
    this.#dependencies = dependencies;
    const { clientOf, extensionUri, memento, log } = dependencies;
    this.#pins = memento.get<readonly Pin[]>(PINS, []);
    this.#list = new EventList(clientOf, () => this.#host.emit('list', this.#list.shown));
    const title = vscode.l10n.t('Webhook Events');
    this.#host = new WebviewHost({ contract: eventsView, title, handlers: this.#handlers(), extensionUri, log });
    this.#disposables.add(this.#host);
    this.#disposables.add(this.#list);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }

  /** Shows the list, or the page of an event, to edit if `isEditing`. */
  show(id?: string, isEditing = false): void {
    if (id !== undefined) {
      this.#open = id;
      this.#isEditing = isEditing;
    }
    const isNew = this.#host.column === undefined;
    this.#host.show();
    if (!isNew && id !== undefined) this.#host.emit('show', { id, isEditing });
  }

  restore(panel: vscode.WebviewPanel): void {
    this.#host.restore(panel);
  }

  /** The server has started or stopped. */
  async onServerChange(): Promise<void> {
    const hasServer = this.#dependencies.clientOf() !== undefined;
    // A page that is shown again begins with `ready`.
    if (hasServer === this.#hasServer || !this.#host.isVisible) return;
    this.#hasServer = hasServer;
    if (hasServer) await this.#list.search(this.#list.text);
    await this.#load();
    this.#emitState();
    this.#poll();
  }

  /** Opens two events side by side, with sorted keys. */
  async compare(one: string, other: string): Promise<void> {
    const [left, right] = await Promise.all([one, other].map((id) => this.#detail(id)));
    const texts = this.#dependencies.texts;
    const uris = [left!, right!].map((event) => texts.add(`${event.event_id}.http`, comparable(event)));
    const title = vscode.l10n.t('{0} and {1}', one, other);
    await vscode.commands.executeCommand('vscode.diff', uris[0], uris[1], title);
  }

  get #client(): AdminClient {
    const client = this.#dependencies.clientOf();
    if (!client) throw new Error(vscode.l10n.t("The local server isn't running."));
    return client;
  }

  #handlers(): Handlers<EventsMethods> {
    return {
      ready: async () => {
        this.#hasServer = this.#dependencies.clientOf() !== undefined;
        if (this.#hasServer) await this.#list.search(this.#list.text);
        await this.#load();
        this.#poll();
        return this.#state;
      },
      rows: async ({ from, count }) => (await this.#list.rows(from, count)).map((row) => this.#row(row)),
      search: ({ query }) => this.#list.search(query),
      follow: ({ isOn }) => this.#list.follow(isOn),
      open: async ({ id }) => {
        this.#open = id;
        this.#isEditing = false;
        return id === null ? null : this.#event(id);
      },
      act: ({ id, action, trigger }) => this.#act(id, action, trigger),
      compare: ({ id, with: other }) => this.compare(id, other),
      resend: async ({ id, type, headers, body }) => {
        const path = AdminClient.path(['events', id, 'resend']);
        const edit = { body, headers, ...(type !== '' && { type }) };
        return (await this.#client.ask<{ readonly event_id: string }>('POST', path, edit)).event_id;
      },
      filterBy: async ({ id, path }) => {
        await vscode.commands.executeCommand('sextant.filterByValue' satisfies CommandId, { event: id, path });
      },
      pin: ({ id, isPinned }) => this.#pin(id, isPinned),
      clear: ({ isCleared }) => this.#list.clear(isCleared),
      go: async ({ to }) => {
        await vscode.commands.executeCommand(TARGETS[to]);
      },
    };
  }

  async #act(id: string, action: EventAction, trigger: string | null): Promise<void> {
    switch (action) {
      case 'replay':
        return run('sextant.replayEvent', { event: id });
      case 'retry':
        return run('sextant.retryRuns', { event: id, ...(trigger !== null && { trigger: { name: trigger } }) });
      case 'compare':
        return run('sextant.compareEvents', { event: id });
      case 'curl':
        return run('sextant.copyEventCurl', { event: id });
      case 'fetch':
        return run('sextant.copyEventFetch', { event: id });
      case 'fixture':
        return run('sextant.copyEventFixture', { event: id });
      case 'raw':
        return this.#dependencies.texts.open(vscode.l10n.t('{0} raw body', id), (await this.#detail(id)).body);
    }
  }

  async #pin(id: string, isPinned: boolean): Promise<void> {
    const others = this.#pins.filter((pin) => pin.id !== id);
    const added = isPinned ? [{ id, at: (await this.#detail(id)).received_at }] : [];
    this.#pins = [...added, ...others].slice(0, MAX_PINS);
    await this.#dependencies.memento.update(PINS, this.#pins);
    await this.#load();
    this.#emitState();
  }

  #row(row: EventRowView): ShownEventRow {
    return shownRow(row, this.#isPinned(row));
  }

  #isPinned({ event_id: id, received_at: at }: Pick<EventRowView, 'event_id' | 'received_at'>): boolean {
    return this.#pins.some((pin) => pin.id === id && pin.at === at);
  }

  #detail(id: string): Promise<EventDetailView> {
    return this.#client.ask<EventDetailView>('GET', AdminClient.path(['events', id]));
  }

  async #event(id: string): Promise<ShownEvent> {
    const client = this.#client;
    const request = { from: 0, count: 0, ids: [id] };
    const [detail, proof, { experts }, { rows }] = await Promise.all([
      this.#detail(id),
      client.ask<EventProofView>('GET', AdminClient.path(['events', id, 'proof'])),
      client.ask<{ readonly experts: readonly ExpertView[] }>('GET', 'experts'),
      client.ask<EventRowsView>('POST', 'events/rows', request),
    ]);
    const shown = shownEvent({ detail, proof, experts, row: rows[0] ?? detail, isPinned: this.#isPinned(detail) });
    this.#shown = JSON.stringify(shown);
    return shown;
  }

  get #state(): EventsState {
    return {
      hasServer: this.#hasServer,
      query: this.#list.text,
      list: this.#list.shown,
      webhooks: this.#webhooks,
      pinned: this.#pinned,
      open: this.#open,
      isEditing: this.#isEditing,
    };
  }

  /** Loads the names of webhooks and the pinned events. */
  async #load(): Promise<void> {
    const client = this.#dependencies.clientOf();
    if (!client) {
      this.#pinned = [];
      return;
    }
    try {
      const ids = this.#pins.map(({ id }) => id);
      const [{ webhooks }, { rows }] = await Promise.all([
        client.ask<{ readonly webhooks: readonly WebhookView[] }>('GET', 'webhooks'),
        client.ask<EventRowsView>('POST', 'events/rows', { from: 0, count: 0, ids }),
      ]);
      this.#webhooks = webhooks.map(({ name }) => name);
      this.#pinned = rows.filter((row) => this.#isPinned(row)).map((row) => this.#row(row));
    } catch (error) {
      this.#dependencies.log.debug(`Webhook events: ${describeError(error)}`);
    }
  }

  #emitState(): void {
    this.#host.emit('state', this.#state);
  }

  /** Looks for new events, and for changes of the open one, while the page is visible. */
  #poll(): void {
    clearTimeout(this.#timer);
    if (this.#isPolling) return;
    this.#isPolling = true;
    void this.#refresh().finally(() => {
      this.#isPolling = false;
      clearTimeout(this.#timer);
      if (this.#hasServer && this.#host.isVisible) this.#timer = setTimeout(() => this.#poll(), LIVE_MS);
    });
  }

  async #refresh(): Promise<void> {
    if (!this.#dependencies.clientOf()) return;
    try {
      await this.#list.refresh();
      const before = JSON.stringify([this.#webhooks, this.#pinned]);
      await this.#load();
      if (JSON.stringify([this.#webhooks, this.#pinned]) !== before) this.#emitState();
      if (this.#open === null) return;
      const known = this.#shown;
      const event = await this.#event(this.#open);
      if (this.#shown !== known && event.row.id === this.#open) this.#host.emit('event', event);
    } catch (error) {
      this.#dependencies.log.debug(`Webhook events: ${describeError(error)}`);
    }
  }
}

const TARGETS: Readonly<Record<EventsTarget, CommandId>> = {
  startServer: 'sextant.startServer',
  forward: 'sextant.forwardWebhooks',
  send: 'sextant.sendTestEvent',
};

async function run(command: CommandId, argument: object): Promise<void> {
  await vscode.commands.executeCommand(command, argument);
}
