import * as l10n from '@vscode/l10n';
import { spendingColumn, titleOfColumn } from '../../analytics/groups/groupReport.ts';
import type { ReportStore } from '../../analytics/reports/reportStore.ts';
import type { PeopleReport } from '../../analytics/reports/usageReport.ts';
import type { BudgetScope } from '../../protocol/budgetChoices.ts';
import type { List } from '../../protocol/dashboardChoices.ts';
import type { Choices } from '../../protocol/dashboardView.ts';
import { budgetColumns, budgetListRows } from './budgetsContent.ts';
import type { AccountNames } from '../analytics/accountNames.ts';
import { inUnit } from './editorSteps.ts';
import { groupColumns, withGroups } from './groupColumns.ts';
import { peopleColumns, peopleRows } from './peopleContent.ts';
import { SortedList, type ListColumn, type SourceRow } from './rowList.ts';
import { chosenColumn, teamColumns, teamRows } from './teamsContent.ts';

type TabList = Exclude<List, 'changes'>;

/** Growth after which a list that is still loading is rearranged: more often, its rows would move under the reader. */
const GROWTH = 1.25;

/** The lists of people and budgets: they keep their order and their place while the reports behind them change. */
export class TabLists {
  readonly #lists: Record<TabList, SortedList | undefined> = {
    people: undefined,
    teams: undefined,
    budgets: undefined,
  };
  #people: PeopleReport | undefined;
  #rows: { readonly of: readonly unknown[]; readonly rows: readonly SourceRow[] } = { of: [], rows: [] };

  /** Removes the lists of an account. */
  clear(): void {
    this.#lists.people = this.#lists.teams = this.#lists.budgets = undefined;
  }

  list(name: TabList): SortedList | undefined {
    return this.#lists[name];
  }

  /** Returns the filled list of a tab; undefined for a tab without one, or without rows. */
  fill(
    store: ReportStore,
    { tab, filter, column }: Pick<Choices, 'tab' | 'filter' | 'column'>,
    names: AccountNames,
    scope: BudgetScope,
  ): SortedList | undefined {
    if (tab === 'people') {
      const people = this.#settledPeople(store);
      if (!people || people.people.length === 0) return undefined;
      const spending = store.report('spending');
      const presence = store.report('presence');
      const unit = spending?.unit ?? store.report('cost')?.unit ?? 'credits';
      const groups = store.report('mapping')?.groups;
      const columns = [...peopleColumns(unit), ...groupColumns(groups)];
      const list = this.#listOf('people', columns, l10n.t('People'), 'total_messages');
      list.fill(
        this.#rowsOf([people, spending, presence, names, groups], () =>
          withGroups(peopleRows({ people, spending, presence }, names), groups, people.range.last, names),
        ),
        filter,
      );
      return list;
    }
    if (tab === 'teams') {
      const report = chosenColumn(store.report('groups')?.columns ?? [], { column });
      if (!report || report.groups.length === 0) return undefined;
      const list = this.#listOf(
        'teams',
        teamColumns(report),
        titleOfColumn(report.column),
        spendingColumn(report.unit).name,
      );
      list.fill(
        this.#rowsOf([report, names], () => teamRows(report, names)),
        filter,
      );
      return list;
    }
    if (tab === 'budgets') {
      const budgets = store.report('budgets');
      if (!budgets || budgets.statuses.length === 0) return undefined;
      const groups = store.report('mapping')?.groups;
      const columns = [...budgetColumns(budgets.unit), ...groupColumns(groups)];
      const list = this.#listOf('budgets', columns, l10n.t('Limits in {0}', inUnit(budgets.unit)), 'used');
      const { today } = store.data;
      list.fill(
        this.#rowsOf([budgets, names, scope, groups], () =>
          withGroups(budgetListRows(budgets, names, scope), groups, today, names),
        ),
        filter,
      );
      return list;
    }
    return undefined;
  }

  /** Returns the list in its current order, or a new one for other columns. */
  #listOf(name: TabList, columns: readonly ListColumn[], caption: string, sort: string): SortedList {
    const known = this.#lists[name];
    const isSame = known?.columns.map(({ name }) => name).join() === columns.map(({ name }) => name).join();
    return (this.#lists[name] = isSame ? known : new SortedList(name, columns, caption, sort));
  }

  /** Returns the loaded people; while they load, those of the last arrangement. */
  #settledPeople(store: ReportStore): PeopleReport | undefined {
    const people = store.report('people');
    const shown = this.#people;
    const isGrowing = people?.distinct === undefined && store.state('people').isLoading;
    const isSameRange = shown !== undefined && shown.range === people?.range;
    if (isGrowing && isSameRange && people.people.length < shown.people.length * GROWTH) return shown;
    return (this.#people = people);
  }

  /** Builds rows once for the same reports, so that the list keeps its place. */
  #rowsOf(of: readonly unknown[], build: () => readonly SourceRow[]): readonly SourceRow[] {
    const { of: before } = this.#rows;
    const isSame = before.length === of.length && of.every((one, i) => one === before[i]);
    if (!isSame) this.#rows = { of, rows: build() };
    return this.#rows.rows;
  }
}
