import * as vscode from 'vscode';
import type { Sources } from '../ask/retrieve.ts';
import { once } from '../base/once.ts';
import { RecentLog } from '../base/recentLog.ts';
import type { LocalServerState } from '../server/localServer.ts';
import { WorkspaceClient } from '../workspace/client.ts';
import type { IndexableFile } from '../workspace/readIndexable.ts';
import { foldersWithin, type Scoped } from '../workspace/modelTools.ts';
import type { SearchRequest, SearchResponse } from '../workspace/searcher.ts';
import type { FolderStatus } from '../workspace/status.ts';
import { accountChoice } from './analytics/accountChoice.ts';
import type { AnalyticsActions, AnalyticsState } from './analytics/analyticsActions.ts';
import type { AnswerPanel } from './ask/answerPanel.ts';
import type { Chat } from './ask/chat.ts';
import { McpServers } from './ask/mcpServers.ts';
import { Tools } from './ask/tools.ts';
import type { CommandId } from './commandIds.ts';
import { commandHandlers, type CommandHandler } from './commands.ts';
import type { DashboardPanel } from './dashboard/dashboardPanel.ts';
import { Folders } from './index/folders.ts';
import { IndexView } from './index/indexView.ts';
import { StatusBar } from './index/statusBar.ts';
import { UnsavedEditors } from './index/unsavedEditors.ts';
import { ReadOnlyDocuments } from './readOnlyDocuments.ts';
import { PlaceOpener } from './search/placeOpener.ts';
import { CurrentWork } from './search/currentWork.ts';
import { QueryList } from './search/queryList.ts';
import { SearchPick } from './search/searchPick.ts';
import type { KeptPlace } from '../workspace/resultPlace.ts';
import type { SearchView } from './search/searchView.ts';
import { ServerActions } from './server/serverActions.ts';
import { hasOwnExperts, isPersonal, maxResults } from './settings.ts';
import type { EventsPanel } from './webhooks/eventsPanel.ts';

/** Number of recent queries that are kept. */
const MAX_RECENT = 20;
/** Characters that are shown of a part of a question. */
const MAX_SHOWN = 40;

/** The API that other extensions and our tests get from `vscode.extensions.getExtension('sextant.sextant-code')`. */
export interface SextantApi {
  /** Ranked places in the open folders for words or a symbol; at most `limit` of them, 20 by default. */
  search(query: string, limit?: number): Promise<SearchResponse>;
  /** One status per indexed folder. */
  status(): Promise<readonly FolderStatus[]>;
  /** Resolves when each open folder is indexed or has failed. */
  indexed(): Promise<void>;
  /** State of this window's local server. */
  localServer(): Promise<LocalServerState>;
  /** The account whose usage and cost is shown, and the state of each report. */
  analytics(): Promise<AnalyticsState>;
}

/** A search of the open folders. */
type SearchOfFolders = Scoped & Omit<SearchRequest, 'folders' | 'isTrusted'>;

const DEFAULT_LIMIT = 20;

/** Builds the parts and connects them; does nothing else. Parts that a window may do without are loaded when first called. */
export class App implements SextantApi {
  readonly commands: Readonly<Record<CommandId, CommandHandler>>;
  readonly tools: Tools;
  readonly mcpServers: McpServers;
  readonly chat: () => Promise<Chat>;
  readonly answers: () => Promise<AnswerPanel>;
  readonly dashboard: () => Promise<DashboardPanel>;
  readonly searchView: () => Promise<SearchView>;
  readonly events: () => Promise<EventsPanel>;
  readonly #client: WorkspaceClient;
  readonly #folders: Folders;
  readonly #server: ServerActions;
  readonly #analytics: () => Promise<AnalyticsActions>;

  static start(context: vscode.ExtensionContext): App {
    return new App(context);
  }

