import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { RecentLog } from '../base/recentLog.ts';
import type { WorkspaceClient } from '../workspace/client.ts';
import type { AnalyticsActions } from './analytics/analyticsActions.ts';
import type { BudgetWork } from './analytics/budgetActions.ts';
import type { AnswerPanel } from './ask/answerPanel.ts';
import type { AskService } from './ask/askService.ts';
import { REPLACE_TOKEN, type CommandId } from './commandIds.ts';
import type { DashboardPanel, DashboardTarget } from './dashboard/dashboardPanel.ts';
import type { Folders } from './index/folders.ts';
import { rebuildIndexes, updateIndexes } from './index/indexMaintenance.ts';
import { copyPath, type IndexView } from './index/indexView.ts';
import type { IndexRow } from './index/statusTree.ts';
import type { WhyPick } from './index/whyPick.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';
import { findSimilar } from './search/findSimilar.ts';
import { SEARCH_SYMBOL, type SearchPick } from './search/searchPick.ts';
import type { SearchView } from './search/searchView.ts';
import { folderQuery, selectionQuery, usagesQuery } from './search/selectionQuery.ts';
import type { ServerActions } from './server/serverActions.ts';
import type { TeamPick } from './team/teamPick.ts';
import type { WebhookActions, WebhookWork } from './webhooks/webhookActions.ts';

/** Runs a command. Key bindings and other extensions may pass any argument. */
export type CommandHandler = (argument: unknown) => unknown;

/** The parts of a window that commands act on. Functions load a part when it is first needed. */
export interface CommandParts {
  readonly extension: vscode.Extension<unknown>;
  readonly log: vscode.LogOutputChannel;
  readonly recentLog: RecentLog;
  readonly client: WorkspaceClient;
  readonly folders: Folders;
  readonly texts: ReadOnlyDocuments;
  readonly searchPick: SearchPick;
  readonly searchView: () => Promise<SearchView>;
  readonly indexView: IndexView;
  readonly server: ServerActions;
  readonly answers: () => Promise<AnswerPanel>;
  readonly asking: () => Promise<AskService>;
  readonly whyPick: () => Promise<WhyPick>;
  readonly team: () => Promise<TeamPick>;
  readonly webhooks: () => Promise<WebhookActions>;
  readonly analytics: () => Promise<AnalyticsActions>;
  readonly dashboard: () => Promise<DashboardPanel>;
}

