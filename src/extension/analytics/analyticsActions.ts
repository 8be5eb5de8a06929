import * as vscode from 'vscode';
import { readConnection, withoutDoubles } from '../../analytics/client/account.ts';
import { isOrganizationName } from '../../analytics/client/organizationFile.ts';
import { describeError, SextantError } from '../../base/errors.ts';
import { DisposableStore } from '../../base/disposable.ts';
import type { Logger } from '../../base/log.ts';
import { shownKind, type AccountChoice } from './accountChoice.ts';
import { AlertDestinations } from './alertDestinations.ts';
import { AlertSender } from './alertSender.ts';
import type { AlertSetup } from './alertSetup.ts';
import { AnalyticsAccount, type Organization } from './analyticsAccount.ts';
import { askConnection, type NamedConnection } from './askConnection.ts';
import { AnalyticsConnection, openData, type MainReport } from './analyticsConnection.ts';
import { action, row } from './analyticsRows.ts';
import { AnalyticsViews } from './analyticsViews.ts';
import type { BudgetActions } from './budgetActions.ts';
import { BudgetAlerts, acknowledgedBatchKey } from './budgetAlerts.ts';
import type { AnalyticsSource, OrganizationData } from './analyticsSource.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import type { ServerActions } from '../server/serverActions.ts';
import { OrganizationItem, organizationRows, pickOrganization } from './organizationPick.ts';
import { SpentItem } from './spentItem.ts';
import { WindowNames } from './windowNames.ts';

/** State of usage and cost, without names and figures: for other extensions and tests. */
export interface AnalyticsState {
  /** Without the token; `sample` is that of the local server. */
  readonly account: AccountChoice | undefined;
  /** Names of the connected organizations. */
  readonly organizations: readonly string[];
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
  readonly #organization: OrganizationItem;
  #alertSetup: AlertSetup | undefined;
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
    this.#views = this.#disposables.add(
      new AnalyticsViews(this.#connection, this.#names, () => organizationRows(this.#account)),
    );
    this.#organization = this.#disposables.add(new OrganizationItem());
    this.#disposables.add(new BudgetAlerts(this.#connection, this.#names, logger));
    this.#disposables.add(new SpentItem(this.#connection));
    this.#destinations = new AlertDestinations(context.secrets);
    // Sample data are invented, and are never sent.
    const source = (): string | undefined => this.#account.name;
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
      organizations: this.#account.organizations.map(({ name }) => name),
      reports: { usage: of('usage'), people: of('people'), cost: of('cost'), budgets: of('budgets') },
    };
  }

  /** The connected account, without its token. */
  get source(): AnalyticsSource {
    const { choice } = this.#account;
    const reports = this.#connection.account?.reports;
    const name = choice?.kind === 'sample' ? vscode.l10n.t('Sample data') : (this.#account.name ?? '');
    const kind = shownKind(choice, this.#isTokenRead, reports !== undefined);
    const account = { kind, name, organizations: this.#account.organizations.length };
    const organizations = (): Promise<readonly OrganizationData[]> => this.organizations();
    return { account, reports, organizations, editor: this.#connection.editor, names: this.#names };
  }

  readonly onDidChangeSource = this.#changedSource.event;

  /** The figures of all connected organizations whose tokens are there; once of one that has two names. */
  async organizations(): Promise<readonly OrganizationData[]> {
    const all = this.#account.organizations.map(async ({ name }) => {
      const connection = await this.#account.connectionTo(name);
      return connection ? [{ name, connection }] : [];
    });
    return withoutDoubles((await Promise.all(all)).flat()).map(({ name, connection }) => ({
      name,
      data: openData(connection, this.#logger).data,
    }));
  }

  /** `argument`: the name of an organization shows it without asking. */
  async switchOrganization(argument: unknown): Promise<void> {
    const wanted = typeof argument === 'string' ? { kind: 'show' as const, name: argument } : await pickOrganization(this.#account); // oxfmt-ignore
    if (wanted?.kind === 'connect') await this.#ask(undefined);
    if (wanted?.kind !== 'show') return;
    if (!(await this.#account.show(wanted.name))) {
      const message = vscode.l10n.t('No connected organization is named {0}. Connect it, or switch to another.', wanted.name); // oxfmt-ignore
      throw new SextantError('NoOrganization', message);
    }
    await this.#connect();
  }

  /** `argument`: `{ url, token }`, perhaps with a `name`, connects without asking. */
  async connect(argument: unknown): Promise<void> {
    await this.#ask(argument);
  }

  async trySampleData(): Promise<void> {
    await this.#server.start();
    // Cancelled or failed, which the server reports: what was shown stays.
    if (!this.#server.info) return;
    await this.#account.showSample();
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
    this.#alertSetup ??= new AlertSetup({
      destinations: this.#destinations,
      texts: this.#texts,
      account: () => this.#connection.account?.key,
      send: () => this.#alerts.send(),
    });
    await this.#alertSetup.show(argument);
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
    const named = this.#given(argument) ?? (await askConnection(this.#shown));
    if (!named) return;
    await this.#account.connect(named.connection, named.name);
    await this.#connect();
    await vscode.commands.executeCommand('sextant.usage.focus');
  }

  get #shown(): Organization | undefined {
    const { organizations, name } = this.#account;
    return organizations.find((one) => one.name === name);
  }

  /** The connection of an argument. Without a name, it is that of the organization with this URL, or of the host. */
  #given(argument: unknown): NamedConnection | undefined {
    const { url, token, name } = (argument ?? {}) as Partial<Record<'url' | 'token' | 'name', unknown>>;
    if (typeof url !== 'string' || typeof token !== 'string') return undefined;
    const connection = readConnection(url, token);
    if (typeof name === 'string' && isOrganizationName(name)) return { connection, name };
    const same = this.#account.organizations.find((one) => one.url === connection.url);
    return { connection, name: same?.name ?? new URL(connection.url).host };
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
      // Read first: it names the connection of an earlier version.
      const [service] = await Promise.all([
        this.#account.connection(),
        this.#names.open(),
        // The page needs it: later, its answer would wait for the work of the figures.
        this.#names.secret(),
      ]);
      const connection = isSample ? await this.#server.connection() : service;
      // Not awaited: a window that starts takes half a second for each, and the figures do not need them.
      const isSeveral = this.#account.organizations.length > 1;
      setContext('sextant.analytics.connected', choice !== undefined);
      setContext('sextant.analytics.severalOrganizations', isSeveral);
      this.#connection.connect(connection);
      this.#organization.update(this.#account);
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

function setContext(key: string, value: boolean): void {
  void vscode.commands.executeCommand('setContext', key, value);
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
