import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError, isCancelled } from '../../base/errors.ts';
import { TYPING_PAUSE_MS } from '../../protocol/limits.ts';
import type { Completion } from '../../workspace/completion.ts';
import type { FileLines, SearchRequest, SearchResponse, SearchResult } from '../../workspace/searcher.ts';
import { stateOfIndex } from '../../workspace/status.ts';
import { symbolQuery } from '../../workspace/symbolQuery.ts';
import { folderName } from '../index/folderName.ts';
import type { Folders } from '../index/folders.ts';
import { literal } from '../pickText.ts';
import { EditorPreview } from './preview.ts';
import type { QueryList } from './queryList.ts';
import type { KeptSearch } from './searchView.ts';
import { askSettings, maxResults } from '../settings.ts';
import { describeFolder, indexLine, isPartial } from '../index/statusText.ts';
import {
  completionRow,
  FORGET,
  readAllRow,
  staleFileRows,
  noticeRow,
  queryProblemRows,
  recentRow,
  samePlace,
  sameRow,
  type SearchRow,
} from './searchRows.ts';
import { SYMBOL_ICONS } from './symbolIcon.ts';

/** A search of the open folders. */
type SearchOfFolders = Omit<SearchRequest, 'folders' | 'isTrusted'>;

/** Dependencies of the list. */
export interface SearchDependencies {
  readonly folders: Folders;
  readonly recent: QueryList;
  search(request: SearchOfFolders, signal: AbortSignal): Promise<SearchResponse>;
  complete(query: string): Promise<readonly Completion[]>;
  /** Lets the model of the settings order results; `undefined` if there is none. */
  rerank(query: string, results: readonly SearchResult[], signal: AbortSignal): Promise<RerankedResults | undefined>;
  /** Shows the results of a search in the view. */
  keep(search: KeptSearch): Promise<void>;
}

export interface RerankedResults {
  readonly results: readonly SearchResult[];
  /** Which model ordered them, or why it did not, and what it received. */
  readonly outcome: string;
  readonly sent: string;
}

/** A kind of search with its texts. */
export interface SearchMode {
  readonly title: string;
  readonly placeholder: string;
  /** Turns the typed text into a query; by default the text itself. */
  readonly toQuery?: (typed: string) => string;
  /** Lines to leave out of the results. */
  readonly except?: FileLines;
}

/** Asks a model, unlike a search; so only a press does it. */
const RERANK: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('sparkle'),
  tooltip: vscode.l10n.t('Rerank with the Model'),
};
const WHY = vscode.l10n.t('Why Is It Here?');
/** Interval of repeated searches while the index grows. */
const REFRESH_MS = 2_000;

export const SEARCH_WORKSPACE: SearchMode = {
  title: vscode.l10n.t('Search Workspace'),
  placeholder: vscode.l10n.t('Words (page fault), a name (handleFault), "a phrase", lang:ts, path:src, -not'),
};
export const SEARCH_SYMBOL: SearchMode = {
  title: vscode.l10n.t('Search Symbol'),
  placeholder: vscode.l10n.t(
    'A name or a part of it (handleFault), some of its words (handle fault), lang:ts, path:src',
  ),
  toQuery: symbolQuery,
};

/** Lists results while the user types, previews the active one, and opens it on Enter. */
export class SearchPick implements vscode.Disposable {
  readonly #dependencies: SearchDependencies;
  readonly #open = new Set<SearchSession>();

  constructor(dependencies: SearchDependencies) {
    this.#dependencies = dependencies;
  }

