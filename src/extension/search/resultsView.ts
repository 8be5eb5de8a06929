import { basename, posix } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';
import type { FileLines, SearchResponse, SearchResult } from '../../workspace/searcher.ts';
import type { Folders } from '../index/folders.ts';
import type { PlaceOpener } from './placeOpener.ts';
import { asLines, asMarkdown, asSearchEditor, groupByFile, type FileOfResults } from './resultsText.ts';
import { symbolIcon } from './symbolIcon.ts';

/** What was asked, to ask it again. */
export interface KeptSearch {
  readonly query: string;
  /** Lines that are no answer. */
  readonly except?: FileLines;
}

/** What the editor keeps between sessions. */
interface Kept extends KeptSearch {
  readonly version: 1;
  readonly places: readonly KeptPlace[];
}

/** A row: a file, or a place in it. */
export type ResultRow =
  { readonly kind: 'file'; readonly file: FileOfResults } | { readonly kind: 'place'; readonly place: KeptPlace };

/** What the view needs of the rest. */
export interface ResultsParts {
  readonly folders: Folders;
  readonly memento: vscode.Memento;
  readonly places: PlaceOpener;
  search(search: KeptSearch): Promise<SearchResponse>;
  recheck(places: readonly KeptPlace[]): Promise<readonly (KeptPlace | undefined)[]>;
}

const KEY = 'sextant.results';
/** Rows are compared with the files once nobody has typed, saved or indexed for so long. */
const QUIET_MS = 300;

/** "Search Results": what a search found, by file, until it is removed. Rows are where their lines are now. */
export class ResultsView implements vscode.TreeDataProvider<ResultRow>, vscode.Disposable {
  readonly #parts: ResultsParts;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #disposables = new DisposableStore();
  readonly #view: vscode.TreeView<ResultRow>;
  #kept: Kept | undefined;
  #files: readonly FileOfResults[] = [];
  /** What is kept of a place that is shown, which may be elsewhere by now. */
  #origins = new Map<KeptPlace, KeptPlace>();
  #gone = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(parts: ResultsParts) {
    this.#parts = parts;
    this.#kept = readKept(parts.memento.get<unknown>(KEY));
    this.#view = vscode.window.createTreeView('sextant.results', { treeDataProvider: this, showCollapseAll: true });
    const { workspace, commands } = vscode;
    this.#disposables.add(this.#changed);
    this.#disposables.add(this.#view);
    this.#disposables.add(this.#view.onDidChangeVisibility(() => this.#checkSoon()));
    this.#disposables.add(parts.folders.onDidChange(() => this.#checkSoon()));
    this.#disposables.add(workspace.onDidChangeTextDocument(() => this.#checkSoon()));
    this.#disposables.add(commands.registerCommand('sextant.openResult', (place: KeptPlace) => this.#open(place)));
    this.#tellState();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }

  /** Shows what a search finds, in place of what is there. */
  async show(search: KeptSearch): Promise<void> {
    await vscode.commands.executeCommand('sextant.results.focus');
    await this.#search(search);
  }

  /** Searches again for the same. */
  async refresh(): Promise<void> {
    const kept = this.#kept;
    if (!kept) return;
    const { query, except } = kept;
    await this.#search({ query, ...(except && { except }) });
  }

  async #search(search: KeptSearch): Promise<void> {
    await vscode.window.withProgress({ location: { viewId: 'sextant.results' } }, async () => {
      try {
        const { results } = await this.#parts.search(search);
        await this.#set({ version: 1, ...search, places: placesOf(results) });
      } catch (error) {
        void vscode.window.showErrorMessage(describeError(error));
      }
    });
  }

  async remove(row: ResultRow | undefined): Promise<void> {
    if (!row || !this.#kept) return;
    const gone = new Set(placesIn(row).map((place) => this.#origins.get(place)));
    const places = this.#kept.places.filter((place) => !gone.has(place));
    await this.#set({ ...this.#kept, places });
  }

  async clear(): Promise<void> {
    await this.#set(undefined);
  }

  /** A row's places, or all. */
  async copy(row: ResultRow | undefined): Promise<void> {
    await this.#check();
    const shown = row ? placesIn(row) : this.#shown();
    if (shown.length > 0) await vscode.env.clipboard.writeText(asLines(shown));
  }

  /** All of it in a new editor. */
  async export(format: 'markdown' | 'search-result'): Promise<void> {
    await this.#check();
    const query = this.#kept?.query ?? '';
    const shown = this.#shown();
    if (shown.length === 0) return;
    const several = this.#parts.folders.all.length > 1;
    const content = format === 'markdown' ? asMarkdown(query, shown) : asSearchEditor(query, shown, several);
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
    const several = this.#parts.folders.all.length > 1;
    const folder = [...(several ? [basename(root)] : []), ...(path.includes('/') ? [posix.dirname(path)] : [])].join(
      '/',
    );
    item.id = `${root}/${path}`;
    item.description = folder;
    item.tooltip = `${path} (${places.length})`;
    // Without it a screen reader says the tooltip.
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

  /** Shows a place with its span marked, until another is opened. */
  async #open(place: KeptPlace): Promise<void> {
    if (!(await this.#parts.places.open(place))) this.#changed.fire(undefined);
  }

  #uriOf({ root, path }: { readonly root: string; readonly path: string }): vscode.Uri {
    return vscode.Uri.joinPath(this.#parts.folders.uriOf(root), path);
  }

  #shown(): KeptPlace[] {
    return this.#files.flatMap(({ places }) => places);
  }

  #checkSoon(): void {
    clearTimeout(this.#timer);
    if (!this.#kept || !this.#view.visible) return;
    this.#timer = setTimeout(() => this.#changed.fire(undefined), QUIET_MS);
  }

  /** Reads what is shown from the files as they are now. What was found stays kept: an undo brings its line back. */
  async #check(): Promise<void> {
    const places = this.#kept?.places ?? [];
    const now = await this.#parts.recheck(places);
    const there: KeptPlace[] = [];
    this.#origins = new Map();
    for (const [i, place] of now.entries()) {
      if (!place) continue;
      there.push(place);
      this.#origins.set(place, places[i]!);
    }
    this.#gone = now.length - there.length;
    this.#files = groupByFile(there);
    this.#tellState();
  }

  async #set(kept: Kept | undefined): Promise<void> {
    this.#kept = kept && kept.places.length > 0 ? kept : undefined;
    await this.#parts.memento.update(KEY, this.#kept);
    this.#changed.fire(undefined);
    this.#tellState();
  }

  #tellState(): void {
    this.#view.description = this.#kept?.query ?? '';
    const gone = vscode.l10n.t('{0} of the lines are no longer there. Refresh to search again.', this.#gone);
    // Empty is none.
    this.#view.message = this.#kept && this.#gone > 0 ? gone : '';
    void vscode.commands.executeCommand('setContext', 'sextant.hasResults', this.#kept !== undefined);
  }
}

function placesIn(row: ResultRow): readonly KeptPlace[] {
  return row.kind === 'file' ? row.file.places : [row.place];
}

/** The best place of each file, and further ones. */
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

function readKept(value: unknown): Kept | undefined {
  const kept = value as Partial<Kept> | undefined;
  return kept?.version === 1 && Array.isArray(kept.places) && typeof kept.query === 'string'
    ? (kept as Kept)
    : undefined;
}
