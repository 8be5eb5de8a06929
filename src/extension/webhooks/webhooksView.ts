import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import { formatBytes, formatCount } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import type { AdminClient } from '../../server/admin/adminClient.ts';
import type { EventRowsView, EventRowView } from '../../server/webhooks/rowViews.ts';
import type { JournalView, RefusedView, TriggerView, WebhookView } from '../../server/webhooks/views.ts';
import type { EventStatus } from '../../webhooks/event.ts';
import { SYSTEMS } from '../../webhooks/names.ts';
import { shownRow } from './shownEvent.ts';

/** A row: a webhook with its triggers and refusals, or an event. */
export type WebhookRow =
  | { readonly kind: 'webhook'; readonly webhook: WebhookView }
  | { readonly kind: 'trigger'; readonly trigger: TriggerView }
  | { readonly kind: 'events' }
  | { readonly kind: 'event'; readonly event: EventRowView }
  | { readonly kind: 'more' }
  | { readonly kind: 'refused'; readonly refused: RefusedView }
  | { readonly kind: 'damage'; readonly damage: readonly string[] };

/** The part of the server's data that the view shows. */
interface ShownData {
  readonly webhooks: readonly WebhookView[];
  readonly triggers: readonly TriggerView[];
  readonly events: readonly EventRowView[];
  /** Number of all events. */
  readonly total: number;
  readonly refused: readonly RefusedView[];
  readonly damage: readonly string[];
}

const VIEW = 'sextant.webhooks';
const NONE: ShownData = { webhooks: [], triggers: [], events: [], total: 0, refused: [], damage: [] };
/** The number of events in the view; the page shows all. */
const MAX_EVENTS = 20;
/** The interval between requests while the view is visible. */
const LIVE_MS = 1_000;

/**
 * Webhooks, their triggers, and new events. A hidden view sends no requests; without rows the editor shows the welcome text of
 * package.json.
 */
