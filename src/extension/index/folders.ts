import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { WorkspaceClient } from '../../workspace/client.ts';
import type { FolderOptions } from '../../workspace/folderOptions.ts';
import { PaceMeter, type IndexingPace } from '../../workspace/pace.ts';
import { indexProblemOf, sentencesOf } from '../../workspace/problems.ts';
import type { SearchFolder } from '../../workspace/searcher.ts';
import type { FolderState, FolderStatus } from '../../workspace/status.ts';
import { indexOptions } from '../settings.ts';
import { folderName } from './folderName.ts';
import { pathIn } from './pathIn.ts';

/** The indexed workspace folders and their states. Follows the workspace and the settings. */
export class Folders implements vscode.Disposable {
  readonly #client: WorkspaceClient;
  readonly #log: Logger;
  readonly #storage: vscode.Uri | undefined;
  readonly #siblings: string;
  readonly #open = new Map<string, OpenFolder>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables = new DisposableStore();
  #isPaused = false;

  /** Fires when a folder is added or removed, or its status changes. */
  readonly onDidChange = this.#changed.event;

  /**
   * `storage` is the editor's folder for data of this workspace; a window without a folder has none. `global` is its folder
   * for data of all workspaces.
   */
  constructor(client: WorkspaceClient, log: Logger, storage: vscode.Uri | undefined, global: vscode.Uri) {
    this.#client = client;
    this.#log = log;
    this.#storage = storage;
    this.#siblings = vscode.Uri.joinPath(global, 'repositories').fsPath;
  }

