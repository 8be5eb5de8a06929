import { posix } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError, isCancelled } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { DefinitionKind } from '../../engine/analyze/language.ts';
import { tokenRefusal } from '../../wire/explained.ts';
import type { WireResult } from '../../wire/repositories.ts';
import type { WireClient } from '../../wire/wireClient.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';
import { literal } from '../pickText.ts';
import { EditorPreview } from '../search/preview.ts';
import { noticeRow } from '../search/searchRows.ts';
import { SYMBOL_ICONS } from '../search/symbolIcon.ts';
import { maxResults } from '../settings.ts';
import type { TeamCode } from './teamCode.ts';
import { rootOf, type TeamFiles } from './teamFiles.ts';

interface TeamRow extends vscode.QuickPickItem {
  readonly result?: WireResult;
  /** Enter asks for another token. */
  readonly replacesToken?: true;
}

/** A search goes over the network. */
const TYPING_PAUSE_MS = 150;
const OPEN_LINK = vscode.l10n.t('Open on the Forge');

/** Searches the pushed repositories of a team while the user types. */
export class TeamPick implements vscode.Disposable {
  readonly #team: TeamCode;
  #session: TeamSession | undefined;

  constructor(team: TeamCode) {
    this.#team = team;
  }

  async show(query: string, replacesToken = false): Promise<void> {
    const client = await this.#team.connect(replacesToken);
    if (!client) return;
    this.#session?.dispose();
    this.#session = new TeamSession(client, this.#team.files, (typed) => void this.show(typed, true));
    this.#session.show(query);
  }

  /** Asks for another token of the service. */
  async replaceToken(): Promise<void> {
    await this.#team.connect(true);
  }

  disconnect(): Promise<void> {
    return this.#team.service.disconnect();
  }

  dispose(): void {
    this.#session?.dispose();
  }
}

class TeamSession implements vscode.Disposable {
  readonly #client: WireClient;
  readonly #files: TeamFiles;
  readonly #replaceToken: (query: string) => void;
  readonly #pick = vscode.window.createQuickPick<TeamRow>();
  readonly #preview = new EditorPreview();
  readonly #disposables = new DisposableStore();
  #timer: NodeJS.Timeout | undefined;
  #running: AbortController | undefined;
  /** The row that became active because the list changed; only those that the user moves to are previewed. */
  #passive: TeamRow | undefined;

  /** `replaceToken` asks for another token, and shows the list for the query again. */
  constructor(client: WireClient, files: TeamFiles, replaceToken: (query: string) => void) {
    this.#client = client;
    this.#files = files;
    this.#replaceToken = replaceToken;
    const pick = this.#pick;
    pick.title = vscode.l10n.t('Search Team Code');
    pick.placeholder = vscode.l10n.t(
      'Words (page fault), a name (handleFault), "a phrase", lang:ts, repo:payments*, -not',
    );
    (pick as { sortByLabel?: boolean }).sortByLabel = false;
    this.#disposables.add(pick.onDidChangeValue((value) => this.#schedule(value, TYPING_PAUSE_MS)));
    this.#disposables.add(pick.onDidChangeActive(([row]) => void this.#onActive(row)));
    this.#disposables.add(pick.onDidAccept(() => void this.#open(pick.activeItems[0], vscode.ViewColumn.Active)));
    this.#disposables.add(
      pick.onDidTriggerItemButton(({ item, button }) => {
        if (button.tooltip !== OPEN_LINK) void this.#open(item, vscode.ViewColumn.Beside);
        else if (item.result?.url) void vscode.env.openExternal(vscode.Uri.parse(item.result.url, true));
      }),
    );
    this.#disposables.add(pick.onDidHide(() => this.dispose()));
  }

  show(query: string): void {
    this.#pick.value = query;
    this.#pick.show();
    this.#schedule(query, 0);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#preview.dispose();
    this.#disposables.dispose();
    this.#pick.dispose();
  }

  #schedule(value: string, delay: number): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#timer = setTimeout(() => void this.#run(value.trim()), delay);
  }

  async #run(query: string): Promise<void> {
    if (query === '') {
      this.#show([]);
      return;
    }
    const running = new AbortController();
    this.#running = running;
    this.#pick.busy = true;
    try {
      const options = { limit: Math.min(maxResults(), 200), signal: running.signal };
      const { results, searched, problems } = await this.#client.searchRepositories(query, options);
      if (running.signal.aborted) return;
      const notices = problems.map((problem) => noticeRow(literal(problem), ''));
      // Without a repository to search, other words do not help.
      const isExplained = searched === 0 && problems.length > 0;
      const empty = isExplained ? [] : [nothingFound(query, searched)];
      this.#show([...notices, ...(results.length > 0 ? results.map(rowOf) : empty)]);
    } catch (error) {
      if (isCancelled(error) || running.signal.aborted) return;
      this.#show([failureRow(error)]);
    }
    if (this.#running === running) this.#pick.busy = false;
  }

  #show(rows: readonly TeamRow[]): void {
    const first = rows.find(({ result }) => result);
    this.#passive = first;
    this.#pick.items = rows;
    if (first) this.#pick.activeItems = [first];
    else this.#pick.busy = false;
  }

  async #onActive(row: TeamRow | undefined): Promise<void> {
    if (!row?.result || row === this.#passive) return;
    this.#passive = undefined;
    const place = placeOf(row.result);
    await this.#preview.showFound(async () => ({ uri: await this.#files.uriOf(place), place }));
  }

  async #open(row: TeamRow | undefined, column: vscode.ViewColumn): Promise<void> {
    if (row?.replacesToken) this.#replaceToken(this.#pick.value);
    if (!row?.result) return;
    const place = placeOf(row.result);
    this.#preview.open(await this.#files.uriOf(place), place, column);
    this.#pick.hide();
  }
}

