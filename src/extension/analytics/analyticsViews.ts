import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { groupAttentionIn, type GroupAttention } from '../../analytics/groups/attentionByGroup.ts';
import { ATTENTION_REPORTS, attentionIn } from '../../analytics/reports/attention.ts';
import type { ReportName } from '../../analytics/reports/reportStore.ts';
import type { AnalyticsConnection } from './analyticsConnection.ts';
import type { WindowNames } from './windowNames.ts';
import {
  attentionRows,
  budgetRows,
  groupBudgetRows,
  costRows,
  stateRows,
  teamRows,
  usageRows,
  type AnalyticsRow,
} from './analyticsRows.ts';

/**
 * The trees of usage, cost and budgets. Tree views have the editor's keys, themes and screen-reader support. Without a
 * connected account they are empty, and the editor shows the welcome text of package.json.
 */
export class AnalyticsViews implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #connection: AnalyticsConnection;
  readonly #names: WindowNames;
  readonly #organizations: () => AnalyticsRow[];
  /** Rows shown in place of the reports, such as a missing token. */
  #notice: readonly AnalyticsRow[] = [];
  readonly #trees: readonly AnalyticsTree[];

  constructor(connection: AnalyticsConnection, names: WindowNames, organizations: () => AnalyticsRow[]) {
    this.#connection = connection;
    this.#names = names;
    this.#organizations = organizations;
    // Sentences that the command shares, too, are translated by the library of the pages.
    if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
    const tree = (name: 'usage' | 'cost' | 'budgets', others: readonly ReportName[] = []): AnalyticsTree =>
      this.#disposables.add(new AnalyticsTree(`sextant.${name}`, [name, ...others], () => this.#rows(name)));
    this.#trees = [
      tree('usage', ['people', ...ATTENTION_REPORTS, 'cost']),
      tree('cost', ['groups', 'mapping', ...ATTENTION_REPORTS]),
      tree('budgets', ['groupBudgets']),
    ];
    this.#disposables.add(connection.onDidChange((name) => this.#show(name)));
    this.#disposables.add(names.onDidChange(() => this.#show(undefined)));
  }

  /** Empty while an account is connected. */
  set notice(rows: readonly AnalyticsRow[]) {
    this.#notice = rows;
    this.#show(undefined);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #show(name: ReportName | undefined): void {
    const unit = this.#connection.state('cost').report?.unit;
    for (const tree of this.#trees) {
      if (tree.id === 'sextant.cost')
        tree.title = unit === 'credits' ? vscode.l10n.t('Credits') : vscode.l10n.t('Cost');
      tree.refresh(name);
    }
  }

  #rows(name: 'usage' | 'cost' | 'budgets'): AnalyticsRow[] {
    const organizations = name === 'usage' ? this.#organizations() : [];
    if (this.#connection.account === undefined) return [...organizations, ...this.#notice];
    const state = stateRows(this.#connection.state(name));
    switch (name) {
      case 'usage': {
        const { report } = this.#connection.state(name);
        const attention = attentionRows(attentionIn(this.#connection.account.reports), this.#names.names);
        const people = this.#connection.state('people');
        return [...organizations, ...state, ...(report ? [...attention, ...usageRows(report, people)] : [])];
      }
      case 'cost': {
        const { report } = this.#connection.state(name);
        const { reports } = this.#connection.account;
        const inGroups = (column: string): GroupAttention[] => groupAttentionIn(reports, column);
        const teams = teamRows(reports.report('groups'), inGroups, this.#names.names);
        return report ? [...state, ...costRows(report, teams)] : state;
      }
      case 'budgets': {
        const { report } = this.#connection.state(name);
        if (!report) return state;
        const groups = this.#connection.account.reports.report('groupBudgets');
        return [...state, ...groupBudgetRows(groups, this.#names.names), ...budgetRows(report, this.#names.names)];
      }
    }
  }
}

class AnalyticsTree implements vscode.TreeDataProvider<AnalyticsRow>, vscode.Disposable {
  readonly id: string;
  readonly #of: readonly ReportName[];
  readonly #rows: () => AnalyticsRow[];
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #view: vscode.TreeView<AnalyticsRow>;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(id: string, of: readonly ReportName[], rows: () => AnalyticsRow[]) {
    this.id = id;
    this.#of = of;
    this.#rows = rows;
    this.#view = vscode.window.createTreeView(id, { treeDataProvider: this });
  }

  set title(title: string) {
    this.#view.title = title;
  }

  /** Refreshes the tree if it shows the report; without a name, always. */
  refresh(report: ReportName | undefined): void {
    if (report === undefined || this.#of.includes(report)) this.#changed.fire(undefined);
  }

  getTreeItem({ item }: AnalyticsRow): vscode.TreeItem {
    return item;
  }

  getChildren(row?: AnalyticsRow): AnalyticsRow[] {
    return row ? [...(row.rows ?? [])] : this.#rows();
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}