export class WebhooksView implements vscode.TreeDataProvider<WebhookRow>, vscode.Disposable {
  readonly #clientOf: () => AdminClient | undefined;
  readonly #log: Logger;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #disposables = new DisposableStore();
  readonly #view: vscode.TreeView<WebhookRow>;
  #shown = NONE;
  #timer: NodeJS.Timeout | undefined;
  #loading: Promise<void> | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  /** `onVisible` is called each time that the view becomes visible. */
  constructor(clientOf: () => AdminClient | undefined, onVisible: () => void, log: Logger) {
    this.#clientOf = clientOf;
    this.#log = log;
    this.#view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.#disposables.add(this.#changed);
    this.#disposables.add(this.#view);
    this.#disposables.add(
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) onVisible();
        this.refresh();
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }

  /** Loads now, and then at intervals while the view is visible. */
  refresh(): void {
    clearTimeout(this.#timer);
    void this.#loadOnce().finally(() => {
      clearTimeout(this.#timer);
      if (this.#view.visible && this.#clientOf()) this.#timer = setTimeout(() => this.refresh(), LIVE_MS);
    });
  }

  /** Loads once more; resolves when data that was requested after this call is shown. */
  async load(): Promise<void> {
    await this.#loading;
    await this.#loadOnce();
  }

  #loadOnce(): Promise<void> {
    return (this.#loading ??= this.#load().finally(() => (this.#loading = undefined)));
  }

  async #load(): Promise<void> {
    const client = this.#clientOf();
    let shown = NONE;
    try {
      if (client) shown = await ask(client);
    } catch (error) {
      // The server is stopping or has stopped; its state reports that.
      this.#log.debug(`Webhooks: ${describeError(error)}`);
    }
    if (JSON.stringify(shown) === JSON.stringify(this.#shown)) return;
    this.#shown = shown;
    void vscode.commands.executeCommand('setContext', 'sextant.hasWebhooks', shown.webhooks.length > 0);
    void vscode.commands.executeCommand('setContext', 'sextant.hasWebhookEvents', shown.events.length > 0);
    this.#changed.fire(undefined);
  }

  getChildren(row?: WebhookRow): WebhookRow[] {
    const { webhooks, triggers, events, total, damage } = this.#shown;
    if (!row) {
      const rows = [
        ...(damage.length > 0 ? [{ kind: 'damage', damage } as const] : []),
        ...webhooks.map((webhook): WebhookRow => ({ kind: 'webhook', webhook })),
        ...this.#refusedAt(null),
      ];
      return rows.length === 0 && events.length === 0 ? [] : [...rows, { kind: 'events' }];
    }
    switch (row.kind) {
      case 'webhook':
        return [
          ...triggers
            .filter(({ webhook }) => webhook === row.webhook.name)
            .map((trigger): WebhookRow => ({ kind: 'trigger', trigger })),
          ...this.#refusedAt(row.webhook.name),
        ];
      case 'events':
        return [
          ...events.map((event): WebhookRow => ({ kind: 'event', event })),
          ...(total > events.length ? [{ kind: 'more' } as const] : []),
        ];
      default:
        return [];
    }
  }

  /** The refusals at a webhook; `null` for addresses without a webhook. */
  #refusedAt(name: string | null): WebhookRow[] {
    const those = this.#shown.refused.filter(({ webhook }) => webhook === name);
    return those.map((refused) => ({ kind: 'refused', refused }));
  }

  getTreeItem(row: WebhookRow): vscode.TreeItem {
    switch (row.kind) {
      case 'webhook':
        return webhookItem(row.webhook, this.getChildren(row).length > 0);
      case 'refused':
        return refusedItem(row);
      case 'damage':
        return damageItem(row);
      case 'trigger':
        return triggerItem(row.trigger);
      case 'events': {
        const { total } = this.#shown;
        const what = total === 0 ? vscode.l10n.t('none yet') : vscode.l10n.t('{0}, newest first', formatCount(total));
        const { Expanded } = vscode.TreeItemCollapsibleState;
        return item('events', vscode.l10n.t('Events'), what, 'pulse', Expanded);
      }
      case 'event':
        return eventItem(row);
      case 'more': {
        const what = vscode.l10n.t('{0} in all', formatCount(this.#shown.total));
        const shown = item('more', vscode.l10n.t('Show All Events'), what, 'ellipsis');
        shown.command = { command: 'sextant.openEvents', title: vscode.l10n.t('Open') };
        return shown;
      }
    }
  }
}

async function ask(client: AdminClient): Promise<ShownData> {
  const page = { from: 0, count: MAX_EVENTS };
  const [{ webhooks }, { triggers }, { rows: events, total }, { refused }, { damage }] = await Promise.all([
    client.ask<{ readonly webhooks: readonly WebhookView[] }>('GET', 'webhooks'),
    client.ask<{ readonly triggers: readonly TriggerView[] }>('GET', 'triggers'),
    client.ask<EventRowsView>('POST', 'events/rows', page),
    client.ask<{ readonly refused: readonly RefusedView[] }>('GET', 'refusals/summary'),
    client.ask<JournalView>('GET', 'journal'),
  ]);
  return { webhooks, triggers, events, total, refused, damage };
}

/** The system that sends, or how any other proves itself. */
function senderOf(type: WebhookView['type']): string {
  if (type === 'bearer_token') return vscode.l10n.t('bearer token');
  if (type === 'anything') return vscode.l10n.t('any delivery');
  return SYSTEMS[type] ?? vscode.l10n.t('signed deliveries');
}

const { Expanded, None } = vscode.TreeItemCollapsibleState;

function webhookItem(webhook: WebhookView, hasRows: boolean): vscode.TreeItem {
  const { name, webhook_id: id, type, scope, owner, enabled, description, triggers, url } = webhook;
  const what = [
    ...(enabled ? [] : [vscode.l10n.t('disabled')]),
    ...(triggers.length === 0 ? [vscode.l10n.t('no trigger yet')] : []),
    senderOf(type),
    ...(scope === 'organization' ? [vscode.l10n.t('organization')] : []),
    ...(owner === undefined ? [] : [vscode.l10n.t('of {0}', owner)]),
  ];
  // A new id once the row has children: the editor remembers under the old id that it cannot be expanded.
  const [rowId, state] = hasRows ? [id, Expanded] : [`${id} bare`, None];
  const row = item(rowId, name, what.join(', '), enabled ? 'broadcast' : 'circle-slash', state);
  row.tooltip = [description, url].filter((line) => line !== '').join('\n');
  row.contextValue = enabled ? 'webhook' : 'webhook.disabled';
  return row;
}

function triggerItem({ name, words, enabled }: TriggerView): vscode.TreeItem {
  const what = enabled ? words : `${vscode.l10n.t('disabled')}, ${words}`;
  const row = item(`trigger ${name}`, name, what, enabled ? 'zap' : 'circle-slash');
  row.tooltip = words;
  row.contextValue = enabled ? 'trigger' : 'trigger.disabled';
  return row;
}

function refusedItem(row: WebhookRow & { readonly kind: 'refused' }): vscode.TreeItem {
  const { webhook, count, last } = row.refused;
  const at = new Date(last.received_at);
  const isToday = at.toDateString() === new Date().toDateString();
  const time = isToday ? at.toLocaleTimeString() : at.toLocaleString();
  const label =
    webhook === null ? vscode.l10n.t('{0} refused, unknown webhook', count) : vscode.l10n.t('{0} refused', count);
  // The reason comes first, since the view is narrow.
  const what = vscode.l10n.t('last: {0}, {1}', last.reason, time);
  const shown = item(`refused ${webhook ?? ''}`, label, what, 'warning');
  shown.tooltip = `${label}\n${what}`;
  return opening(shown, row);
}

function damageItem(row: WebhookRow & { readonly kind: 'damage' }): vscode.TreeItem {
  const what = vscode.l10n.t('events were lost; all others are intact');
  return opening(item('damage', vscode.l10n.t('The journal is damaged'), what, 'error'), row);
}

function opening(shown: vscode.TreeItem, row: WebhookRow): vscode.TreeItem {
  shown.command = { command: 'sextant.openEvent', title: vscode.l10n.t('Open'), arguments: [row] };
  return shown;
}

const STATUS_ICONS: Readonly<Record<EventStatus, readonly [icon: string, colour?: string]>> = {
  received: ['sync'],
  pending: ['sync'],
  unmatched: ['circle-outline'],
  succeeded: ['pass', 'testing.iconPassed'],
  failed: ['error', 'testing.iconFailed'],
};

function eventItem(row: WebhookRow & { readonly kind: 'event' }): vscode.TreeItem {
  const { id, at, sender, type, line, status, verdict, bytes } = shownRow(row.event, false);
  const time = new Date(at).toLocaleTimeString();
  const shown = item(id, type === '' ? line || sender : type, `${verdict}, ${time}`, 'pulse');
  const [icon, colour] = STATUS_ICONS[status];
  shown.iconPath = new vscode.ThemeIcon(icon, colour === undefined ? undefined : new vscode.ThemeColor(colour));
  shown.tooltip = [id, at, sender, formatBytes(bytes), line].filter((part) => part !== '').join('\n');
  shown.contextValue = status === 'failed' || status === 'pending' ? 'event.unfinished' : 'event';
  return opening(shown, row);
}

function item(id: string, label: string, description: string, icon: string, state = None): vscode.TreeItem {
  const row = new vscode.TreeItem(label, state);
  row.id = id;
  row.description = description;
  row.iconPath = new vscode.ThemeIcon(icon);
  // Without a label, a screen reader reads the tooltip, which repeats half of the row.
  row.accessibilityInformation = { label: description === '' ? label : `${label} ${description}` };
  return row;
}
