import { basename, posix } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';
import type { FileLines, SearchResponse, SearchResult } from '../../workspace/searcher.ts';
import type { Folders } from '../index/folders.ts';
import type { PlaceOpener } from './placeOpener.ts';
import { asLines, resultsAsMarkdown, asSearchEditor, groupByFile, type FileOfResults } from './resultsText.ts';
import { symbolIcon } from './symbolIcon.ts';

/** A search that can be repeated. */
export interface KeptSearch {
  readonly query: string;
  /** Lines to leave out of the results. */
  readonly except?: FileLines;
}

/** The state that the editor stores between sessions. */
interface StoredResults extends KeptSearch {
  readonly version: 1;
  readonly places: readonly KeptPlace[];
}

/** A row: a file, or a place in it. */
export type ResultRow =
  { readonly kind: 'file'; readonly file: FileOfResults } | { readonly kind: 'place'; readonly place: KeptPlace };

/** Dependencies of the view. */
export interface ResultsDependencies {
  readonly folders: Folders;
  readonly memento: vscode.Memento;
  readonly places: PlaceOpener;
  search(search: KeptSearch): Promise<SearchResponse>;
  relocate(places: readonly KeptPlace[]): Promise<readonly (KeptPlace | undefined)[]>;
}

const KEY = 'sextant.results';
/** Pause in typing, saving and indexing after which rows are compared with the files. */
const PAUSE_MS = 300;

/** "Search Results": the places of a search by file, until they are removed. Rows follow their lines. */
export class ResultsView implements vscode.TreeDataProvider<ResultRow>, vscode.Disposable {
  readonly #dependencies: ResultsDependencies;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #disposables = new DisposableStore();
  readonly #view: vscode.TreeView<ResultRow>;
  #kept: StoredResults | undefined;
  #files: readonly FileOfResults[] = [];
  /** The stored place of each shown place, whose line may have moved. */
  #origins = new Map<KeptPlace, KeptPlace>();
  #missing = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(dependencies: ResultsDependencies) {
    this.#dependencies = dependencies;
    this.#kept = readStored(dependencies.memento.get<unknown>(KEY));
    this.#view = vscode.window.createTreeView('sextant.results', { treeDataProvider: this, showCollapseAll: true });
    const { workspace, commands } = vscode;
    this.#disposables.add(this.#changed);
    this.#disposables.add(this.#view);
    this.#disposables.add(this.#view.onDidChangeVisibility(() => this.#checkSoon()));
    this.#disposables.add(dependencies.folders.onDidChange(() => this.#checkSoon()));
    this.#disposables.add(workspace.onDidChangeTextDocument(() => this.#checkSoon()));
    this.#disposables.add(commands.registerCommand('sextant.openResult', (place: KeptPlace) => this.#open(place)));
    this.#showState();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }

  /** Shows the results of a search instead of the present ones. */
  async show(search: KeptSearch): Promise<void> {
    await vscode.commands.executeCommand('sextant.results.focus');
    await this.#search(search);
  }

  /** Repeats the search. */
  async refresh(): Promise<void> {
    const kept = this.#kept;
    if (!kept) return;
    const { query, except } = kept;
    await this.#search({ query, ...(except && { except }) });
  }

