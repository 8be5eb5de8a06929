import * as vscode from 'vscode';
import { describeError } from '../base/errors.ts';
import { once } from '../base/once.ts';
import { RecentLog } from '../base/recentLog.ts';
import { WorkspaceClient } from '../workspace/client.ts';
import type { IndexableFile } from '../workspace/readIndexable.ts';
import type { SearchRequest, SearchResponse } from '../workspace/searcher.ts';
import type { LocalServerState } from '../server/localServer.ts';
import type { FolderStatus } from '../workspace/status.ts';
import type { AnswerPanel } from './ask/answerPanel.ts';
import type { Asking } from './ask/askService.ts';
import type { Chat } from './ask/chat.ts';
import { accountChoice } from './analytics/accountChoice.ts';
import type { AnalyticsActions, AnalyticsState } from './analytics/analyticsActions.ts';
import type { DashboardPanel, DashboardTarget } from './dashboard/dashboardPanel.ts';
import type { CommandId } from './commandIds.ts';
import { Folders } from './index/folders.ts';
import { IndexView, copyPath } from './index/indexView.ts';
import { McpServers } from './ask/mcpServers.ts';
import { PlaceOpener } from './search/placeOpener.ts';
import { ReadOnlyDocuments } from './readOnlyDocuments.ts';
import { RecentQueries } from './search/recentQueries.ts';
import { ResultsView, type ResultRow } from './search/resultsView.ts';
import { SEARCH_SYMBOL, SEARCH_WORKSPACE, SearchPick } from './search/searchPick.ts';
import { selectionQuery } from './search/selectionQuery.ts';
import { maxResults } from './settings.ts';
import { ServerActions } from './server/serverActions.ts';
import { Tools } from './ask/tools.ts';
import { StatusBar } from './index/statusBar.ts';
import type { Row } from './index/statusTree.ts';
import type { WhyPick } from './index/whyPick.ts';
import type { WebhookActions } from './webhooks/webhookActions.ts';
import { UnsavedEditors } from './index/unsavedEditors.ts';

/** What other extensions, and our own tests, get from `vscode.extensions.getExtension('sextant.sextant-code')`. */
export interface SextantApi {
  /** Ranked places in the open folders for words or a symbol; at most `limit` of them, 20 by default. */
  search(query: string, limit?: number): Promise<SearchResponse>;
  /** One status per indexed folder. */
  status(): Promise<readonly FolderStatus[]>;
  /** Resolves when every open folder has been indexed, or has failed to be. */
  indexed(): Promise<void>;
  /** What the local server of this window is doing. */
  localServer(): Promise<LocalServerState>;
  /** Which account's usage and cost is shown, and how far that is. */
  analytics(): Promise<AnalyticsState>;
}

const DEFAULT_LIMIT = 20;

/**
 * Builds the parts and connects them; does nothing itself. Those that a window may do without are functions: they are loaded
 * when they are first called.
 */
export class App implements SextantApi {
  readonly chat: () => Promise<Chat>;
  readonly tools: Tools;
  readonly mcpServers: McpServers;
  readonly #folders: Folders;
  readonly #client: WorkspaceClient;
  readonly #log: vscode.LogOutputChannel;
  readonly #recent: RecentLog;
  readonly #searchPick: SearchPick;
  readonly #results: ResultsView;
  readonly #whyPick: () => Promise<WhyPick>;
  readonly #texts: ReadOnlyDocuments;
  readonly #indexView: IndexView;
  readonly #server: ServerActions;
  readonly #webhooks: () => Promise<WebhookActions>;
  readonly #analytics: () => Promise<AnalyticsActions>;
  readonly #extension: vscode.Extension<unknown>;
  readonly #asking: () => Promise<Asking>;
  /** The view of answers. */
  readonly answers: () => Promise<AnswerPanel>;
  readonly #places: PlaceOpener;
  readonly dashboard: () => Promise<DashboardPanel>;

  static start(context: vscode.ExtensionContext): App {
    return new App(context);
  }

