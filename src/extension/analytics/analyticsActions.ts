import * as vscode from 'vscode';
import { readConnection } from '../../analytics/client/account.ts';
import { describeError } from '../../base/errors.ts';
import { DisposableStore } from '../../base/disposable.ts';
import type { Logger } from '../../base/log.ts';
import { shownKind } from './accountChoice.ts';
import { AlertDestinations } from './alertDestinations.ts';
import { AlertSender } from './alertSender.ts';
import { AnalyticsAccount, askConnection } from './analyticsAccount.ts';
import { AnalyticsConnection, type MainReport } from './analyticsConnection.ts';
import { action, row } from './analyticsRows.ts';
import { AnalyticsViews } from './analyticsViews.ts';
import type { BudgetActions } from './budgetActions.ts';
import { BudgetAlerts, acknowledgedBatchKey } from './budgetAlerts.ts';
import type { AnalyticsSource } from './analyticsSource.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import type { ServerActions } from '../server/serverActions.ts';
import { SpentItem } from './spentItem.ts';
import { WindowNames } from './windowNames.ts';

/** State of usage and cost, without names and figures: for other extensions and tests. */
export interface AnalyticsState {
  /** Without the token; `sample` is that of the local server. */
  readonly account: { readonly kind: 'service'; readonly url: string } | { readonly kind: 'sample' } | undefined;
  /** State of each report, or the code of its error. */
  readonly reports: Readonly<Record<MainReport, 'none' | 'loading' | 'ready' | 'offline' | (string & {})>>;
}

/**
 * Usage, cost and budgets in the side bar. The account is chosen once for all windows; without one, no service is
 * requested.
 */
export class AnalyticsActions implements vscode.Disposable {
  readonly #account: AnalyticsAccount;
  readonly #server: ServerActions;
  readonly #logger: Logger;
  readonly #connection: AnalyticsConnection;
  readonly #names: WindowNames;
  readonly #views: AnalyticsViews;
  readonly #disposables = new DisposableStore();
  readonly #context: vscode.ExtensionContext;
  readonly #texts: ReadOnlyDocuments;
  readonly #destinations: AlertDestinations;
  readonly #alerts: AlertSender;
  #budgets: Promise<BudgetActions> | undefined;
  readonly #changedSource = this.#disposables.add(new vscode.EventEmitter<undefined>());
  #last: Promise<void> = Promise.resolve();
  /** Whether the token was read: before, it is not known to be missing. */
  #isTokenRead = false;

  constructor(context: vscode.ExtensionContext, server: ServerActions, texts: ReadOnlyDocuments, logger: Logger) {
    this.#context = context;
    this.#texts = texts;
    this.#account = new AnalyticsAccount(context);
    this.#server = server;
    this.#logger = logger;
    const { globalState } = context;
    this.#connection = this.#disposables.add(
      new AnalyticsConnection(
        logger,
        (account, batch) => void globalState.update(acknowledgedBatchKey(account), batch),
      ),
    );
    this.#names = this.#disposables.add(new WindowNames(context));
    this.#views = this.#disposables.add(new AnalyticsViews(this.#connection, this.#names));
    this.#disposables.add(new BudgetAlerts(this.#connection, this.#names, logger));
    this.#disposables.add(new SpentItem(this.#connection));
    this.#destinations = new AlertDestinations(context.secrets);
    // Sample data are invented, and are never sent.
    const source = (): string | undefined => {
      const { choice } = this.#account;
      return choice?.kind === 'service' ? new URL(choice.url).host : undefined;
    };
    this.#alerts = this.#disposables.add(new AlertSender(this.#connection, this.#destinations, source, logger));
    this.#disposables.add(server.onDidChangeState(() => void this.#connect()));
    // Another window connected, or disconnected.
    this.#disposables.add(context.secrets.onDidChange(() => void this.#connect()));
    void this.#connect();
  }

  get state(): AnalyticsState {
    const of = (name: MainReport): string => {
      const { report, isLoading, error } = this.#connection.state(name);
      return error?.code ?? (isLoading ? 'loading' : report ? (report.offline ? 'offline' : 'ready') : 'none');
    };
    return {
      account: this.#account.choice,
      reports: { usage: of('usage'), people: of('people'), cost: of('cost'), budgets: of('budgets') },
    };
  }

  /** The connected account, without its token. */
  get source(): AnalyticsSource {
    const { choice } = this.#account;
    const reports = this.#connection.account?.reports;
    const name =
      choice === undefined ? '' : choice.kind === 'sample' ? vscode.l10n.t('Sample data') : new URL(choice.url).host;
    const account = { kind: shownKind(choice, this.#isTokenRead, reports !== undefined), name };
    return { account, reports, editor: this.#connection.editor, names: this.#names };
  }

  readonly onDidChangeSource = this.#changedSource.event;

  /** `argument`: `{ url, token }` connects without asking. */
  async connect(argument: unknown): Promise<void> {
    await this.#ask(argument);
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
    await this.#connection.load(true);
  }

  /** Sets up destinations of alerts; see {@link AlertSetup.show}. */
  async setUpAlerts(argument: unknown): Promise<void> {
    const { AlertSetup } = await import('./alertSetup.ts');
    const setup = new AlertSetup({
      destinations: this.#destinations,
      texts: this.#texts,
      account: () => this.#connection.account?.key,
      send: () => this.#alerts.send(),
    });
    await setup.show(argument);
  }

  /** Commands on budgets, loaded with the first account. */
  budgets(): Promise<BudgetActions> {
    return (this.#budgets ??= this.#loadBudgets());
  }

  async #loadBudgets(): Promise<BudgetActions> {
    const { BudgetActions } = await import('./budgetActions.ts');
    const { globalState } = this.#context;
    return this.#disposables.add(
      new BudgetActions(this.#connection, this.#names, this.#texts, globalState, this.#logger),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #ask(argument: unknown): Promise<void> {
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

  /** Connects the chosen account. Calls run in order, so the last choice wins. */
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
      await this.#names.open();
      this.#connection.connect(connection);
      this.#isTokenRead = true;
      this.#changedSource.fire(undefined);
      if (connection) (await this.budgets()).notify();
      this.#views.notice = choice === undefined || connection ? [] : isSample ? sampleNotice() : tokenNotice();
    } catch (error) {
      this.#logger.error(`Analytics: ${describeError(error)}`);
      this.#isTokenRead = true;
      this.#changedSource.fire(undefined);
    }
  }
}

function sampleNotice(): ReturnType<typeof row>[] {
  return [
    row(vscode.l10n.t('Sample data'), vscode.l10n.t("the local server isn't running"), 'beaker'),
    action(vscode.l10n.t('Start Server'), 'play', 'sextant.trySampleData'),
    action(vscode.l10n.t('Connect to a Service Instead'), 'plug', 'sextant.connectAnalytics'),
  ];
}

function tokenNotice(): ReturnType<typeof row>[] {
  return [
    row(vscode.l10n.t('The token is missing'), vscode.l10n.t("in the editor's secret storage"), 'warning'),
    action(vscode.l10n.t('Connect Again'), 'plug', 'sextant.connectAnalytics'),
  ];
}
