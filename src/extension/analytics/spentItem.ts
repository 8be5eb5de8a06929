import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { formatTime } from '../../base/clock.ts';
import type { AnalyticsConnection } from './analyticsConnection.ts';
import { describeMoment } from '../../analytics/reports/report.ts';
import { describeAmount } from '../../analytics/reports/attentionTexts.ts';
import { showsSpent } from '../settings.ts';

/** The spending of this month in the status bar, if the setting is on. */
export class SpentItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('sextant.spent', vscode.StatusBarAlignment.Right, 1);
  readonly #connection: AnalyticsConnection;
  readonly #disposables = new DisposableStore();

  constructor(connection: AnalyticsConnection) {
    this.#connection = connection;
    this.#item.name = vscode.l10n.t('Sextant: Spending This Month');
    this.#item.command = 'sextant.cost.focus';
    this.#disposables.add(this.#item);
    this.#disposables.add(connection.onDidChange(() => this.#update()));
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('sextant.analytics')) this.#update();
      }),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #update(): void {
    const { report } = this.#connection.state('cost');
    if (!report?.month || !showsSpent()) {
      this.#item.hide();
      return;
    }
    const { month, unit, countedUntil, asOf } = report;
    const spent = describeAmount(month.spent, unit);
    this.#item.text = `$(credit-card) ${spent}`;
    this.#item.tooltip = vscode.l10n.t(
      'Spent in {0}, as of {1}',
      month.month,
      describeMoment(countedUntil === undefined ? asOf : formatTime(countedUntil)),
    );
    this.#item.accessibilityInformation = {
      label: vscode.l10n.t('{0} spent in {1}', spent, month.month),
      role: 'button',
    };
    this.#item.show();
  }
}