function rowOf(result: WireResult): TeamRow {
  const { repositories, repository_count: count, path, url } = result;
  const { symbol, line, text } = placeOf(result);
  const more = count > 1 ? ` ${vscode.l10n.t('and {0} more repositories', formatCount(count - 1))}` : '';
  const beside = { iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: vscode.l10n.t('Open to the Side') };
  const link = { iconPath: new vscode.ThemeIcon('link-external'), tooltip: OPEN_LINK };
  return {
    result,
    label: literal(symbol?.name ?? posix.basename(path)),
    description: literal(`${repositories[0]} · ${path}:${line}${more}`),
    detail: literal(text),
    iconPath: symbol ? new vscode.ThemeIcon(iconOf(symbol.kind)) : vscode.ThemeIcon.File,
    alwaysShow: true,
    buttons: url === null ? [beside] : [link, beside],
  };
}

/** A newer service may have kinds that this version does not know. */
function iconOf(kind: string): string {
  return (SYMBOL_ICONS as Readonly<Record<string, string | undefined>>)[kind] ?? 'symbol-misc';
}

/** The first place of a result, with the line that names it. */
function placeOf(result: WireResult): KeptPlace {
  const { path, places } = result;
  const { start_line: startLine, end_line: endLine, symbol, text } = places[0]!;
  const line = symbol?.line ?? startLine;
  const shown = text.split('\n')[Math.max(0, line - startLine)] ?? '';
  return {
    ...{ root: rootOf(result), path, startLine, endLine, line, text: shown.trim(), ranges: [] },
    ...(symbol && { symbol: { name: symbol.name, kind: symbol.kind as DefinitionKind, line: symbol.line } }),
  };
}

/** What happened as the label, and the next step below it: a line of the list cuts longer ones. */
function failureRow(error: unknown): TeamRow {
  const refusal = tokenRefusal(error)?.replace(/\.$/, '');
  if (refusal !== undefined)
    return { ...noticeRow(literal(refusal), vscode.l10n.t('Press Enter to enter another token')), replacesToken: true };
  const message = describeError(error);
  const [, what = message, next = ''] = /^(.+?)\. (.+)$/.exec(message) ?? [];
  return noticeRow(literal(what), literal(next));
}

function nothingFound(query: string, searched: number): TeamRow {
  return noticeRow(
    vscode.l10n.t('No results for “{0}”', literal(query)),
    searched === 1
      ? vscode.l10n.t('1 repository was searched. Try fewer or other words.')
      : vscode.l10n.t('{0} repositories were searched. Try fewer or other words.', formatCount(searched)),
  );
}