  show(query: string, mode: SearchMode = SEARCH_WORKSPACE, isReranked = false): void {
    const onHide = (): void => {
      this.#open.delete(session);
      this.#onOpen();
    };
    const session = new SearchSession(this.#dependencies, mode, onHide, (same) => this.show(same, mode, true));
    this.#open.add(session);
    this.#onOpen();
    void session.show(query, isReranked);
  }

  #onOpen(): void {
    void vscode.commands.executeCommand('setContext', 'sextant.isListOpen', this.#open.size > 0);
  }

  /** Opens the active result of the list to the side. */
  acceptBeside(): void {
    for (const session of this.#open) session.accept(vscode.ViewColumn.Beside);
  }

  dispose(): void {
    for (const session of this.#open) session.dispose();
  }
}

class SearchSession implements vscode.Disposable {
  readonly #dependencies: SearchDependencies;
  readonly #mode: SearchMode;
  /** Shows the list again with its results in the order of the model. */
  readonly #reopen: (query: string) => void;
  readonly #folders: Folders;
  readonly #pick = vscode.window.createQuickPick<SearchRow>();
  readonly #preview = new EditorPreview();
  readonly #disposables = new DisposableStore();
  #timer: NodeJS.Timeout | undefined;
  #running: AbortController | undefined;
  /** Time of the last search. */
  #searchedAt = -Infinity;
  #hasResults = false;
  /** Whether the user moved through the list; and the item that became active because the list changed. */
  #moved = false;
  #passive: SearchRow | undefined;

  constructor(dependencies: SearchDependencies, mode: SearchMode, onHide: () => void, reopen: (query: string) => void) {
    this.#dependencies = dependencies;
    this.#reopen = reopen;
    this.#mode = mode;
    this.#folders = dependencies.folders;
    const { folders } = dependencies;
    const pick = this.#pick;
    pick.placeholder = mode.placeholder;
    const tooltip = vscode.l10n.t('Show in the Search View');
    pick.buttons = [RERANK, { iconPath: new vscode.ThemeIcon('layout-sidebar-left'), tooltip }];
    // The order is the ranking's. `sortByLabel` is not in the typings yet but works in every version we support;
    // without it the editor would sort items whose label contains the query before better ones.
    (pick as { sortByLabel?: boolean }).sortByLabel = false;
    this.#disposables.add(pick.onDidChangeValue((value) => this.#onType(value)));
    this.#disposables.add(pick.onDidChangeActive(([item]) => this.#onActive(item)));
    this.#disposables.add(pick.onDidAccept(() => this.accept(vscode.ViewColumn.Active)));
    this.#disposables.add(
      pick.onDidTriggerItemButton(({ item, button }) => {
        if (button.tooltip === WHY) this.#explain(item);
        else if (button.tooltip === FORGET) void this.#forget(item);
        else this.#openResult(item, vscode.ViewColumn.Beside);
      }),
    );
    this.#disposables.add(
      pick.onDidTriggerButton((button) => void (button === RERANK ? this.#rerank() : this.#keep())),
    );
    this.#disposables.add(folders.onDidChange(() => this.#onIndexChange()));
    this.#disposables.add(
      pick.onDidHide(() => {
        onHide();
        this.dispose();
      }),
    );
    this.#updateTitle();
  }

  async show(query: string, isReranked: boolean): Promise<void> {
    this.#pick.value = query;
    this.#pick.show();
    if (!isReranked) {
      this.#schedule(query, 0);
      return;
    }
    await this.#run(query);
    await this.#rerank();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#preview.dispose();
    this.#disposables.dispose();
    this.#pick.dispose();
  }

  /** Searches again after a change of the index. */
  #onIndexChange(): void {
    this.#updateTitle();
    const isDue = !isPartial(this.#folders.statuses()) || performance.now() - this.#searchedAt > REFRESH_MS;
    if (isDue && this.#pick.value.trim() !== '') this.#schedule(this.#pick.value, 0);
  }

  #updateTitle(): void {
    const statuses = this.#folders.statuses();
    const state = indexLine(statuses).text;
    const partial = isPartial(statuses) ? ` – ${vscode.l10n.t('results are partial')}` : '';
    this.#pick.title = `${this.#mode.title} (${state}${partial})`;
  }

  #onType(value: string): void {
    this.#moved = false;
    this.#schedule(value, TYPING_PAUSE_MS);
  }

  #schedule(value: string, delay: number): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#timer = setTimeout(() => void this.#run(value), delay);
  }

  async #run(typed: string, readAll = false): Promise<void> {
    const trimmed = typed.trim();
    if (trimmed === '') {
      this.#pick.busy = false;
      this.#hasResults = false;
      this.#show(this.#dependencies.recent.all.map(recentRow));
      return;
    }
    const query = this.#mode.toQuery?.(trimmed) ?? trimmed;
    const running = new AbortController();
    this.#running = running;
    this.#searchedAt = performance.now();
    this.#pick.busy = true;
    try {
      const { except } = this.#mode;
      const request = { query, limit: maxResults(), readAll, ...(except && { except }) };
      const [{ results, problems, leftOut, isUnfinished }, completions] = await Promise.all([
        this.#dependencies.search(request, running.signal),
        this.#dependencies.complete(typed),
      ]);
      if (running.signal.aborted) return;
      this.#hasResults = results.length > 0;
      // A filter that is still being typed is not reported yet.
      const shown = completions.length > 0 ? problems.filter(({ end }) => end < trimmed.length) : problems;
      const isTyping = shown.length < problems.length;
      const items = results.length > 0 ? results.map((result) => this.#toItem(result)) : [this.#nothingFound(trimmed)];
      const above = [...completions.map(completionRow), ...queryProblemRows(query, shown, query === trimmed)];
      const below = [...(isUnfinished ? [readAllRow()] : []), ...staleFileRows(leftOut)];
      this.#show([...above, ...items, ...below], isTyping);
    } catch (error) {
      if (isCancelled(error)) return;
      this.#show([noticeRow(vscode.l10n.t('The search failed'), describeError(error))]);
    }
    if (this.#running === running) this.#pick.busy = false;
  }

  /** Shows rows; the first result becomes active, or the first row. */
  #show(items: SearchRow[], preferFirst = false): void {
    // Setting the same list again would lose keys that are pressed meanwhile.
    const shown = this.#pick.items;
    if (items.length > 0 && items.length === shown.length && items.every((item, i) => sameRow(item, shown[i]!))) return;
    // Keep the place that the user moved to.
    const [chosen] = this.#moved ? this.#pick.activeItems : [];
    const same = chosen && items.find((item) => samePlace(item, chosen));
    const active = same ?? (preferFirst ? undefined : items.find(({ result }) => result)) ?? items[0];
    this.#passive = active;
    this.#pick.items = items;
    if (active && (same || active !== items[0])) this.#pick.activeItems = [active];
  }

