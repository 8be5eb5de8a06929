import * as vscode from 'vscode';
import { describeError } from '../base/errors.ts';
import { WorkspaceClient } from '../workspace/client.ts';
import type { SearchResponse } from '../workspace/searcher.ts';
import type { FolderStatus } from '../workspace/status.ts';
import type { CommandId } from './commandIds.ts';
import { Folders } from './folders.ts';
import { IndexView } from './indexView.ts';
import { SearchPick } from './searchPick.ts';
import { StatusBar } from './statusBar.ts';
import { UnsavedEditors } from './unsavedEditors.ts';

/** What other extensions, and our own tests, get from `vscode.extensions.getExtension('sextant.sextant-code')`. */
export interface SextantApi {
  /** Ranked places in the open folders for words or a symbol; at most `limit` of them, 20 by default. */
  search(query: string, limit?: number): Promise<SearchResponse>;
  /** One status per indexed folder. */
  status(): Promise<readonly FolderStatus[]>;
  /** Resolves when every open folder has been indexed, or has failed to be. */
  indexed(): Promise<void>;
}

const DEFAULT_LIMIT = 20;

/** Builds the parts and connects them; does nothing itself. */
export class App implements SextantApi {
  readonly #folders: Folders;
  readonly #client: WorkspaceClient;
  readonly #log: vscode.LogOutputChannel;
  readonly #searchPick: SearchPick;

  static start(context: vscode.ExtensionContext): App {
    return new App(context);
  }

  private constructor(context: vscode.ExtensionContext) {
    this.#log = vscode.window.createOutputChannel('Sextant', { log: true });
    this.#client = new WorkspaceClient({
      indexThread: new URL('./indexThread.js', import.meta.url),
      searchThread: new URL('./searchThread.js', import.meta.url),
      logger: this.#log,
      onStatus: (status) => this.#folders.onStatus(status),
      onUnwatched: (root) => this.#folders.watch(root),
    });
    this.#folders = new Folders(this.#client, this.#log, context.storageUri, context.globalStorageUri);
    this.#searchPick = new SearchPick((query, limit, signal) => this.search(query, limit, signal), this.#folders);
    context.subscriptions.push(
      this.#log,
      this.#folders,
      this.#searchPick,
      new StatusBar(this.#folders),
      new IndexView(this.#folders, this.#client),
    );
    this.#folders.start();
    context.subscriptions.push(new UnsavedEditors(this.#client, this.#folders));
  }

  async run(command: CommandId, argument: unknown): Promise<void> {
    switch (command) {
      case 'sextant.searchWorkspace':
        this.#searchPick.show(typeof argument === 'string' ? argument : '');
        break;
      case 'sextant.updateIndex':
        await this.#forEachFolder(vscode.l10n.t('Looking for changed files'), (root) => this.#client.reconcile(root));
        break;
      case 'sextant.rebuildIndex':
        await this.#forEachFolder(vscode.l10n.t('Removing the index'), (root) => this.#client.rebuild(root));
        break;
      case 'sextant.pauseIndexing':
        await this.#client.pause();
        break;
      case 'sextant.resumeIndexing':
        await this.#client.resume();
        break;
      case 'sextant.showLog':
        this.#log.show();
        break;
    }
  }

  search(query: string, limit = DEFAULT_LIMIT, signal?: AbortSignal): Promise<SearchResponse> {
    return this.#client.search({ folders: this.#folders.all, query, limit }, signal);
  }

  status(): Promise<readonly FolderStatus[]> {
    return Promise.resolve(this.#folders.statuses());
  }

  indexed(): Promise<void> {
    return this.#folders.indexed();
  }

  stop(): Promise<void> {
    return this.#client.dispose();
  }

  async #forEachFolder(title: string, work: (root: string) => Promise<void>): Promise<void> {
    const location = vscode.ProgressLocation.Window;
    await vscode.window.withProgress({ location, title }, async () => {
      for (const { root } of this.#folders.all) {
        try {
          await work(root);
        } catch (error) {
          const showLog = vscode.l10n.t('Show Log');
          const chosen = await vscode.window.showErrorMessage(`${root}: ${describeError(error)}`, showLog);
          if (chosen === showLog) this.#log.show();
        }
      }
    });
  }
}
