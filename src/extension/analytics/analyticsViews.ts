import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { AnalyticsModel, ReportName } from './analyticsModel.ts';
import { budgetRows, costRows, stateRows, usageRows, type AnalyticsRow } from './analyticsRows.ts';

/**
 * The trees of usage, cost and budgets: data to unfold beside the code, with the editor's own keys, themes and screen-reader
 * support. While no account is connected they have no rows, and the editor shows what package.json says of connecting one.
 */
export class AnalyticsViews implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #model: AnalyticsModel;
  /** Shown in place of everything, such as why there is no account to ask. */
  #notice: readonly AnalyticsRow[] = [];
  readonly #trees: readonly AnalyticsTree[];

  constructor(model: AnalyticsModel) {
    this.#model = model;
    const tree = (name: 'usage' | 'cost' | 'budgets', others: readonly ReportName[] = []): AnalyticsTree =>
      this.#disposables.add(new AnalyticsTree(`sextant.${name}`, [name, ...others], () => this.#rows(name)));
    this.#trees = [tree('usage', ['people']), tree('cost'), tree('budgets')];
    this.#disposables.add(model.onDidChange((name) => this.#show(name)));
  }

  /** Nothing where there is an account to ask. */
  set notice(rows: readonly AnalyticsRow[]) {
    this.#notice = rows;
    this.#show(undefined);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #show(name: ReportName | undefined): void {
    const unit = this.#model.part('cost').report?.unit;
    for (const tree of this.#trees) {
      if (tree.id === 'sextant.cost')
        tree.title = unit === 'credits' ? vscode.l10n.t('Credits') : vscode.l10n.t('Cost');
      tree.refresh(name);
    }
  }

  #rows(name: 'usage' | 'cost' | 'budgets'): AnalyticsRow[] {
    if (this.#model.account === undefined) return [...this.#notice];
    const state = stateRows(this.#model.part(name));
    switch (name) {
      case 'usage': {
        const { report } = this.#model.part(name);
        return report ? [...state, ...usageRows(report, this.#model.part('people'))] : state;
      }
      case 'cost': {
        const { report } = this.#model.part(name);
        return report ? [...state, ...costRows(report)] : state;
      }
      case 'budgets': {
        const { report } = this.#model.part(name);
        return report ? [...state, ...budgetRows(report)] : state;
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

  /** Where it shows that report; all are shown anew where none is named. */
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