  #nothingFound(query: string): SearchRow {
    const statuses = this.#folders.statuses();
    if (statuses.length === 0) {
      return noticeRow(vscode.l10n.t('No folder is open'), vscode.l10n.t('Open a folder to search in it.'));
    }
    const failed = statuses.find(({ state }) => stateOfIndex(state).kind === 'failed');
    const advice = failed
      ? vscode.l10n.t('{0}. Run “Show Index Status” to see what to do.', describeFolder(failed))
      : isPartial(statuses)
        ? vscode.l10n.t('The index is not complete yet.')
        : vscode.l10n.t('Try fewer or other words. To see why a file is missing, right-click it.');
    return noticeRow(vscode.l10n.t('No results for “{0}”', literal(query)), advice);
  }

  #toItem(result: SearchResult): SearchRow {
    const { symbol, path, line, text } = result;
    const several = this.#folders.all.length > 1;
    const shownPath = several ? `${folderName(result.root)}/${path}` : path;
    return {
      result,
      label: literal(symbol ? symbol.name : basename(path)),
      description: literal(`${shownPath}:${line}`),
      detail: literal(text),
      iconPath: symbol ? new vscode.ThemeIcon(SYMBOL_ICONS[symbol.kind]) : vscode.ThemeIcon.File,
      // The editor's own filter hides rows without the typed letters in this order.
      alwaysShow: true,
      buttons: [
        { iconPath: new vscode.ThemeIcon('question'), tooltip: WHY },
        { iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: vscode.l10n.t('Open to the Side') },
      ],
    };
  }

  #onActive(item: SearchRow | undefined): void {
    if (!item?.result || item === this.#passive) return;
    this.#passive = undefined;
    this.#moved = true;
    this.#preview.show(this.#uriOf(item.result), item.result);
  }

  accept(column: vscode.ViewColumn): void {
    const [item] = this.#pick.activeItems;
    if (item?.fill !== undefined) {
      this.#pick.value = item.fill;
      this.#moved = false;
      this.#schedule(item.fill, 0);
    } else if (item?.readAll) void this.#run(this.#pick.value, true);
    else if (item?.result) this.#openResult(item, column);
  }

  async #keep(): Promise<void> {
    const query = this.#pick.value.trim();
    if (query === '' || !this.#hasResults) return;
    this.#remember();
    this.#pick.hide();
    const { toQuery, except } = this.#mode;
    await this.#dependencies.keep({ query: toQuery?.(query) ?? query, ...(except && { except }) });
  }

  /** Puts the results in the order of a model. Its selection hides the list, which is then shown again. */
  async #rerank(): Promise<void> {
    const query = this.#pick.value.trim();
    const rows = this.#pick.items.filter(({ result }) => result);
    if (rows.length === 0) return;
    if (askSettings().rerank === '') {
      this.#pick.hide();
      await vscode.commands.executeCommand('sextant.chooseReranker');
      if (askSettings().rerank !== '') this.#reopen(query);
      return;
    }
    const running = new AbortController();
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = running;
    this.#pick.busy = true;
    try {
      const results = rows.map(({ result }) => result!);
      const reranked = await this.#dependencies.rerank(query, results, running.signal);
      if (!reranked || running.signal.aborted) return;
      const rowOf = (result: SearchResult): SearchRow => rows.find((row) => row.result === result)!;
      this.#moved = false;
      this.#show([noticeRow(reranked.outcome, reranked.sent), ...reranked.results.map(rowOf)]);
    } catch (error) {
      if (!isCancelled(error))
        this.#show([noticeRow(vscode.l10n.t('Reranking failed'), describeError(error)), ...rows]);
    } finally {
      if (this.#running === running) this.#pick.busy = false;
    }
  }

  async #forget({ fill }: SearchRow): Promise<void> {
    if (fill === undefined) return;
    await this.#dependencies.recent.remove(fill);
    if (this.#pick.value.trim() === '') await this.#run('');
  }

  /** Keeps the typed query: Enter may come before the results for its last letters. */
  #remember(): void {
    void this.#dependencies.recent.add(this.#pick.value);
  }

  #openResult({ result }: SearchRow, column: vscode.ViewColumn): void {
    if (!result) return;
    this.#remember();
    this.#preview.open(this.#uriOf(result), result, column);
    this.#pick.hide();
  }

  #explain({ result }: SearchRow): void {
    if (!result) return;
    const argument = { file: this.#uriOf(result), query: this.#pick.value.trim() };
    this.#pick.hide();
    void vscode.commands.executeCommand('sextant.whyFile', argument);
  }

  #uriOf({ root, path }: SearchResult): vscode.Uri {
    return vscode.Uri.joinPath(this.#folders.uriOf(root), path);
  }
}
