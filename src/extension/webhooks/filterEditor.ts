import { getLocation } from 'jsonc-parser';
import * as vscode from 'vscode';
import { describeError, SextantError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { Logger } from '../../base/log.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import type { EventRowsView, EventRowView } from '../../server/webhooks/rowViews.ts';
import type { EventDetailView, EventView, SearchLineView, TriggerView } from '../../server/webhooks/views.ts';
import { seenPaths, tryFilter, withCondition, type SeenPath, type Trial } from '../../webhooks/filter/trial.ts';
import { bytesOf, payloadOf } from '../../webhooks/payload.ts';
import type { CommandId } from '../commandIds.ts';
import { FILTER_SCHEME, FilterFiles, filterUri, triggerOf } from './filterFiles.ts';
import { shownRow } from './shownEvent.ts';
import { pick } from './inputs.ts';

/** Number of the latest events for which a filter is tried. */
const LATEST = 20;
/** Interval of requests for new events while a filter is visible. */
const LIVE_MS = 2_000;
const DOCUMENTS: vscode.DocumentSelector = { scheme: FILTER_SCHEME };

interface Example {
  readonly id: string;
  readonly payload: unknown;
}

/** The latest events of a filter's webhook. */
interface Examples {
  readonly webhook: string;
  readonly newest: string | undefined;
  readonly events: readonly Example[];
  readonly paths: readonly SeenPath[];
}

/**
 * Filters of triggers in editors: while one types, a line above says for which of the last events the filter fires, and hints name
 * the first false part of the others. Paths of real events complete `var`; package.json has the schema of the operators.
 */
export class FilterEditor implements vscode.Disposable {
  readonly #clientOf: () => AdminClient | undefined;
  readonly #log: Logger;
  readonly #files: FilterFiles;
  readonly #examples = new Map<string, Examples>();
  readonly #problems = vscode.languages.createDiagnosticCollection(FILTER_SCHEME);
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(clientOf: () => AdminClient | undefined, onSave: () => void, log: Logger) {
    this.#clientOf = clientOf;
    this.#log = log;
    this.#files = new FilterFiles(clientOf, onSave);
    const onDidChange = this.#changed.event;
    this.#disposables = vscode.Disposable.from(
      this.#problems,
      this.#changed,
      vscode.workspace.registerFileSystemProvider(FILTER_SCHEME, this.#files, { isCaseSensitive: true }),
      vscode.languages.registerCodeLensProvider(DOCUMENTS, {
        onDidChangeCodeLenses: onDidChange,
        provideCodeLenses: (document) => this.#lenses(document),
      }),
      vscode.languages.registerInlayHintsProvider(DOCUMENTS, {
        onDidChangeInlayHints: onDidChange,
        provideInlayHints: (document) => this.#hints(document),
      }),
      vscode.languages.registerCompletionItemProvider(
        DOCUMENTS,
        { provideCompletionItems: (document, position) => this.#completions(document, position) },
        '"',
        '.',
      ),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#check(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#problems.delete(uri);
        this.#examples.delete(uri.toString());
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => void this.#follow()),
    );
    void this.#follow();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }

  /** Opens the filter of a trigger. */
  async open(client: AdminClient, trigger: string): Promise<vscode.TextEditor> {
    const uri = filterUri(trigger);
    await this.#load(client, uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    this.#check(document);
    return editor;
  }

  /** Adds the value at a path of an event to the filter of one of its webhook's triggers, which the person saves or undoes. */
  async addValue(client: AdminClient, id: string, path: readonly string[]): Promise<void> {
    const event = await client.ask<EventDetailView>('GET', AdminClient.path(['events', id]));
    if (path.some((name) => name.includes('.')))
      throw new SextantError('InvalidArgument', vscode.l10n.t('A name with a dot cannot be used in a filter.'));
    const trigger = await this.#triggerFor(client, event);
    if (trigger === undefined) return;
    const value = path.reduce<unknown>(
      (at, name) => (isObject(at) || Array.isArray(at) ? (at as Record<string, unknown>)[name] : undefined),
      payload(event),
    );
    const { document } = await this.open(client, trigger);
    const trial = tryFilter(document.getText(), []);
    if ('problem' in trial) throw new SextantError('InvalidFilter', trial.problem);
    const edit = new vscode.WorkspaceEdit();
    const text = `${JSON.stringify(withCondition(trial.rule, path.join('.'), value), null, 2)}\n`;
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    await vscode.workspace.applyEdit(edit);
  }

  async #triggerFor(client: AdminClient, { webhook }: EventView): Promise<string | undefined> {
    const { triggers } = await client.ask<{ readonly triggers: readonly TriggerView[] }>('GET', 'triggers');
    const those = triggers.filter((one) => one.webhook === webhook);
    const open = vscode.window.visibleTextEditors
      .map(({ document: { uri } }) => uri)
      .filter(isFilter)
      .map(triggerOf);
    const shown = those.find(({ name }) => open.includes(name));
    if (shown ?? those.length === 1) return (shown ?? those[0])?.name;
    if (those.length > 0)
      return pick(
        vscode.l10n.t('Filter by Value: Trigger'),
        those.map(({ name, words }) => ({ label: name, detail: words, value: name })),
      );
    const add = vscode.l10n.t('Add Webhook Trigger');
    const text = vscode.l10n.t('The webhook of this event has no trigger yet.');
    if ((await vscode.window.showInformationMessage(text, add)) === add && webhook !== null)
      await vscode.commands.executeCommand('sextant.addTrigger' satisfies CommandId, { webhook });
    return undefined;
  }

  /** Lists the last events with the result of a filter for each; Enter opens one. */
  async showResults(uri: vscode.Uri | undefined): Promise<void> {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri?.toString());
    const client = this.#clientOf();
    const examples = uri && this.#examples.get(uri.toString());
    if (!document || !client || !examples) return;
    const trial = this.#try(document);
    if (!trial || 'problem' in trial) return;
    const request = { from: 0, count: 0, ids: examples.events.map(({ id }) => id) };
    const { rows } = await client.ask<EventRowsView>('POST', 'events/rows', request);
    const choices = examples.events.map(({ id }, i) => {
      const { fires, because } = trial.results[i]!;
      const row = rows.find(({ event_id: one }) => one === id);
      return { ...labelOf(id, row), detail: fires ? vscode.l10n.t('fires') : because, value: id, fires };
    });
    const items = choices.map(({ fires, label, ...rest }) => ({
      ...rest,
      label: `$(${fires ? 'pass' : 'circle-large'}) ${label}`,
    }));
    const id = await pick(vscode.l10n.t('{0}: the Last {1} Events', triggerOf(document.uri), items.length), items);
    if (id !== undefined) await vscode.commands.executeCommand('sextant.openEvent' satisfies CommandId, { event: id });
  }

  #lenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const trial = this.#try(document);
    if (!trial || 'problem' in trial) return [];
    const { results, words, rule } = trial;
    const fires = results.filter((result) => result.fires).length;
    const counted =
      results.length === 0
        ? vscode.l10n.t('No event to try yet')
        : vscode.l10n.t('Fires for {0} of the last {1}', fires, results.length);
    const show = { command: 'sextant.showFilterResults' satisfies CommandId, arguments: [document.uri] };
    const top = new vscode.Range(0, 0, 0, 0);
    return [
      new vscode.CodeLens(top, { title: counted, ...show }),
      new vscode.CodeLens(top, {
        title: rule === undefined ? vscode.l10n.t('Every event') : vscode.l10n.t('When {0}', words),
        ...show,
      }),
    ];
  }

  #hints(document: vscode.TextDocument): vscode.InlayHint[] {
    const trial = this.#try(document);
    if (!trial || 'problem' in trial) return [];
    return trial.falseParts.map(({ offset, length, count, because }) => {
      const { line } = document.positionAt(offset + length);
      const label = count === 1 ? because : vscode.l10n.t('{0} events: {1}', count, because);
      const hint = new vscode.InlayHint(document.lineAt(line).range.end, `← ${label}`);
      hint.paddingLeft = true;
      // The editor cuts long hints.
      hint.tooltip = label;
      return hint;
    });
  }

  #completions(document: vscode.TextDocument, position: vscode.Position): vscode.CompletionItem[] {
    const examples = this.#examples.get(document.uri.toString());
    const { path, previousNode, isAtPropertyKey } = getLocation(document.getText(), document.offsetAt(position));
    // The path of a var alone, or the first of its operands.
    const isPath = path.at(-1) === 'var' || (path.at(-2) === 'var' && path.at(-1) === 0);
    if (!examples || !isPath || isAtPropertyKey) return [];
    const range =
      previousNode?.type === 'string'
        ? new vscode.Range(
            document.positionAt(previousNode.offset),
            document.positionAt(previousNode.offset + previousNode.length),
          )
        : undefined;
    return examples.paths.map(({ path: name, example }, i) => {
      const item = new vscode.CompletionItem(name, vscode.CompletionItemKind.Field);
      item.detail = example;
      item.sortText = String(i).padStart(5, '0');
      item.insertText = JSON.stringify(name);
      item.filterText = JSON.stringify(name);
      if (range) item.range = range;
      return item;
    });
  }

  #try(document: vscode.TextDocument): Trial | undefined {
    const examples = this.#examples.get(document.uri.toString());
    return (
      examples &&
      tryFilter(
        document.getText(),
        examples.events.map((event) => event.payload),
      )
    );
  }

  /** Reports what is wrong with a filter; the editor itself reports text that is not JSON. */
  #check(document: vscode.TextDocument): void {
    if (!isFilter(document.uri)) return;
    const trial = tryFilter(document.getText(), []);
    const problem = 'problem' in trial ? trial.problem : undefined;
    const range = new vscode.Range(0, 0, document.lineCount, 0);
    this.#problems.set(document.uri, problem === undefined ? [] : [new vscode.Diagnostic(range, problem)]);
  }

  /** Loads new events while a filter is visible. */
  async #follow(): Promise<void> {
    clearTimeout(this.#timer);
    const uris = vscode.window.visibleTextEditors.map(({ document }) => document.uri).filter(isFilter);
    const client = this.#clientOf();
    if (uris.length === 0) return;
    try {
      if (client) for (const uri of uris) await this.#load(client, uri);
    } catch (error) {
      this.#log.debug(`Filter: ${describeError(error)}`);
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#follow(), LIVE_MS);
  }

  async #load(client: AdminClient, uri: vscode.Uri): Promise<void> {
    const key = uri.toString();
    const known = this.#examples.get(key);
    const { webhook } = known ?? (await this.#files.trigger(uri));
    const { rows } = await client.ask<EventRowsView>('POST', 'events/rows', { from: 0, count: 1, webhook });
    const newest = rows[0]?.event_id;
    if (known && known.newest === newest) return;
    const events: Example[] = [];
    for await (const line of client.lines<SearchLineView>('POST', 'events/search', { webhook })) {
      if ('event' in line) events.push({ id: line.event.event_id, payload: payload(line.event) });
      if (events.length >= LATEST) break;
    }
    this.#examples.set(key, { webhook, newest, events, paths: seenPaths(events.map((event) => event.payload)) });
    this.#changed.fire();
  }
}

function payload(event: EventView): unknown {
  return payloadOf(event.headers, bytesOf(event));
}

function isFilter({ scheme }: vscode.Uri): boolean {
  return scheme === FILTER_SCHEME;
}

function labelOf(id: string, row: EventRowView | undefined): { readonly label: string; readonly description: string } {
  if (!row) return { label: id, description: '' };
  const { type, sender, at } = shownRow(row, false);
  return { label: type === '' ? sender : type, description: `${id}, ${new Date(at).toLocaleString()}` };
}