  start(): void {
    this.#disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#synchronize()));
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        const affects = (section: string): boolean => event.affectsConfiguration(section);
        const sections = [
          'sextant.index',
          'files.exclude',
          'search.exclude',
          'files.encoding',
          'files.autoGuessEncoding',
          'files.associations',
        ];
        if (sections.some(affects)) this.#restart();
      }),
    );
    this.#synchronize();
  }

  /** The searchable folders, with names if there are several. */
  get all(): readonly (FolderOptions & Pick<SearchFolder, 'name'>)[] {
    const all = [...this.#open.values()].filter(({ uri }) => isOnDisk(uri)).map((folder) => folder.options);
    return all.length < 2 ? all : all.map((options) => ({ ...options, name: folderName(options.root) }));
  }

  /** The state of each folder. While the user pauses indexing, a folder that is up to date is paused, too. */
  statuses(): readonly FolderStatus[] {
    return [...this.#open.values()].map(({ status }) =>
      this.#isPaused && status.state.kind === 'ready' ? pausedStatus(status) : status,
    );
  }

  /** Stops all indexing until {@link resume}. */
  async pause(): Promise<void> {
    await this.#setPaused(true);
    await this.#client.pause();
  }

  async resume(): Promise<void> {
    await this.#client.resume();
    await this.#setPaused(false);
  }

  async #setPaused(isPaused: boolean): Promise<void> {
    this.#isPaused = isPaused;
    this.#changed.fire();
    await vscode.commands.executeCommand('setContext', 'sextant.isPaused', isPaused);
  }

  /** IndexingPace of indexing a folder; `undefined` while unknown. */
  paceOf(root: string): IndexingPace | undefined {
    return this.#open.get(root)?.pace;
  }

  /** The innermost indexed folder around a file, and the file's path in it with `/`. */
  folderOf(file: vscode.Uri): { readonly folder: FolderOptions; readonly path: string } | undefined {
    let found: { readonly folder: FolderOptions; readonly path: string } | undefined;
    for (const { uri, options } of this.#open.values()) {
      const path = pathIn(uri, file);
      if (uri.scheme !== file.scheme || uri.authority !== file.authority || path === undefined) continue;
      if (found && found.folder.root.length > options.root.length) continue;
      found = { folder: options, path };
    }
    return found;
  }

  uriOf(root: string): vscode.Uri {
    return this.#open.get(root)?.uri ?? vscode.Uri.file(root);
  }

  onStatus(status: FolderStatus): void {
    const folder = this.#open.get(status.root);
    if (!folder) return;
    if (folder.status.state.kind !== status.state.kind) this.#log.info(`${status.root}: ${describeState(status)}`);
    folder.status = status;
    folder.pace = folder.meter.update(status.state);
    this.#changed.fire();
  }

  /** Watches a folder with the editor's own watcher, which serves the explorer already and has no limit of folders. */
  watch(root: string): void {
    const folder = this.#open.get(root);
    if (!folder || folder.isWatched) return;
    folder.isWatched = true;
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder.uri, '**'));
    const hint = (uri: vscode.Uri): void => {
      const path = pathIn(folder.uri, uri);
      if (path !== undefined) this.#client.hint(root, [path]);
    };
    watcher.onDidCreate(hint);
    watcher.onDidChange(hint);
    watcher.onDidDelete(hint);
    folder.disposables.add(watcher);
  }

  indexed(): Promise<void> {
    const settled = (): boolean =>
      this.statuses().every(
        ({ state }) => state.kind === 'ready' || state.kind === 'failed' || state.kind === 'following',
      );
    return new Promise((resolve) => {
      if (settled()) {
        resolve();
        return;
      }
      const listener = this.onDidChange(() => {
        if (!settled()) return;
        listener.dispose();
        resolve();
      });
    });
  }

  dispose(): void {
    this.#disposables.dispose();
    for (const folder of this.#open.values()) folder.disposables.dispose();
    this.#changed.dispose();
  }

  #synchronize(): void {
    const wanted = new Map((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => [uri.fsPath, uri]));
    for (const root of [...this.#open.keys()]) if (!wanted.has(root)) this.#close(root);
    for (const [root, uri] of wanted) if (!this.#open.has(root)) this.#begin(root, uri);
    this.#changed.fire();
  }

  #begin(root: string, uri: vscode.Uri): void {
    if (!this.#storage) return;
    const name = createHash('sha256').update(uri.toString()).digest('hex').slice(0, 16);
    const options: FolderOptions = {
      root,
      stateFolder: vscode.Uri.joinPath(this.#storage, 'folders', name).fsPath,
      ...indexOptions(uri),
      siblings: this.#siblings,
    };
    const state: FolderState = isOnDisk(uri) ? { kind: 'scanning' } : notOnDisk(uri);
    const status: FolderStatus = { root, state, files: 0, skipped: {}, indexBytes: 0 };
    const meter = new PaceMeter(() => performance.now());
    this.#open.set(root, { uri, options, status, meter, pace: undefined, disposables: new DisposableStore() });
    if (isOnDisk(uri)) this.#client.open(options);
  }

  #close(root: string): void {
    this.#open.get(root)?.disposables.dispose();
    this.#open.delete(root);
    this.#client.close(root).catch((error: unknown) => this.#log.warn(describeError(error)));
  }

  #restart(): void {
    for (const root of [...this.#open.keys()]) this.#close(root);
    this.#synchronize();
  }
}

interface OpenFolder {
  readonly uri: vscode.Uri;
  readonly options: FolderOptions;
  readonly disposables: DisposableStore;
  readonly meter: PaceMeter;
  status: FolderStatus;
  pace: IndexingPace | undefined;
  /** Whether the editor watches it, instead of the indexing process. */
  isWatched?: boolean;
}

function pausedStatus(status: FolderStatus): FolderStatus {
  const { files } = status;
  return { ...status, state: { kind: 'paused', reason: 'user', done: files, total: files } };
}

function isOnDisk({ scheme }: vscode.Uri): boolean {
  return scheme === 'file';
}

/** State of a folder in a virtual file system, which no thread can scan. */
function notOnDisk({ scheme }: vscode.Uri): FolderState {
  const message = vscode.l10n.t(
    'The files are not on a local disk ({0}). Open the folder on the machine that has them.',
    scheme,
  );
  return { kind: 'failed', code: 'NotOnDisk', message };
}

function describeState({ state, files }: FolderStatus): string {
  switch (state.kind) {
    case 'scanning':
      return 'scanning files';
    case 'indexing':
      return `indexing ${state.total} new or changed files`;
    case 'paused':
      return `paused (${state.reason})`;
    case 'ready':
      return `${files} files are indexed`;
    case 'following':
      return `another process updates the index: ${state.owner}`;
    case 'failed':
      return `failed: ${sentencesOf(indexProblemOf(state.code, state.message))} (${state.code})`;
  }
}
