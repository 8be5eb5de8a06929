import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { formatBytes, formatCount } from '../base/format.ts';
import type { WorkspaceClient } from '../workspace/client.ts';
import type { Skip, SkipReason } from '../workspace/skip.ts';
import type { FolderStatus } from '../workspace/status.ts';
import type { Folders } from './folders.ts';
import { describeSkip, describeState } from './statusText.ts';

type Node =
  | { readonly kind: 'folder'; readonly root: string }
  | { readonly kind: 'fact'; readonly label: string; readonly description: string; readonly icon: string }
  | { readonly kind: 'reason'; readonly root: string; readonly reason: SkipReason; readonly count: number }
  | { readonly kind: 'file'; readonly root: string; readonly path: string; readonly detail: string }
  | { readonly kind: 'more'; readonly count: number };

/** A tree with more rows than this under one reason helps nobody. */
const MAX_FILES = 500;

/** The view that says what is indexed and what is not, and why. */
export class IndexView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #folders: Folders;
  readonly #client: WorkspaceClient;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #disposables = new DisposableStore();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(folders: Folders, client: WorkspaceClient) {
    this.#folders = folders;
    this.#client = client;
    this.#disposables.add(this.#changed);
    this.#disposables.add(folders.onDidChange(() => this.#changed.fire(undefined)));
    this.#disposables.add(vscode.window.createTreeView('sextant.index', { treeDataProvider: this }));
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case 'folder':
        return folderItem(this.#statusOf(node.root));
      case 'fact':
        return item(node.label, node.description, node.icon);
      case 'reason': {
        const collapsed = vscode.TreeItemCollapsibleState.Collapsed;
        return item(describeSkip(node.reason), formatCount(node.count), 'circle-slash', collapsed);
      }
      case 'file': {
        const uri = vscode.Uri.joinPath(this.#folders.uriOf(node.root), node.path);
        const folder = dirname(node.path);
        const file = item(basename(node.path), folder === '.' ? '' : folder);
        file.resourceUri = uri;
        file.iconPath = vscode.ThemeIcon.File;
        file.tooltip = node.detail === '' ? node.path : `${node.path}\n${node.detail}`;
        file.command = { command: 'vscode.open', title: vscode.l10n.t('Open'), arguments: [uri] };
        return file;
      }
      case 'more':
        return item(vscode.l10n.t('{0} more', formatCount(node.count)));
    }
  }

  async getChildren(node?: Node): Promise<Node[]> {
    const statuses = this.#folders.statuses();
    if (!node) return statuses.map(({ root }) => ({ kind: 'folder', root }));
    if (node.kind === 'folder') return folderFacts(this.#statusOf(node.root));
    if (node.kind !== 'reason') return [];
    const skipped = await this.#client.skipped(node.root);
    const files = [...skipped].filter(([, skip]) => skip.reason === node.reason).sort(([a], [b]) => (a < b ? -1 : 1));
    const shown = files.slice(0, MAX_FILES).map(([path, skip]) => fileNode(node.root, path, skip));
    return files.length > MAX_FILES ? [...shown, { kind: 'more', count: files.length - MAX_FILES }] : shown;
  }

  #statusOf(root: string): FolderStatus | undefined {
    return this.#folders.statuses().find((status) => status.root === root);
  }
}

function folderItem(status: FolderStatus | undefined): vscode.TreeItem {
  if (!status) return item('');
  const { kind } = status.state;
  const icon = kind === 'failed' ? 'warning' : kind === 'ready' || kind === 'following' ? 'root-folder' : 'sync~spin';
  const folder = item(basename(status.root), describeState(status), icon, vscode.TreeItemCollapsibleState.Expanded);
  folder.tooltip = `${status.root}\n${describeState(status)}`;
  return folder;
}

function folderFacts(status: FolderStatus | undefined): Node[] {
  if (!status) return [];
  const facts: Node[] = [
    { kind: 'fact', label: vscode.l10n.t('Files'), description: formatCount(status.files), icon: 'files' },
  ];
  if (status.indexBytes > 0) {
    const description = formatBytes(status.indexBytes);
    facts.push({ kind: 'fact', label: vscode.l10n.t('Index on disk'), description, icon: 'database' });
  }
  if (status.repaired) {
    const description = vscode.l10n.t('{0} files read again', formatCount(status.repaired.files));
    facts.push({ kind: 'fact', label: vscode.l10n.t('Repaired'), description, icon: 'tools' });
  }
  const reasons = Object.entries(status.skipped) as [SkipReason, number][];
  reasons.sort(([, a], [, b]) => b - a);
  return [...facts, ...reasons.map(([reason, count]): Node => ({ kind: 'reason', root: status.root, reason, count }))];
}

function fileNode(root: string, path: string, skip: Skip): Node {
  return { kind: 'file', root, path, detail: skip.detail ?? '' };
}

function item(
  label: string,
  description = '',
  icon?: string,
  state = vscode.TreeItemCollapsibleState.None,
): vscode.TreeItem {
  const treeItem = new vscode.TreeItem(label, state);
  treeItem.description = description;
  if (icon !== undefined) treeItem.iconPath = new vscode.ThemeIcon(icon);
  return treeItem;
}