  private constructor(context: vscode.ExtensionContext) {
    const { extension, workspaceState, globalState, extensionUri, secrets, subscriptions } = context;
    const { version } = extension.packageJSON as { readonly version: string };
    const log = vscode.window.createOutputChannel('Sextant', { log: true });
    const recentLog = new RecentLog(log, () => new Date());
    const client = new WorkspaceClient({
      indexProcess: new URL('./indexProcess.js', import.meta.url),
      searchThread: new URL('./searchThread.js', import.meta.url),
      logger: recentLog,
      onStatus: (status) => this.#folders.onStatus(status),
      onUnwatched: (root) => this.#folders.watch(root),
    });
    const folders = new Folders(client, recentLog, context.storageUri, context.globalStorageUri);
    this.#client = client;
    this.#folders = folders;
    const relocate = (all: readonly KeptPlace[]): Promise<readonly (KeptPlace | undefined)[]> =>
      client.searching.call('relocate', { folders: folders.all, places: all });
    const places = new PlaceOpener(folders, relocate);
    const recent = new QueryList(workspaceState, 'sextant.recentQueries', MAX_RECENT);
    const work = new CurrentWork(folders);
    /** A search of the user, with what they work on slightly higher. Other callers get the plain order. */
    const searchForUser = (
      request: SearchOfFolders,
      signal: AbortSignal,
      onFirst?: (first: SearchResponse) => void,
    ): Promise<SearchResponse> => {
      const personal = isPersonal() && { personal: { work: work.context, limit: maxResults() } };
      return this.#search({ ...request, ...personal }, signal, onFirst);
    };
    const searchPick = new SearchPick({
      folders,
      recent,
      search: searchForUser,
      complete: (query) => client.searching.call('complete', { folders: folders.all, query }),
      rerank: async (query, results, signal) => (await asking()).rerankPlaces(query, results, signal),
      keep: async (search) => (await this.searchView()).show(search),
    });
    const texts = new ReadOnlyDocuments();
    const indexView = new IndexView(folders, client, texts, recentLog);
    const server = new ServerActions(new URL('./serverThread.js', import.meta.url), recentLog, version);
    this.#server = server;
    this.mcpServers = new McpServers(folders, secrets, new URL('./mcpServer.js', import.meta.url), version);
    this.tools = new Tools({
      folders,
      search: (request, signal) => this.#search(request, signal),
      usages: (request, signal) =>
        client.searching.call(
          'usages',
          { ...request, folders: foldersWithin(folders.all, request), isTrusted: true },
          signal,
        ),
      read: (root, path) => this.#read(root, path),
      explain: async ({ root, path }, query, signal) => {
        const folder = folders.all.find((one) => one.root === root);
        if (!folder) return [];
        return client.searching.call('explain', { folder, path, ...(query !== undefined && { query }) }, signal);
      },
    });

    /** Loads a part when it is first needed, and disposes it with the window. */
    const part = <T extends vscode.Disposable>(load: () => Promise<T>): (() => Promise<T>) =>
      once(async () => {
        const loaded = await load();
        subscriptions.push(loaded);
        return loaded;
      });
    const teamCode = part(async () => {
      const { TeamCode } = await import('./team/teamCode.ts');
      const { TeamService } = await import('./team/teamService.ts');
      return new TeamCode(new TeamService(secrets, version));
    });
    this.searchView = part(async () => {
      const { SearchView } = await import('./search/searchView.ts');
      return new SearchView({
        folders,
        recent,
        kept: new QueryList(workspaceState, 'sextant.keptSearches'),
        extensionUri,
        log: recentLog,
        search: searchForUser,
        count: (query, limit, signal) => {
          const { isTrusted } = vscode.workspace;
          return client.searching.call('count', { folders: folders.all, query, limit, isTrusted }, signal);
        },
        complete: (query, limit) =>
          client.searching.call('complete', { folders: folders.all, query, ...(limit !== undefined && { limit }) }),
        relocate,
        team: await teamCode(),
      });
    });
    const asking = once(async () => {
      const { AskService } = await import('./ask/askService.ts');
      const search: Sources['search'] = async (query, limit, signal, onProblem) => {
        const { results, problems } = await this.#search({ query, limit, excerpts: true }, signal);
        for (const { code, start, end, message } of problems) {
          if (code === 'CorrectedWord') continue;
          const part = query.slice(start, Math.min(end, start + MAX_SHOWN));
          onProblem?.(code === 'IndexFormat' ? message : `“${part}”: ${message}`);
        }
        return results;
      };
      const read = async (root: string, path: string): Promise<string | undefined> => {
        const file = await this.#read(root, path);
        return 'text' in file ? file.text : undefined;
      };
      return new AskService({ search, read }, async () => (await teamCode()).connect(), secrets);
    });
    this.chat = once(async () => {
      const { Chat } = await import('./ask/chat.ts');
      return new Chat(await asking(), folders, (await teamCode()).files);
    });
    this.answers = part(async () => {
      const { AnswerPanel } = await import('./ask/answerPanel.ts');
      const memento = workspaceState;
      const parts = { asking: await asking(), team: await teamCode() };
      return new AnswerPanel({ ...parts, folders, places, memento, extensionUri, log: recentLog });
    });
    const whyPick = part(async () => {
      const { WhyPick } = await import('./index/whyPick.ts');
      return new WhyPick(folders, client);
    });
    const team = part(async () => {
      const { TeamPick } = await import('./team/teamPick.ts');
      return new TeamPick(await teamCode());
    });
    const webhooks = part(async () => {
      const { WebhookActions } = await import('./webhooks/webhookActions.ts');
      return new WebhookActions({ server, texts, asking, context, log: recentLog });
    });
    this.events = async () => (await webhooks()).panel;
    // A view without rows shows the way to connect, and to the local server. A server of a terminal is looked for.
    const more = vscode.window.registerTreeDataProvider<never>('sextant.more', {
      getChildren: () => {
        void server.look();
        return [];
      },
      getTreeItem: (row) => row,
    });
    const analytics = part(async () => {
      const { AnalyticsActions } = await import('./analytics/analyticsActions.ts');
      return new AnalyticsActions(context, server, texts, recentLog);
    });
    this.#analytics = analytics;
    this.dashboard = part(async () => {
      const { DashboardPanel } = await import('./dashboard/dashboardPanel.ts');
      const loaded = await analytics();
      return DashboardPanel.create({
        source: () => loaded.source,
        onDidChangeSource: loaded.onDidChangeSource,
        context,
        log: recentLog,
      });
    });
    const { answers, dashboard, searchView } = this;
    const eager = { extension, log, recentLog, client, folders, texts, searchPick, indexView, server };
    this.commands = commandHandlers({
      ...eager,
      searchView,
      answers,
      asking,
      whyPick,
      team,
      webhooks,
      analytics,
      dashboard,
    });

    const showAccount = (): void => {
      if (accountChoice(globalState)) void analytics();
    };
    subscriptions.push(
      log,
      folders,
      searchPick,
      places,
      work,
      texts,
      indexView,
      this.mcpServers,
      server,
      more,
      new StatusBar(folders),
      // The view of webhooks is there while a server runs.
      server.onDidChangeState(({ kind }) => void (kind !== 'stopped' && webhooks())),
      // Another window may have connected.
      secrets.onDidChange(showAccount),
    );
    showAccount();
    // Experts work without a command: a server of another process is looked for.
    const workForServer = (): void => {
      if (hasOwnExperts()) void webhooks();
    };
    workForServer();
    subscriptions.push(
      vscode.workspace.onDidChangeConfiguration(
        (change) => change.affectsConfiguration('sextant.server.experts') && workForServer(),
      ),
    );
    folders.start();
    subscriptions.push(new UnsavedEditors(client, folders));
  }

  search(query: string, limit = DEFAULT_LIMIT, signal?: AbortSignal): Promise<SearchResponse> {
    return this.#search({ query, limit }, signal);
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
    await Promise.all([this.#client.dispose(), this.#server.close()]);
  }

  #search(
    request: SearchOfFolders,
    signal?: AbortSignal,
    onFirst?: (first: SearchResponse) => void,
  ): Promise<SearchResponse> {
    const { isTrusted } = vscode.workspace;
    const folders = foldersWithin(this.#folders.all, request);
    return this.#client.search({ ...request, folders, isTrusted }, signal, onFirst);
  }

  /** Reads a file of one of the folders, if the index may hold it. */
  async #read(root: string, path: string): Promise<IndexableFile> {
    const folder = this.#folders.all.find((one) => one.root === root);
    return folder
      ? this.#client.searching.call('read', { folder, path })
      : { refused: `${root} is no folder of the workspace.` };
  }
}