/** Handlers of all commands. The compiler checks their ids against package.json. */
export function commandHandlers(parts: CommandParts): Readonly<Record<CommandId, CommandHandler>> {
  const { client, folders, searchPick, searchView, server } = parts;
  const webhooks =
    (work: WebhookWork): CommandHandler =>
    async (argument) =>
      (await parts.webhooks()).run(work, argument);
  const budgets =
    (work: BudgetWork): CommandHandler =>
    async (argument) =>
      (await (await parts.analytics()).budgets()).run(work, argument);
  return {
    'sextant.searchWorkspace': (query) => searchPick.show(textOf(query)),
    'sextant.searchSymbol': (query) => searchPick.show(textOf(query), SEARCH_SYMBOL),
    'sextant.searchSelection': () => searchPick.show(selectionQuery()),
    'sextant.findSimilar': () => findSimilar(client, folders, searchPick),
    'sextant.openSearch': async (query) => (await searchView()).show(typeof query === 'string' ? { query } : undefined),
    'sextant.findUsages': async () => {
      const query = usagesQuery();
      if (query !== '') await (await searchView()).show({ query });
      else void vscode.window.showInformationMessage(vscode.l10n.t('Put the cursor on a name, or select one.'));
    },
    'sextant.searchFolder': async (folder) => {
      const query = folderQuery(folders, folder);
      if (query !== undefined) await (await searchView()).show({ query });
    },
    'sextant.searchTeam': async (argument) => {
      const team = await parts.team();
      await (isDeepStrictEqual(argument, REPLACE_TOKEN) ? team.replaceToken() : team.show(textOf(argument)));
    },
    'sextant.disconnectTeam': async () => (await parts.team()).disconnect(),
    'sextant.acceptBeside': () => searchPick.acceptBeside(),
    'sextant.openResultBeside': async (row) => {
      const view = await searchView();
      await view.open(view.placeOf(row), vscode.ViewColumn.Beside);
    },
    'sextant.explainResult': async (row) => {
      const view = await searchView();
      await view.explain(view.placeOf(row));
    },
    'sextant.copyResult': async (row) => {
      const view = await searchView();
      await view.copy(view.placeOf(row));
    },
    'sextant.copyResults': async () => (await searchView()).copyAll(),
    'sextant.exportResultsMarkdown': async () => (await searchView()).export('markdown'),
    'sextant.exportResultsEditor': async () => (await searchView()).export('search-result'),

    'sextant.askWorkspace': async (question) => (await parts.answers()).show(textOf(question)),
    'sextant.chooseProvider': async () => (await parts.asking()).chooseProvider(),
    'sextant.chooseReranker': async () => (await parts.asking()).chooseReranker(),
    'sextant.setOpenAiKey': async () => (await parts.asking()).key.set(),
    'sextant.removeOpenAiKey': async () => (await parts.asking()).key.remove(),

    'sextant.whyFile': async (target) => (await parts.whyPick()).show(target),
    'sextant.showStatus': async () => vscode.commands.executeCommand('sextant.index.focus'),
    'sextant.updateIndex': () => updateIndexes(client, folders),
    'sextant.rebuildIndex': () => rebuildIndexes(client, folders),
    'sextant.pauseIndexing': () => folders.pause(),
    'sextant.resumeIndexing': () => folders.resume(),
    'sextant.showLog': () => parts.log.show(),
    'sextant.copyDiagnostics': async () => {
      const { copyDiagnostics } = await import('./index/diagnosticsReport.ts');
      await copyDiagnostics(parts.extension, folders, client, parts.texts, parts.recentLog);
    },
    'sextant.copyLeftOutPath': (row) => copyPath(row as IndexRow),
    'sextant.openLeftOutList': (row) => parts.indexView.openList(row as IndexRow),

    'sextant.startServer': async () => {
      const starting = server.start();
      // A start may take long, and its container shows the progress.
      await vscode.commands.executeCommand('setContext', 'sextant.server.wasStarted', true);
      await vscode.commands.executeCommand('sextant.server.focus');
      await starting;
    },
    'sextant.stopServer': () => server.stop(),
    'sextant.restartServer': () => server.restart(),
    'sextant.attachServer': async () => {
      await server.attach();
      if (server.state.kind === 'attached') await vscode.commands.executeCommand('sextant.server.focus');
    },
    'sextant.copyServerUrl': () => server.copyUrl(),
    'sextant.copyServerToken': () => server.copyToken(),
    'sextant.openServerLog': () => server.openLog(),
    'sextant.chooseServerScenario': (scenario) => server.chooseScenario(scenario),
    'sextant.manageServerFaults': () => server.manageFaults(),

    'sextant.createWebhook': webhooks((actions, ...given) => actions.create(...given)),
    'sextant.rotateWebhook': webhooks((actions, ...given) => actions.rotate(...given)),
    'sextant.deleteWebhook': webhooks((actions, ...given) => actions.deleteWebhook(...given)),
    'sextant.copyWebhookUrl': webhooks((actions, ...given) => actions.copyUrl(...given)),
    'sextant.enableWebhook': webhooks((actions, ...given) => actions.enable(...given, true)),
    'sextant.disableWebhook': webhooks((actions, ...given) => actions.enable(...given, false)),
    'sextant.refreshWebhooks': webhooks((actions) => actions.refresh()),
    'sextant.addTrigger': webhooks((actions, ...given) => actions.addTrigger(...given)),
    'sextant.editTriggerFilter': webhooks((actions, ...given) => actions.editFilter(...given)),
    'sextant.renameTrigger': webhooks((actions, ...given) => actions.renameTrigger(...given)),
    'sextant.changeTarget': webhooks((actions, ...given) => actions.changeTarget(...given)),
    'sextant.editForward': webhooks((actions, ...given) => actions.editForward(...given)),
    'sextant.enableTrigger': webhooks((actions, ...given) => actions.enable(...given, true)),
    'sextant.disableTrigger': webhooks((actions, ...given) => actions.enable(...given, false)),
    'sextant.deleteTrigger': webhooks((actions, ...given) => actions.deleteTrigger(...given)),
    'sextant.sendTestEvent': webhooks((actions, ...given) => actions.send(...given)),
    'sextant.sendEditedEvent': webhooks(({ events }, client) => events.sendEdited(client)),
    'sextant.replayEvent': webhooks(({ events }, ...given) => events.replay(...given)),
    'sextant.retryRuns': webhooks(({ events }, ...given) => events.retry(...given)),
    'sextant.openEvent': webhooks(({ events }, ...given) => events.open(...given)),
    'sextant.openEvents': async () => (await parts.webhooks()).panel.show(),
    'sextant.editEvent': webhooks(({ events }, ...given) => events.edit(...given)),
    'sextant.compareEvents': webhooks(({ events }, ...given) => events.compare(...given)),
    'sextant.copyEventCurl': webhooks(({ events }, ...given) => events.copy(...given, 'curl')),
    'sextant.copyEventFetch': webhooks(({ events }, ...given) => events.copy(...given, 'fetch')),
    'sextant.copyEventFixture': webhooks(({ events }, ...given) => events.copy(...given, 'fixture')),
    'sextant.filterByValue': webhooks((actions, ...given) => actions.filterByValue(...given)),
    'sextant.showFilterResults': async (uri) => {
      await (await parts.webhooks()).filters.showResults(uri instanceof vscode.Uri ? uri : undefined);
    },
    'sextant.forwardWebhooks': async () => (await parts.webhooks()).forward(),

    'sextant.openDashboard': async (target) => (await parts.dashboard()).show(target as DashboardTarget | undefined),
    'sextant.connectAnalytics': async (account) => (await parts.analytics()).connect(account),
    'sextant.trySampleData': async () => (await parts.analytics()).trySampleData(),
    'sextant.disconnectAnalytics': async () => (await parts.analytics()).disconnect(),
    'sextant.switchOrganization': async (name) => (await parts.analytics()).switchOrganization(name),
    'sextant.setUpAlerts': async (destination) => (await parts.analytics()).setUpAlerts(destination),
    'sextant.refreshAnalytics': async () => (await parts.analytics()).refresh(),

    'sextant.setBudget': budgets((actions, ...given) => actions.set(...given)),
    'sextant.clearBudget': budgets((actions, ...given) => actions.clear(...given)),
    'sextant.raiseBudget': budgets((actions, ...given) => actions.raise(...given)),
    'sextant.remindBudget': budgets((actions, ...given) => actions.remind(...given)),
    'sextant.importBudgets': budgets((actions, ...given) => actions.import(...given)),
    'sextant.previewBudgetDraft': budgets((actions, ...given) => actions.importDraft(...given)),
    'sextant.exportBudgets': budgets((actions, ...given) => actions.export(...given)),
    'sextant.undoBudgets': budgets((actions, ...given) => actions.undo(...given)),
    'sextant.retryBudgets': budgets((actions, ...given) => actions.retry(...given)),
    'sextant.resumeBudgets': budgets((actions, ...given) => actions.resume(...given)),
    'sextant.showBudgetReport': budgets((actions) => actions.showReport()),
    'sextant.saveBudgetFailures': budgets((actions, ...given) => actions.saveFailures(...given)),
  };
}

function textOf(argument: unknown): string {
  return typeof argument === 'string' ? argument : '';
}
