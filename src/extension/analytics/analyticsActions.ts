import * as vscode from 'vscode';
import { readConnection } from '../../analytics/client/account.ts';
import type { AnalyticsData } from '../../analytics/client/analyticsData.ts';
import type { Identity } from '../../analytics/identity.ts';
import { identityOf } from '../../analytics/insights/people.ts';
import { describeError } from '../../base/errors.ts';
import { DisposableStore } from '../../base/disposable.ts';
import type { Logger } from '../../base/log.ts';
import type { ShownAccount } from '../../protocol/dashboardView.ts';
import { shownKind } from './accountChoice.ts';
import { AnalyticsAccount, askConnection } from './analyticsAccount.ts';
import { AnalyticsModel, type ReportName } from './analyticsModel.ts';
import { action, row } from './analyticsRows.ts';
import { AnalyticsViews } from './analyticsViews.ts';
import type { BudgetActions } from './budgetActions.ts';
import { BudgetAlerts, acknowledgedBatchKey } from './budgetAlerts.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import type { ServerActions } from '../server/serverActions.ts';
import { SpentItem } from './spentItem.ts';

/** What is shown of usage and cost, for other extensions and our own tests: no names and no figures. */
export interface AnalyticsState {
  /** Without the token; `sample` is that of the local server. */
  readonly account: { readonly kind: 'service'; readonly url: string } | { readonly kind: 'sample' } | undefined;
  /** For each report whether it is there, or why not. */
  readonly reports: Readonly<Record<ReportName, 'none' | 'loading' | 'ready' | 'offline' | (string & {})>>;
}

/** Whose figures there are to show. */
export interface AnalyticsSource {
  readonly account: ShownAccount;
  readonly data: AnalyticsData | undefined;
  /** What changes limits of the account, where it can be asked. */
  readonly budgets: BudgetSource | undefined;
}

export interface BudgetSource {
  /** Of the account's journal. */
  readonly folder: string;
  /** Who was active last week, as far as that is known. */
  people(): readonly Identity[];
  /** Limits are others now: whatever shows them asks again. */
  changed(): void;
  /** Somebody has read what became of a batch, and is told of it no more. */
  told(batch: number): void;
}

/**
 * Usage, cost and budgets in the side bar. The account is chosen once and kept for all windows; without one nothing is
 * asked of anybody.
 */
export class AnalyticsActions implements vscode.Disposable {
  readonly #account: AnalyticsAccount;
  readonly #server: ServerActions;
  readonly #logger: Logger;
  readonly #model: AnalyticsModel;
  readonly #views: AnalyticsViews;
  readonly #disposables = new DisposableStore();
  readonly #context: vscode.ExtensionContext;
  readonly #texts: ReadOnlyDocuments;
  #budgets: Promise<BudgetActions> | undefined;
  readonly #changedSource = this.#disposables.add(new vscode.EventEmitter<undefined>());
  #last: Promise<void> = Promise.resolve();
  /** Whether what opens the account was looked for: before that nobody knows that it is gone. */
  #isLookedFor = false;

  constructor(context: vscode.ExtensionContext, server: ServerActions, texts: ReadOnlyDocuments, logger: Logger) {
    this.#context = context;
    this.#texts = texts;
    this.#account = new AnalyticsAccount(context);
    this.#server = server;
    this.#logger = logger;
    this.#model = this.#disposables.add(new AnalyticsModel(logger));
    this.#views = this.#disposables.add(new AnalyticsViews(this.#model));
    this.#disposables.add(new BudgetAlerts(this.#model, logger));
    this.#disposables.add(new SpentItem(this.#model));
    this.#disposables.add(server.onDidChangeState(() => void this.#connect()));
    // Another window connected, or disconnected.
    this.#disposables.add(context.secrets.onDidChange(() => void this.#connect()));
    void this.#connect();
  }

  get state(): AnalyticsState {
    const of = (name: ReportName): string => {
      const { report, isLoading, error } = this.#model.part(name);
      return error?.code ?? (isLoading ? 'loading' : report ? (report.offline ? 'offline' : 'ready') : 'none');
    };
    return {
      account: this.#account.choice,
      reports: { usage: of('usage'), people: of('people'), cost: of('cost'), budgets: of('budgets') },
    };
  }

