import type { DashboardExport, List, NextStep } from '../../src/protocol/dashboardChoices.ts';
import type { BudgetEditorMethods } from '../../src/protocol/budgetsView.ts';
import type { Choices, DashboardState, ListedRow } from '../../src/protocol/dashboardView.ts';

/** Sends a request about limits; the page shows a failure, and the result is then undefined. */
export type BudgetEditorCall = <K extends keyof BudgetEditorMethods>(
  name: K,
  request: Parameters<BudgetEditorMethods[K]>[0],
) => Promise<ReturnType<BudgetEditorMethods[K]> | undefined>;

/** Actions of the user on the page. */
export interface DashboardActions {
  choose(change: Partial<Choices>): void;
  refresh(): void;
  rows(list: List, from: number, count: number): Promise<readonly ListedRow[]>;
  sort(list: List, column: string, direction: 'ascending' | 'descending'): void;
  openPerson(id: string | null): void;
  export(what: DashboardExport, chart?: string, figure?: HTMLElement): void;
  go(to: NextStep): void;
  /** Requests of the budget editor. */
  readonly callEditor: BudgetEditorCall;
  /** Switches a chart between table and picture. */
  toggleTable(chart: string): void;
}

export interface DashboardPageProps {
  readonly state: DashboardState;
  readonly actions: DashboardActions;
  /** Charts shown as tables. */
  readonly tables: readonly string[];
  /** Failure of the user's last action. */
  readonly problem: string;
}