  private constructor(context: vscode.ExtensionContext) {
    const { workspaceState, globalState, extensionUri, secrets, subscriptions } = context;
    this.#extension = context.extension;
    this.#log = vscode.window.createOutputChannel('Sextant', { log: true });
    this.#recent = new RecentLog(this.#log, () => new Date());
    this.#client = new WorkspaceClient({
      indexThread: new URL('./indexThread.js', import.meta.url),
      searchThread: new URL('./searchThread.js', import.meta.url),
      logger: this.#recent,
      onStatus: (status) => this.#folders.onStatus(status),
      onUnwatched: (root) => this.#folders.watch(root),
    });
    this.#folders = new Folders(this.#client, this.#recent, context.storageUri, context.globalStorageUri);
    this.#places = new PlaceOpener(this.#folders, (all) => this.#client.recheck(all));
    this.#results = new ResultsView({
      folders: this.#folders,
      memento: workspaceState,
      places: this.#places,
      search: (search) => this.#search({ ...search, limit: maxResults(), excerpts: true }),
      recheck: (places) => this.#client.recheck(places),
    });
    this.#searchPick = new SearchPick({
      folders: this.#folders,
      recent: new RecentQueries(workspaceState),
      search: (query, limit, signal, except) => this.#search({ query, limit, ...(except && { except }) }, signal),
      complete: (query) => this.#client.complete({ folders: this.#folders.all, query }),
      keep: (search) => this.#results.show(search),
    });
    const sources = {
      search: async (query: string, limit: number, signal: AbortSignal) =>
        (await this.#search({ query, limit, excerpts: true }, signal)).results,
      read: async (root: string, path: string) => {
        const file = await this.#read(root, path);
        return 'text' in file ? file.text : undefined;
      },
    };
    this.#asking = once(async () => {
      const { Asking } = await import('./ask/askService.ts');
      return new Asking(sources, secrets);
    });
    this.chat = once(async () => {
      const { Chat } = await import('./ask/chat.ts');
      return new Chat(await this.#asking(), this.#folders);
    });
    /** Ends with the window. */
    const part = <T extends vscode.Disposable>(load: () => Promise<T>): (() => Promise<T>) =>
      once(async () => {
        const loaded = await load();
        subscriptions.push(loaded);
        return loaded;
      });
    this.answers = part(async () => {
      const { AnswerPanel } = await import('./ask/answerPanel.ts');
      return new AnswerPanel({
        asking: await this.#asking(),
        folders: this.#folders,
        places: this.#places,
        memento: workspaceState,
        extensionUri,
        log: this.#recent,
      });
    });
    this.tools = new Tools({
      folders: this.#folders,
      search: (request, signal) => this.#search(request, signal),
      read: (root, path) => this.#read(root, path),
    });
    this.#whyPick = part(async () => {
      const { WhyPick } = await import('./index/whyPick.ts');
      return new WhyPick(this.#folders, this.#client);
    });
    this.#texts = new ReadOnlyDocuments();
    this.#indexView = new IndexView(this.#folders, this.#client, this.#texts, this.#recent);
    const { version } = context.extension.packageJSON as { readonly version: string };
    this.mcpServers = new McpServers(this.#folders, new URL('./mcpServer.js', import.meta.url), version);
    this.#server = new ServerActions(new URL('./serverThread.js', import.meta.url), this.#recent, version);
    this.#webhooks = part(async () => {
      const { WebhookActions } = await import('./webhooks/webhookActions.ts');
      return new WebhookActions(this.#server, this.#texts, workspaceState, this.#recent);
    });
    // Without rows the editor shows the way to connect, as it does without an account.
    const noUsage = vscode.window.registerTreeDataProvider<never>('sextant.usage', {
      getChildren: () => [],
      getTreeItem: (row) => row,
    });
    this.#analytics = part(async () => {
      const { AnalyticsActions } = await import('./analytics/analyticsActions.ts');
      noUsage.dispose();
      return new AnalyticsActions(context, this.#server, this.#texts, this.#recent);
    });
    this.dashboard = part(async () => {
      const { DashboardPanel } = await import('./dashboard/dashboardPanel.ts');
      const analytics = await this.#analytics();
      return DashboardPanel.create({
        source: () => analytics.source,
        onDidChangeSource: analytics.onDidChangeSource,
        context,
        log: this.#recent,
      });
    });
    const showAccount = (): void => {
      if (accountChoice(globalState)) void this.#analytics();
    };
    subscriptions.push(
      this.#log,
      this.#folders,
      this.#searchPick,
      this.#results,
      this.#places,
      this.#texts,
      this.#indexView,
      this.mcpServers,
      this.#server,
      noUsage,
      new StatusBar(this.#folders),
      // Its view is there while a server is.
      this.#server.onDidChangeState(({ kind }) => void (kind !== 'stopped' && this.#webhooks())),
      // Another window connected.
      secrets.onDidChange(showAccount),
    );
    showAccount();
    this.#folders.start();
    subscriptions.push(new UnsavedEditors(this.#client, this.#folders));
  }

  async run(command: CommandId, argument: unknown): Promise<void> {
    switch (command) {
      case 'sextant.searchWorkspace':
        this.#searchPick.show(typeof argument === 'string' ? argument : '');
        break;
      case 'sextant.searchSymbol':
        this.#searchPick.show(typeof argument === 'string' ? argument : '', SEARCH_SYMBOL);
        break;
      case 'sextant.searchSelection':
        this.#searchPick.show(selectionQuery());
        break;
      case 'sextant.findSimilar':
        await this.#findSimilar();
        break;
      case 'sextant.askWorkspace':
        await (await this.answers()).show(typeof argument === 'string' ? argument : '');
        break;
      case 'sextant.refreshResults':
        await this.#results.refresh();
        break;
      case 'sextant.clearResults':
        await this.#results.clear();
        break;
      case 'sextant.removeResult':
        await this.#results.remove(argument as ResultRow | undefined);
        break;
      case 'sextant.copyResult':
        await this.#results.copy(argument as ResultRow | undefined);
        break;
      case 'sextant.copyResults':
        await this.#results.copy(undefined);
        break;
      case 'sextant.exportResultsMarkdown':
        await this.#results.export('markdown');
        break;
      case 'sextant.exportResultsEditor':
        await this.#results.export('search-result');
        break;
      case 'sextant.chooseProvider':
        await (await this.#asking()).chooseProvider();
        break;
      case 'sextant.setOpenAiKey':
        await (await this.#asking()).key.set();
        break;
      case 'sextant.removeOpenAiKey':
        await (await this.#asking()).key.remove();
        break;
      case 'sextant.whyFile': {
        const { file, query } = whyTarget(argument, this.#folders);
        await (await this.#whyPick()).show(file, query);
        break;
      }
      case 'sextant.showStatus':
        await vscode.commands.executeCommand('sextant.index.focus');
        break;
      case 'sextant.updateIndex':
        await this.#forEachFolder(vscode.l10n.t('Looking for changed files'), (root) => this.#client.reconcile(root));
        break;
      case 'sextant.rebuildIndex':
        await this.#forEachFolder(vscode.l10n.t('Removing the index'), (root) => this.#client.rebuild(root));
        break;
      case 'sextant.copyDiagnostics': {
        const { copyDiagnostics } = await import('./index/diagnosticsReport.ts');
        await copyDiagnostics(this.#extension, this.#folders, this.#client, this.#texts, this.#recent);
        break;
      }
      case 'sextant.pauseIndexing':
        await this.#client.pause();
        break;
      case 'sextant.resumeIndexing':
        await this.#client.resume();
        break;
      case 'sextant.showLog':
        this.#log.show();
        break;
      case 'sextant.startServer':
      case 'sextant.stopServer':
      case 'sextant.restartServer':
      case 'sextant.attachServer':
      case 'sextant.copyServerUrl':
      case 'sextant.copyServerToken':
      case 'sextant.openServerLog':
      case 'sextant.chooseServerScenario':
      case 'sextant.manageServerFaults':
        await this.#server.run(command, argument);
        break;
      case 'sextant.createWebhook':
      case 'sextant.rotateWebhook':
      case 'sextant.deleteWebhook':
      case 'sextant.copyWebhookUrl':
      case 'sextant.enableWebhook':
      case 'sextant.disableWebhook':
      case 'sextant.addTrigger':
      case 'sextant.editTriggerFilter':
      case 'sextant.enableTrigger':
      case 'sextant.disableTrigger':
      case 'sextant.deleteTrigger':
      case 'sextant.sendTestEvent':
      case 'sextant.sendEditedEvent':
      case 'sextant.replayEvent':
      case 'sextant.openEvent':
      case 'sextant.copyEventCurl':
      case 'sextant.refreshWebhooks':
        await (await this.#webhooks()).run(command, argument);
        break;
      case 'sextant.openDashboard':
        (await this.dashboard()).show(argument as DashboardTarget | undefined);
        break;
      case 'sextant.connectAnalytics':
      case 'sextant.trySampleData':
      case 'sextant.disconnectAnalytics':
      case 'sextant.refreshAnalytics':
        await (await this.#analytics()).run(command, argument);
        break;
      case 'sextant.setBudget':
      case 'sextant.clearBudget':
      case 'sextant.raiseBudget':
      case 'sextant.remindBudget':
      case 'sextant.importBudgets':
      case 'sextant.previewBudgetDraft':
      case 'sextant.exportBudgets':
      case 'sextant.undoBudgets':
      case 'sextant.retryBudgets':
      case 'sextant.saveBudgetFailures':
      case 'sextant.resumeBudgets':
      case 'sextant.showBudgetReport':
        await (await (await this.#analytics()).budgets()).run(command, argument);
        break;
      case 'sextant.copyLeftOutPath':
        await copyPath(argument as Row);
        break;
      case 'sextant.openLeftOutList':
        await this.#indexView.openList(argument as Row);
        break;
    }
  }

  search(query: string, limit = DEFAULT_LIMIT, signal?: AbortSignal): Promise<SearchResponse> {
    return this.#search({ query, limit }, signal);
  }

  #search(request: Omit<SearchRequest, 'folders' | 'isTrusted'>, signal?: AbortSignal): Promise<SearchResponse> {
    const { isTrusted } = vscode.workspace;
    return this.#client.search({ ...request, folders: this.#folders.all, isTrusted }, signal);
  }

  /** A file of one of the folders, if the index may hold it. */
  async #read(root: string, path: string): Promise<IndexableFile> {
    const folder = this.#folders.all.find((one) => one.root === root);
    return folder ? this.#client.read({ folder, path }) : { refused: `${root} is no folder of the workspace.` };
  }

  /** Asks for what is rare in the selection, and leaves out the lines of the selection itself. */
  async #findSimilar(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const text = editor?.document.getText(editor.selection) ?? '';
    const query = text.trim() === '' ? '' : await this.#client.similarQuery({ folders: this.#folders.all, text });
    if (!editor || query === '') {
      const advice = vscode.l10n.t('Select code with names or words that stand elsewhere, too, and try again.');
      void vscode.window.showInformationMessage(advice);
      return;
    }
    const place = this.#folders.folderOf(editor.document.uri);
    const { start, end } = editor.selection;
    const lines = { startLine: start.line + 1, endLine: end.line + 1 };
    const except = place && { root: place.folder.root, path: place.path, ...lines };
    this.#searchPick.show(query, {
      ...SEARCH_WORKSPACE,
      title: vscode.l10n.t('Find Similar Code'),
      ...(except && { except }),
    });
  }

  status(): Promise<readonly FolderStatus[]> {
    return Promise.resolve(this.#folders.statuses());
  }

  indexed(): Promise<void> {
    return this.#folders.indexed();
  }

  localServer(): Promise<LocalServerState> {
    return Promise.resolve(this.#server.state);
  }

  async analytics(): Promise<AnalyticsState> {
    return (await this.#analytics()).state;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#client.dispose(), this.#server.stop()]);
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

/** A file may be named by the menu of a file, by a row of the status view, or by the search together with its query. */
function whyTarget(
  argument: unknown,
  folders: Folders,
): { readonly file: vscode.Uri | undefined; readonly query: string } {
  if (argument instanceof vscode.Uri) return { file: argument, query: '' };
  const {
    kind,
    root,
    path,
    file,
    query = '',
  } = (argument ?? {}) as Partial<Row & { root: string; path: string; file: vscode.Uri; query: string }>;
  if (kind === 'file' && root !== undefined && path !== undefined) {
    return { file: vscode.Uri.joinPath(folders.uriOf(root), path), query: '' };
  }
  return { file, query };
}
