import { join } from 'node:path';
import * as vscode from 'vscode';
import { analyticsFolder } from '../../analytics/client/account.ts';
import { NotifiedAlerts } from '../../analytics/client/notifiedAlerts.ts';
import type { Alert } from '../../analytics/insights/budgets.ts';
import { formatShare } from '../../analytics/reports/table.ts';
import { formatCount } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import type { AnalyticsModel } from './analyticsModel.ts';
import { alertThresholds } from '../settings.ts';

/** So many people are named in one message; of more it says how many they are. */
const NAMED = 3;

/** Tells of people near a limit: each threshold once for each person and month in one of the windows, all that is new in one message. */
export class BudgetAlerts implements vscode.Disposable {
  readonly #model: AnalyticsModel;
  readonly #logger: Logger;
  readonly #listening: vscode.Disposable;
  #told: { readonly account: string; readonly alerts: NotifiedAlerts } | undefined;

  constructor(model: AnalyticsModel, logger: Logger) {
    this.#model = model;
    this.#logger = logger;
    this.#listening = model.onDidChange((name) => {
      if (name === 'budgets') void this.#look();
    });
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async #look(): Promise<void> {
    const { account } = this.#model;
    const { report, isLoading } = this.#model.part('budgets');
    const thresholds = alertThresholds();
    if (!report || isLoading || account === undefined || thresholds.length === 0) return;
    const alerts = this.#notifiedOf(account).take(report.standings, thresholds, report.countedUntil);
    if (alerts.length === 0) return;
    const show = vscode.l10n.t('Show Budgets');
    const chosen = await vscode.window.showWarningMessage(describeAlerts(alerts), show);
    if (chosen === show) await vscode.commands.executeCommand('sextant.budgets.focus');
  }

  #notifiedOf(account: string): NotifiedAlerts {
    if (this.#told?.account !== account) {
      const alerts = new NotifiedAlerts(join(analyticsFolder(), 'alerts', account), this.#logger);
      this.#told = { account, alerts };
    }
    return this.#told.alerts;
  }
}

function describeAlerts(alerts: readonly Alert[]): string {
  if (alerts.length <= NAMED) {
    const names = alerts.map(
      ({ standing }) => `${withoutLinks(standing.identity.name)} (${formatShare(standing.used)})`,
    );
    return vscode.l10n.t('Near or over a limit of this month: {0}', names.join(', '));
  }
  const over = alerts.filter(({ standing }) => standing.used >= 1).length;
  return vscode.l10n.t(
    '{0} people are near or over a limit of this month; {1} are over it.',
    formatCount(alerts.length),
    formatCount(over),
  );
}

/** Under which it is kept which batch of an account somebody was told of. */
export function acknowledgedBatchKey(account: string): string {
  return `sextant.budgets.told.${account}`;
}

/** A message makes links of `[text](address)`, also such that run a command: a name is shown without. */
export function withoutLinks(name: string): string {
  return name.replaceAll('[', '(').replaceAll(']', ')');
}