  async #search(search: KeptSearch): Promise<void> {
    await vscode.window.withProgress({ location: { viewId: 'sextant.results' } }, async () => {
      try {
        const { results } = await this.#dependencies.search(search);
        await this.#set({ version: 1, ...search, places: placesOf(results) });
      } catch (error) {
        void vscode.window.showErrorMessage(describeError(error));
      }
    });
  }

  async remove(row: ResultRow | undefined): Promise<void> {
    if (!row || !this.#kept) return;
    const removed = new Set(placesIn(row).map((place) => this.#origins.get(place)));
    const places = this.#kept.places.filter((place) => !removed.has(place));
    await this.#set({ ...this.#kept, places });
  }

  async clear(): Promise<void> {
    await this.#set(undefined);
  }

  /** Copies the places of a row, or all. */
  async copy(row: ResultRow | undefined): Promise<void> {
    await this.#check();
    const shown = row ? placesIn(row) : this.#shown();
    if (shown.length > 0) await vscode.env.clipboard.writeText(asLines(shown));
  }

  /** Opens all results in a new editor. */
  async export(format: 'markdown' | 'search-result'): Promise<void> {
    await this.#check();
    const query = this.#kept?.query ?? '';
    const shown = this.#shown();
    if (shown.length === 0) return;
    const several = this.#dependencies.folders.all.length > 1;
    const content = format === 'markdown' ? resultsAsMarkdown(query, shown) : asSearchEditor(query, shown, several);
    const document = await vscode.workspace.openTextDocument({ language: format, content });
    await vscode.window.showTextDocument(document, { preview: false });
  }

  async getChildren(row?: ResultRow): Promise<ResultRow[]> {
    if (row) return row.kind === 'file' ? row.file.places.map((place) => ({ kind: 'place', place })) : [];
    await this.#check();
    return this.#files.map((file) => ({ kind: 'file', file }));
  }

  getTreeItem(row: ResultRow): vscode.TreeItem {
    return row.kind === 'file' ? this.#fileItem(row.file) : this.#placeItem(row.place);
  }

  #fileItem({ root, path, places }: FileOfResults): vscode.TreeItem {
    const item = new vscode.TreeItem(this.#uriOf({ root, path }), vscode.TreeItemCollapsibleState.Expanded);
    const several = this.#dependencies.folders.all.length > 1;
    const folder = [...(several ? [basename(root)] : []), ...(path.includes('/') ? [posix.dirname(path)] : [])].join(
      '/',
    );
    item.id = `${root}/${path}`;
    item.description = folder;
    item.tooltip = `${path} (${places.length})`;
    // Without it a screen reader reads the tooltip.
    item.accessibilityInformation = { label: `${posix.basename(path)}, ${folder}, ${places.length}` };
    item.contextValue = 'file';
    return item;
  }

  #placeItem(place: KeptPlace): vscode.TreeItem {
    const { root, path, line, text, ranges, symbol } = place;
    const highlights = ranges.map(({ start, end }): [number, number] => [start, end]);
    const item = new vscode.TreeItem({ label: text === '' ? vscode.l10n.t('Line {0}', line) : text, highlights });
    item.id = `${root}/${path}:${line}`;
    item.description = `${line}`;
    item.tooltip = `${path}:${line}`;
    item.iconPath = symbol ? symbolIcon(symbol.kind) : new vscode.ThemeIcon('list-selection');
    item.contextValue = 'place';
    item.command = { command: 'sextant.openResult', title: vscode.l10n.t('Open'), arguments: [place] };
    const named = symbol ? `, ${symbol.name}` : '';
    item.accessibilityInformation = { label: vscode.l10n.t('line {0}: {1}', line, `${text}${named}`) };
    return item;
  }

  /** Opens a place with its span marked, until the next one is opened. */
  async #open(place: KeptPlace): Promise<void> {
    if (!(await this.#dependencies.places.open(place))) this.#changed.fire(undefined);
  }

  #uriOf({ root, path }: { readonly root: string; readonly path: string }): vscode.Uri {
    return vscode.Uri.joinPath(this.#dependencies.folders.uriOf(root), path);
  }

  #shown(): KeptPlace[] {
    return this.#files.flatMap(({ places }) => places);
  }

  #checkSoon(): void {
    clearTimeout(this.#timer);
    if (!this.#kept || !this.#view.visible) return;
    this.#timer = setTimeout(() => this.#changed.fire(undefined), PAUSE_MS);
  }

  /** Reads the shown places from the files as they are now. Stored places stay, since an undo restores their lines. */
  async #check(): Promise<void> {
    const places = this.#kept?.places ?? [];
    const now = await this.#dependencies.relocate(places);
    const present: KeptPlace[] = [];
    this.#origins = new Map();
    for (const [i, place] of now.entries()) {
      if (!place) continue;
      present.push(place);
      this.#origins.set(place, places[i]!);
    }
    this.#missing = now.length - present.length;
    this.#files = groupByFile(present);
    this.#showState();
  }

  async #set(kept: StoredResults | undefined): Promise<void> {
    this.#kept = kept && kept.places.length > 0 ? kept : undefined;
    await this.#dependencies.memento.update(KEY, this.#kept);
    this.#changed.fire(undefined);
    this.#showState();
  }

  #showState(): void {
    this.#view.description = this.#kept?.query ?? '';
    const message = vscode.l10n.t('{0} lines are missing. Refresh to search again.', this.#missing);
    // An empty message shows none.
    this.#view.message = this.#kept && this.#missing > 0 ? message : '';
    void vscode.commands.executeCommand('setContext', 'sextant.hasResults', this.#kept !== undefined);
  }
}

function placesIn(row: ResultRow): readonly KeptPlace[] {
  return row.kind === 'file' ? row.file.places : [row.place];
}

/** The places of each file, best first. */
function placesOf(results: readonly SearchResult[]): KeptPlace[] {
  return results.flatMap(({ root, path, more, ...best }) =>
    [best, ...more].map(({ startLine, endLine, symbol, line = startLine, text = '', ranges = [] }) => ({
      root,
      path,
      startLine,
      endLine,
      line,
      text,
      ranges,
      ...(symbol && { symbol }),
    })),
  );
}

function readStored(value: unknown): StoredResults | undefined {
  const kept = value as Partial<StoredResults> | undefined;
  return kept?.version === 1 && Array.isArray(kept.places) && typeof kept.query === 'string'
    ? (kept as StoredResults)
    : undefined;
}
