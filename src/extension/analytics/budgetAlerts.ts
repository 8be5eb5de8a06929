import { join } from 'node:path';
import * as vscode from 'vscode';
import { analyticsFolder } from '../../analytics/client/account.ts';
import { NotifiedAlerts } from '../../analytics/client/notifiedAlerts.ts';
import type { Alert, BudgetStatus, GroupStatus } from '../../analytics/insights/budgets.ts';
import { nameOfSubject } from '../../analytics/reports/attentionTexts.ts';
import { formatShare } from '../../analytics/reports/table.ts';
import { formatCount } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import type { AccountNames } from './accountNames.ts';
import type { AnalyticsConnection } from './analyticsConnection.ts';
import type { WindowNames } from './windowNames.ts';
import { alertThresholds } from '../settings.ts';

/** Largest number of subjects named in a message; a longer message has their number. */
const NAMED = 3;

/**
 * Notifies of accounts, groups and an organization near their limit: each threshold once for each of them and month, in one
 * of the windows, and all new ones in one message.
 */
export class BudgetAlerts implements vscode.Disposable {
  readonly #connection: AnalyticsConnection;
  readonly #names: WindowNames;
  readonly #logger: Logger;
  readonly #listening: vscode.Disposable;
  #notified: { readonly account: string; readonly alerts: NotifiedAlerts } | undefined;

  constructor(connection: AnalyticsConnection, names: WindowNames, logger: Logger) {
    this.#connection = connection;
    this.#names = names;
    this.#logger = logger;
    this.#listening = connection.onDidChange((name) => {
      if (name === 'budgets' || name === 'groupBudgets') void this.#check();
    });
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async #check(): Promise<void> {
    const { account } = this.#connection;
    const thresholds = alertThresholds();
    if (!account || thresholds.length === 0) return;
    const states = [account.reports.state('groupBudgets'), account.reports.state('budgets')];
    if (states.some(({ isLoading }) => isLoading)) return;
    const notified = this.#notifiedOf(account.key);
    const alerts = states.flatMap(({ report }) =>
      report ? notified.take<BudgetStatus | GroupStatus>(report.statuses, thresholds, report.countedUntil) : [],
    );
    if (alerts.length === 0) return;
    const show = vscode.l10n.t('Show Budgets');
    const chosen = await vscode.window.showWarningMessage(describeAlerts(alerts, this.#names.names), show);
    if (chosen === show) await vscode.commands.executeCommand('sextant.budgets.focus');
  }

  #notifiedOf(account: string): NotifiedAlerts {
    if (this.#notified?.account !== account) {
      const alerts = new NotifiedAlerts(join(analyticsFolder(), 'alerts', account), this.#logger);
      this.#notified = { account, alerts };
    }
    return this.#notified.alerts;
  }
}

function describeAlerts(alerts: readonly Alert<BudgetStatus | GroupStatus>[], names: AccountNames): string {
  if (alerts.length <= NAMED) {
    const named = alerts.map(
      ({ status }) =>
        `${withoutLinks(nameOfSubject(status, (key, name) => names.ofKey(key, name)))} (${formatShare(status.used)})`,
    );
    return vscode.l10n.t('Near or over their limit this month: {0}', named.join(', '));
  }
  const over = alerts.filter(({ status }) => status.used >= 1).length;
  return vscode.l10n.t(
    '{0} accounts or groups are near or over their limit this month; {1} are over it.',
    formatCount(alerts.length),
    formatCount(over),
  );
}

/** Key of the last batch of an account whose result the user has seen. */
export function acknowledgedBatchKey(account: string): string {
  return `sextant.budgets.acknowledged.${account}`;
}

/** Removes brackets from a name: a message would turn `[text](address)` into a link, even to a command. */
export function withoutLinks(name: string): string {
  return name.replaceAll('[', '(').replaceAll(']', ')');
}