  /** What is connected, and how it is called, without its token. */
  get source(): AnalyticsSource {
    const { choice } = this.#account;
    const { data } = this.#model;
    const name =
      choice === undefined ? '' : choice.kind === 'sample' ? vscode.l10n.t('Sample data') : new URL(choice.url).host;
    const account = { kind: shownKind(choice, this.#isLookedFor, data !== undefined), name };
    return { account, data, budgets: this.#budgetSource };
  }

  get #budgetSource(): BudgetSource | undefined {
    const { account, budgetsFolder } = this.#model;
    if (account === undefined || budgetsFolder === undefined) return undefined;
    const { globalState } = this.#context;
    return {
      folder: budgetsFolder,
      people: () => (this.#model.part('people').report?.people ?? []).map(identityOf),
      changed: () => void this.#model.loadBudgets(),
      told: (batch) => void globalState.update(acknowledgedBatchKey(account), batch),
    };
  }

  readonly onDidChangeSource = this.#changedSource.event;

  get onDidChangeLimits(): vscode.Event<undefined> {
    return this.#model.onDidChangeLimits;
  }

  async trySampleData(): Promise<void> {
    await this.#account.choose('sample');
    await this.#server.start();
    await this.#connect();
    await vscode.commands.executeCommand('sextant.usage.focus');
  }

  async disconnect(): Promise<void> {
    await this.#account.forget();
    await this.#connect();
  }

  async refresh(): Promise<void> {
    await this.#connect();
    await this.#model.load(true);
  }

  /** What changes budgets, which is loaded when there is an account that has some. */
  budgets(): Promise<BudgetActions> {
    return (this.#budgets ??= this.#loadBudgets());
  }

  async #loadBudgets(): Promise<BudgetActions> {
    const { BudgetActions } = await import('./budgetActions.ts');
    const { globalState } = this.#context;
    return this.#disposables.add(new BudgetActions(this.#model, this.#texts, globalState, this.#logger));
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** Asks for the service and its token; `{ url, token }` as the argument connects without asking. */
  async connect(argument: unknown): Promise<void> {
    const { choice } = this.#account;
    const { url, token } = (argument ?? {}) as { readonly url?: unknown; readonly token?: unknown };
    const isGiven = typeof url === 'string' && typeof token === 'string';
    const before = choice?.kind === 'service' ? choice.url : undefined;
    const connection = isGiven ? readConnection(url, token) : await askConnection(before);
    if (!connection) return;
    await this.#account.choose(connection);
    await this.#connect();
    await vscode.commands.executeCommand('sextant.usage.focus');
  }

  /** Shows the account that is chosen, if it can be asked. One after the other: the last choice counts. */
  #connect(): Promise<void> {
    this.#last = this.#last.then(() => this.#connectNow());
    return this.#last;
  }

  async #connectNow(): Promise<void> {
    try {
      const { choice } = this.#account;
      const isSample = choice?.kind === 'sample';
      const connection = isSample ? await this.#server.connection() : await this.#account.connection();
      await vscode.commands.executeCommand('setContext', 'sextant.analytics.connected', choice !== undefined);
      this.#model.connect(connection);
      this.#isLookedFor = true;
      this.#changedSource.fire(undefined);
      if (connection) (await this.budgets()).look();
      this.#views.notice = choice === undefined || connection ? [] : isSample ? sampleNotice() : tokenNotice();
    } catch (error) {
      this.#logger.error(`Analytics: ${describeError(error)}`);
      this.#isLookedFor = true;
      this.#changedSource.fire(undefined);
    }
  }
}

function sampleNotice(): ReturnType<typeof row>[] {
  return [
    row(vscode.l10n.t('Sample data'), vscode.l10n.t('the local server does not run'), 'beaker'),
    action(vscode.l10n.t('Start it'), 'play', 'sextant.trySampleData'),
    action(vscode.l10n.t('Connect to a service instead'), 'plug', 'sextant.connectAnalytics'),
  ];
}

function tokenNotice(): ReturnType<typeof row>[] {
  return [
    row(vscode.l10n.t('The token is gone'), vscode.l10n.t("from the editor's secret storage"), 'warning'),
    action(vscode.l10n.t('Connect again'), 'plug', 'sextant.connectAnalytics'),
  ];
}
