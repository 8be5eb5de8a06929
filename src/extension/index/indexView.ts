import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { WorkspaceClient } from '../../workspace/client.ts';
import type { IndexContents } from '../../workspace/folderReport.ts';
import type { Skip, SkipReason } from '../../workspace/skip.ts';
import { stateOfIndex, type FolderStatus } from '../../workspace/status.ts';
import type { Folders } from './folders.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import { describeSkip } from './statusText.ts';
import { fileItem, folderItem, folderRows, moreRow, reasonItem, type IndexRow } from './statusTree.ts';

/** Most rows below one reason; a document shows all. */
const MAX_FILES = 500;
/** Interval of updates while indexing. */
const REFRESH_MS = 1_000;

/**
 * The view of indexed and skipped files, with reasons. It is a tree rather than a page: data to unfold, with the editor's own
 * keys, themes and screen-reader support, beside the code.
 */
export class IndexView implements vscode.TreeDataProvider<IndexRow>, vscode.Disposable {
  readonly #folders: Folders;
  readonly #client: WorkspaceClient;
  readonly #texts: ReadOnlyDocuments;
  readonly #log: Logger;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #disposables = new DisposableStore();
  readonly #contents = new Map<string, IndexContents>();
  #states = '';
  #timer: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(folders: Folders, client: WorkspaceClient, texts: ReadOnlyDocuments, log: Logger) {
    this.#folders = folders;
    this.#client = client;
    this.#texts = texts;
    this.#log = log;
    this.#disposables.add(this.#changed);
    this.#disposables.add(folders.onDidChange(() => this.#refresh()));
    this.#disposables.add(
      vscode.commands.registerCommand('sextant.openLeftOut', (uri: vscode.Uri) => openOrReveal(uri)),
    );
    this.#disposables.add(vscode.window.createTreeView('sextant.index', { treeDataProvider: this }));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }

  getTreeItem(row: IndexRow): vscode.TreeItem {
    switch (row.kind) {
      case 'folder': {
        const status = this.#statusOf(row.root);
        const item = status ? folderItem({ status, ...this.#factsOf(row.root) }) : new vscode.TreeItem('');
        item.id = row.root;
        return item;
      }
      case 'fact':
      case 'group':
        row.item.id = row.id;
        return row.item;
      case 'reason':
        return reasonItem(row);
      case 'file':
        return fileItem(vscode.Uri.joinPath(this.#folders.uriOf(row.root), row.path), row);
    }
  }

  async getChildren(row?: IndexRow): Promise<IndexRow[]> {
    if (!row) return this.#folders.statuses().map(({ root }) => ({ kind: 'folder', root }));
    switch (row.kind) {
      case 'folder': {
        await this.#readContents(row.root);
        const status = this.#statusOf(row.root);
        return status ? folderRows({ status, ...this.#factsOf(row.root) }) : [];
      }
      case 'group':
        return [...row.rows];
      case 'reason': {
        const files = await this.#leftOut(row.root, row.reason);
        const rows = files
          .slice(0, MAX_FILES)
          .map(([path, skip]): IndexRow => ({ kind: 'file', root: row.root, path, skip }));
        if (files.length > MAX_FILES) rows.push(moreRow(row.root, row.reason, files.length - MAX_FILES));
        return rows;
      }
      case 'fact':
      case 'file':
        return [];
    }
  }

  /** Shows a change of state at once, progress at intervals. */
  #refresh(): void {
    const states = this.#folders
      .statuses()
      .map(({ root, state }) => `${root} ${state.kind} ${stateOfIndex(state).kind}`)
      .join('\n');
    const isProgress = states === this.#states;
    this.#states = states;
    if (!isProgress) clearTimeout(this.#timer);
    else if (this.#timer) return;
    const show = (): void => {
      this.#timer = undefined;
      this.#changed.fire(undefined);
    };
    if (isProgress) this.#timer = setTimeout(show, REFRESH_MS);
    else show();
  }

  /** Reads the contents; without them the view shows the folder's status only. */
  async #readContents(root: string): Promise<void> {
    const folder = this.#folders.all.find((one) => one.root === root);
    if (!folder) return;
    try {
      this.#contents.set(
        root,
        await this.#client.searching.call('contents', { root, stateFolder: folder.stateFolder }),
      );
    } catch (error) {
      this.#contents.delete(root);
      this.#log.warn(`${root}: cannot read the contents of its index: ${describeError(error)}`);
    }
  }

  #factsOf(root: string): {
    readonly pace: ReturnType<Folders['paceOf']>;
    readonly contents: IndexContents | undefined;
  } {
    return { pace: this.#folders.paceOf(root), contents: this.#contents.get(root) };
  }

  #statusOf(root: string): FolderStatus | undefined {
    return this.#folders.statuses().find((status) => status.root === root);
  }

  /** Paths that are left out for a reason. */
  async #leftOut(root: string, reason: SkipReason): Promise<[string, Skip][]> {
    const skipped = await (await this.#client.indexing()).call('skipped', { root });
    return [...skipped].filter(([, skip]) => skip.reason === reason).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Opens all paths that are left out for a row's reason in an editor. */
  async openList(row: IndexRow): Promise<void> {
    if (row.kind !== 'reason') return;
    const files = await this.#leftOut(row.root, row.reason);
    const lines = files.map(([path, { detail }]) => (detail === undefined ? path : `${path}\t${detail}`));
    await this.#texts.open(`${describeSkip(row.reason)} – Sextant`, `${lines.join('\n')}\n`);
  }
}

/** Opens a file in an editor, or reveals a folder in the explorer. */
async function openOrReveal(uri: vscode.Uri): Promise<void> {
  const { type } = await vscode.workspace.fs.stat(uri);
  const isFolder = (type & vscode.FileType.Directory) !== 0;
  await vscode.commands.executeCommand(isFolder ? 'revealInExplorer' : 'vscode.open', uri);
}

/** Copies the path of a row's file, relative to its folder. */
export async function copyPath(row: IndexRow): Promise<void> {
  if (row.kind === 'file') await vscode.env.clipboard.writeText(row.path);
}
